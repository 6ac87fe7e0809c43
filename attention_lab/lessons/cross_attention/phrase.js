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
    words = find(stage.scope, spec.vocabulary),
    numberOf = new Map(words.map((word, k) => [word, k])),
    box = make(null, 'div', { class: 'phrase', role: 'group', 'aria-label': spec.title }, host),
    line = make(null, 'div', { class: 'line' }, box),
    label = make(null, 'label', { text: texts.label }, line),
    plain = { spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' },
    input = make(null, 'input', { type: 'text', ...plain, 'data-phrase': '', maxlength: 400, lang: 'en' }, label);
  makeButton(line, { class: 'plain another', text: texts.another }, () => {
    const here = spec.others.findIndex(numbers => isShown(field, numbers));
    set(field, spec.others[(here + 1) % spec.others.length]);
    input.value = spoken(field);
    complain(field, '');
    commit(field);
  });
  const offered = make(null, 'div', { class: 'offered', role: 'group', 'aria-label': texts.offered }, box),
    wrong = make(null, 'p', { class: 'wrong', role: 'alert' }, box);
  // What every function below gets; `settling` is the timer after which Python hears of what is typed.
  const field = { spec, stage, words, numberOf, input, offered, wrong, settling: 0 };
  const all = make(null, 'details', { class: 'known fold' }, box);
  make(null, 'summary', { text: filled(texts.known, { count: words.length }) }, all);
  const list = make(null, 'div', { class: 'list' }, all);
  for (const word of words) wordButton(list, word, () => complete(field, word, ''));
  followTyping(field);
  let shown = null;
  return () => {
    const now = spoken(field),
      isThere = now === shown || inWords(input.value).join(' ') === now;
    shown = now;
    if (isThere || isFocused(field)) return;
    input.value = now;
    complain(field, '');
    input.setAttribute('aria-invalid', false);
  };
}

const isFocused = ({ input }) => input.getRootNode().activeElement === input;
// The text in the pose.
const spoken = ({ spec, stage, words }) => stage.pose[spec.of][0].map(number => words[number]).join(' ');
const isShown = ({ spec, stage }, numbers) => JSON.stringify([numbers]) === JSON.stringify(stage.pose[spec.of]);
function set({ spec, stage }, numbers) {
  if (isShown({ spec, stage }, numbers)) return;
  Object.assign(stage.pose, { [spec.of]: [numbers] }, JSON.parse(JSON.stringify(spec.begin)));
  stage.requestPaint();
}
function commit({ stage, settling }) {
  clearTimeout(settling);
  stage.commit();
}

function wordButton(parent, text, act) {
  const element = makeButton(parent, { class: 'plain small word', text }, act);
  element.addEventListener('pointerdown', event => event.preventDefault()); // the field keeps the focus
}

// Where the field's mark stands; and the word that ends there, as far as it is typed.
const markIn = input => input.selectionStart ?? input.value.length;
const begun = ({ input }) => asTyped(BEGUN.exec(input.value.slice(0, markIn(input)))[0]);
// Writes a word in place of what is typed of it.
function complete(field, word, instead) {
  const { input } = field,
    at = markIn(input),
    before = input.value.slice(0, at - instead.length),
    after = input.value.slice(at).replace(/^[^\s]*/, ''),
    gap = before && !/\s$/.test(before) ? ' ' : '',
    end = before.length + gap.length + word.length + 1;
  input.value = `${before}${gap}${word}${after || ' '}`;
  input.setSelectionRange(end, end);
  input.focus();
  read(field);
}
function complain(field, text, unknown = '') {
  const { spec, words, input, wrong } = field;
  wrong.replaceChildren();
  if (text) make(null, 'span', { text }, wrong);
  if (!unknown) return;
  const near = words
    .map(word => [lettersBetween(unknown, word), word])
    .filter(([apart]) => apart <= Math.max(1, unknown.length / NEAR))
    .sort(([a], [b]) => a - b);
  if (near.length) make(null, 'span', { text: ` ${spec.texts.near} ` }, wrong);
  for (const [, word] of near.slice(0, 3))
    wordButton(wrong, word, () => {
      input.value = input.value.replace(WORD, there => (asTyped(there) === unknown ? word : there));
      read(field);
    });
}
function offer(field) {
  const start = begun(field),
    fitting = start ? field.words.filter(word => word.startsWith(start) && word !== start).slice(0, MOST_OFFERED) : [];
  field.offered.replaceChildren();
  for (const word of fitting) wordButton(field.offered, word, () => complete(field, word, start));
  return fitting;
}
function read(field, finished = false) {
  const { spec, words, numberOf, input, wrong } = field,
    { texts, longest } = spec,
    typed = inWords(input.value),
    numbers = typed.map(word => numberOf.get(word)),
    half = !finished && isFocused(field) ? begun(field) : '',
    begins = word => word === half && words.some(other => other.startsWith(half)),
    unknown = typed.find(word => !numberOf.has(word) && !begins(word));
  offer(field);
  if (!typed.length) complain(field, texts.empty);
  else if (typed.length > longest) complain(field, filled(texts.long, { count: typed.length, most: longest }));
  else if (unknown) complain(field, filled(texts.unknown, { word: unknown.slice(0, 24) }), unknown);
  else complain(field, '');
  input.setAttribute('aria-invalid', wrong.childElementCount > 0);
  clearTimeout(field.settling);
  if (wrong.childElementCount || numbers.includes(undefined)) return;
  set(field, numbers);
  field.settling = setTimeout(() => commit(field), IDLE);
}
function followTyping(field) {
  const { input, offered } = field;
  composeWords(input);
  input.addEventListener('half-word', () => offer(field));
  input.addEventListener('input', () => read(field));
  input.addEventListener('keydown', event => {
    const [first] = event.key === 'Tab' && !event.shiftKey ? offer(field) : [];
    if (first) {
      event.preventDefault();
      complete(field, first, begun(field));
    } else if (event.key === 'Enter') {
      read(field, true);
      commit(field);
    }
    event.stopPropagation(); // arrows and page keys write here
  });
  input.addEventListener('blur', () => {
    read(field, true);
    offered.replaceChildren();
    commit(field);
  });
}
