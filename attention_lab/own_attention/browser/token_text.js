// A text whose tokens are shaded by the weight that the chosen query gives them. Choosing a token lets it ask.
import { make, makeButton, place, write } from '../../figure/browser/elements.js';
import { direction, moveByArrows } from '../../figure/browser/direction.js';
import { filled } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { makeFinder } from './find_token.js';
import { nameOf, pointed, pointOver, shade, shownPattern, shownQuery, shownView, writtenWeight } from './own_shared.js';
import { PIECE, tokenBox } from './token_box.js';
import { strongestKey } from './weights.js';

// spec: { title, texts: { says, from, keys } and those of find_token.js }
export function token_text(host, spec, stage) {
  const box = make(null, 'div', { class: 'token-text', role: 'group', 'aria-label': spec.title }, host),
    line = make(null, 'p', { class: 'says', 'data-spoken': '' }, box),
    go = query => {
      Object.assign(pointed, { query: -1, key: -1 });
      text.brought = -1;
      setPose(stage, { query });
    };
  // What every function below gets as its `text`.
  const text = {
    stage,
    finder: makeFinder(box, spec.texts, stage, go),
    queries: make(null, 'p', { class: 'tokens of-queries' }, box),
    keysTitle: make(null, 'p', { class: 'of', text: spec.texts.keys }, box),
    keys: make(null, 'p', { class: 'tokens of-keys' }, box),
    built: null,
  };
  text.ofQueries = tokenBox(text.queries, stage.requestPaint);
  text.ofKeys = tokenBox(text.keys, stage.requestPaint);
  return scope => {
    const view = shownView(scope),
      pattern = shownPattern(stage, scope),
      query = shownQuery(scope);
    if (text.built !== view.id) build(text, view);
    press(text, query);
    fade(text, view.prompt === null ? Infinity : Math.max(view.prompt, scope.query + 1));
    text.finder.show(query);
    const strongest = strongestKey(view, scope.head, query, stage.requestPaint);
    if (!pattern || strongest === undefined) return;
    const row = pattern.row(query);
    shadeMarks(text, row);
    const key = pointed.key < 0 ? strongest : pointed.key,
      share = key < 0 ? '' : writtenWeight(pattern, row[key]),
      about = { query: nameOf(view.queries, query), key: nameOf(view.keys, key), share },
      most = key < 0 ? spec.texts.nothing : view.sentence;
    nameMark(text, key);
    write(line, filled(pointed.key < 0 ? most : spec.texts.gives, about));
    if (text.brought === scope.query) return;
    text.brought = scope.query;
    text.ofQueries.bring(query, text.ofMarks === text.ofQueries && key >= 0 ? key : query);
    if (text.ofMarks === text.ofKeys && key >= 0) text.ofKeys.bring(key);
  };
}

function build(text, view) {
  const { stage, finder, queries, keysTitle, keys, ofQueries, ofKeys } = text,
    asks = k => setPose(stage, { query: k }),
    { button, mark } = makersOf(view, stage, asks),
    hasKeys = !view.same || view.before > 0;
  keys.hidden = keysTitle.hidden = !hasKeys;
  const buttons = makeTokens(queries, view.queries, view.prompt, button);
  moveByArrows(buttons, buttons.length, asks);
  const marks = hasKeys ? makeTokens(keys, view.keys, null, mark) : buttons;
  finder.search(view, buttons);
  ofQueries.fill(buttons);
  ofKeys.fill(hasKeys ? marks : []);
  Object.assign(text, { built: view.id, buttons, marks, ofMarks: hasKeys ? ofKeys : ofQueries });
  // `painted`: the weight by which each mark is shaded; `later`: the first token that is not there yet; `brought`: the
  // query to which the boxes have been scrolled.
  Object.assign(text, { painted: [], pressed: -1, named: -1, later: Infinity, brought: -1 });
}

function press(text, query) {
  const { buttons, pressed } = text;
  if (query === pressed) return;
  for (const k of [pressed, query])
    if (k in buttons) place(buttons[k], { 'aria-pressed': k === query, tabindex: k === query ? 0 : -1 });
  text.pressed = query;
}

function fade(text, from) {
  if (from === text.later) return;
  text.later = from;
  text.buttons.forEach((button, k) => button.classList.toggle('later', k >= from));
}

function shadeMarks({ marks, ofMarks, painted }, row) {
  for (const k of ofMarks.inSight()) {
    if (painted[k] === row[k]) continue;
    painted[k] = row[k];
    marks[k].style.setProperty('--part', `${(100 * shade(Math.abs(row[k]))).toFixed(1)}%`);
    marks[k].classList.toggle('less', row[k] < 0);
  }
}

function nameMark(text, key) {
  const { marks, named } = text;
  if (key === named) return;
  marks[named]?.classList.remove('named');
  marks[key]?.classList.add('named');
  text.named = key;
}

// A node for each token, in pieces; the first that was written after the prompt begins.
function makeTokens(parent, names, prompt, makeOne) {
  parent.replaceChildren();
  parent.dir = direction(names);
  let piece = null;
  return names.map((name, k) => {
    if (k % PIECE === 0) piece = make(null, 'span', {}, parent);
    const token = makeOne(piece, { class: 'token', translate: 'no', 'data-about': name }, k);
    write(token, name);
    if (k === prompt) token.classList.add('begins');
    if (name.endsWith('↵')) make(null, 'br', {}, piece);
    return token;
  });
}

// What makes a token that asks when it is pressed, and one that only answers.
function makersOf(view, stage, asks) {
  return {
    button: (parent, attributes, k) => {
      const made = makeButton(parent, { ...attributes, 'aria-pressed': false, tabindex: -1 }, () => asks(k));
      return view.same ? pointOver(made, stage, -1, k + view.before) : pointOver(made, stage, k, -1);
    },
    mark: (parent, attributes, k) => pointOver(make(null, 'span', attributes, parent), stage, -1, k),
  };
}
