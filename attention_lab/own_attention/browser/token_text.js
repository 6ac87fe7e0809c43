// A text whose tokens are shaded by the weight that the chosen query gives them. Choosing a token lets it ask.
import { make, makeButton, write } from '../../figure/browser/elements.js';
import { direction } from '../../figure/browser/direction.js';
import { filled } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { point, pointed, shade, shownPattern, shownQuery, shownView, writtenWeight } from './own_shared.js';

// spec: { title, texts: { says, from, keys } }
export function token_text(host, spec, stage) {
  const box = make(null, 'div', { class: 'token-text', role: 'group', 'aria-label': spec.title }, host),
    line = make(null, 'p', { class: 'says', 'data-spoken': '' }, box),
    queries = make(null, 'p', { class: 'tokens of-queries' }, box),
    keysTitle = make(null, 'p', { class: 'of', text: spec.texts.keys }, box),
    keys = make(null, 'p', { class: 'tokens of-keys' }, box);
  let built = null,
    buttons = [],
    marks = [];
  function build(view) {
    const asks = k => setPose(stage, { query: k });
    const tokens = (parent, names, make_one) => {
      parent.replaceChildren();
      parent.dir = direction(names);
      return names.map((name, k) => {
        const token = make_one(parent, { class: 'token', translate: 'no', 'data-about': name }, k);
        write(token, name);
        if (names === view.queries && k === view.prompt) token.classList.add('begins');
        if (name.endsWith('↵')) make(null, 'br', {}, parent);
        return token;
      });
    };
    const button = (parent, attributes, k) => {
      const made = makeButton(parent, attributes, () => asks(k));
      made.addEventListener('pointerenter', () => point(stage, view.same ? -1 : k, view.same ? k + view.before : -1));
      made.addEventListener('pointerleave', () => point(stage, -1, -1));
      return made;
    };
    const mark = (parent, attributes, k) => {
      const made = make(null, 'span', attributes, parent);
      made.addEventListener('pointerenter', () => point(stage, -1, k));
      made.addEventListener('pointerleave', () => point(stage, -1, -1));
      return made;
    };
    const hasKeys = !view.same || view.before > 0;
    keys.hidden = keysTitle.hidden = !hasKeys;
    buttons = tokens(queries, view.queries, button);
    marks = hasKeys ? tokens(keys, view.keys, mark) : buttons;
    built = view.id;
  }
  return scope => {
    const view = shownView(scope),
      pattern = shownPattern(stage, scope),
      query = shownQuery(scope);
    if (built !== view.id) build(view);
    buttons.forEach((button, k) => {
      button.setAttribute('aria-pressed', k === query);
      button.classList.toggle('later', view.prompt !== null && k >= view.prompt && k > scope.query);
    });
    if (!pattern) return;
    const row = pattern.row(query),
      sizes = row.map(Math.abs);
    marks.forEach((mark, k) => {
      mark.style.setProperty('--part', `${(100 * shade(sizes[k])).toFixed(1)}%`);
      mark.classList.toggle('less', row[k] < 0);
    });
    const key = pointed.key < 0 ? sizes.indexOf(Math.max(...sizes)) : pointed.key,
      named = { query: view.queries[query], key: view.keys[key], share: writtenWeight(pattern, row[key]) },
      most = pattern.signed ? spec.texts.change : spec.texts.most;
    marks.forEach((mark, k) => mark.classList.toggle('named', k === key));
    write(line, filled(pointed.key < 0 ? most : spec.texts.gives, named));
  };
}
