// Every head of every layer as a wall, coloured by what it does; and what the one shown does, in numbers.
import { find } from '../../figure/browser/calculation.js';
import { moveByArrows } from '../../figure/browser/direction.js';
import { badge, followPointing, make, makeButton, putClass, write } from '../../figure/browser/elements.js';
import { filled, formatPercent, formatShare, forms, localized, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

const MARKED = 5; // every so many layers one has its number
const signedWhole = x => localized(x > 0 ? `+${x}` : String(x));

// spec: { title, badge, head, measure, cut: the pose's choices, off: the cut that switches the head off,
//         measures: a row of all heads for each, least: how large it is in heads that are not faint, count: of these,
//         names: paths, layers, shared: query heads on one key/value head,
//         kinds: [{ name, says, limit: of a measure with both signs }], texts: { group, head, count, less, more } }
export function head_wall(host, spec, stage) {
  const box = make(null, 'figure', { class: 'head-wall' }, host),
    names = find(stage.scope, spec.names),
    head = make(null, 'p', { class: 'pointed', 'data-spoken': '' }, box),
    name = make(null, 'span', {}, head),
    number = make(null, 'b', {}, head),
    counted = make(null, 'span', { class: 'counted' }, head),
    count = make(null, 'b', {}, counted);
  counted.append(` ${filled(spec.texts.count, { all: names.length })}`);
  let pointed = null;
  const choose = k => setPose(stage, { [spec.head]: k });
  const point = k => {
    pointed = k;
    stage.requestPaint();
  };
  const cells = makeCells(box, spec, names, choose, point),
    paintScale = scaleOf(box, spec),
    paintBadge = badge(box.querySelector('.scale'), spec.badge);
  let drawn = {};
  return scope => {
    const shown = scope[spec.head],
      kind = spec.kinds[scope[spec.measure]],
      row = find(scope, spec.measures)[scope[spec.measure]],
      hidden = Boolean(stage.resultsHidden),
      form = kind.limit ? forms.signed : formatShare;
    if (row !== drawn.row || hidden !== drawn.hidden) {
      drawn = { row, hidden };
      cells.forEach((cell, k) => {
        const part = hidden ? 0 : Math.min(1, Math.abs(row[k]) / (kind.limit ?? 1));
        cell.style.setProperty('--part', `${(100 * part).toFixed(1)}%`);
        cell.ariaLabel = `${filled(spec.texts.head, { head: names[k] })}, ${kind.name}: ${hidden ? '?' : form(row[k])}`;
        cell.dataset.sign = kind.limit ? Math.sign(row[k]) : 0;
      });
      paintScale(kind);
    }
    const least = find(scope, spec.least);
    cells.forEach((cell, k) => {
      cell.classList.toggle('faint', !hidden && Math.abs(row[k]) < least);
      cell.classList.toggle('off', k === shown && scope[spec.cut] === spec.off);
      cell.setAttribute('aria-pressed', k === shown);
      cell.tabIndex = k === shown ? 0 : -1;
    });
    const at = pointed ?? shown;
    write(name, `${filled(spec.texts.head, { head: names[at] })} · ${kind.name} `);
    show(number, row[at], `${kind.name} ${names[at]}`, { hidden, form });
    counted.hidden = !least;
    show(count, find(scope, spec.count), 'heads shown', { hidden, form: forms.whole });
    paintBadge(stage);
  };
}

// A button for each head, in groups that share one key/value head; a few layers have their number beside them.
function makeCells(box, spec, names, choose, point) {
  const wide = names.length / spec.layers,
    grid = make(null, 'div', { class: 'wall', role: 'group', 'aria-label': spec.title, dir: 'ltr' }, box),
    column = h => 2 + h + Math.floor(h / spec.shared);
  for (let h = 0; h < wide; h += spec.shared) {
    const area = `1 / ${column(h)} / 2 / span ${spec.shared}`,
      text = filled(spec.texts.group, { n: 1 + h / spec.shared });
    make(null, 'span', { class: 'of-group', style: `grid-area: ${area}`, dir: 'auto', text }, grid);
  }
  for (let layer = 1; layer <= spec.layers; layer++)
    if (layer === 1 || layer % MARKED === 0)
      make(null, 'span', { class: 'of-layer', style: `grid-area: ${layer + 1} / 1`, text: String(layer) }, grid);
  const cells = names.map((name, k) => {
    const style = `grid-area: ${2 + Math.floor(k / wide)} / ${column(k % wide)}`,
      cell = makeButton(grid, { class: 'cell-of', style, 'data-handle': `head ${name}` }, () => choose(k));
    followPointing(cell, on => point(on ? k : null));
    return cell;
  });
  moveByArrows(cells, wide, choose);
  return cells;
}

// The colours with their ends, and how the measure was made.
function scaleOf(box, spec) {
  const line = make(null, 'div', { class: 'scale', dir: 'ltr' }, box),
    [low, bar, high] = ['span', 'i', 'span'].map(tag => make(null, tag, {}, line)),
    says = make(null, 'p', { class: 'says' }, box);
  return ({ limit, says: text }) => {
    putClass(bar, limit ? 'signed' : '');
    write(low, limit ? filled(spec.texts.less, { limit: signedWhole(-limit) }) : formatPercent('0'));
    write(high, limit ? filled(spec.texts.more, { limit: signedWhole(limit) }) : formatPercent('100'));
    write(says, text);
  };
}

// spec: { title, head, on_first, key, weight, effect, before, without: paths, texts: { on_first, most, off, change } }
export function head_facts(host, spec, stage) {
  const box = make(null, 'div', { class: 'head-facts', role: 'group', 'aria-label': spec.title }, host),
    title = make(null, 'h2', { class: 'heading' }, box),
    fact = kind => {
      const item = make(null, 'p', { class: kind }, box),
        [label, number, note] = ['span', 'b', 'i'].map(tag => make(null, tag, {}, item));
      return { label, number, note };
    };
  const [first, most, off] = ['first', 'most', 'off'].map(fact),
    [before, after, change] = [1, 2, 3].map(() => make(null, 'span'));
  off.number.append(before, ' → ', after);
  off.note.append(`${spec.texts.change} `, change);
  off.number.dir = 'ltr';
  write(first.label, spec.texts.on_first);
  write(first.note, spec.texts.mean);
  write(most.label, spec.texts.most);
  write(off.label, spec.texts.off);
  return scope => {
    const hidden = stage.resultsHidden,
      share = { hidden, form: formatShare };
    write(title, filled(spec.texts.head, { head: find(scope, spec.head) }));
    show(first.number, find(scope, spec.on_first), 'weight on the first token', share);
    show(most.number, find(scope, spec.weight), 'largest weight', share);
    write(most.note, hidden ? '?' : filled(spec.texts.on, { word: find(scope, spec.key) }));
    show(before, find(scope, spec.before), 'answer before', share);
    show(after, find(scope, spec.without), 'answer without the head', share);
    show(change, find(scope, spec.effect), 'effect', { hidden, form: forms.signed });
  };
}
