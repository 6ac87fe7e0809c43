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
  const box = make(null, 'div', { class: spec.small ? 'formula small' : 'formula' }, host);
  const live = [];
  let room = Infinity;
  const grow = (tree, parent) => {
    if (typeof tree === 'string') return make('math', /^[\p{L}]+$/u.test(tree) ? 'mi' : 'mo', { text: tree }, parent);
    const { kind, of = [] } = tree;
    if (kind === 'number') {
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
    if (kind === 'name') {
      const element = make('math', 'mtext', { class: `word ${tree.role ?? ''}` }, parent);
      live.push(scope => putText(element, String(find(scope, tree.path) ?? '')));
      return element;
    }
    if (kind === 'most') {
      // each term brings the plus before it; the first one's stays away
      new ResizeObserver(([{ contentRect }]) => {
        room = contentRect.width;
        stage.requestPaint();
      }).observe(box);
      const terms = [...of, tree.rest].map(branch => {
        const term = piece(parent),
          plus = make('math', 'mo', { text: '+', form: 'infix' }, term);
        grow(branch, term);
        return { term, plus };
      });
      live.push(scope => {
        const sizes = find(scope, tree.by),
          count = Math.min(tree.count, room < 400 ? 2 : Infinity),
          chosen = new Set(
            sizes
              .map((_, i) => i)
              .filter(i => !stage.resultsHidden && sizes[i] >= tree.least)
              .sort((a, b) => sizes[b] - sizes[a])
              .slice(0, count),
          );
        const shown = terms.map((_, i) => (i < of.length ? chosen.has(i) : chosen.size < of.length)),
          first = shown.indexOf(true);
        terms.forEach(({ term, plus }, i) => {
          term.style.display = shown[i] ? '' : 'none';
          plus.style.display = i === first ? 'none' : '';
        });
      });
      return parent;
    }
    const element = make('math', TAGS[kind], {}, parent);
    of.forEach(branch => grow(branch, element));
    return element;
  };
  spec.lines.forEach(line => {
    const block = make(null, 'div', { class: 'line', 'data-line': line.name }, box);
    for (const [i, part] of broken(line.tree).entries()) {
      if (part.kind === 'most') {
        grow(part, block);
        continue;
      }
      const row = piece(block);
      part.forEach((branch, k) => {
        const sign = grow(branch, row);
        if (i && !k && sign.localName === 'mo') sign.setAttribute('form', 'infix');
      });
    }
    if (line.when)
      live.push(scope => {
        block.style.display = find(scope, line.when) ? '' : 'none';
      });
    if (line.name)
      live.push(scope => block.classList.toggle('leading', !spec.leading || scope[spec.leading] === line.name));
  });
  return scope => live.forEach(paint => paint(scope));
}
