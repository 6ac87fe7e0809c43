// What is answered before and after, and what follows from it.
import { find } from '../../figure/browser/calculation.js';
import { make, makeBar, write } from '../../figure/browser/elements.js';
import { filled, forms, formatShare, show } from '../../figure/browser/number_format.js';
import { holds } from '../../figure/browser/goals.js';

// spec: { title, before, after, names: paths; what (names the live numbers), most: how many are shown,
//         meanings: of the first names, those that have a colour of their own;
//         texts: { before, after, says, still, instead } }
export function before_after(host, spec, stage) {
  const { texts } = spec,
    box = make(null, 'div', { class: 'before-after', role: 'group', 'aria-label': spec.title }, host),
    head = make(null, 'p', { class: 'says', 'data-spoken': '' }, box),
    key = make(null, 'p', { class: 'legend' }, box);
  for (const way of ['before', 'after']) {
    const item = make(null, 'span', { class: way }, key);
    make(null, 'i', {}, item);
    make(null, 'span', { text: texts[way] }, item);
  }
  const lines = Array.from({ length: spec.most }, () => {
    const line = make(null, 'div', { class: 'answer-of' }, box),
      name = make(null, 'span', { class: 'name' }, line);
    const bars = ['before', 'after'].map(way => ({ way, ...makeBar(line, `track ${way}`, `number ${way}`) }));
    return { line, name, bars };
  });
  const first = shares => shares.indexOf(Math.max(...shares));
  return scope => {
    const names = find(scope, spec.names),
      [before, after] = [spec.before, spec.after].map(path => find(scope, path)),
      all = names.slice(0, Math.max(before.length, after.length)),
      filledUp = some => all.map((_, k) => some[k] ?? 0), // what could not be said then
      shares = { before: filledUp(before), after: filledUp(after) },
      [was, is] = [first(shares.before), first(shares.after)];
    const unchanged = shares.after.every((p, k) => Math.abs(p - shares.before[k]) < 1e-12);
    box.classList.toggle('unchanged', unchanged); // nothing to compare yet
    const order = shares.after
      .map((_, k) => k)
      .sort((a, b) => Math.max(shares.before[b], shares.after[b]) - Math.max(shares.before[a], shares.after[a]))
      .slice(0, spec.most);
    if (names.length <= spec.most) order.sort((a, b) => a - b);
    const said = was === is ? texts.still : texts.instead;
    const now = filled(said, { before: names[was], after: names[is], share: formatShare(shares.after[is]) });
    write(head, stage.resultsHidden ? '' : now);
    head.classList.toggle('changed', !stage.resultsHidden && was !== is);
    lines.forEach(({ line, name, bars }, place) => {
      const k = order[place];
      line.style.display = k === undefined ? 'none' : '';
      if (k === undefined) return;
      write(name, stage.resultsHidden && names.length > spec.most ? '' : names[k]);
      line.dataset.means = spec.meanings?.[k] ?? '';
      line.classList.toggle('most', !stage.resultsHidden && k === is);
      for (const { way, bar, number } of bars) {
        bar.style.width = stage.resultsHidden ? 0 : `${(100 * shares[way][k]).toFixed(1)}%`;
        const what = way === 'after' ? spec.what : `${spec.what} before`;
        show(number, shares[way][k], `${what} ${names[k]}`, { hidden: stage.resultsHidden, form: formatShare });
      }
    });
  };
}

// The first sentence whose conditions all hold. spec: { title, cases: [{ when: [condition], text: [pieces] }] }
export function follows(host, spec, stage) {
  const line = make(null, 'p', { class: 'follows', 'data-spoken': '' }, host);
  return scope => {
    const found = spec.cases.find(({ when }) => when.every(each => holds(each, find(scope, each.path))));
    const tell = piece => {
      if (piece?.of === undefined) return piece;
      const value = find(scope, piece.of);
      return typeof value === 'string' ? value : forms[piece.form](value);
    };
    write(line, stage.resultsHidden || !found ? '' : found.text.map(tell).join(''));
  };
}
