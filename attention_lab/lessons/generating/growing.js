// One head's pattern as it grows by a row with each token, and along its keys the cache: a key and a value for each
// token, the newest ringed; of a layer whose heads share them, those of all its KV heads, those not of this head pale.
// A dashed row is for the token that comes next. Numbers that another token has changed, and cached ones that are
// wrong, are marked.
import { find } from '../../figure/browser/calculation.js';
import { badge, fitted, larger, make, place, projected, rem, roomIn, write } from '../../figure/browser/elements.js';
import { filled, formatWeight, forms, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

const SIZES = [5, 8, 12, 16, 24, 32, 40, 50], // rows for which there is room: the cells above stay as large as they are
  MANY = 20, // tokens from which on the pattern is larger; heads from which on a layer is chosen first
  SIDE = many => (projected() ? 11.6 : (many ? 26 : 22) * larger()), // rem
  NAMES = 5,
  BELOW = 4.2,
  A_LETTER = 0.4, // of a turned name, in rem
  BLOCK = 0.95,
  LARGEST = 4.6, // a cell, in rem
  APART = 0.8, // rem between two names
  CHANGED = 0.005, // of a weight that is marked
  ROUNDING = 1e-9;

const unlike = (a, b) => a.some((x, k) => Math.abs(x - b[k]) > ROUNDING);

// Of tokens in an order those whose names have room beside the ones before.
function spaced(order, cell) {
  const shown = [];
  for (const k of order) if (shown.every(other => Math.abs(other - k) * cell >= APART * rem())) shown.push(k);
  return shown;
}

// Where everything lies, in px: a cell for each pair of tokens, `more` rows for what comes and, along the keys, rows of
// blocks for the cache: those of all KV heads of the layer, on a projector those of this head.
function measure(words, more, room, head, { turned, of_layer: [heads, kvHeads] = [1, 1] }) {
  const most = SIZES.find(size => size >= words.length + more) ?? words.length + more,
    names = NAMES * rem(),
    block = BLOCK * rem(),
    gap = 0.4 * rem(),
    own = Math.floor(((head % heads) * kvHeads) / heads),
    kv = projected() ? [own] : Array.from({ length: kvHeads }, (_, k) => k),
    deep = 2 * kv.length * block,
    free = room - names - (turned ? deep + gap : 0),
    side = Math.min(free, SIDE(words.length > MANY) * rem(), most * LARGEST * rem()),
    cell = side / most,
    tight = cell < APART * rem(), // not every name has room
    longest = Math.max(...words.map(word => word.length)),
    below = projected() && tight && !turned ? 0 : Math.max(BELOW, A_LETTER * longest) * rem(),
    foot = side + (turned ? 0 : gap + deep),
    wide = names + side + (turned ? gap + deep : 0);
  const tall = foot + below;
  return { turned, names, block, gap, own, kv, kvHeads, deep, side, cell, tight, more, below, foot, wide, tall };
}

// Draws the frame, a cell for each pair of tokens, the cache along the keys, and the names that have room:
// the newest token's, and below the pattern first those of the `order`.
function layOut(svg, words, order, texts, at) {
  const n = words.length,
    { turned, names, block, gap, cell, side, deep } = at,
    xy = (query, key) => (turned ? [names + query * cell, key * cell] : [names + key * cell, query * cell]),
    square = (x, y, kind, w = cell, h = cell) => {
      const size = { x: x + 0.5, y: y + 0.5, width: w - 1, height: h - 1, rx: Math.min(2, w / 5) };
      return make('svg', 'rect', { class: kind, ...size }, svg);
    };
  place(svg, { width: at.wide, height: at.tall, viewBox: `0 0 ${at.wide} ${at.tall}` });
  svg.replaceChildren();
  svg.classList.toggle('dense', at.tight);
  square(names, 0, 'room', side, side);
  const rows = words.map((_, i) =>
    words.map((_, j) => {
      const rect = square(...xy(i, j), 'cell');
      rect.cell = [i, j];
      return rect;
    }),
  );
  const cache = Array.from({ length: 2 * at.kv.length }, (_, k) => {
    const kind = ['keys', 'values'][k % 2],
      kv = at.kv[Math.floor(k / 2)],
      pale = kv === at.own ? '' : ' pale',
      along = side + gap + k * block,
      turn = `translate(${names + along + block / 2 + 3} ${side + 0.4 * rem()}) rotate(-60)`,
      where = turned ? { x: 0, y: 0, transform: turn } : { x: names - 6, y: along + 0.78 * block },
      text = at.kvHeads > 1 ? `${texts[kind]} ${kv + 1}` : texts[kind];
    make('svg', 'text', { class: `kind${pale}`, ...where, 'text-anchor': 'end', text }, svg);
    return words.map((_, j) => {
      const [x, y] = turned ? [names + along, j * cell] : [names + j * cell, along];
      return square(x, y, `block ${kind}${pale}`, turned ? block : cell, turned ? cell : block);
    });
  });
  const writeComing = drawNames(svg, words, order, at);
  const newest = xy(n - 1, 0),
    begin = (n - 1) * cell - 1,
    edge = side + gap - 1;
  if (turned) {
    square(...newest, 'ring', cell, n * cell);
    square(names + edge, begin, 'ring', deep + 2, cell + 2);
  } else {
    square(...newest, 'ring', n * cell, cell);
    square(names + begin, edge, 'ring', cell + 2, deep + 2);
  }
  if (at.more) square(...xy(n, 0), 'next-row', turned ? cell : side, turned ? side : cell);
  return { rows, cache, writeComing };
}

// Writes the tokens' names at the left and, turned, below: all of them, or as many as have room. Returns what writes
// the name of the one that comes, beside its row.
function drawNames(svg, words, order, { turned, cell, names, tight, more, below, foot }) {
  const n = words.length,
    type = `${fitted(0.75, tight ? rem() : cell - 1)}px`,
    own = k => ({
      class: k === n - 1 ? 'name newest' : 'name',
      text: words[k],
      style: `font-size:${type}`,
      'text-anchor': 'end',
    }),
    every = words.map((_, k) => k),
    shown = from => (tight ? spaced(from, cell) : every);
  for (const k of shown([n - 1, ...every.slice(0, -1)]))
    make('svg', 'text', { ...own(k), x: names - 6, y: (k + 0.5) * cell + 4 }, svg);
  const turn = k => ({
    x: 0,
    y: 0,
    transform: `translate(${names + (k + 0.5) * cell + 3} ${foot + 0.4 * rem()}) rotate(-60)`,
  });
  for (const k of below ? shown(order) : []) make('svg', 'text', { ...own(k), ...turn(k) }, svg);
  if (!more || tight) return () => {};
  const where = turned ? turn(n) : { x: names - 6, y: (n + 0.5) * cell + 4 },
    coming = make('svg', 'text', { ...own(n), class: 'name next', text: '', ...where }, svg);
  return text => write(coming, text);
}

// Paints the weights of one head, marks those that the newest token has changed, and says whether its cache is stale.
function paintNumbers({ rows, cache }, { pattern, earlier, cached }, hidden) {
  const last = rows.length - 1;
  rows.forEach((cells, i) =>
    cells.forEach((rect, j) => {
      const weight = hidden ? 0 : pattern[i][j],
        was = i < last && j < last ? (earlier?.[i]?.[j] ?? weight) : weight;
      rect.style.fillOpacity = weight.toFixed(3);
      rect.classList.toggle('changed', !hidden && Math.abs(was - weight) > CHANGED);
      rect.classList.toggle('open', !hidden && (weight > 0 || j <= i)); // a tiny one may be recorded as 0
    }),
  );
  if (!cached) return false;
  const [kept, fresh] = cached,
    marked = cache.flatMap((blocks, k) =>
      blocks.map((block, j) => block.classList.toggle('stale', !hidden && unlike(kept[k][j], fresh[k][j]))),
    );
  return marked.includes(true);
}

// The choice of the head: by its name, or where there are many by its layer and its number.
function headChoice(host, spec, stage) {
  const label = make(null, 'label', { text: spec.texts.head }, host),
    sizes = spec.heads.at(-1).split('.').map(Number), // layers, heads of a layer
    many = spec.heads.length > MANY,
    numbers = size => Array.from({ length: size }, (_, k) => k + 1),
    lists = many ? sizes.map(numbers) : [spec.heads],
    selects = lists.map((names, k) => {
      const about = many ? [spec.texts.layer, spec.texts.number][k] : spec.texts.head,
        select = make(null, 'select', { class: 'small', 'data-option': spec.head, 'aria-label': about }, label);
      for (const name of names) make(null, 'option', { value: name, text: name }, select);
      select.addEventListener('change', () => {
        const [first, second = 0] = selects.map(each => each.selectedIndex);
        setPose(stage, { [spec.head]: many ? first * sizes[1] + second : first });
      });
      return select;
    });
  return head => {
    const places = many ? [Math.floor(head / sizes[1]), head % sizes[1]] : [head];
    selects.forEach((select, k) => {
      if (select.selectedIndex !== places[k]) select.selectedIndex = places[k];
    });
  };
}

// spec: { title, head: a name in the pose; words, pattern, next, vocabulary, longest: paths;
//         number: { text, of: path, what, form }; heads: [name], turned,
//         texts: { head, layer, number, cell, idle, keys, values, stale } }; where another token can change them,
//         earlier: path, and cache: [[keys, values] cached, [keys, values] fresh], paths; where the heads of a layer
//         share keys and values, of_layer: [query heads, KV heads]
export function growing_pattern(host, spec, stage) {
  const { texts } = spec,
    box = make(null, 'figure', { class: 'growing', 'aria-label': spec.title }, host),
    top = make(null, 'div', { class: 'line' }, box),
    showHead = headChoice(top, spec, stage),
    above = make(null, 'span', { class: 'change' }, top);
  make(null, 'span', { text: spec.number.text }, above);
  const number = make(null, 'b', {}, above),
    svg = make('svg', 'svg', { role: 'img', 'aria-label': spec.title, direction: 'ltr' }, box),
    foot = make(null, 'div', { class: 'foot' }, box),
    about = make(null, 'p', { class: 'about', text: texts.idle }, foot),
    paintBadge = badge(foot, spec.badge);
  const room = roomIn(box, stage);
  let laid = '',
    drawn = null,
    under = null; // the cell under the pointer
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
    title.textContent = find(stage.scope, spec.pattern)[i][j]; // with all its digits
  });
  svg.addEventListener('click', ({ target }) => tell(target.cell ?? null));

  return scope => {
    if (!room()) return;
    const words = find(scope, spec.words),
      head = scope[spec.head],
      hidden = stage.resultsHidden,
      [pattern, earlier] = [spec.pattern, spec.earlier].map(path => find(scope, path)),
      cached = spec.cache?.map(paths => paths.map(path => find(scope, path))),
      newest = hidden ? [] : pattern[words.length - 1],
      next =
        words.length < find(scope, spec.longest) ? find(scope, spec.vocabulary)[find(scope, spec.next)] : undefined,
      more = next === undefined ? 0 : 1,
      key = JSON.stringify([words, more, head, hidden, room(), rem()]);
    if (key !== laid) {
      const order = words.map((_, k) => k).sort((a, b) => newest[b] - newest[a] || a - b);
      drawn = layOut(svg, words, order, texts, measure(words, more, room(), head, spec));
    }
    laid = key;
    drawn.writeComing(hidden ? '?' : next);
    showHead(head);
    const stale = paintNumbers(drawn, { pattern, earlier, cached }, hidden),
      { of, what, form } = spec.number;
    show(number, find(scope, of), what, { hidden, form: forms[form] });
    const [i, j] = under ?? [],
      weight = pattern[i]?.[j],
      idle = stale ? texts.stale : texts.idle,
      line =
        weight === undefined || hidden || i >= words.length || j >= words.length
          ? idle
          : filled(texts.cell, { word: words[i], other: words[j], weight: formatWeight(weight) });
    write(about, line);
    paintBadge(stage);
  };
}
