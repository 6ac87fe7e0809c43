// Vectors as a small table of numbers, a word a line (`turned`: a word a column). Pointing at a number, or going
// there by the arrow keys, says in the `told` line how it was made.
import { find } from './calculation.js';
import { make } from './elements.js';
import { figure, show } from './figures.js';

const brief = x => figure(Number.isFinite(x) ? Number(x.toPrecision(3)) : x);
const factor = x => x < 0 ? `(${brief(x)})` : brief(x);
const STEPS_IN_TABLE = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// spec: { of, names, axes, what, role, title, chosen, turned, result, made: [left, right] } where the number at word
// i and axis k is row i of `left` times column k of `right`, two paths
export function coordinates(host, spec, stage) {
  const box = make(null, 'div', { class: `coordinates ${spec.role ?? 'word'}` }, host);
  const names = find(stage.scope, spec.names), { axes, turned } = spec;
  const table = make(null, 'table', { role: 'grid', 'aria-label': spec.title }, box);
  const head = make(null, 'tr', {}, make(null, 'thead', {}, table)), body = make(null, 'tbody', {}, table);
  make(null, 'td', {}, head);
  const tops = (turned ? names : axes).map(text => make(null, 'th', { scope: 'col', text }, head)), lefts = [], cells = [];
  (turned ? axes : names).forEach((text, p) => {
    const line = make(null, 'tr', {}, body);
    lefts.push(make(null, 'th', { scope: 'row', text }, line));
    cells.push(tops.map((_, q) => {
      const [i, k] = turned ? [q, p] : [p, q], cell = make(null, 'td', { role: 'gridcell', tabindex: p || q ? '-1' : '0' }, line);
      const point = () => { stage.pointed = { spec, i, k }; stage.touch(); };
      const leave = () => { if (stage.pointed?.spec === spec) { stage.pointed = null; stage.touch(); } };
      cell.addEventListener('pointerenter', point);
      cell.addEventListener('pointerleave', event => { if (event.pointerType !== 'touch') leave(); });
      cell.addEventListener('pointerdown', point);
      cell.addEventListener('focus', point);
      cell.addEventListener('blur', leave);
      cell.addEventListener('keydown', event => {
        const [up, along] = STEPS_IN_TABLE[event.key] ?? [0, 0], next = up || along ? cells[p + up]?.[q + along]?.cell : null;
        if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        cell.setAttribute('tabindex', '-1'); next.setAttribute('tabindex', '0'); next.focus();
      });
      return { cell, i, k };
    }));
  });
  return scope => {
    const matrix = find(scope, spec.of);
    cells.flat().forEach(({ cell, i, k }) => show(cell, matrix?.[i]?.[k], `${spec.what} ${names[i]} ${axes[k]}`, { hidden: stage.veil && spec.result, form: brief }));
    (turned ? tops : lefts).forEach((name, i) => name.classList.toggle('chosen', i === scope[spec.chosen]));
  };
}

// How the number pointed at was made; as long as there is none, how to find out.
export function told(host, spec, stage) {
  const line = make(null, 'p', { class: 'told' }, host);
  return scope => {
    const { spec: at, i, k } = stage.pointed ?? {};
    let text = spec.idle;
    if (at?.made) {
      const [left, right] = at.made.map(path => find(scope, path)), name = `${at.what} ${find(scope, at.names)[i]} ${at.axes[k]}`;
      text = stage.veil && at.result ? spec.veiled
        : `${name} = ${left[i].map((x, m) => `${factor(x)} × ${factor(right[m][k])}`).join(' + ')} = ${brief(find(scope, at.of)[i][k])}`;
    }
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle('idle', !at?.made);
  };
}
