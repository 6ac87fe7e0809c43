// What the head that is shown does, in a title and a few numbers.
import { make, write } from '../../figure/browser/elements.js';
import { filled, formatShare, forms } from '../../figure/browser/number_format.js';
import { shownView } from './own_shared.js';

// A measure as it is written: a weight, or bits.
export const written = ({ bits }, value) => (bits ? filled(bits, { number: forms.figure(value) }) : formatShare(value));

// spec: { texts: { first_length } }
export function head_account(host, spec) {
  const box = make(null, 'div', { class: 'head-account', role: 'group' }, host),
    title = make(null, 'h2', { class: 'heading' }, box),
    list = make(null, 'dl', {}, box),
    note = make(null, 'p', { class: 'note' }, box);
  let shown = '';
  return scope => {
    const view = shownView(scope),
      k = scope.head,
      first = view.first_lengths?.[k],
      kind = view.kinds[k];
    if (shown === `${view.id} ${k}`) return;
    shown = `${view.id} ${k}`;
    write(title, kind ? `${view.titles[k]} · ${kind}` : view.titles[k]);
    list.replaceChildren(
      ...view.measures.map(measure => {
        const part = Math.max(0, (measure.values[k] ?? 0) / measure.most || 0),
          item = make(null, 'div', { style: `--part:${(100 * Math.min(1, part)).toFixed(1)}%` });
        make(null, 'dt', { text: measure.name }, item);
        make(null, 'dd', { text: written(measure, measure.values[k]) }, item);
        return item;
      }),
    );
    const ofFirst =
      first === undefined || first === null ? '' : filled(spec.texts.first_length, { ratio: forms.figure(first) });
    write(note, view.says || ofFirst);
  };
}
