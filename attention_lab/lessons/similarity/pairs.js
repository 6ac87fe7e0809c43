// Pairs of words with their measures. The word of interest comes first; choosing a row chooses the other word.
import { find } from '../../figure/browser/calculation.js';
import { make, makeButton } from '../../figure/browser/elements.js';
import { show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

export function pairs(host, spec, stage) {
  const box = make(null, 'div', { class: 'pairs', tabindex: '-1' }, host);
  let rows = [],
    built = null;

  function build(focus, words) {
    const order = words
      .flatMap((_, i) => words.slice(i + 1).map((_, k) => [i, i + 1 + k]))
      .map(([i, j]) => (j === focus ? [j, i] : [i, j]))
      .sort((p, q) => (q[0] === focus) - (p[0] === focus));
    const table = make(null, 'table', {});
    const head = make(null, 'tr', {}, make(null, 'thead', {}, table));
    make(null, 'th', { scope: 'col', text: spec.head }, head);
    for (const column of spec.columns)
      make(null, 'th', { scope: 'col', text: column.head, 'data-column': column.of }, head);
    const body = make(null, 'tbody', {}, table);
    rows = order.map(([i, j]) => {
      const row = make(null, 'tr', {}, body),
        name = make(null, 'th', { scope: 'row' }, row);
      const choose = makeButton(name, { text: `${words[i]} · ${words[j]}` }, () =>
        setPose(stage, { [spec.focus]: i, [spec.other]: j }),
      );
      return {
        i,
        j,
        row,
        choose,
        cells: spec.columns.map(column => ({ column, cell: make(null, 'td', { 'data-column': column.of }, row) })),
      };
    });
    box.replaceChildren(table);
  }
  return scope => {
    const focus = scope[spec.focus],
      signature = `${focus}|${scope.words.join(' ')}`;
    if (signature !== built) {
      build(focus, scope.words);
      built = signature;
    }
    for (const { i, j, row, choose, cells } of rows) {
      const chosen = i === focus && j === scope[spec.other];
      row.classList.toggle('chosen', chosen);
      choose.setAttribute('aria-pressed', chosen);
      for (const { column, cell } of cells) {
        cell.classList.toggle('leading', column.of === scope[spec.leading]);
        show(cell, find(scope, [column.of, i, j]), `${column.of} ${scope.words[i]} ${scope.words[j]}`, {
          hidden: stage.resultsHidden,
        });
      }
    }
  };
}
