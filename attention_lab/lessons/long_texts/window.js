// A window over the text: the keys that each query sees, as the coloured part of a triangle, with the window's edge
// under the hand; and the perplexity that was recorded with each window.
import { find } from '../../figure/browser/calculation.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import {
  badge,
  followWidth,
  make,
  makePicture,
  place,
  pointIn,
  projected,
  rem,
  unitFor,
} from '../../figure/browser/elements.js';
import { formatNumber, forms, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

const EDGE = 22, // px of the last query's row
  FLAT = 0.68, // of the triangle's width, its height
  LEAST = 5; // px: as wide as the first tokens are drawn at least

// spec: { title, badge, window: the pose's choice, widths, width, kept, back, reach, perplexity: paths, tokens,
//         words }
export function seen_keys(host, spec, stage) {
  const box = make(null, 'figure', { class: 'seen-keys' }, host),
    paintBadge = badge(box, spec.badge),
    { words, tokens } = spec;
  const svg = makePicture(box, spec.title);
  const shape = (tag, kind) => make('svg', tag, { class: kind }, svg),
    [all, seen, rowSeen] = ['all', 'seen', 'row-seen'].map(kind => shape('path', kind)),
    [row, knob, hit] = ['row', 'knob', 'hit'].map(kind => shape('rect', kind)),
    labels = ['keys', 'queries', 'last'].map(name => shape('text', `axis-name ${name}`)),
    numbers = facts(
      box,
      {
        perplexity: [words.perplexity, '', 'cost'],
        width: [words.sees, words.of_all],
        back: [words.one_layer, words.tokens_back],
        reach: [words.all_layers, words.tokens_back],
      },
      words.why_further,
    );
  let at = null;
  const handle = edgeHandle(svg, spec, stage, () => at);
  makeDraggable(hit, stage, handle);

  followWidth(box, room => {
    const side = Math.min(room - 14, (projected() ? 17 : 27) * rem()),
      u = unitFor(0.75),
      tall = FLAT * side,
      top = tall + 16 * u;
    at = { side, tall, u, unit: side / tokens, top, bottom: top + EDGE * u };
    const [width, height] = [side + 14, at.bottom + 26 * u].map(x => x.toFixed(1));
    place(svg, { viewBox: `0 0 ${width} ${height}` });
    Object.assign(svg.style, { width: `${width}px`, height: `${height}px` });
    place(row, { x: 0, y: top, width: side, height: EDGE * u });
    all.setAttribute('d', `M0 0V${tall}H${side}Z`);
    const [keys, queries, last] = labels;
    place(queries, { x: 12 * u, y: tall - 28 * u });
    place(keys, { x: 12 * u, y: tall - 10 * u });
    place(last, { x: 0, y: at.bottom + 18 * u });
    labels.forEach((label, k) => {
      label.textContent = words[['keys', 'queries', 'last'][k]];
    });
    stage.requestPaint();
  });
  return scope => {
    if (!at) return;
    const { side, tall, u, top, bottom } = at,
      whole = find(scope, spec.width) >= tokens,
      kept = whole ? 0 : find(scope, spec.kept),
      part = whole ? side : (find(scope, spec.back) + 1) * at.unit, // of the last query's row
      first = kept && Math.max(LEAST, kept * at.unit),
      rest = side - part,
      y = x => (x / side) * tall,
      box = (x, from, to, below) => `M${x} ${from}H${to}V${below}H${x}Z`;
    const column = first ? box(0, y(first), first, tall) : '';
    seen.setAttribute('d', `M0 0L${side} ${tall}H${rest}L0 ${y(part)}Z${column}`);
    rowSeen.setAttribute('d', box(rest, top, side, bottom) + (first ? box(0, top, first, bottom) : ''));
    place(knob, { x: Math.max(4, rest) - 4, y: top - 5 * u, width: 8, height: (EDGE + 10) * u, rx: 4 });
    place(hit, { x: Math.max(4, rest) - 22, y: top - 14 * u, width: 44, height: (EDGE + 28) * u });
    show(numbers.perplexity, find(scope, spec.perplexity), 'perplexity', { hidden: stage.resultsHidden });
    for (const name of ['width', 'back', 'reach'])
      show(numbers[name], find(scope, spec[name]), name, { form: forms.whole });
    describe(hit, handle);
    paintBadge(stage);
  };
}

// What follows, in words: lines of { name: [before its number, behind it, class] }, and why. Returns where the numbers
// stand.
export function facts(box, lines, why) {
  const host = make(null, 'div', { class: 'facts' }, box),
    numbers = {};
  for (const [name, [label, tail, kind]] of Object.entries(lines)) {
    const p = make(null, 'p', { class: kind }, host);
    make(null, 'span', { text: label }, p);
    numbers[name] = make(null, 'b', {}, p);
    make(null, 'i', { text: tail }, p);
  }
  make(null, 'p', { class: 'why', text: why }, host);
  return numbers;
}

// The window's edge as a handle that stops at the widths that were recorded; `at` says how the picture is drawn.
function edgeHandle(svg, spec, stage, at) {
  const widths = find(stage.scope, spec.widths);
  return {
    name: 'window',
    axes: [spec.words.window],
    ranges: [[0, widths.length - 1]],
    step: 1,
    read: () => [stage.pose[spec.window]],
    at: event => [nearest(widths, Math.max(1, (at().side - pointIn(svg, event).x) / at().unit))],
    move: ([place]) => {
      stage.pose[spec.window] = Math.round(place);
    },
  };
}

// The place of the number that is fewest times larger or smaller than the one wanted.
export function nearest(numbers, wanted) {
  const far = numbers.map(n => Math.abs(Math.log(n / wanted)));
  return far.indexOf(Math.min(...far));
}

// spec: { title, window, first: the pose's choices, perplexities: path, names of the windows, firsts, whole: the window
//         of all tokens, which has one number, bound, words }
export function perplexities(host, spec, stage) {
  const box = make(null, 'figure', { class: 'perplexities' }, host),
    svg = make('svg', 'svg', { class: 'picture', role: 'img', 'aria-label': spec.title }, box),
    ground = make('svg', 'g', {}, svg);
  const bars = spec.names.map((_, w) =>
    (w === spec.whole ? [''] : spec.firsts).map((_, f) => {
      const bar = make('svg', 'rect', { class: w === spec.whole ? 'bar whole' : `bar first${f}`, rx: 2 }, svg);
      bar.addEventListener('click', () =>
        setPose(stage, { [spec.window]: w, ...(w !== spec.whole && { [spec.first]: f }) }),
      );
      return bar;
    }),
  );
  const legend = make(null, 'p', { class: 'legend' }, box);
  make(null, 'span', { text: spec.words.legend }, legend);
  spec.firsts.forEach((text, f) => {
    const item = make(null, 'span', { class: `first${f}` }, legend);
    make(null, 'i', {}, item);
    item.append(text);
  });

  followWidth(box, room => drawBars({ svg, ground, bars, spec }, find(stage.scope, spec.perplexities), room));
  return scope => {
    svg.classList.toggle('veiled', stage.resultsHidden);
    bars.forEach((group, w) =>
      group.forEach((bar, f) => {
        const kept = w === spec.whole || f === scope[spec.first];
        bar.classList.toggle('chosen', w === scope[spec.window] && kept);
      }),
    );
  };
}

// The scale, the bound and a group of bars for each window.
function drawBars({ svg, ground, bars, spec }, numbers, room) {
  const u = unitFor(0.75),
    left = 34 * u,
    tall = 190 * u,
    top = 30 * u,
    below = top + tall,
    height = (below + 40 * u).toFixed(1),
    most = 1.03 * Math.max(...numbers.flat()),
    pitch = (room - left - 4) / numbers.length,
    wide = Math.min(20 * u, (pitch - 8) / spec.firsts.length),
    y = x => below - (tall * x) / most;
  const text = (x, y, kind, text, anchor) =>
      make('svg', 'text', { x, y, class: kind, text, 'text-anchor': anchor }, ground),
    line = (x, kind) => make('svg', 'line', { class: kind, x1: left, x2: room, y1: y(x), y2: y(x) }, ground);
  place(svg, { viewBox: `0 0 ${room} ${height}` });
  svg.style.height = `${height}px`;
  ground.replaceChildren();
  for (let tick = 0; tick <= most; tick += 20) {
    line(tick, tick ? 'grid-line' : 'axis');
    text(left - 6, y(tick) + 4 * u, 'tick', formatNumber(tick), 'end');
  }
  line(spec.bound, 'bound');
  text(room, y(spec.bound) - 5 * u, 'tick', spec.words.bound, 'end');
  text(0, 12 * u, 'tick', spec.words.perplexity);
  text((left + room) / 2, below + 35 * u, 'tick', spec.words.window, 'middle');
  spec.names.forEach((name, w) => {
    const middle = left + (w + 0.5) * pitch;
    text(middle, below + 17 * u, 'label', name, 'middle');
    bars[w].forEach((bar, f) => {
      const value = numbers[w][f],
        x = middle + (f - bars[w].length / 2) * wide + 1;
      place(bar, { x, width: wide - 2, y: y(value), height: below - y(value), 'data-exact': value });
    });
  });
}
