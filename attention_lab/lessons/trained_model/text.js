// The text that the model reads: written with completion from its words, or one word swapped for another. Every
// whole word counts at once; what cannot be read is named, and the text read last stays on the stage.
import { find } from '../../figure/browser/calculation.js';
import { direction, onward } from '../../figure/browser/direction.js';
import { composeWords, make, makeButton, place, rem, write } from '../../figure/browser/elements.js';
import { filled, formatShare } from '../../figure/browser/number_format.js';
import { lettersBetween, usualSigns } from '../../figure/browser/typed_text.js';

const OFFERED = 7, // words in a list
  SAID_NEXT = 5, // of which so many are what the model would say next
  PAUSE = 700, // ms without a key before Python hears of it
  NEAR_ONES = 3,
  PART = 0.34; // of a word's letters: by so many a near one may differ

// Telephones write “didn’t”; the vocabulary has “didn't”.
const asTyped = text => usualSigns(text).toLowerCase();
const STOP = /[.,:]/g, // each a word of the vocabulary
  WORD = /[^\s.,:，、。：]+/g;

const alike = (a, b) => a.length === b.length && a.every((word, i) => word === b[i]);

function near(word, vocabulary) {
  const found = vocabulary
    .map(known => [lettersBetween(word, known), known])
    .filter(([far, known]) => far <= Math.max(1, PART * Math.max(word.length, known.length)))
    .sort((a, b) => a[0] - b[0])
    .map(([, known]) => known);
  const begunAlike = vocabulary.filter(known => known[0] === word[0] && known.length > 2);
  return (found.length ? found : begunAlike).slice(0, NEAR_ONES);
}

// How far from a field's left edge the word begins in which the caret stands.
const ruler = document.createElement('canvas').getContext('2d');
function beforeWord(field) {
  const style = getComputedStyle(field);
  ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const head = field.value.slice(0, field.selectionStart ?? field.value.length).replace(/\S*$/, '');
  return ruler.measureText(head).width - field.scrollLeft;
}

// A list of words under a field: `offer` gives them for what stands there, the first before others; `take` takes one.
function completing(field, label, { offer, take }) {
  const frame = make(null, 'span', { class: 'completing' });
  field.replaceWith(frame);
  frame.append(field);
  const id = `words-${Math.random().toString(36).slice(2)}`,
    list = make(null, 'div', { class: 'offered', role: 'listbox', id, 'aria-label': label, hidden: '' }, frame);
  place(field, {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': id,
    'aria-expanded': 'false',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  let words = [],
    at = -1;
  const mark = k => {
    at = k;
    [...list.children].forEach((item, i) => item.setAttribute('aria-selected', i === k));
    if (k >= 0) field.setAttribute('aria-activedescendant', `${id}-${k}`);
    else field.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    list.hidden = true;
    mark(-1);
    field.setAttribute('aria-expanded', 'false');
  };
  const open = () => {
    if (field.getRootNode().activeElement !== field) return;
    words = offer().slice(0, OFFERED);
    list.replaceChildren();
    words.forEach(({ word, note }, k) => {
      const item = make(null, 'div', { role: 'option', id: `${id}-${k}`, 'aria-selected': 'false' }, list);
      make(null, 'span', { text: word }, item);
      if (note) make(null, 'i', { text: note }, item);
      item.addEventListener('pointerdown', event => {
        event.preventDefault();
        take(word);
        open();
      });
    });
    at = -1;
    list.style.left = `${Math.max(0, Math.min(beforeWord(field), field.clientWidth - 12 * rem())).toFixed(0)}px`;
    list.hidden = !words.length;
    field.setAttribute('aria-expanded', String(words.length > 0));
  };
  composeWords(field);
  for (const event of ['focus', 'click', 'half-word']) field.addEventListener(event, open);
  field.addEventListener('blur', close);
  field.addEventListener('keydown', event => {
    if (list.hidden) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      mark((at + (event.key === 'ArrowDown' ? 1 : -1) + words.length) % words.length);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else if ((event.key === 'Enter' && at >= 0) || (event.key === 'Tab' && !event.shiftKey && begun(field))) {
      event.preventDefault();
      take(words[Math.max(0, at)].word);
      open();
    }
  });
  return { open, close };
}

// What of a word stands before the caret.
const begun = field => field.value.slice(0, field.selectionStart ?? field.value.length).match(/\S*$/)[0];

const starting = (text, vocabulary, order) => [
  ...vocabulary.filter(word => word.startsWith(text)).sort(order),
  ...vocabulary.filter(word => !word.startsWith(text) && word.includes(text)).sort(order),
];

// spec: { title, tokens, before, word: names in the pose; vocabulary, next: paths of the words and of the shares of the
//         next one; longest, substitutes: of each word, by its number, others of its kind;
//         twins: [{ tokens, text, says }],
//         texts: { write, exchange, which, by, unknown, near, empty, long, kind, all, back } }
export function written(host, spec, stage) {
  const vocabulary = find(stage.scope, spec.vocabulary),
    dir = direction(vocabulary), // what is written runs as the model's words do
    box = make(null, 'div', { class: 'written', role: 'group', 'aria-label': spec.title }, host),
    pair = make(null, 'div', { class: 'twins' }, box),
    note = make(null, 'p', { class: 'note', 'data-spoken': '' }, box),
    lines = make(null, 'div', { class: 'lines' }, box),
    line = make(null, 'div', { class: 'writing', dir }, lines),
    about = { type: 'text', class: 'text-of', 'aria-label': spec.texts.write, name: 'text' };
  // What every function below gets as its `text`.
  const text = {
    spec,
    stage,
    vocabulary,
    numberOf: new Map(vocabulary.map((word, k) => [word, k])),
    dir,
    field: make(null, 'input', about, line),
    note, // what cannot be read, where no list of words covers it
    told: '', // what the note says
    base: stage.pose[spec.tokens][0], // what was there before it is written
    timer: 0,
  };
  followWriting(text);
  const paints = [offerTexts(text, pair), swapping(lines, text)];
  return scope => {
    const { field, told } = text,
      words = scope[spec.tokens][0].map(word => vocabulary[word]).join(' ');
    if (field.getRootNode().activeElement !== field && field.value !== words && !told) field.value = words;
    for (const paint of paints) paint(scope);
  };
}

const now = ({ spec, stage }) => stage.pose[spec.tokens][0];
function put({ spec, stage }, tokens, before, word) {
  stage.pose[spec.tokens] = [tokens];
  stage.pose[spec.before] = [before.length === tokens.length ? before : tokens];
  stage.pose[spec.word] = word;
  stage.requestPaint();
}

// Ready-made texts, a pair that differs in what matters, and the list of all words. Returns what paints it.
function offerTexts(text, pair) {
  const { spec, stage, vocabulary, dir } = text;
  const twins = spec.twins.map(twin => {
    const button = makeButton(pair, { class: 'plain small twin', dir }, () => {
      put(text, twin.tokens, now(text), twin.tokens.length - 1);
      stage.commit();
    });
    make(null, 'span', { text: `${twin.text} ` }, button);
    return { ...twin, button, answer: make(null, 'b', {}, button) };
  });
  const known = make(null, 'details', { class: 'known fold' }, pair);
  make(null, 'summary', { text: filled(spec.texts.all, { count: vocabulary.length }) }, known);
  const allWords = make(null, 'p', {}, known);
  known.addEventListener('toggle', () => {
    allWords.textContent ||= [...vocabulary].sort((a, b) => a.localeCompare(b, 'en')).join('  ');
  });
  return scope => {
    for (const { button, tokens, answer, says } of twins) {
      button.setAttribute('aria-pressed', alike(tokens, scope[spec.tokens][0]));
      write(answer, `${onward(dir)} ${stage.resultsHidden ? '?' : says}`);
    }
  };
}

function followWriting(text) {
  const { spec, stage, field } = text,
    offers = completing(field, spec.texts.write, { offer: () => fitting(text), take: word => take(text, word) });
  field.addEventListener('focus', () => {
    text.base = now(text);
    if (!/\s$/.test(field.value)) field.value += ' ';
    field.setSelectionRange(field.value.length, field.value.length);
    offers.open();
  });
  field.addEventListener('input', () => {
    stage.held = field; // an answer from Python takes nothing back that is being written
    read(text);
    offers.open();
    clearTimeout(text.timer);
    text.timer = setTimeout(() => commitText(text), PAUSE);
  });
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.defaultPrevented) return;
    readAll(text);
    offers.close();
  });
  field.addEventListener('blur', () => readAll(text));
}

// The words that are offered where the caret stands, the likeliest first.
function fitting({ spec, stage, field, vocabulary, numberOf }) {
  const said = asTyped(begun(field));
  if (stage.resultsHidden || (!said && !/\S\s+$/.test(field.value))) return [];
  const shares = find(stage.scope, spec.next).at(-1),
    likeliest = (a, b) => shares[numberOf.get(b)] - shares[numberOf.get(a)];
  if (said) return starting(said, vocabulary, likeliest).flatMap(word => (word === said ? [] : { word }));
  const next = [...vocabulary].sort(likeliest).slice(0, SAID_NEXT);
  return next.map(word => ({ word, note: formatShare(shares[numberOf.get(word)]) }));
}

// Puts a word that was offered in the place of what is begun of it.
function take(text, word) {
  const { field } = text,
    caret = field.selectionStart ?? field.value.length,
    head = field.value.slice(0, caret).replace(/\S*$/, ''),
    rest = field.value.slice(caret).replace(/^\S*\s*/, '');
  field.value = `${head}${word} ${rest}`;
  field.setSelectionRange(head.length + word.length + 1, head.length + word.length + 1);
  readAll(text);
}

// What is written: whole words are read, one that is being written waits.
function read(text, whole = false) {
  const { spec, stage, field, vocabulary, numberOf, base } = text,
    said = asTyped(field.value).replace(STOP, ' $& ').trim(),
    words = said ? said.split(/\s+/) : [],
    isAtEnd = begun(field) === field.value.match(/\S*$/)[0] && !/\s$/.test(field.value),
    pending = !whole && isAtEnd ? words.at(-1) : null;
  if (pending !== null && !numberOf.has(pending) && vocabulary.some(word => word.startsWith(pending))) words.pop();
  const strange = words.find(word => !numberOf.has(word));
  if (strange !== undefined) return tellUnknown(text, strange, true);
  if (!words.length) return tell(text, spec.texts.empty);
  tell(text, words.length > spec.longest ? filled(spec.texts.long, { count: words.length, most: spec.longest }) : '');
  const tokens = words.slice(0, spec.longest).map(word => numberOf.get(word));
  if (alike(tokens, now(text))) return;
  put(text, tokens, base, tokens.length - 1);
  stage.root.paintNow?.(); // what is offered next follows from the text as it is now
}
function readAll(text) {
  read(text, true);
  commitText(text);
}
function commitText({ stage, field, timer }) {
  clearTimeout(timer);
  if (stage.held === field) stage.held = null;
  stage.commit();
}

// Says what cannot be read.
function tell(text, said, nearOnes = [], word = '') {
  const { note, field } = text,
    told = said + nearOnes.join(' ');
  if (told === text.told) return;
  text.told = told;
  note.replaceChildren();
  if (said) make(null, 'span', { text: said }, note);
  for (const known of nearOnes)
    makeButton(note, { class: 'plain small near', text: known }, () => {
      field.value = field.value.replace(WORD, each => (asTyped(each) === word ? known : each));
      readAll(text);
    });
}
// An unknown word's near ones may be offered, and are returned.
function tellUnknown(text, word, offered = false) {
  const { spec, vocabulary } = text,
    found = near(word, vocabulary),
    said = filled(spec.texts[found.length ? 'near' : 'unknown'], { word, count: vocabulary.length });
  tell(text, said, offered ? found : [], word);
  return found;
}

// One word for another: that which is chosen here. Once it is swapped, the last word is the query, so that its arc
// shows what made the prediction; the next swap is still of the same word. Returns what paints it.
function swapping(lines, text) {
  const { spec, stage, vocabulary, numberOf, dir } = text,
    { texts } = spec;
  let chosen = now(text).length - 1,
    listed = '';
  const swap = make(null, 'div', { class: 'swap-words', role: 'group', 'aria-label': texts.which, dir }, lines),
    exchange = make(null, 'div', { class: 'exchanging' }, lines),
    which = make(null, 'span', { class: 'which' }, exchange),
    about = { type: 'text', class: 'by', 'aria-label': texts.by, placeholder: texts.by, name: 'by', dir },
    by = make(null, 'input', about, exchange);
  const set = word => {
    if (!numberOf.has(word)) return;
    const tokens = [...now(text)],
      before = stage.pose[spec.before][0];
    tokens[chosen] = numberOf.get(word);
    put(text, tokens, alike(before, now(text)) ? now(text) : before, tokens.length - 1);
    stage.moved = true;
    stage.commit();
  };
  const replacements = completing(by, texts.by, {
    offer: () => starting(asTyped(by.value).trim(), vocabulary).map(word => ({ word })),
    take: word => {
      by.value = '';
      set(word);
      by.blur();
    },
  });
  by.addEventListener('input', replacements.open);
  by.addEventListener('keydown', event => {
    const word = asTyped(by.value).trim();
    if (event.key !== 'Enter' || event.defaultPrevented || !word) return;
    if (numberOf.has(word)) {
      by.value = '';
      tell(text, '');
      set(word);
      replacements.close();
    } else by.value = tellUnknown(text, word)[0] ?? by.value;
  });
  const swappable = (word, k) =>
    makeButton(null, { class: 'plain small', text: word }, () => {
      chosen = k;
      stage.requestPaint();
    });
  const kin = make(null, 'span', { class: 'kin-words', role: 'group', 'aria-label': texts.kind }, exchange);
  let offered = '';
  const back = makeButton(exchange, { class: 'plain small', text: texts.back }, () => {
    const before = [...stage.pose[spec.before][0]];
    put(text, before, before, stage.pose[spec.word]);
    stage.commit();
  });

  return scope => {
    const tokens = scope[spec.tokens][0],
      sentence = tokens.join(' ');
    chosen = Math.min(chosen, tokens.length - 1);
    if (sentence !== listed) {
      listed = sentence;
      swap.replaceChildren(...tokens.map((token, k) => swappable(vocabulary[token], k)));
    }
    [...swap.children].forEach((button, k) => button.setAttribute('aria-pressed', k === chosen));
    const word = tokens[chosen];
    write(which, filled(texts.exchange, { word: vocabulary[word] }));
    back.style.display = alike(tokens, scope[spec.before][0]) ? 'none' : '';
    const others = find(scope, spec.substitutes)[word] ?? [],
      key = others.join(' ');
    if (key === offered) return;
    offered = key;
    kin.replaceChildren();
    for (const other of others)
      makeButton(kin, { class: 'plain small', text: vocabulary[other] }, () => set(vocabulary[other]));
  };
}
