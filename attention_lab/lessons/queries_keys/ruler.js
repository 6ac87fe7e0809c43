// A number on a scale with fixed ends, among others to compare it with.
import { find } from '../../figure/browser/calculation.js';
import { make } from '../../figure/browser/elements.js';
import { formatNumber, show } from '../../figure/browser/number_format.js';

// spec: { of, what, title, low, high, marks: [{ name, of }] }
export function ruler(host, spec, stage) {
  const box = make(null, 'figure', { class: 'ruler', 'aria-label': spec.title }, host);
  const head = make(null, 'figcaption', {}, box);
  make(null, 'span', { text: `${spec.title} ` }, head);
  const number = make(null, 'strong', {}, head);
  const scale = make(null, 'div', { class: 'scale' }, box);
  const marks = spec.marks.map(({ name, of }) => {
    const mark = make(null, 'div', { class: 'mark' }, scale);
    make(null, 'span', { text: name }, mark);
    return { mark, of, number: make(null, 'span', { class: 'number' }, mark), name };
  });
  const now = make(null, 'div', { class: 'now' }, scale);
  const part = value => 100 * Math.max(0, Math.min(1, (value - spec.low) / (spec.high - spec.low)));
  return scope => {
    const value = find(scope, spec.of);
    show(number, value, spec.what, { hidden: stage.resultsHidden });
    now.style.display = Number.isFinite(value) && !stage.resultsHidden ? '' : 'none';
    now.style.left = `${part(value).toFixed(2)}%`;
    for (const { mark, of, number: told, name } of marks) {
      const compared = find(scope, of);
      mark.style.display = Number.isFinite(compared) && !stage.resultsHidden ? '' : 'none';
      mark.style.left = `${part(compared).toFixed(2)}%`;
      show(told, compared, `${spec.what} ${name}`, { form: x => formatNumber(Number(x.toPrecision(2))) });
    }
  };
}
