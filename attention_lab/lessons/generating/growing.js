// One head's pattern as it grows by a row with each token, and along its keys the cache: a key and a value for each
// token, the newest pair ringed. Numbers that another token has changed, and cached ones that are wrong, are marked.
import { find } from '../../figure/browser/calculation.js';
import {
  badge,
  fitted,
  followWidth,
  larger,
  make,
  place,
  projected,
  rem,
  write,
} from '../../figure/browser/elements.js';
import { filled, formatWeight, forms, show } from '../../figure/browser/number_format.js';

const SIZES = [8, 12, 16, 24, 32], // rows for which there is room: the cells above stay as large as they are
  SIDE = () => (projected() ? 11.6 : 20 * larger()), // rem
  NAMES = 5,
  BELOW = 4.2,
  BLOCK = 0.95,
  CHANGED = 0.005, // of a weight that is marked
  ROUNDING = 1e-9;

const unlike = (a, b) => a.some((x, k) => Math.abs(x - b[k]) > ROUNDING);

// Draws the room for all rows, a cell for each pair of tokens, the cache along the keys, and their names.
function layOut(svg, words, room, { turned, texts }) {
  const n = words.length,
    most = SIZES.find(size => size >= n),
    names = NAMES * rem(),
    block = BLOCK * rem(),
    side = Math.min(room - names - 2.4 * block, SIDE() * rem()),
    cell = side / most,
    gap = 0.4 * rem(),
    wide = names + side + (turned ? gap + 2 * block : 0),
    tall = side + (turned ? 0 : gap + 2 * block) + BELOW * rem();
  place(svg, { width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}` });
  svg.replaceChildren();
  const at = k => k * cell,
    xy = (query, key) => (turned ? [names + at(query), at(key)] : [names + at(key), at(query)]),
    square = (x, y, kind, w = cell, h = cell) =>
      make('svg', 'rect', { class: kind, x: x + 0.5, y: y + 0.5, width: w - 1, height: h - 1, rx: 2 }, svg),
    type = `${fitted(0.75, cell - 1)}px`;
  square(names, 0, 'room', side, side);
  const rows = words.map((_, i) =>
    words.map((_, j) => {
      const rect = square(...xy(i, j), 'cell');
      rect.cell = [i, j];
      return rect;
    }),
  );
  const cache = ['keys', 'values'].map((kind, k) => {
    const along = side + gap + k * block,
      turn = `translate(${names + along + block / 2 + 3} ${side + 0.4 * rem()}) rotate(-60)`,
      where = turned ? { x: 0, y: 0, transform: turn } : { x: names - 6, y: along + 0.78 * block };
    make('svg', 'text', { class: 'kind', ...where, 'text-anchor': 'end', text: texts[kind] }, svg);
    return words.map((_, j) => {
      const [x, y] = turned ? [names + along, at(j)] : [names + at(j), along];
      return square(x, y, `block ${kind}`, turned ? block : cell, turned ? cell : block);
    });
  });
  const foot = side + (turned ? 0 : gap + 2 * block) + 0.4 * rem();
  words.forEach((word, k) => {
    const middle = at(k) + cell / 2,
      own = { class: k === n - 1 ? 'name newest' : 'name', text: word, style: `font-size:${type}` },
      turn = `translate(${names + middle + 3} ${foot}) rotate(-60)`;
    make('svg', 'text', { ...own, x: names - 6, y: middle + 4, 'text-anchor': 'end' }, svg);
    make('svg', 'text', { ...own, x: 0, y: 0, 'text-anchor': 'end', transform: turn }, svg);
  });
  const newest = xy(n - 1, 0),
    edge = side + gap - 1;
  if (turned) {
    square(...newest, 'ring', cell, n * cell);
    square(names + edge, at(n - 1) - 1, 'ring', 2 * block + 2, cell + 2);
  } else {
    square(...newest, 'ring', n * cell, cell);
    square(names + at(n - 1) - 1, edge, 'ring', cell + 2, 2 * block + 2);
  }
  return { rows, cache };
}

// Paints the weights of one head, marks those that the newest token has changed, and says whether its cache is stale.
function paintNumbers({ rows, cache }, head, { now, earlier, cached }, hidden) {
  const last = rows.length - 1;
  rows.forEach((cells, i) =>
    cells.forEach((rect, j) => {
      const weight = hidden ? 0 : now.weights[head][i][j],
        was = i < last && j < last ? earlier.weights[head][i]?.[j] : weight;
      rect.style.fillOpacity = weight.toFixed(3);
      rect.classList.toggle('changed', !hidden && Math.abs((was ?? weight) - weight) > CHANGED);
      rect.classList.toggle('open', weight > 0);
    }),
  );
  const isStale = (kind, j) => !hidden && unlike(cached[kind][head][j], now[kind][head][j]),
    marked = ['keys', 'values'].flatMap((kind, k) =>
      cache[k].map((block, j) => block.classList.toggle('stale', isStale(kind, j))),
    );
  return marked.includes(true);
}

// spec: { title, head: a name in the pose; words, now, earlier, cached: readings, change: paths; heads: [name], turned,
//         texts: { head, cell, idle, change, keys, values, stale } }
export function growing_pattern(host, spec, stage) {
  const { texts } = spec,
    box = make(null, 'figure', { class: 'growing', 'aria-label': spec.title }, host),
    top = make(null, 'div', { class: 'line' }, box),
    label = make(null, 'label', { text: texts.head }, top),
    select = make(null, 'select', { class: 'small', 'data-option': spec.head, 'aria-label': texts.head }, label),
    change = make(null, 'span', { class: 'change' }, top);
  for (const name of spec.heads) make(null, 'option', { value: name, text: name }, select);
  select.addEventListener('change', () => {
    stage.pose[spec.head] = select.selectedIndex;
    stage.commit();
  });
  make(null, 'span', { text: texts.change }, change);
  const number = make(null, 'b', {}, change),
    svg = make('svg', 'svg', { role: 'img', 'aria-label': spec.title, direction: 'ltr' }, box),
    foot = make(null, 'div', { class: 'foot' }, box),
    about = make(null, 'p', { class: 'about', text: texts.idle }, foot),
    paintBadge = badge(foot, spec.badge);
  let room = 0,
    laid = '',
    drawn = null,
    under = null; // the cell under the pointer
  followWidth(box, wide => {
    room = wide;
    laid = '';
    stage.requestPaint();
  });
  const tell = cell => {
    under = cell;
    stage.requestPaint();
  };
  svg.addEventListener('pointerleave', () => tell(null));
  svg.addEventListener('pointermove', ({ target }) => {
    tell(target.cell ?? null);
    if (!target.cell || stage.resultsHidden) return;
    const [i, j] = target.cell,
      title = target.firstChild ?? make('svg', 'title', {}, target);
    title.textContent = find(stage.scope, spec.now).weights[stage.pose[spec.head]][i][j]; // with all its digits
  });
  svg.addEventListener('click', ({ target }) => tell(target.cell ?? null));

  return scope => {
    if (!room) return;
    const words = find(scope, spec.words),
      head = scope[spec.head],
      hidden = stage.resultsHidden,
      [now, earlier, cached] = ['now', 'earlier', 'cached'].map(name => find(scope, spec[name])),
      key = JSON.stringify([words, room, rem()]);
    if (key !== laid) drawn = layOut(svg, words, room, spec);
    laid = key;
    if (select.selectedIndex !== head) select.selectedIndex = head;
    const stale = paintNumbers(drawn, head, { now, earlier, cached }, hidden);
    show(number, find(scope, spec.change), 'largest change', { hidden, form: forms.settled });
    const [i, j] = under ?? [],
      weight = now.weights[head][i]?.[j],
      idle = stale ? texts.stale : texts.idle,
      line =
        weight === undefined || hidden
          ? idle
          : filled(texts.cell, { word: words[i], other: words[j], weight: formatWeight(weight) });
    write(about, line);
    paintBadge(stage);
  };
}
