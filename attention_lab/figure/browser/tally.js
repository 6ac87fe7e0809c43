// What one word asks and what it gets: live numbers in columns, a row for each word that answers.
import { find } from './calculation.js';
import { make, makeButton, putText } from './elements.js';
import { forms, show, spell } from './number_format.js';

// spec: { title, head: [texts and paths], names, focus, other (where rows can be chosen), columns }. A column: { head,
// of: path of a row of numbers, what, form, result (waits for the guess), bar (a share drawn behind its number), note:
// { of, text, when } }, a note being a number from elsewhere to compare with.
export function tally(host, spec, stage) {
  const box = make(null, 'div', { class: 'tally', tabindex: '-1' }, host);
  const table = make(null, 'table', {}, box),
    top = make(null, 'tr', {}, make(null, 'thead', {}, table));
  make(null, 'caption', { text: spec.title }, table);
  const asks = make(null, 'th', { scope: 'col' }, top);
  for (const column of spec.columns) make(null, 'th', { scope: 'col', text: column.head }, top);
  const body = make(null, 'tbody', {}, table);
  const rows = find(stage.scope, spec.names).map((name, j) => {
    const row = make(null, 'tr', {}, body);
    const set = () => {
      if (stage.pose[spec.other] === j) return;
      stage.pose[spec.other] = j;
      stage.commit();
    };
    const head = make(null, 'th', { scope: 'row' }, row),
      choose = spec.other ? makeButton(head, {}, set) : null;
    (choose ?? head).textContent = name;
    const cells = spec.columns.map(column => {
      const cell = make(null, 'td', { class: column.bar ? 'bar' : null }, row),
        number = make(null, 'span', {}, cell);
      return { column, cell, number, note: column.note ? make(null, 'small', {}, cell) : null };
    });
    return { j, name, row, choose, cells };
  });
  return scope => {
    const who = find(scope, spec.names)[scope[spec.focus]],
      head = spell(spec.head, p => find(scope, p));
    putText(asks, head);
    for (const { j, name, row, choose, cells } of rows) {
      row.classList.toggle('chosen', j === scope[spec.other]);
      choose?.setAttribute('aria-pressed', j === scope[spec.other]);
      for (const { column, cell, number, note } of cells) {
        const value = find(scope, column.of)?.[j],
          hidden = Boolean(stage.resultsHidden && column.result);
        show(number, value, `${column.what} ${who} ${name}`, { hidden, form: forms[column.form] });
        if (column.bar) cell.style.setProperty('--part', `${hidden ? 0 : (100 * value).toFixed(2)}%`);
        if (!note) continue;
        const { of, text, when } = column.note;
        putText(note, hidden || !find(scope, when) ? '' : `${text} ${find(scope, of)[j]}`);
      }
    }
  };
}
