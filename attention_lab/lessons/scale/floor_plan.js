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
  putText,
  unitFor,
} from '../../figure/browser/elements.js';
import { filled, forms } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { prefersReducedMotion } from '../../figure/browser/smoothing.js';

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
    svg = makePicture(figure, spec.title),
    layer = (kind, tag = 'g') => make('svg', tag, { class: kind }, svg);
  // What every function below gets as its `plan`. The layers of the picture lie over one another in this order.
  const plan = {
    spec,
    stage,
    svg,
    cone: layer('cone', 'path'),
    blocks: layer('blocks'),
    lines: layer('rows', 'path'),
    strips: layer('strips', 'path'),
    marks: layer('marks'),
    texts: layer('texts'),
    rects: new Map(), // by their names
    labels: new Map(),
    room: 520, // its width, until that is known
    at: null, // where everything stands, in px
    scale: null, // px for one number
    goal: null, // the scale to which it glides
    since: 0, // when it was last on its way
    limits: null, // how far a pointer that holds the corner may draw it
    unit: null, // and by what steps
  };
  make(null, 'figcaption', { class: 'hint', text: spec.hint }, figure);
  plan.corner = make('svg', 'circle', { class: 'corner-knob' }, plan.marks);
  plan.hit = make('svg', 'circle', { class: 'hit', r: HIT }, plan.marks);
  plan.handle = cornerHandle(plan);
  makeDraggable(plan.hit, stage, plan.handle);
  followWidth(figure, wide => {
    Object.assign(plan, { room: wide, scale: null, goal: null });
    stage.requestPaint();
  });
  return scope => {
    if (!plan.scale) layOut(plan);
    const s = find(scope, spec.shape);
    rescale(plan, s);
    const widths = widthsOfParts(plan, find(scope, spec.count));
    drawSlabs(plan, s, widths);
    drawRows(plan, s, widths);
    writeShares(plan, widths);
    const drawn = drawLayer(plan, s);
    drawSizes(plan, s, drawn);
    drawScale(plan);
    drawCount(plan, s, drawn, widths);
    svg.dataset.lit = stage.lit ?? '';
    tell(stage, find(scope, spec.touched) > 0 ? 'yours' : '');
  };
}

function cornerHandle(plan) {
  const { spec, stage, svg } = plan,
    read = () => [stage.pose[spec.d_k], stage.pose[spec.d_model]],
    grains = () => [grain(read()[0], 5), grain(read()[1], 7)];
  const snapped = (v, k) => {
    const { limits, unit } = plan,
      most = Math.max(limits[k] - (limits[k] % unit[k]), read()[k]);
    return Math.min(most, Math.max(unit[k], Math.round(v / unit[k]) * unit[k]));
  };
  return {
    name: 'matrix',
    axes: [spec.d_k, spec.d_model],
    ranges: Array(2).fill([1, spec.most]),
    get step() {
      return plan.unit ?? grains();
    },
    read,
    ground: svg,
    at: event => {
      const { x, y } = pointIn(svg, event),
        { at, scale } = plan;
      return [(x - at.left) / scale / stage.scope[spec.shape].num_heads, (y - at.below) / scale];
    },
    move: values => {
      [stage.pose[spec.d_k], stage.pose[spec.d_model]] = values.map(plan.unit ? snapped : Math.round);
    },
    start: () => {
      if (plan.unit || stage.grabbed !== plan.hit) return;
      plan.unit = grains();
      plan.limits = farthest(plan);
    },
    end: () => {
      plan.unit = null;
    },
  };
}

// What has a name is made once and then only moved.
const named = (known, name, create) => known.get(name) ?? known.set(name, create()).get(name);

// A rectangle; without a `box` [left, top, width, height] it is hidden, where there is one.
function rect({ rects, blocks }, name, kind, box, parent = blocks) {
  const element = box ? named(rects, name, () => make('svg', 'rect', {}, parent)) : rects.get(name),
    shown = box?.every(Number.isFinite);
  if (element) element.style.display = shown ? '' : 'none';
  if (!shown) return;
  putClass(element, kind);
  const [x, y, width, height] = box.map((size, k) => (k < 2 ? size : Math.max(0, size)).toFixed(2));
  place(element, { x, y, width, height });
}

function label({ labels, texts }, name, kind, text, x, y, anchor = 'middle', turn = false) {
  const element = named(labels, name, () => make('svg', 'text', {}, texts));
  element.style.display = text ? '' : 'none';
  if (!text) return;
  putText(element, text);
  putClass(element, kind);
  const transform = turn ? `rotate(-90 ${x.toFixed(1)} ${y.toFixed(1)})` : '';
  place(element, { x: x.toFixed(1), y: y.toFixed(1), 'text-anchor': anchor, transform });
}

function matrixName({ labels, texts }, name, x, y, shown) {
  const element = named(labels, `letter ${name}`, () => {
    const text = make('svg', 'text', { class: 'letter', 'text-anchor': 'middle', text: 'W' }, texts);
    make('svg', 'tspan', { class: 'lower', dy: '.3em', text: name[0].toUpperCase() }, text);
    return text;
  });
  element.style.display = shown ? '' : 'none';
  if (shown) place(element, { x: x.toFixed(1), y: y.toFixed(1) });
}

function layOut(plan) {
  const { room, svg, corner } = plan,
    u = unitFor(0.75),
    left = 26 * u,
    top = 46 * u,
    all = Math.round(Math.min(104 * u, (projected() ? 0.12 : 0.2) * room)),
    below = top + all + 36 * u,
    tall = Math.round(Math.min(352 * u, (projected() ? 0.34 : 0.68) * room)),
    height = below + tall + 22 * u;
  plan.at = { u, left, top, all, below, tall, height, wide: room - left - 12 * u, gap: 3 * u, between: 24 * u };
  place(svg, { viewBox: `0 0 ${room} ${height.toFixed(0)}` });
  svg.style.height = `${height.toFixed(0)}px`;
  place(corner, { r: (7 * u).toFixed(1) });
}

// The room for one layer, without what is between its matrices.
const spare = ({ at }, s) => [at.wide - 3 * at.gap, at.tall - (rowsOf(s) - 2) * at.gap - at.between];

// How far the corner may be drawn out within the frame.
function farthest(plan) {
  const { spec, stage, scale } = plan,
    s = stage.scope[spec.shape],
    [wide, tall] = spare(plan, s),
    follows = widthOfFeed(s) / s.d_model;
  const d_k = wide / scale / (2 * s.num_heads + 2 * s.num_kv_heads),
    d_model = Math.min(tall / rowsOf(s) / scale, stage.pose.d_ff ? Infinity : wide / scale / follows);
  return [Math.floor(d_k), Math.floor(d_model)];
}

// Pixels for one number: it changes by steps, and only where a layer no longer fits or is lost in the frame.
function rescale(plan, s) {
  const { stage, hit, unit, scale, goal } = plan,
    wide = Math.max(s.num_heads * (s.d_k + s.d_v) + s.num_kv_heads * (s.d_k + s.d_v), widthOfFeed(s)),
    tall = rowsOf(s) * s.d_model,
    [w, h] = spare(plan, s),
    focused = hit.getRootNode().activeElement === hit;
  const fits = scale && wide * goal <= w + 0.5 && tall * goal <= h + 0.5,
    lost = scale && wide * goal < LEAST * w && tall * goal < LEAST * h;
  if (!goal || (!unit && (!fits || (!focused && (lost || stage.held === null)))))
    plan.goal = stepped(Math.min(w / wide, h / tall) / SLACK);
  const now = performance.now(),
    left = scale ? Math.log(plan.goal / scale) : 0;
  plan.scale =
    !scale || Math.abs(left) < 0.002 || prefersReducedMotion()
      ? plan.goal
      : scale * Math.exp(left * (1 - Math.exp(-Math.min(64, now - plan.since) / GLIDE)));
  plan.since = now;
  if (plan.scale !== plan.goal) stage.requestPaint();
}

// All of it: widths are shares of the whole, and each layer is a row.
function widthsOfParts({ room }, count) {
  const part = n => (room * Number(n)) / Number(count.total);
  return {
    attention: part(count.attention_total),
    feed_forward: part(count.feed_forward_total),
    embeddings: part(count.embeddings),
    rest: part(count.norms) + part(count.biases),
  };
}

function drawSlabs(plan, s, { attention, feed_forward, embeddings, rest }) {
  const { top, all } = plan.at,
    four = Object.entries(widthsOf(s)),
    wide = four.reduce((sum, [, size]) => sum + size, 0);
  let x = 0;
  for (const [name, kind, w] of [
    ...four.map(([name, size]) => [name, `attention ${name}`, (attention * size) / wide]),
    ['feed', 'feed', feed_forward],
    ['words', 'words', embeddings],
    ['rest', 'rest', rest],
  ]) {
    rect(plan, `all ${name}`, `piece ${kind}`, plan.stage.resultsHidden ? null : [x, top, w, all]);
    x += w;
  }
  rect(plan, 'all', 'everything', [0, top, plan.room, all]);
}

// A line between every two layers, and one layer's place among them.
function drawRows(plan, s, { attention, feed_forward: feed }) {
  const { lines, marks, stage } = plan,
    { u, top, all } = plan.at,
    layers = s.num_layers + s.decoder_layers;
  const rows = (n, from, to) => {
    const length = stage.resultsHidden || n > Math.min(MOST_LINES, all / 1.04) ? 0 : n - 1,
      y = i => (top + (all * (i + 1)) / n).toFixed(2);
    return Array.from({ length }, (_, i) => `M${from.toFixed(1)} ${y(i)}H${to.toFixed(1)}`).join('');
  };
  lines.setAttribute('d', rows(s.attention_blocks, 0, attention) + rows(layers, attention, attention + feed));
  lines.style.strokeWidth = `${Math.min(1, (0.3 * all) / s.attention_blocks).toFixed(2)}px`;
  for (const [name, from, w, tall] of [
    ['attention', 0, attention, all / s.attention_blocks],
    ['feed', attention, feed, all / layers],
  ]) {
    const kind = tall > 4 * u ? 'this-row' : 'this-row thin',
      h = Math.max(tall, 1.5);
    rect(plan, `row ${name}`, kind, stage.resultsHidden ? null : [from + 1, top + all - h - 0.5, w - 2, h], marks);
  }
}

// Each part's name and share above it, where it has room.
function writeShares(plan, widths) {
  const { spec, stage, room, at } = plan;
  let free = -Infinity,
    from = 0;
  for (const [name, wide] of Object.entries(widths)) {
    const text = `${spec.words[name]} ${stage.resultsHidden ? '?' : forms.partOfAll(wide / room)}`,
      half = 3.75 * at.u * text.length;
    const x = Math.min(room - half, Math.max(half, from + wide / 2)),
      shown = !stage.resultsHidden && x - half > free && (name !== 'rest' || wide > 4 * at.u);
    label(plan, `share ${name}`, `share ${name}`, shown ? text : '', x, at.top - 8 * at.u);
    if (shown) free = x + half + 6 * at.u;
    from += wide;
  }
}

// One layer: the matrices of attention in a row, below them those of the feed-forward part, each as tall as a
// vector is long. Returns where it ends, and how wide its first matrix is.
function drawLayer(plan, s) {
  const { left, below, between, wide } = plan.at,
    tall = s.d_model * plan.scale,
    feed = Math.min(wide, widthOfFeed(s) * plan.scale),
    width = Math.max(0, Math.min(wide, widthsOf(s).query * plan.scale)),
    right = drawAttention(plan, s, tall),
    bottom = drawFeedForward(plan, s, below + tall + between, feed, tall);
  return { width, tall, right: Math.max(right, plan.stage.resultsHidden ? 0 : left + feed), bottom };
}

function drawAttention(plan, s, tall) {
  const { u, left, below, gap, wide } = plan.at,
    thin = [],
    own = { query: s.d_k, key: s.d_k, value: s.d_v, output: s.d_v };
  let x = left;
  for (const [name, size] of Object.entries(widthsOf(s))) {
    const w = Math.max(0, Math.min(size * plan.scale, left + wide - x)),
      step = own[name] * plan.scale;
    rect(plan, name, `piece matrix attention ${name}`, [x, below, Math.max(w, 0.6), tall]);
    rect(plan, `one ${name}`, `one ${name}`, [x, below, Math.min(w, Math.max(step, 1.3)), tall]);
    if (step >= 2.6)
      for (let k = 1; k * step < w - 1; k++) thin.push(`M${(x + k * step).toFixed(2)} ${below}v${tall.toFixed(2)}`);
    matrixName(plan, name, x + w / 2, below + tall / 2 + 5 * u, w > 30 * u && tall > 24 * u);
    x += w + gap;
  }
  plan.strips.setAttribute('d', thin.join(''));
  return x - gap;
}

function drawFeedForward(plan, s, top, wide, tall) {
  const { spec, stage } = plan,
    { u, left, gap } = plan.at;
  let y = top;
  for (const name of ['gate', 'up', 'down']) {
    const absent = name === 'gate' && !s.gated_feed_forward,
      shown = !absent && !stage.resultsHidden && !s.attention_only,
      text = spec.words[name],
      fits = shown && wide > 7.2 * u * text.length && tall > 20 * u;
    rect(plan, name, 'piece feed', shown ? [left, y, Math.max(wide, 0.6), tall] : null);
    label(plan, `name ${name}`, 'inside', fits ? text : '', left + wide / 2, y + tall / 2 + 4.5 * u);
    if (!absent) y += tall + gap;
  }
  return y;
}

// The sizes along the edges, and the corner in the hand.
function drawSizes(plan, s, { width, tall }) {
  const { u, left, below } = plan.at,
    tallName = tall > 88 * u ? `d_model ${forms.whole(s.d_model)}` : tall > 40 * u ? forms.whole(s.d_model) : '';
  label(plan, 'd_model', 'along', tallName, left - 8 * u, below + tall / 2, 'middle', true);
  const across = `${forms.whole(s.num_heads)} × ${forms.whole(s.d_k)}`,
    middle = left + width / 2 - 8 * u,
    [x, anchor] = middle > 3.1 * u * across.length ? [middle, 'middle'] : [0, 'start'];
  label(plan, 'd_k', 'along', across, x, below + tall + 15 * u, anchor);
  const at = { cx: (left + width).toFixed(2), cy: (below + tall).toFixed(2) };
  for (const circle of [plan.corner, plan.hit]) place(circle, at);
  describe(plan.hit, plan.handle);
}

function drawScale(plan) {
  const { u, left, wide, height } = plan.at,
    most = (96 * u) / plan.scale,
    power = 10 ** Math.floor(Math.log10(most)),
    round = [5, 2, 1].find(k => k * power <= most) * power,
    length = round * plan.scale,
    begin = left + wide - length;
  rect(plan, 'scale', 'scale', [begin, height - 10 * u, length, 2 * u], plan.marks);
  const text = filled(plan.spec.words.scale, { n: forms.whole(round) });
  label(plan, 'scale', 'along', text, begin - 8 * u, height - 6 * u, 'end');
}

// The layer's name, how many there are, and the rays from the layers in the whole to the layer enlarged.
function drawCount(plan, s, { right, bottom }, { attention, feed_forward }) {
  const { words } = plan.spec,
    { u, left, top, all, below, wide } = plan.at,
    { resultsHidden } = plan.stage,
    free = left + wide - right,
    n = s.num_layers + s.decoder_layers,
    beside = !resultsHidden && free > 76 * u,
    [many, layers] = beside ? [`× ${forms.whole(n)}`, words[n === 1 ? 'layers_1' : 'layers']] : ['', ''],
    [centre, halfway] = [right + free / 2, (below + bottom) / 2];
  label(plan, 'layer', 'along layer', words.layer, left, below - 9 * u, 'start');
  label(plan, 'times', 'times', many, centre, halfway + 4 * u);
  label(plan, 'layers', 'along', layers, centre, halfway + 22 * u);
  const [y, end] = [top + all, (attention + feed_forward).toFixed(1)];
  plan.cone.setAttribute('d', resultsHidden ? '' : `M0 ${y} L${left} ${below} H${right.toFixed(1)} L${end} ${y} Z`);
}
