// An English text from the words that a model knows: typed, with its words completed, or put together from a list. As
// long as it can be read, everything follows at once; what cannot be read stays as it is, with the reason.
import { find } from '../../figure/browser/calculation.js';
import { composeWords, make, makeButton } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { lettersBetween, usualSigns } from '../../figure/browser/typed_text.js';

const MOST_OFFERED = 6,
  NEAR = 2.5, // letters of a word, one of which may be other for it to be near
  IDLE = 700; // ms without a key before Python hears of it

const asTyped = text => usualSigns(text).toLowerCase();
const inWords = text =>
  asTyped(text)
    .split(/[\s.,;:!?]+/)
    .filter(Boolean);
const BEGUN = /[^\s.,;:!?，、。；：！？…]*$/,
  WORD = new RegExp(BEGUN.source.replace('*$', '+'), 'g');

// spec: { title, of: the name of the text in the pose; begin: what else begins anew with it, by name; vocabulary
//         (path), longest, others: other texts, by the numbers of their words; texts: { label, another, known,
//         offered, unknown, near, empty, long } }
export function phrase(host, spec, stage) {
  const { texts } = spec,
    box = make(null, 'div', { class: 'phrase', role: 'group', 'aria-label': spec.title }, host),
    words = find(stage.scope, spec.vocabulary),
    numberOf = new Map(words.map((word, k) => [word, k]));
  const line = make(null, 'div', { class: 'line' }, box),
    label = make(null, 'label', { text: texts.label }, line);
  const plain = { spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' },
    input = make(null, 'input', { type: 'text', ...plain, 'data-phrase': '', maxlength: 400, lang: 'en' }, label);
  makeButton(line, { class: 'plain another', text: texts.another }, () => {
    const here = spec.others.findIndex(isShown);
    set(spec.others[(here + 1) % spec.others.length]);
    input.value = spoken();
    complain('');
    commit();
  });
  const offered = make(null, 'div', { class: 'offered', role: 'group', 'aria-label': texts.offered }, box),
    wrong = make(null, 'p', { class: 'wrong', role: 'alert' }, box);
  const all = make(null, 'details', { class: 'known fold' }, box);
  make(null, 'summary', { text: filled(texts.known, { count: words.length }) }, all);
  const list = make(null, 'div', { class: 'list' }, all);
  let settling = 0;

  const isFocused = () => input.getRootNode().activeElement === input;
  const spoken = () => stage.pose[spec.of][0].map(number => words[number]).join(' ');
  const isShown = numbers => JSON.stringify([numbers]) === JSON.stringify(stage.pose[spec.of]);
  const set = numbers => {
    if (isShown(numbers)) return;
    Object.assign(stage.pose, { [spec.of]: [numbers] }, JSON.parse(JSON.stringify(spec.begin)));
    stage.requestPaint();
  };
  const commit = () => {
    clearTimeout(settling);
    stage.commit();
  };
  const button = (parent, text, act) => {
    const element = makeButton(parent, { class: 'plain small word', text }, act);
    element.addEventListener('pointerdown', event => event.preventDefault()); // the field keeps the focus
  };
  // The word at the end of which the field's mark stands, as far as it is typed.
  const begun = () => {
    const upto = input.value.slice(0, input.selectionStart ?? input.value.length);
    return asTyped(BEGUN.exec(upto)[0]);
  };
  const fillPlaceholders = (word, instead) => {
    const at = input.selectionStart ?? input.value.length,
      before = input.value.slice(0, at - instead.length),
      after = input.value.slice(at).replace(/^[^\s]*/, ''),
      gap = before && !/\s$/.test(before) ? ' ' : '';
    input.value = `${before}${gap}${word}${after || ' '}`;
    const end = before.length + gap.length + word.length + 1;
    input.setSelectionRange(end, end);
    input.focus();
    read();
  };
  for (const word of words) button(list, word, () => fillPlaceholders(word, ''));

  function complain(text, unknown = '') {
    wrong.replaceChildren();
    if (!text) return;
    make(null, 'span', { text }, wrong);
    if (!unknown) return;
    const near = words
      .map(word => [lettersBetween(unknown, word), word])
      .filter(([apart]) => apart <= Math.max(1, unknown.length / NEAR))
      .sort(([a], [b]) => a - b);
    if (!near.length) return;
    make(null, 'span', { text: ` ${texts.near} ` }, wrong);
    for (const [, word] of near.slice(0, 3))
      button(wrong, word, () => {
        input.value = input.value.replace(WORD, there => (asTyped(there) === unknown ? word : there));
        read();
      });
  }

  function offer() {
    const start = begun(),
      fitting = start ? words.filter(word => word.startsWith(start) && word !== start).slice(0, MOST_OFFERED) : [];
    offered.replaceChildren();
    for (const word of fitting) button(offered, word, () => fillPlaceholders(word, start));
    return fitting;
  }

  function read(finished = false) {
    const typed = inWords(input.value),
      half = !finished && isFocused() ? begun() : '',
      begins = word => word === half && words.some(other => other.startsWith(half)),
      unknown = typed.find(word => !numberOf.has(word) && !begins(word));
    offer();
    if (!typed.length) complain(texts.empty);
    else if (typed.length > spec.longest) complain(filled(texts.long, { count: typed.length, most: spec.longest }));
    else if (unknown) complain(filled(texts.unknown, { word: unknown.slice(0, 24) }), unknown);
    else complain('');
    input.setAttribute('aria-invalid', wrong.childElementCount > 0);
    clearTimeout(settling);
    if (wrong.childElementCount || typed.some(word => !numberOf.has(word))) return;
    set(typed.map(word => numberOf.get(word)));
    settling = setTimeout(commit, IDLE);
  }

  composeWords(input);
  input.addEventListener('half-word', offer);
  input.addEventListener('input', () => read());
  input.addEventListener('keydown', event => {
    const [first] = event.key === 'Tab' && !event.shiftKey ? offer() : [];
    if (first && begun()) {
      event.preventDefault();
      fillPlaceholders(first, begun());
    } else if (event.key === 'Enter') {
      read(true);
      commit();
    }
    event.stopPropagation(); // arrows and page keys write here
  });
  input.addEventListener('blur', () => {
    offered.replaceChildren();
    read(true);
    offered.replaceChildren();
    commit();
  });

  let shown = null;
  return () => {
    const now = spoken();
    if (now === shown) return;
    shown = now;
    if (inWords(input.value).join(' ') === now || isFocused()) return;
    input.value = now;
    complain('');
    input.setAttribute('aria-invalid', false);
  };
}
