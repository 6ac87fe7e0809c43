// What a model costs, line by line, each with the sizes that it is made of under the hand.
import { find } from '../../figure/browser/calculation.js';
import { classes, make, makeButton, write } from '../../figure/browser/elements.js';
import { forms, show, spell } from '../../figure/browser/number_format.js';
import { size } from './size.js';

// spec: { title, entries: [{ name, label, how: [texts and paths], of, what, share, result, role,
//         sizes: [size], heading, published (the line on the published total follows),
//         more ('line' or 'sizes': these wait until all sizes are asked for) }],
//         all: { show, hide }: the button that asks for them; needed: the goals that do, by their places,
//         notes: [{ when, text: [texts and paths] }],
//         published: [{ text, note } for each model], model, touched, gap, own }
export function account(host, spec, stage) {
  const box = make(null, 'div', { class: 'account' }, host),
    refused = new Map();
  const table = make(null, 'table', { 'aria-label': spec.title }, box),
    body = make(null, 'tbody', {}, table),
    paints = [];
  const spelled = (scope, parts) => spell(parts, path => forms.whole(find(scope, path)));
  const refuse = (of, text) => {
    if (text) refused.set(of, text);
    else refused.delete(of);
    stage.requestPaint();
  };
  let text = null,
    gap = null;
  const published = () => {
    const row = make(null, 'tr', { class: 'entry published' }, body),
      name = make(null, 'th', { scope: 'row' }, row);
    text = make(null, 'td', { class: 'how' }, row);
    make(null, 'i', { class: 'swatch', 'aria-hidden': 'true' }, name);
    make(null, 'span', { text: spec.published_label }, name);
    make(null, 'td', { class: 'share' }, row);
    gap = make(null, 'b', {}, make(null, 'td', { class: 'number' }, row));
  };
  for (const entry of spec.entries) {
    if (entry.heading) {
      const over = make(null, 'tr', { class: classes('heading', entry.more === 'line' && 'more') }, body);
      make(null, 'th', { scope: 'rowgroup', colspan: 4, text: entry.heading }, over);
    }
    const kind = classes('entry', entry.role, entry.more === 'line' && 'more'),
      row = make(null, 'tr', { class: kind, 'data-entry': entry.name }, body);
    const light = on => {
      stage.lit = on ? entry.name : null;
      stage.requestPaint();
    };
    const name = make(null, 'th', { scope: 'row' }, row);
    make(null, 'i', { class: 'swatch', 'aria-hidden': 'true' }, name);
    make(null, 'span', { text: entry.label }, name);
    const how = make(null, 'td', { class: 'how' }, row),
      share = make(null, 'td', { class: 'share' }, row),
      number = make(null, 'td', { class: 'number' }, row);
    const hidden = () => stage.resultsHidden && entry.result;
    paints.push(scope => {
      const text = spelled(scope, entry.how);
      how.style.visibility = hidden() ? 'hidden' : '';
      write(how, text);
      how.title = text.replaceAll('W_', 'W\u00a0'); // a voice reads the letters
    });
    if (entry.of) {
      const value = make(null, 'b', {}, number);
      paints.push(scope => show(value, find(scope, entry.of), entry.what, { hidden: hidden(), form: forms.whole }));
    }
    if (entry.share) {
      const value = make(null, 'span', {}, share);
      paints.push(scope => {
        const part = find(scope, entry.share);
        show(value, part, `share ${entry.what}`, { hidden: hidden(), form: forms.partOfAll });
        row.style.setProperty('--part', hidden() ? '0%' : `${(100 * part).toFixed(2)}%`);
      });
    }
    if (entry.published) published();
    const lit = [row];
    if (entry.sizes) {
      const line = make(null, 'tr', { class: classes('sizes', entry.more && 'more') }, body),
        inner = make(null, 'div', {}, make(null, 'td', { colspan: 4 }, line));
      lit.push(line);
      for (const each of entry.sizes) paints.push(size(inner, each, stage, light, refuse));
    }
    for (const line of lit) {
      line.addEventListener('pointerenter', event => {
        if (event.pointerType === 'mouse') light(true);
      });
      line.addEventListener('pointerleave', () => {
        if (stage.lit === entry.name) light(false);
      });
    }
  }
  const all = makeButton(box, { class: 'plain small all-sizes' }, () => showAll(!stage.openFolds.has(spec.title)));
  const showAll = shown => {
    stage.openFolds[shown ? 'add' : 'delete'](spec.title);
    box.classList.toggle('with-all', shown);
    all.textContent = spec.all[shown ? 'hide' : 'show'];
    all.setAttribute('aria-expanded', shown);
  };
  showAll(stage.openFolds.has(spec.title));
  let goal = null;
  const said = make(null, 'div', { class: 'said' }, box),
    warning = make(null, 'p', { class: 'warning', 'data-spoken': '' }, said),
    note = make(null, 'p', { class: 'note' }, said);
  return scope => {
    if (scope.goal !== goal && spec.needed.includes(scope.goal)) showAll(true);
    goal = scope.goal;
    for (const paint of paints) paint(scope);
    const model = spec.published[scope[spec.model]],
      own = find(scope, spec.touched) > 0;
    write(text, own ? spec.own : model.text);
    if (own) {
      write(gap, '');
      delete gap.dataset.value;
      delete gap.dataset.exact;
    } else show(gap, find(scope, spec.gap), 'gap', { hidden: stage.resultsHidden, form: forms.gap });
    write(note, own || stage.resultsHidden ? '' : model.note);
    const notes = spec.notes.filter(({ when }) => find(scope, when)).map(({ text }) => spelled(scope, text));
    write(warning, [...refused.values(), ...notes].join(' '));
    warning.classList.toggle('refused', refused.size > 0);
  };
}
