// Vectors as a small table of numbers, a word a line (`turned`: a word a column). Pointing at a number, or going
// there by the arrow keys, says in the `explanation` line how it is computed.
import { find } from '../../figure/browser/calculation.js';
import { calculation, runsLeft } from '../../figure/browser/direction.js';
import { make } from '../../figure/browser/elements.js';
import { formatNumber, show } from '../../figure/browser/number_format.js';
import { showTooltip } from '../../figure/browser/tooltip.js';

const brief = x => formatNumber(Number.isFinite(x) ? Number(x.toFixed(2)) + 0 : x); // as wide as its column
const factor = x => (x < 0 ? `(${formatNumber(x)})` : formatNumber(x));
const STEPS_IN_TABLE = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// spec: { of, names, axes, what, called (the vectors, in the `explanation` line), role, title, chosen, turned, result,
//         computed_from: [left, right], two paths, where the number at word i and axis k is row i of `left` times
//         column k of `right` }
export function coordinates(host, spec, stage) {
  const box = make(null, 'div', { class: `coordinates ${spec.role ?? 'word'}` }, host);
  const names = find(stage.scope, spec.names),
    { axes, turned } = spec;
  const table = make(null, 'table', { role: 'grid', 'aria-label': spec.title }, box);
  const head = make(null, 'tr', {}, make(null, 'thead', {}, table)),
    body = make(null, 'tbody', {}, table);
  make(null, 'td', {}, head);
  const tops = (turned ? names : axes).map(text => make(null, 'th', { scope: 'col', text }, head)),
    lefts = [],
    cells = [];
  (turned ? axes : names).forEach((text, p) => {
    const line = make(null, 'tr', {}, body);
    lefts.push(make(null, 'th', { scope: 'row', text }, line));
    cells.push(
      tops.map((_, q) => {
        const [i, k] = turned ? [q, p] : [p, q],
          cell = make(null, 'td', { role: 'gridcell', tabindex: p || q ? '-1' : '0' }, line);
        const point = at => {
          stage.pointed = at;
          stage.requestPaint();
        };
        const leave = ({ pointerType }) => {
          if (stage.pointed?.spec === spec && pointerType !== 'touch') point(null);
        };
        for (const type of ['pointerenter', 'pointerdown', 'focus'])
          cell.addEventListener(type, () => point({ spec, i, k }));
        for (const type of ['pointerleave', 'blur']) cell.addEventListener(type, leave);
        cell.addEventListener('keydown', event => {
          const [up, right] = STEPS_IN_TABLE[event.key] ?? [0, 0],
            along = runsLeft(table) ? -right : right,
            next = up || along ? cells[p + up]?.[q + along]?.cell : null;
          if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          cell.setAttribute('tabindex', '-1');
          next.setAttribute('tabindex', '0');
          next.focus();
        });
        return { cell, i, k };
      }),
    );
  });
  const explanationOf = (scope, matrix) => {
    if (!spec.computed_from || (stage.resultsHidden && spec.result)) return '';
    const { i, k } = stage.pointed,
      [left, right] = spec.computed_from.map(path => find(scope, path));
    const terms = left[i].map((x, m) => `${factor(x)} × ${factor(right[m][k])}`);
    const sum = calculation(` = ${terms.join(' + ')} = ${formatNumber(matrix[i][k])}`);
    return `${spec.called} ${names[i]} ${axes[k]}${sum}`;
  };
  return scope => {
    const matrix = find(scope, spec.of);
    cells.flat().forEach(({ cell, i, k }) =>
      show(cell, matrix?.[i]?.[k], `${spec.what} ${names[i]} ${axes[k]}`, {
        hidden: stage.resultsHidden && spec.result,
        form: brief,
      }),
    );
    (turned ? tops : lefts).forEach((name, i) => name.classList.toggle('chosen', i === scope[spec.chosen]));
    if (stage.pointed?.spec !== spec) return;
    stage.explanation = explanationOf(scope, matrix);
    const here = cells.flat().find(({ i, k }) => i === stage.pointed.i && k === stage.pointed.k);
    if (here) showTooltip(stage, here.cell, stage.explanation);
  };
}
