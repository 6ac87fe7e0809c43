// What stands beside the plane: live numbers as a table, the formula with its numbers, a goal. Each part is
// `(host, spec, stage) → paint(scope)`: built once, then only changed where a number changed.
import { find } from './calculation.js';
import { make } from './elements.js';
import { filled, forms, show, spell } from './figures.js';

// Where a formula may go on in the next line: before a sign of equality or an arrow, and before a plus that stands in
// no bracket. The pieces of a tree in turn; the terms of a `most` are pieces of their own.
const BREAKS = new Set(['=', '→', '+']);
function broken(tree) {
  const pieces = [[]];
  let open = 0;
  const add = branch => {
    if (branch.kind === 'row') return branch.of.forEach(add);
    if (branch.kind === 'most') return pieces.push(branch, []);
    if (branch === '(' || branch === ')') open += branch === '(' ? 1 : -1;
    if (BREAKS.has(branch) && !open && pieces.at(-1).length) pieces.push([]);
    pieces.at(-1).push(branch);
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
        const value = find(scope, tree.path);
        show(
          element,
          value,
          spell(tree.what, p => find(scope, p)),
          { hidden: stage.veil && (tree.result || tree.veiled), form },
        );
      });
      return element;
    }
    if (kind === 'name') {
      const element = make('math', 'mtext', { class: `word ${tree.role ?? ''}` }, parent);
      live.push(scope => {
        const text = String(find(scope, tree.path) ?? '');
        if (element.textContent !== text) element.textContent = text;
      });
      return element;
    }
    if (kind === 'most') {
      // each term brings the plus before it; the first one's stays away
      new ResizeObserver(([{ contentRect }]) => {
        room = contentRect.width;
        stage.touch();
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
              .filter(i => !stage.veil && sizes[i] >= tree.least)
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
    const element = make(
      'math',
      { row: 'mrow', fraction: 'mfrac', root: 'msqrt', power: 'msup', index: 'msub', under: 'munder' }[kind],
      {},
      parent,
    );
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

// Goals, as Python made them for a word of interest: a sentence, a bar that fills as the reader comes near, a tick
// once met. Dots choose among them.
function holds({ relation, target, tolerance }, value) {
  if (!Number.isFinite(value) || target === null) return false;
  return { at_least: value >= target, at_most: value <= target, within: Math.abs(value - target) <= tolerance }[
    relation
  ];
}

function nearness(condition, value) {
  if (holds(condition, value)) return 1;
  const { start, target, tolerance } = condition;
  if (!Number.isFinite(value) || target === null || start === null) return 0;
  const far = Math.abs(start - target) - tolerance,
    left = Math.abs(value - target) - tolerance;
  return far > 0 ? Math.max(0, Math.min(0.99, 1 - left / far)) : 0;
}

export function goals(host, spec, stage) {
  const box = make(null, 'section', { class: 'goals', 'aria-label': spec.title }, host);
  const head = make(null, 'div', { class: 'head' }, box);
  make(null, 'span', { class: 'title', text: spec.title }, head);
  const choose = spec.goals.map((_, i) => {
    const dot = make(
      null,
      'button',
      { type: 'button', class: 'choose', 'aria-label': `${spec.title} ${i + 1}`, text: String(i + 1) },
      head,
    );
    dot.addEventListener('click', () => {
      stage.pose.goal = i;
      stage.touch();
      stage.commit();
    });
    return dot;
  });
  const text = make(null, 'p', {}, box);
  const bar = make(
    null,
    'div',
    { class: 'bar', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': spec.title },
    box,
  );
  const fill = make(null, 'div', { class: 'fill' }, bar),
    note = make(null, 'span', { class: 'note', role: 'status' }, box);
  return scope => {
    const due = (spec.about ?? scope.word) === scope.word,
      at = Math.min(scope.goal, spec.goals.length - 1);
    const reached = spec.goals.map(goal => {
      const parts = goal.conditions.map(condition => nearness(condition, find(scope, condition.path)));
      const now = due && parts.every(part => part === 1);
      if (now && !stage.veil) stage.ticks.add(goal.name);
      return { part: Math.min(...parts), now };
    });
    choose.forEach((dot, i) => {
      dot.setAttribute('aria-pressed', i === at);
      dot.classList.toggle('met', stage.ticks.has(spec.goals[i].name));
    });
    const goal = spec.goals[at],
      { now } = reached[at];
    const part = stage.veil ? 0 : reached[at].part;
    if (text.dataset.goal !== goal.name + goal.text) {
      text.textContent = goal.text;
      text.dataset.goal = goal.name + goal.text;
    }
    fill.style.width = `${(100 * part).toFixed(1)}%`;
    bar.setAttribute('aria-valuenow', Math.round(100 * part));
    box.classList.toggle('now', now && !stage.veil);
    const words = stage.veil
      ? spec.veiled
      : now
        ? spec.met
        : stage.ticks.has(goal.name)
          ? spec.was_met
          : filled(spec.near, { part: Math.floor(100 * part) });
    if (note.textContent !== words) note.textContent = words;
  };
}
