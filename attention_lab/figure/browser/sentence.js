// The sentence, word by word. The bar over a word is what the word of interest takes from it (none without
// `shares`); choosing a word makes it the word of interest.
import { find } from './calculation.js';
import { direction } from './direction.js';
import { balance, classes, make, makeButton, putText } from './elements.js';
import { formatShare, show, spell } from './number_format.js';
import { applyTint } from './tint.js';

export function sentence(host, spec, stage) {
  const kind = classes('sentence', spec.tinted && 'tinted'),
    box = make(null, 'div', { class: kind, role: 'group', 'aria-label': spec.title }, host);
  const above = make(null, 'p', { class: 'head' }, box),
    head = make(null, 'span', {}, above);
  if (spec.ask) make(null, 'span', { class: 'ask', text: ` · ${spec.ask}` }, above);
  const shown = find(stage.scope, spec.shown),
    line = make(null, 'div', { class: 'words', dir: direction(shown) }, box);
  const items = shown.map((word, i) => {
    const button = makeButton(line, { 'data-about': word }, () => {
      stage.pose[spec.focus] = i;
      stage.commit();
    });
    const frame = spec.shares ? make(null, 'span', { class: 'column-of' }, button) : null,
      bar = frame && make(null, 'span', { class: 'bar' }, frame);
    make(null, 'span', { class: 'spoken', text: word }, button);
    const number = frame && make(null, 'span', { class: 'number' }, button);
    return { button, bar, number };
  });
  balance(line);
  return scope => {
    const focus = scope[spec.focus],
      words = find(scope, spec.words),
      shares = spec.shares && find(scope, spec.shares),
      vectors = spec.tinted && find(scope, spec.tinted);
    const text = spell(spec.head, path => find(scope, path));
    putText(head, text);
    above.hidden = !text && !spec.ask;
    items.forEach(({ button, bar, number }, i) => {
      button.setAttribute('aria-pressed', i === focus);
      if (vectors) applyTint(button, vectors[i]);
      if (!shares) return;
      bar.style.height = stage.resultsHidden ? 0 : `${100 * shares[i]}%`;
      show(number, shares[i], `${spec.what} ${words[focus]} ${words[i]}`, {
        hidden: stage.resultsHidden,
        form: formatShare,
      });
    });
  };
}
