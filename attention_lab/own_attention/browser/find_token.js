// Tokens of a long text, found by a piece of them or by the number of their place.
import { composeWords, make, putText } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { usualSigns } from '../../figure/browser/typed_text.js';

const LONG = 60, // tokens: a shorter text is seen at a glance
  SPACE = '␣';

// `go` lets the token of a place ask. texts: { find, find_hint, found, found_at, not_found }
export function makeFinder(parent, texts, stage, go) {
  const line = make(null, 'p', { class: 'find-token' }, parent),
    label = make(null, 'label', { text: texts.find }, line),
    about = { type: 'text', class: 'small', placeholder: texts.find_hint, autocomplete: 'off', spellcheck: 'false' },
    field = make(null, 'input', about, label),
    count = make(null, 'span', { 'data-spoken': '' }, line);
  let names = [],
    before = 0, // places of the text before the first of its tokens here
    tokens = [],
    found = [],
    query = 0;
  function find() {
    for (const k of found) tokens[k]?.classList.remove('match');
    const place = /^#(\d+)$/.exec(usualSigns(field.value).trim())?.[1] - before,
      piece = field.value.toLowerCase().replaceAll(' ', SPACE);
    found = [];
    if (place >= 0) found = place < names.length ? [place] : [];
    else if (piece) found = [...names.keys()].filter(k => names[k].toLowerCase().includes(piece));
    for (const k of found) tokens[k].classList.add('match');
    stage.requestPaint();
  }
  function step(back) {
    if (!found.length) return;
    const next = back ? found.findLast(k => k < query) : found.find(k => k > query);
    go(next ?? found.at(back ? -1 : 0));
  }
  field.addEventListener('input', find);
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter') step(event.shiftKey);
    if (event.key === 'Escape' && field.value) {
      field.value = '';
      find();
    }
  });
  composeWords(field);
  return {
    search(view, made) {
      [names, before, tokens, found] = [view.queries, view.before, made, []];
      line.hidden = names.length <= LONG;
      if (line.hidden) field.value = '';
      find();
    },
    show(asking) {
      query = asking;
      const at = found.indexOf(query) + 1,
        text = at ? texts.found_at : found.length ? texts.found : texts.not_found;
      putText(count, field.value ? filled(text, { at, count: found.length }) : '');
    },
  };
}
