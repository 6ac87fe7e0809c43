// The formula with its numbers. Like every part it is `(host, spec, stage) → paint(scope)`: built once, then changed
// only where a number changed.
import { find } from './calculation.js';
import { make, putText } from './elements.js';
import { forms, show, spell } from './number_format.js';

// Where a formula may go on in the next line: before a sign of equality or an arrow, before a plus that stands in no
// bracket, and behind a colon. The pieces of a tree in turn; the terms of a `most` are pieces of their own.
const BREAKS = new Set(['=', '→', '+']);
const TAGS = { row: 'mrow', fraction: 'mfrac', root: 'msqrt', power: 'msup', index: 'msub' };
function broken(tree) {
  const pieces = [[]];
  let open = 0;
  const add = branch => {
    if (branch.kind === 'row') return branch.of.forEach(add);
    if (branch.kind === 'most') return pieces.push(branch, []);
    if (branch === '(' || branch === ')') open += branch === '(' ? 1 : -1;
    if (BREAKS.has(branch) && !open && pieces.at(-1).length) pieces.push([]);
    pieces.at(-1).push(branch);
    if (branch === ':') pieces.push([]);
  };
  add(tree);
  return pieces.filter(piece => piece.kind || piece.length);
}

// One of them, with a space behind it, at which the line may end.
function piece(line) {
  const row = make('math', 'math', { displaystyle: 'true' }, line);
  line.append(' ');
  return row;
}

// A formula as MathML. Its tree comes from Python (formula.py); numbers and names in it are paths.
export function formula(host, spec, stage) {
  const box = make(null, 'div', { class: spec.small ? 'formula small' : 'formula' }, host),
    map = { stage, box, live: [], room: Infinity }; // what every function below gets
  for (const { name, tree, when } of spec.lines) {
    const block = make(null, 'div', { class: 'line', 'data-line': name }, box);
    for (const [i, part] of broken(tree).entries()) {
      if (part.kind === 'most') {
        grow(map, part, block);
        continue;
      }
      const row = piece(block);
      part.forEach((branch, k) => {
        const sign = grow(map, branch, row);
        if (i && !k && sign.localName === 'mo') sign.setAttribute('form', 'infix');
      });
    }
    if (when)
      map.live.push(scope => {
        block.style.display = find(scope, when) ? '' : 'none';
      });
    if (name) map.live.push(scope => block.classList.toggle('leading', !spec.leading || scope[spec.leading] === name));
  }
  return scope => map.live.forEach(paint => paint(scope));
}

// Writes a branch of the tree, and returns its element.
function grow(map, tree, parent) {
  if (typeof tree === 'string') return make('math', /^[\p{L}]+$/u.test(tree) ? 'mi' : 'mo', { text: tree }, parent);
  const { kind, of = [] } = tree;
  if (kind === 'number') return growNumber(map, tree, parent);
  if (kind === 'most') return growMost(map, tree, parent);
  if (kind === 'name') {
    const element = make('math', 'mtext', { class: `word ${tree.role ?? ''}` }, parent);
    map.live.push(scope => putText(element, String(find(scope, tree.path) ?? '')));
    return element;
  }
  const element = make('math', TAGS[kind], {}, parent);
  for (const branch of of) grow(map, branch, element);
  return element;
}

function growNumber({ stage, live }, tree, parent) {
  const element = make('math', 'mn', { class: tree.role ?? null }, parent),
    plain = forms[tree.form ?? 'figure'];
  const form = tree.signed
    ? Object.assign(x => (x < 0 ? `(${plain(x)})` : plain(x)), plain.exact && { exact: plain.exact })
    : plain;
  live.push(scope => {
    const what = spell(tree.what, p => find(scope, p)),
      hidden = stage.resultsHidden && (tree.result || tree.veiled);
    show(element, find(scope, tree.path), what, { hidden, form });
  });
  return element;
}

// The largest terms of a sum, and its rest. Each term brings the plus before it; the first one's stays away.
function growMost(map, { of, rest, by, least, count }, parent) {
  const { stage, box, live } = map;
  new ResizeObserver(([{ contentRect }]) => {
    map.room = contentRect.width;
    stage.requestPaint();
  }).observe(box);
  const terms = [...of, rest].map(branch => {
    const term = piece(parent),
      plus = make('math', 'mo', { text: '+', form: 'infix' }, term);
    grow(map, branch, term);
    return { term, plus };
  });
  live.push(scope => {
    const sizes = find(scope, by),
      large = [...sizes.keys()].filter(i => !stage.resultsHidden && sizes[i] >= least),
      most = Math.min(count, map.room < 400 ? 2 : Infinity),
      chosen = new Set(large.sort((a, b) => sizes[b] - sizes[a]).slice(0, most)),
      shown = terms.map((_, i) => (i < of.length ? chosen.has(i) : chosen.size < of.length)),
      first = shown.indexOf(true);
    terms.forEach(({ term, plus }, i) => {
      term.style.display = shown[i] ? '' : 'none';
      plus.style.display = i === first ? 'none' : '';
    });
  });
  return parent;
}
