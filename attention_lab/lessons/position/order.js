// A sentence in two orders, one beside the other, and what becomes of every word in each. The words on the right
// are under the hand: a word moved up or down changes the order. Lines lead from each word to itself.
import { find } from '../../figure/browser/calculation.js';
import { runsLeft } from '../../figure/browser/direction.js';
import { badge, make, makeButton, place, projected, unitFor, write } from '../../figure/browser/elements.js';
import { formatNumber, show, steady } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { describe } from '../../figure/browser/drag.js';
import { inOrder, sortable } from '../../figure/browser/sortable.js';

const SIDES = ['first', 'now'],
  MANY = 6, // words: more of them have lower lines
  ROWS = { few: 84, many: 48, stacked: 108, projected: 62 }, // px
  TITLE = 28, // px
  LETTER = { along: 5.6, up: 6.8 }, // px
  DIGITS = 28; // px that a number needs
const two = x => (Number.isFinite(x) ? steady(Math.round(100 * x) / 100).replace('-', '−') : formatNumber(x));

// spec: { order: the pose's own order, names, focus, stands (the place of each word), said (who stands there),
//         first, now (its vector in either order), changes, most (the largest of these), axes, limit, least, title,
//         heads: [first, now, difference], what: { first, now, changes, most }, label, rounding (what is written for a
//         difference that is not above `least`),
//         texts: { same, unlike, as_it_was, one } }
export function order(host, spec, stage) {
  const box = make(null, 'div', { class: 'order', role: 'group', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge),
    field = make(null, 'div', { class: 'field' }, box),
    svg = make('svg', 'svg', { class: 'links', 'aria-hidden': 'true' }, field),
    names = find(stage.scope, spec.names);
  // What every function below gets as its `orders`; words begin below `head`, a line is `row` high.
  const orders = { spec, stage, box, field, svg, head: 0, row: ROWS.few, tiles: sortable(stage, spec, names.length) };
  [...SIDES, 'change'].forEach((of, k) => make(null, 'span', { class: `head ${of}`, text: spec.heads[k] }, field));
  const title = (text, side) => make(null, 'span', { class: `axis ${side}`, text, 'aria-hidden': 'true' }, field);
  orders.titles = SIDES.flatMap(side => spec.axes.map(axis => title(axis, side)));
  orders.items = names.map((name, w) => wordItem(orders, name, w));
  const verdict = make(null, 'p', { class: 'verdict', 'data-spoken': '' }, box),
    key = make('svg', 'svg', { class: 'key', 'aria-hidden': 'true' }, verdict),
    said = make(null, 'span', { class: 'said' }, verdict),
    numbers = make(null, 'span', { class: 'most', text: `${spec.label} ` }, verdict),
    most = make(null, 'b', {}, numbers);
  make('svg', 'line', { x2: 40, y1: '50%', y2: '50%' }, key);
  measure(orders, box.getBoundingClientRect().width);
  new ResizeObserver(([{ contentRect }]) => {
    measure(orders, contentRect.width);
    stage.requestPaint();
  }).observe(box);
  return scope => {
    const largest = find(scope, spec.most),
      moved = find(scope, spec.stands).some((place, w) => place !== w),
      hidden = stage.resultsHidden,
      unlike = !hidden && largest > spec.least,
      compared = unlike ? 'unlike' : 'same';
    paintWords(orders, scope);
    show(most, largest, spec.what.most, { hidden, form: x => difference(spec, x) });
    write(said, hidden ? '' : spec.texts[names.length === 1 ? 'one' : moved ? compared : 'as_it_was']);
    paintBadge(stage);
    Object.assign(verdict.dataset, { moved, unlike, same: !hidden && !unlike }); // until then nothing is compared
  };
}

// How high lines are for the room there is, and where they begin: below the names of the columns.
function measure(orders, room) {
  const { box, field, items, spec } = orders,
    narrow = room < spec.axes.length * 112 + 120,
    many = items.length > MANY,
    longest = Math.max(...spec.axes.map(axis => axis.length)),
    small = Math.max(1, unitFor(0.75));
  orders.row = ROWS[many ? 'many' : narrow ? 'stacked' : projected() ? 'projected' : 'few'];
  field.style.setProperty('--row', `${orders.row}px`);
  const kinds = { many, stacked: narrow && !many, slim: narrow && many };
  for (const kind in kinds) box.classList.toggle(kind, kinds[kind]);
  const cell = items[0].cells.at(-1).cell.getBoundingClientRect().width,
    upright = cell < LETTER.along * small * longest;
  box.classList.toggle('upright', upright);
  box.classList.toggle('tight', cell < DIGITS * small);
  orders.top = TITLE * Math.max(1, unitFor(0.875));
  orders.head = orders.top + (upright ? LETTER.up * longest + 6 : 22) * small;
  field.style.height = `${orders.head + items.length * orders.row}px`;
  items.forEach(({ left }, w) => {
    left.style.top = `${orders.head + w * orders.row}px`;
  });
}

const difference = ({ least, rounding }, x) => (x > 0 && x <= least ? rounding : formatNumber(x));

// A word's line in either order.
function wordItem(orders, name, w) {
  const { spec, stage, field, svg, tiles } = orders,
    [left, right] = SIDES.map(side => make(null, 'div', { class: `line ${side}` }, field)),
    lineAt = event => (event.clientY - field.getBoundingClientRect().top - orders.head) / orders.row;
  const strip = (line, side) => {
    const cells = make(null, 'span', { class: 'strip' }, line);
    return spec.axes.map(axis => ({ axis, side, cell: make(null, 'span', { class: 'number', title: axis }, cells) }));
  };
  const first = strip(left, 'first'),
    word = makeButton(left, { class: 'word', text: name }, () => setPose(stage, { [spec.focus]: w })),
    tile = make(null, 'span', { class: 'tile', text: name, 'aria-orientation': 'vertical' }, right),
    cells = [...first, ...strip(right, 'now')],
    changed = make(null, 'span', { class: 'changed' }, right);
  make(null, 'i', { text: spec.heads[2] }, changed);
  const change = make(null, 'b', {}, changed),
    link = make('svg', 'path', {}, svg);
  return { name, w, left, right, word, tile, cells, change, link, handle: tiles.handle(tile, w, name, lineAt) };
}

function paintWords(orders, scope) {
  const { spec, field, svg, titles, items, top, head, row } = orders,
    stands = find(scope, spec.stands),
    area = field.getBoundingClientRect(),
    [inner, outer, apart] = runsLeft(field) ? ['left', 'right', -6] : ['right', 'left', 6],
    x0 = items[0].left.getBoundingClientRect()[inner] - area.left + apart,
    x1 = items[0].right.getBoundingClientRect()[outer] - area.left - apart,
    hasRoom = Math.sign(apart) * (x1 - x0) > 8;
  place(svg, { width: area.width, height: area.height });
  // The names of a strip's columns stand over the first line, each where its column is.
  titles.forEach((title, k) => {
    const { left, width } = items[0].cells[k].cell.getBoundingClientRect();
    title.style.left = `${(left - area.left + width / 2).toFixed(1)}px`;
    title.style.top = `${top}px`;
    title.style.height = `${head - top - 4}px`;
  });
  for (const item of items) {
    const at = orders.tiles.glide(item.tile, item.w, stands[item.w]),
      [from, to] = [item.w, at].map(line => head + (line + 0.5) * row - 4),
      [middle, end] = [((x0 + x1) / 2).toFixed(1), `${x1.toFixed(1)} ${to.toFixed(1)}`],
      way = `M${x0.toFixed(1)} ${from} C${middle} ${from} ${middle} ${to.toFixed(1)} ${end}`;
    item.right.style.top = `${(head + at * row).toFixed(1)}px`;
    item.link.setAttribute('d', hasRoom ? way : '');
    paintWord(orders, item, scope);
  }
  inOrder(items.map(({ right }, w) => [right, stands[w]]));
}

function paintWord({ spec, stage }, { name, w, left, right, word, tile, cells, change, link, handle }, scope) {
  const hidden = stage.resultsHidden,
    of = { first: find(scope, spec.first), now: find(scope, spec.now) },
    changed = find(scope, spec.changes)[w],
    unlike = !hidden && changed > spec.least,
    chosen = w === scope[spec.focus];
  link.setAttribute('class', `${chosen ? 'chosen ' : ''}${unlike ? 'unlike' : ''}`);
  for (const line of [left, right]) {
    line.classList.toggle('chosen', chosen);
    line.classList.toggle('held', stage.held === tile);
  }
  word.setAttribute('aria-pressed', chosen);
  right.classList.toggle('unlike', unlike);
  for (const { axis, side, cell } of cells) {
    const x = of[side][w]?.[spec.axes.indexOf(axis)],
      part = hidden || !Number.isFinite(x) ? 0 : 70 * Math.min(1, Math.abs(x) / spec.limit);
    show(cell, x, `${spec.what[side]} ${name} ${axis}`, { hidden, form: two });
    cell.style.setProperty('--part', `${part.toFixed(0)}%`);
    cell.classList.toggle('negative', x < 0);
  }
  show(change, changed, `${spec.what.changes} ${name}`, { hidden, form: x => difference(spec, x) });
  describe(tile, handle);
}
