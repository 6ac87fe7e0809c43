// A window over the text: the keys that each query sees, as the wide part of a triangle, with the window's edge under
// the hand; and the perplexity that was recorded with each window.
import { find } from '../../figure/browser/calculation.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { badge, followWidth, make, place, rem, unitFor } from '../../figure/browser/elements.js';
import { formatNumber, forms, show } from '../../figure/browser/number_format.js';

const EDGE = 22, // px of the last query's row
  LEAST = 5; // px: as wide as the first tokens are drawn at least

// spec: { title, badge, window: the pose's choice, widths, width, kept, back, reach, perplexity: paths, tokens,
//         words }
export function seen_keys(host, spec, stage) {
  const box = make(null, 'figure', { class: 'seen-keys' }, host),
    paintBadge = badge(box, spec.badge),
    { words, tokens } = spec;
  const svg = make(
    'svg',
    'svg',
    { class: 'picture', role: 'group', 'aria-label': spec.title, 'data-picture': spec.title },
    box,
  );
  const shape = (tag, kind) => make('svg', tag, { class: kind }, svg);
  const all = shape('path', 'all'),
    seen = shape('path', 'seen'),
    row = shape('rect', 'row'),
    rowSeen = shape('path', 'row-seen'),
    labels = ['keys', 'queries', 'last'].map(name => [name, shape('text', `axis-name ${name}`)]),
    knob = shape('rect', 'knob'),
    hit = shape('rect', 'hit');
  for (const [name, label] of labels) label.textContent = words[name];
  const told = make(null, 'div', { class: 'told' }, box),
    line = (label, tail) => {
      const p = make(null, 'p', {}, told);
      make(null, 'span', { text: label }, p);
      const number = make(null, 'b', {}, p);
      make(null, 'i', { text: tail }, p);
      return number;
    };
  const perplexity = line(words.perplexity, '');
  perplexity.parentElement.className = 'cost';
  const width = line(words.sees, words.of_all),
    back = line(words.one_layer, words.tokens_back),
    reach = line(words.all_layers, words.tokens_back);
  make(null, 'p', { class: 'why', text: words.why_further }, told);
  let at = null;

  const name = words.window,
    widths = () => find(stage.scope, spec.widths);
  const handle = {
    name: 'window',
    axes: [name],
    ranges: [[0, widths().length - 1]],
    step: 1,
    read: () => [stage.pose[spec.window]],
    at: event => {
      const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()),
        wanted = Math.max(1, (at.side - x) / at.unit);
      return [nearest(widths(), wanted)];
    },
    move: ([place]) => {
      stage.pose[spec.window] = Math.round(place);
    },
  };
  makeDraggable(hit, stage, handle);

  followWidth(box, room => {
    const side = Math.min(room - 14, 27 * rem()),
      u = unitFor(0.75);
    at = { side, unit: side / tokens, u, row: 0.72 * side + 16 * u };
    const height = at.row + EDGE * u + 26 * u;
    place(svg, { viewBox: `0 0 ${(side + 14).toFixed(1)} ${height.toFixed(1)}` });
    svg.style.height = `${height.toFixed(1)}px`;
    svg.style.width = `${(side + 14).toFixed(1)}px`;
    place(row, { x: 0, y: at.row, width: side, height: EDGE * u });
    const tall = 0.72 * side;
    all.setAttribute('d', `M0 0V${tall}H${side}Z`);
    place(labels[0][1], { x: side, y: 14 * u, 'text-anchor': 'end' });
    place(labels[1][1], { x: side, y: 32 * u, 'text-anchor': 'end' });
    place(labels[2][1], { x: 0, y: at.row + (EDGE + 18) * u });
    stage.requestPaint();
  });

  return scope => {
    if (!at) return;
    const { side, u } = at,
      tall = 0.72 * side,
      wide = find(scope, spec.back) + 1,
      kept = find(scope, spec.kept),
      whole = find(scope, spec.width) >= tokens,
      part = whole ? side : wide * at.unit, // of the last query's row
      first = kept && !whole ? Math.max(LEAST, kept * at.unit) : 0,
      y = x => (x / side) * tall;
    seen.setAttribute(
      'd',
      `M0 0L${side} ${tall}H${side - part}L0 ${y(part)}Z${first ? `M0 ${y(first)}H${first}V${tall}H0Z` : ''}`,
    );
    const bottom = at.row + EDGE * u;
    rowSeen.setAttribute(
      'd',
      `M${side - part} ${at.row}H${side}V${bottom}H${side - part}Z${first ? `M0 ${at.row}H${first}V${bottom}H0Z` : ''}`,
    );
    const x = Math.max(4, side - part);
    place(knob, { x: x - 4, y: at.row - 5 * u, width: 8, height: (EDGE + 10) * u, rx: 4 });
    place(hit, { x: x - 22, y: at.row - 14 * u, width: 44, height: (EDGE + 28) * u });
    show(perplexity, find(scope, spec.perplexity), 'perplexity', { hidden: stage.resultsHidden });
    show(width, find(scope, spec.width), 'keys seen', { form: forms.whole });
    show(back, find(scope, spec.back), 'back', { form: forms.whole });
    show(reach, find(scope, spec.reach), 'reach', { form: forms.whole });
    describe(hit, handle);
    paintBadge(stage);
  };
}

// The place of the number that is fewest times larger or smaller than the one wanted.
const nearest = (numbers, wanted) => {
  const far = numbers.map(n => Math.abs(Math.log(n / wanted)));
  return far.indexOf(Math.min(...far));
};

// spec: { title, window, first: the pose's choices, perplexities: paths, names of the windows, firsts,
//         bound, words }
export function perplexities(host, spec, stage) {
  const box = make(null, 'figure', { class: 'perplexities' }, host),
    { words, firsts } = spec;
  const svg = make('svg', 'svg', { class: 'picture', role: 'img', 'aria-label': spec.title }, box),
    ground = make('svg', 'g', {}, svg);
  const bars = spec.names.map((_, w) =>
    firsts.map((_, f) => {
      const bar = make('svg', 'rect', { class: `bar first${f}`, rx: 2 }, svg);
      bar.addEventListener('click', () => {
        Object.assign(stage.pose, { [spec.window]: w, [spec.first]: f });
        stage.requestPaint();
        stage.commit();
      });
      return bar;
    }),
  );
  const legend = make(null, 'p', { class: 'legend' }, box);
  make(null, 'span', { text: words.legend }, legend);
  firsts.forEach((text, f) => {
    const item = make(null, 'span', { class: `first${f}` }, legend);
    make(null, 'i', {}, item);
    item.append(text);
  });
  const numbers = find(stage.scope, spec.perplexities),
    most = 20 * Math.ceil(Math.max(...numbers.flat()) / 20);

  followWidth(box, room => {
    const u = unitFor(0.75),
      left = 34 * u,
      tall = 210 * u,
      top = 10 * u,
      pitch = (room - left - 4) / numbers.length,
      y = x => top + tall * (1 - x / most),
      text = (x, y, kind, text, anchor) =>
        make('svg', 'text', { x, y, class: kind, text, 'text-anchor': anchor }, ground);
    place(svg, { viewBox: `0 0 ${room} ${(top + tall + 40 * u).toFixed(1)}` });
    svg.style.height = `${(top + tall + 40 * u).toFixed(1)}px`;
    ground.replaceChildren();
    for (const tick of [0, 20, 40, 60, 80, 100, 120].filter(tick => tick <= most)) {
      make('svg', 'line', { class: tick ? 'grid-line' : 'axis', x1: left, x2: room, y1: y(tick), y2: y(tick) }, ground);
      text(left - 6, y(tick) + 4 * u, 'tick', formatNumber(tick), 'end');
    }
    make('svg', 'line', { class: 'bound', x1: left, x2: room, y1: y(spec.bound), y2: y(spec.bound) }, ground);
    text(room, y(spec.bound) - 5 * u, 'tick', formatNumber(spec.bound), 'end');
    spec.names.forEach((name, w) => {
      const x = left + (w + 0.5) * pitch,
        bar = Math.min(20 * u, (pitch - 8) / firsts.length);
      text(x, top + tall + 17 * u, 'label', name, 'middle');
      bars[w].forEach((rect, f) => {
        const value = numbers[w][f];
        place(rect, {
          x: x + (f - firsts.length / 2) * bar + 1,
          width: bar - 2,
          y: y(value),
          height: y(0) - y(value),
          'data-exact': value,
        });
      });
    });
    text((left + room) / 2, top + tall + 35 * u, 'tick', words.window, 'middle');
    stage.requestPaint();
  });

  return scope => {
    svg.classList.toggle('veiled', stage.resultsHidden);
    bars.forEach((group, w) =>
      group.forEach((bar, f) => bar.classList.toggle('chosen', w === scope[spec.window] && f === scope[spec.first])),
    );
  };
}
