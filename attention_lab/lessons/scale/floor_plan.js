// Where a model's numbers are, to scale: on top all of them as one area, below it the matrices of one layer.
// The corner of the first matrix is in the hand.
import { find } from '../../figure/browser/calculation.js';
import {
  badge,
  followWidth,
  make,
  makePicture,
  place,
  pointIn,
  projected,
  putClass,
  unitFor,
} from '../../figure/browser/elements.js';
import { filled, forms } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';

const SLACK = 1.12,
  LEAST = 0.45,
  MOST_LINES = 400; // room that a layer leaves free; how little it may fill; lines that a picture bears
const HIT = 22,
  GLIDE = 90; // ms
const stepped = x => 2 ** (Math.floor(3 * Math.log2(x)) / 3); // three steps to a doubling
const widthOfFeed = shape => (shape.attention_only ? 0 : shape.d_ff),
  rowsOf = shape => 1 + shape.feed_forward_matrices; // of matrices in a layer
// How wide the matrices of attention are in a layer.
const widthsOf = s => ({
  query: s.num_heads * s.d_k,
  key: s.num_kv_heads * s.d_k,
  value: s.num_kv_heads * s.d_v,
  output: s.num_heads * s.d_v,
});
const grain = (n, digits) => Math.max(1, 2 ** (Math.floor(Math.log2(n)) - digits));

// spec: { title, hint, shape, count, d_model, d_k (names in the pose),
//         words: { attention, feed_forward, embeddings, rest, gate, up, down, layer, scale, heads } }
export function floor_plan(host, spec, stage) {
  const figure = make(null, 'figure', { class: 'floor-plan' }, host),
    tell = badge(figure, spec.badge),
    still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const svg = makePicture(figure, spec.title);
  const layer = kind => make('svg', 'g', { class: kind }, svg);
  const cone = make('svg', 'path', { class: 'cone' }, svg),
    blocks = layer('blocks'),
    lines = make('svg', 'path', { class: 'rows' }, svg),
    strips = make('svg', 'path', { class: 'strips' }, svg),
    marks = layer('marks'),
    texts = layer('texts');
  make(null, 'figcaption', { class: 'hint', text: spec.hint }, figure);
  const rects = new Map(),
    labels = new Map();
  let room = 0,
    at = null,
    scale = null,
    since = 0,
    limits = null, // how far a pointer that holds the corner may draw it, and by what steps
    unit = null;

  // A rectangle or a text by its name, made once and then only moved.
  const rect = (name, kind, x, y, w, h, parent = blocks) => {
    if (!rects.has(name)) rects.set(name, make('svg', 'rect', {}, parent));
    const element = rects.get(name),
      shown = Number.isFinite(x + y + w + h);
    element.style.display = shown ? '' : 'none';
    if (!shown) return;
    putClass(element, kind);
    const [width, height] = [w, h].map(size => Math.max(0, size).toFixed(2));
    place(element, { x: x.toFixed(2), y: y.toFixed(2), width, height });
  };
  const hide = name => {
    const element = rects.get(name);
    if (element) element.style.display = 'none';
  };
  const label = (name, kind, text, x, y, anchor = 'middle', turn = false) => {
    if (!labels.has(name)) labels.set(name, make('svg', 'text', {}, texts));
    const element = labels.get(name);
    element.style.display = text ? '' : 'none';
    if (!text) return;
    if (element.textContent !== text) element.textContent = text;
    putClass(element, kind);
    const transform = turn ? `rotate(-90 ${x.toFixed(1)} ${y.toFixed(1)})` : '';
    place(element, { x: x.toFixed(1), y: y.toFixed(1), 'text-anchor': anchor, transform });
  };
  const matrixName = (name, letter, x, y, shown) => {
    if (!labels.has(name)) {
      const text = make('svg', 'text', { class: 'letter', 'text-anchor': 'middle', text: 'W' }, texts);
      make('svg', 'tspan', { class: 'lower', dy: '.3em', text: letter }, text);
      labels.set(name, text);
    }
    labels.get(name).style.display = shown ? '' : 'none';
    if (shown) place(labels.get(name), { x: x.toFixed(1), y: y.toFixed(1) });
  };

  const corner = make('svg', 'circle', { class: 'corner-knob' }, marks),
    hit = make('svg', 'circle', { class: 'hit', r: HIT }, marks);
  const pose = () => [stage.pose[spec.d_k], stage.pose[spec.d_model]];
  const handle = {
    name: 'matrix',
    axes: [spec.d_k, spec.d_model],
    ranges: [
      [1, spec.most],
      [1, spec.most],
    ],
    get step() {
      return unit ?? [grain(pose()[0], 5), grain(pose()[1], 7)];
    },
    read: pose,
    ground: svg,
    at: event => {
      const { x, y } = pointIn(svg, event);
      return [(x - at.left) / scale / stage.scope[spec.shape].num_heads, (y - at.below) / scale];
    },
    move: values => {
      const [d_k, d_model] = values.map((v, k) =>
        unit
          ? Math.min(
              Math.max(limits[k] - (limits[k] % unit[k]), pose()[k]),
              Math.max(unit[k], Math.round(v / unit[k]) * unit[k]),
            )
          : Math.round(v),
      );
      stage.pose[spec.d_k] = d_k;
      stage.pose[spec.d_model] = d_model;
    },
    start: () => {
      if (unit || stage.grabbed !== hit) return;
      unit = [grain(pose()[0], 5), grain(pose()[1], 7)];
      limits = farthest();
    },
    end: () => {
      unit = null;
    },
  };
  makeDraggable(hit, stage, handle);

  // How wide and how tall one layer is, in numbers.
  const extent = s => ({
    wide: Math.max(s.num_heads * (s.d_k + s.d_v) + s.num_kv_heads * (s.d_k + s.d_v), widthOfFeed(s)),
    tall: rowsOf(s) * s.d_model,
  });
  const spare = s => [at.wide - 3 * at.gap, at.tall - (rowsOf(s) - 2) * at.gap - at.between];

  // How far the corner may be drawn out within the frame.
  function farthest() {
    const s = stage.scope[spec.shape],
      [wide, tall] = spare(s),
      follows = widthOfFeed(s) / s.d_model;
    const d_k = wide / scale / (2 * s.num_heads + 2 * s.num_kv_heads),
      d_model = Math.min(tall / rowsOf(s) / scale, stage.pose.d_ff ? Infinity : wide / scale / follows);
    return [Math.floor(d_k), Math.floor(d_model)];
  }

  // Pixels for one number: it changes by steps, and only where a layer no longer fits or is lost in the frame.
  function rescale(s) {
    const { wide, tall } = extent(s),
      [w, h] = spare(s),
      focused = hit.getRootNode().activeElement === hit;
    const fits = scale && wide * at.scale <= w + 0.5 && tall * at.scale <= h + 0.5,
      lost = scale && wide * at.scale < LEAST * w && tall * at.scale < LEAST * h;
    const best = stepped(Math.min(w / wide, h / tall) / SLACK);
    if (!at.scale || (!unit && (!fits || (!focused && (lost || stage.held === null))))) at.scale = best;
    const now = performance.now(),
      left = scale ? Math.log(at.scale / scale) : 0;
    scale =
      still || !scale || Math.abs(left) < 0.002
        ? at.scale
        : scale * Math.exp(left * (1 - Math.exp(-Math.min(64, now - since) / GLIDE)));
    since = now;
    if (scale !== at.scale) stage.requestPaint();
  }

  function layOut() {
    const u = unitFor(0.75),
      narrow = room < 420 * u;
    const left = 26 * u,
      top = 46 * u,
      all = Math.round(Math.min(104 * u, (projected() ? 0.12 : 0.2) * room)),
      below = top + all + 36 * u;
    at = {
      u,
      narrow,
      left,
      top,
      all,
      below,
      wide: room - left - 12 * u,
      gap: 3 * u,
      between: 24 * u,
      scale: at?.scale ?? null,
    };
    at.tall = Math.round(Math.min(352 * u, (projected() ? 0.34 : 0.68) * room));
    at.height = below + at.tall + 22 * u;
    place(svg, { viewBox: `0 0 ${room} ${at.height.toFixed(0)}` });
    svg.style.height = `${at.height.toFixed(0)}px`;
    place(corner, { r: (7 * u).toFixed(1) });
  }

  // All of it: widths are shares of the whole, and each layer is a row.
  function drawAll(s, count) {
    const { u, top, all } = at,
      total = Number(count.total),
      part = n => (room * Number(n)) / total,
      resultsHidden = stage.resultsHidden,
      four = Object.entries(widthsOf(s)),
      wide = four.reduce((sum, [, size]) => sum + size, 0);
    const attention = part(count.attention_total),
      feed = part(count.feed_forward_total),
      words = part(count.embeddings),
      rest = part(count.norms) + part(count.biases);
    let x = 0;
    const slab = (name, kind, w) => {
      if (resultsHidden) hide(name);
      else rect(name, `piece ${kind}`, x, top, w, all);
      x += w;
    };
    for (const [name, size] of four) slab(`all ${name}`, `attention ${name}`, (attention * size) / wide);
    slab('all feed', 'feed', feed);
    slab('all words', 'words', words);
    slab('all rest', 'rest', rest);
    rect('all', 'everything', 0, top, room, all);
    const layers = s.num_layers + s.decoder_layers,
      rows = (n, from, to) => {
        const length = resultsHidden || n > Math.min(MOST_LINES, all / 1.04) ? 0 : n - 1,
          y = i => (top + (all * (i + 1)) / n).toFixed(2);
        return Array.from({ length }, (_, i) => `M${from.toFixed(1)} ${y(i)}H${to.toFixed(1)}`).join('');
      };
    lines.setAttribute('d', rows(s.attention_blocks, 0, attention) + rows(layers, attention, attention + feed));
    lines.style.strokeWidth = `${Math.min(1, (0.3 * all) / s.attention_blocks).toFixed(2)}px`;
    const block = all / s.attention_blocks,
      one = all / layers;
    for (const [name, from, w, tall] of [
      ['attention', 0, attention, block],
      ['feed', attention, feed, one],
    ]) {
      const kind = tall > 4 * u ? 'this-row' : 'this-row thin',
        h = Math.max(tall, 1.5);
      if (resultsHidden) hide(`row ${name}`);
      else rect(`row ${name}`, kind, from + 1, top + all - h - 0.5, w - 2, h, marks);
    }
    writeShares({ attention, feed_forward: feed, embeddings: words, rest });
    return attention + feed;
  }

  // Each part's name and share above it, where it has room.
  function writeShares(widths) {
    const { u, top } = at;
    let free = -Infinity,
      from = 0;
    for (const [name, wide] of Object.entries(widths)) {
      const text = `${spec.words[name]} ${stage.resultsHidden ? '?' : forms.partOfAll(wide / room)}`,
        half = 3.75 * u * text.length;
      const x = Math.min(room - half, Math.max(half, from + wide / 2)),
        shown = !stage.resultsHidden && x - half > free && (name !== 'rest' || wide > 4 * u);
      label(`share ${name}`, `share ${name}`, shown ? text : '', x, top - 8 * u);
      if (shown) free = x + half + 6 * u;
      from += wide;
    }
  }

  // One layer: the matrices of attention in a row, below them those of the feed-forward part, each as tall as a
  // vector is long.
  function drawLayer(s) {
    const { u, left, below, gap, between } = at,
      tall = s.d_model * scale,
      end = left + at.wide;
    const cut = w => Math.min(w, end - x),
      thin = [],
      own = { query: s.d_k, key: s.d_k, value: s.d_v, output: s.d_v },
      letters = { query: 'Q', key: 'K', value: 'V', output: 'O' };
    let x = left,
      width = 0;
    for (const [name, size] of Object.entries(widthsOf(s))) {
      const w = Math.max(0, cut(size * scale)),
        step = own[name] * scale,
        kind = `piece matrix attention ${name}`;
      rect(name, kind, x, below, Math.max(w, 0.6), tall);
      rect(`one ${name}`, `one ${name}`, x, below, Math.min(w, Math.max(step, 1.3)), tall);
      if (step >= 2.6)
        for (let k = 1; k * step < w - 1; k++) thin.push(`M${(x + k * step).toFixed(2)} ${below}v${tall.toFixed(2)}`);
      matrixName(`letter ${name}`, letters[name], x + w / 2, below + tall / 2 + 5 * u, w > 30 * u && tall > 24 * u);
      if (name === 'query') width = w;
      x += w + gap;
    }
    const right = x - gap,
      feed = Math.min(at.wide, widthOfFeed(s) * scale);
    strips.setAttribute('d', thin.join(''));
    let y = below + tall + between;
    for (const name of ['gate', 'up', 'down']) {
      const absent = name === 'gate' && !s.gated_feed_forward;
      if (absent || stage.resultsHidden || s.attention_only) {
        hide(name);
        label(`name ${name}`, '', '');
      } else {
        rect(name, 'piece feed', left, y, Math.max(feed, 0.6), tall);
        const text = spec.words[name],
          fits = feed > 7.2 * u * text.length && tall > 20 * u;
        label(`name ${name}`, 'inside', fits ? text : '', left + feed / 2, y + tall / 2 + 4.5 * u);
      }
      if (!absent) y += tall + gap;
    }
    return { width, tall, right: Math.max(right, stage.resultsHidden ? 0 : left + feed), bottom: y };
  }

  // The sizes along the edges, the scale, the corner, and the rays from the layer in the whole to the layer enlarged.
  function drawMarks(s, drawn, layersEnd) {
    const { u, left, below, top } = at,
      { width, tall } = drawn;
    const tallName = tall > 88 * u ? `d_model ${forms.whole(s.d_model)}` : tall > 40 * u ? forms.whole(s.d_model) : '';
    label('d_model', 'along', tallName, left - 8 * u, below + tall / 2, 'middle', true);
    const across = `${forms.whole(s.num_heads)} × ${forms.whole(s.d_k)}`,
      half = 3.1 * u * across.length,
      middle = left + width / 2 - 8 * u,
      [x, anchor] = middle > half ? [middle, 'middle'] : [0, 'start'];
    label('d_k', 'along', across, x, below + tall + 15 * u, anchor);
    const most = (96 * u) / scale,
      power = 10 ** Math.floor(Math.log10(most)),
      round = [5, 2, 1].find(k => k * power <= most) * power,
      base = at.height - 8 * u,
      begin = left + at.wide - round * scale,
      scaleName = filled(spec.words.scale, { n: forms.whole(round) });
    rect('scale', 'scale', begin, base - 2 * u, round * scale, 2 * u, marks);
    label('scale', 'along', scaleName, begin - 8 * u, base + 2 * u, 'end');
    label('layer', 'along layer', spec.words.layer, left, below - 9 * u, 'start');
    const free = left + at.wide - drawn.right,
      beside = !stage.resultsHidden && free > 76 * u,
      n = s.num_layers + s.decoder_layers,
      [many, layers] = beside ? [`× ${forms.whole(n)}`, spec.words[n === 1 ? 'layers_1' : 'layers']] : ['', ''],
      [centre, halfway] = [drawn.right + free / 2, (below + drawn.bottom) / 2];
    label('times', 'times', many, centre, halfway + 4 * u);
    label('layers', 'along', layers, centre, halfway + 22 * u);
    const y = top + at.all;
    cone.setAttribute(
      'd',
      stage.resultsHidden ? '' : `M0 ${y} L${left} ${below} H${drawn.right.toFixed(1)} L${layersEnd.toFixed(1)} ${y} Z`,
    );
    for (const circle of [corner, hit]) place(circle, { cx: (left + width).toFixed(2), cy: (below + tall).toFixed(2) });
    describe(hit, handle);
  }

  followWidth(figure, wide => {
    room = wide;
    if (at) at.scale = null;
    scale = null;
    stage.requestPaint();
  });
  return scope => {
    room ||= 520;
    if (!scale) layOut();
    const s = find(scope, spec.shape);
    rescale(s);
    const layersEnd = drawAll(s, find(scope, spec.count));
    drawMarks(s, drawLayer(s), layersEnd);
    svg.dataset.lit = stage.lit ?? '';
    tell(stage, find(scope, spec.touched) > 0 ? 'yours' : '');
  };
}
