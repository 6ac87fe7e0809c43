// What the head that is shown does, in a title and a few numbers.
import { make, write } from '../../figure/browser/elements.js';
import { filled, formatShare, forms } from '../../figure/browser/number_format.js';
import { shownView } from './own_shared.js';

// spec: { measures: [name], bits: the name of the one in bits, texts: { called, called_first } }
export function head_account(host, spec) {
  const box = make(null, 'div', { class: 'head-account', role: 'group' }, host),
    title = make(null, 'h2', { class: 'heading' }, box),
    list = make(null, 'dl', {}, box),
    numbers = spec.measures.map(name => {
      const item = make(null, 'div', {}, list);
      make(null, 'dt', { text: name }, item);
      return { item, number: make(null, 'dd', {}, item) };
    }),
    note = make(null, 'p', { class: 'note' }, box);
  return scope => {
    const view = shownView(scope),
      k = scope.head,
      kind = view.kinds[k];
    write(title, kind ? `${view.titles[k]} · ${kind}` : view.titles[k]);
    numbers.forEach(({ item, number }, m) => {
      const value = view.measures[m][k];
      item.hidden = value === null;
      write(number, spec.measures[m] === spec.bits ? `${forms.figure(value)} bits` : formatShare(value));
    });
    const first = view.first_lengths?.[k];
    write(note, first === undefined ? view.says : filled(spec.texts.first_length, { ratio: forms.figure(first) }));
  };
}
