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
    body = make(null, 'tbody', {}, make(null, 'table', { 'aria-label': spec.title }, box)),
    paints = [],
    refused = new Map(), // of each size that was typed and cannot be taken, what is said
    table = { spec, stage, body, paints, refused, published: null };
  for (const entry of spec.entries) addEntry(table, entry);
  const showAll = allSizes(box, spec, stage),
    said = make(null, 'div', { class: 'said' }, box),
    warning = make(null, 'p', { class: 'warning', 'data-spoken': '' }, said),
    note = make(null, 'p', { class: 'note' }, said);
  let goal = null;
  return scope => {
    if (scope.goal !== goal && spec.needed.includes(scope.goal)) showAll(true);
    goal = scope.goal;
    for (const paint of paints) paint(scope);
    const model = spec.published[scope[spec.model]],
      own = find(scope, spec.touched) > 0;
    const { text, gap } = table.published;
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

const spelled = (scope, parts) => spell(parts, path => forms.whole(find(scope, path)));

// The button that shows all sizes, or hides them again. Returns what does so.
function allSizes(box, spec, stage) {
  const isShown = () => stage.openFolds.has(spec.title),
    all = makeButton(box, { class: 'plain small all-sizes' }, () => showAll(!isShown()));
  function showAll(shown) {
    stage.openFolds[shown ? 'add' : 'delete'](spec.title);
    box.classList.toggle('with-all', shown);
    all.textContent = spec.all[shown ? 'hide' : 'show'];
    all.setAttribute('aria-expanded', shown);
  }
  showAll(isShown());
  return showAll;
}

// A row with its name. Returns its cells, too.
function makeRow({ body }, attributes, label) {
  const row = make(null, 'tr', attributes, body),
    name = make(null, 'th', { scope: 'row' }, row);
  make(null, 'i', { class: 'swatch', 'aria-hidden': 'true' }, name);
  make(null, 'span', { text: label }, name);
  const [how, share, number] = ['how', 'share', 'number'].map(kind => make(null, 'td', { class: kind }, row));
  return { row, how, share, number };
}

function addEntry(table, entry) {
  const { spec, stage, body, paints, refused } = table,
    { name, heading } = entry,
    waits = entry.more === 'line' && 'more';
  if (heading) {
    const over = make(null, 'tr', { class: classes('heading', waits) }, body);
    make(null, 'th', { scope: 'rowgroup', colspan: 4, text: heading }, over);
  }
  const cells = makeRow(table, { class: classes('entry', entry.role, waits), 'data-entry': name }, entry.label),
    lit = [cells.row];
  paints.push(paintOf(entry, cells, stage));
  if (entry.published) {
    const { how, number } = makeRow(table, { class: 'entry published' }, spec.published_label);
    table.published = { text: how, gap: make(null, 'b', {}, number) };
  }
  const light = on => {
    stage.lit = on ? name : null;
    stage.requestPaint();
  };
  const refuse = (of, text) => {
    refused[text ? 'set' : 'delete'](of, text);
    stage.requestPaint();
  };
  if (entry.sizes) {
    const line = make(null, 'tr', { class: classes('sizes', entry.more && 'more') }, body),
      inner = make(null, 'div', {}, make(null, 'td', { colspan: 4 }, line));
    lit.push(line);
    for (const each of entry.sizes) paints.push(size(inner, each, stage, light, refuse));
  }
  for (const line of lit) {
    line.addEventListener('pointerenter', ({ pointerType }) => pointerType === 'mouse' && light(true));
    line.addEventListener('pointerleave', () => stage.lit === name && light(false));
  }
}

function paintOf(entry, { row, how, share, number }, stage) {
  const value = entry.of && make(null, 'b', {}, number),
    part = entry.share && make(null, 'span', {}, share);
  return scope => {
    const text = spelled(scope, entry.how),
      hidden = stage.resultsHidden && entry.result;
    how.style.visibility = hidden ? 'hidden' : '';
    write(how, text);
    how.title = text.replaceAll('W_', 'W\u00a0'); // a voice reads the letters
    if (value) show(value, find(scope, entry.of), entry.what, { hidden, form: forms.whole });
    if (!part) return;
    const x = find(scope, entry.share);
    show(part, x, `share ${entry.what}`, { hidden, form: forms.partOfAll });
    row.style.setProperty('--part', hidden ? '0%' : `${(100 * x).toFixed(2)}%`);
  };
}
