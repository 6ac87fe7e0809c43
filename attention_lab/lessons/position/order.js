// A sentence in two orders, one beside the other, and what becomes of every word in each. The words on the right
// are under the hand: a word moved up or down changes the order. Lines lead from each word to itself.
import { find } from '../../figure/browser/calculation.js';
import { runsLeft } from '../../figure/browser/direction.js';
import { badge, make, makeButton, place, unitFor, write } from '../../figure/browser/elements.js';
import { formatNumber, show, steady } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { describe } from '../../figure/browser/drag.js';
import { inOrder, sortable } from '../../figure/browser/sortable.js';

const LINE = 48,
  TITLE = 28,
  LETTER = 6.8; // px
const two = x => (Number.isFinite(x) ? steady(Math.round(100 * x) / 100).replace('-', '−') : formatNumber(x));

// spec: { order: the pose's own order, names, focus, stands (the place of each word), said (who stands there),
//         first, now (its vector in either order), changes, most (the largest of these), axes, limit, least, title,
//         heads: [first, now, difference], what: { first, now, changes, most }, label, rounding (what is written for a
//         difference that is not above `least`),
//         texts: { same, unlike, as_it_was, one } }
export function order(host, spec, stage) {
  const box = make(null, 'div', { class: 'order', role: 'group', 'aria-label': spec.title }, host),
    tell = badge(box, spec.badge);
  const field = make(null, 'div', { class: 'field' }, box),
    svg = make('svg', 'svg', { class: 'links', 'aria-hidden': 'true' }, field);
  const names = find(stage.scope, spec.names),
    n = names.length,
    sides = ['first', 'now'];
  const longest = Math.max(...spec.axes.map(axis => axis.length)),
    TOP = TITLE * Math.max(1, unitFor(0.875)),
    HEAD = TOP + LETTER * longest * Math.max(1, unitFor(0.75)) + 6; // over the columns stand their names
  field.style.height = `${HEAD + n * LINE}px`;
  sides.forEach((side, k) => make(null, 'span', { class: `head ${side}`, text: spec.heads[k] }, field));
  make(null, 'span', { class: 'head change', text: spec.heads[2] }, field);
  const tiles = sortable(stage, spec, n);
  const difference = x => (x > 0 && x <= spec.least ? spec.rounding : formatNumber(x));

  const strip = (line, side) => {
    const cells = make(null, 'span', { class: 'strip' }, line);
    return spec.axes.map(axis => ({ axis, side, cell: make(null, 'span', { class: 'number', title: axis }, cells) }));
  };
  // The names of a strip's columns stand over the first line, each where its column is.
  const titles = sides.map(() =>
    spec.axes.map(axis => make(null, 'span', { class: 'axis', text: axis, 'aria-hidden': 'true' }, field)),
  );
  const entitle = area =>
    titles.forEach((own, k) => {
      const cells = items[0].cells.filter(({ side }) => side === sides[k]);
      own.forEach((title, j) => {
        const { left, width } = cells[j].cell.getBoundingClientRect();
        title.style.left = `${(left - area.left + width / 2).toFixed(1)}px`;
        title.style.top = `${TOP}px`;
        title.style.height = `${HEAD - TOP - 4}px`;
      });
    });
  const items = names.map((name, w) => {
    const left = make(null, 'div', { class: 'line first' }, field),
      right = make(null, 'div', { class: 'line now' }, field);
    left.style.top = `${HEAD + w * LINE}px`;
    const first = strip(left, 'first'),
      word = makeButton(left, { class: 'word', text: name }, () => setPose(stage, { [spec.focus]: w }));
    const tile = make(null, 'span', { class: 'tile', text: name, 'aria-orientation': 'vertical' }, right),
      now = strip(right, 'now');
    const change = make(null, 'span', { class: 'changed' }, right),
      link = make('svg', 'path', {}, svg);
    const lineAt = event => (event.clientY - field.getBoundingClientRect().top - HEAD) / LINE,
      handle = tiles.handle(tile, w, name, lineAt);
    return { name, w, left, right, word, tile, change, link, handle, cells: [...first, ...now] };
  });
  const verdict = make(null, 'p', { class: 'verdict', 'data-spoken': '' }, box);
  make(null, 'span', { text: `${spec.label} ` }, verdict);
  const most = make(null, 'b', {}, verdict),
    said = make(null, 'span', { class: 'said' }, verdict);
  new ResizeObserver(([{ contentRect }]) => {
    box.classList.toggle('narrow', contentRect.width < (spec.axes.length * 28 + 80) / 0.38);
    stage.requestPaint();
  }).observe(box);

  return scope => {
    const stands = find(scope, spec.stands),
      changes = find(scope, spec.changes),
      largest = find(scope, spec.most),
      hidden = stage.resultsHidden;
    const of = { first: find(scope, spec.first), now: find(scope, spec.now) },
      moved = stands.some((place, w) => place !== w);
    const area = field.getBoundingClientRect(),
      [inner, outer, apart] = runsLeft(field) ? ['left', 'right', -4] : ['right', 'left', 4],
      x0 = items[0].word.getBoundingClientRect()[inner] - area.left + apart,
      x1 = items[0].tile.getBoundingClientRect()[outer] - area.left - apart;
    place(svg, { width: area.width, height: area.height });
    entitle(area);
    for (const item of items) {
      const y = tiles.glide(item.tile, item.w, stands[item.w]),
        a = HEAD + (item.w + 0.5) * LINE - 2,
        b = HEAD + (y + 0.5) * LINE - 2,
        chosen = item.w === scope[spec.focus],
        middle = (x0 + x1) / 2;
      item.right.style.top = `${(HEAD + y * LINE).toFixed(1)}px`;
      const ends = [`${x0.toFixed(1)} ${a}`, `${x1.toFixed(1)} ${b.toFixed(1)}`],
        bends = [`${middle.toFixed(1)} ${a}`, `${middle.toFixed(1)} ${b.toFixed(1)}`];
      const hasRoom = Math.sign(apart) * (x1 - x0) > 8;
      item.link.setAttribute('d', hasRoom ? `M${ends[0]} C${bends[0]} ${bends[1]} ${ends[1]}` : '');
      const unlike = !hidden && changes[item.w] > spec.least;
      item.link.setAttribute('class', `${chosen ? 'chosen ' : ''}${unlike ? 'unlike' : ''}`);
      for (const line of [item.left, item.right]) {
        line.classList.toggle('chosen', chosen);
        line.classList.toggle('held', stage.held === item.tile);
      }
      item.word.setAttribute('aria-pressed', chosen);
      item.right.classList.toggle('unlike', unlike);
      for (const { axis, side, cell } of item.cells) {
        const x = of[side][item.w]?.[spec.axes.indexOf(axis)];
        show(cell, x, `${spec.what[side]} ${item.name} ${axis}`, { hidden, form: two });
        const part = hidden || !Number.isFinite(x) ? 0 : 70 * Math.min(1, Math.abs(x) / spec.limit);
        cell.style.setProperty('--part', `${part.toFixed(0)}%`);
        cell.classList.toggle('negative', x < 0);
      }
      show(item.change, changes[item.w], `${spec.what.changes} ${item.name}`, { hidden, form: difference });
      describe(item.tile, item.handle);
    }
    inOrder(items.map((item, w) => [item.right, stands[w]]));
    show(most, largest, spec.what.most, { hidden, form: difference });
    const compared = largest > spec.least ? 'unlike' : 'same';
    write(said, hidden ? '' : spec.texts[n === 1 ? 'one' : moved ? compared : 'as_it_was']);
    tell(stage);
    verdict.dataset.moved = String(moved); // until then nothing is compared
    verdict.dataset.same = String(!hidden && !(largest > spec.least));
  };
}
