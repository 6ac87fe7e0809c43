// Who may look at whom: the choice among masks, and what becomes of every word's output when a later word changes.
import { find } from '../../figure/browser/calculation.js';
import { make, makeButton, write } from '../../figure/browser/elements.js';
import { formatNumber, filled, listed, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { options } from '../../figure/browser/slider.js';

// spec: { of, label, texts, notes: [a sentence for each mask], own: its number, causal: the causal one's, combined: the
//         numbers of those that it can stand together with, both: the switch that says so, further: [null or { of,
//         label, texts, notes, causal: the notes where that is on, too }] for each mask, grid: the pose's own grid,
//         open: the button's text, names, counts: how many words each may look at, changed: said of one's own mask
//         once a hand has made it, nothing: said where a count is 0 }
export function masks(host, spec, stage) {
  const NONE = 0,
    { of, causal, both, combined, own } = spec;
  const isBoth = pose => combined.includes(pose[of]) && pose[both] === 1,
    isOn = (pose, i) => pose[of] === i || (i === causal && isBoth(pose));
  const press = i => {
    const { pose } = stage,
      isCausal = isOn(pose, causal),
      others = combined.includes(pose[of]) ? pose[of] : NONE;
    const base = i === causal ? others : isOn(pose, i) ? NONE : i,
      stays = i === causal ? !isCausal : isCausal && combined.includes(i);
    pose[of] = stays && base === NONE ? causal : base;
    pose[both] = Number(stays && base !== NONE);
  };
  const box = make(null, 'div', { class: 'masks' }, host),
    choice = options(box, { of, label: spec.label, options: spec.texts, press, isOn }, stage);
  const row = make(null, 'div', { class: 'further' }, box),
    note = make(null, 'p', { class: 'note', 'data-spoken': '' }, box);
  const further = spec.further.map(more => {
    if (!more) return null;
    const inner = make(null, 'div', {}, row);
    return { more, inner, paint: options(inner, { ...more, options: more.texts }, stage) };
  });
  const open = makeButton(row, { class: 'plain', text: spec.open }, () => setPose(stage, { [spec.grid]: [] }));
  return scope => {
    const at = scope[spec.of],
      more = further[at]?.more;
    choice(scope);
    further.forEach((one, i) => {
      if (one) {
        one.inner.hidden = i !== at;
        one.paint(scope);
      }
    });
    open.hidden = at !== own;
    const grid = stage.pose[spec.grid].flat();
    open.disabled = !grid.length;
    const ofNumber = more?.[isBoth(scope) ? 'causal' : 'notes'];
    const text =
        at === own && grid.length
          ? filled(spec.changed, { closed: grid.filter(cell => !cell).length, all: grid.length })
          : (ofNumber?.[Math.min(scope[more.of], ofNumber.length - 1)] ?? spec.notes[at]),
      dark = find(scope, spec.names).filter((_, i) => find(scope, spec.counts)[i] === 0);
    write(note, dark.length ? `${listed(dark)}: ${spec.nothing}` : text);
    note.classList.toggle('dark', dark.length > 0);
  };
}

// spec: { title, names, counts, context, moved, changed: how far the last word's vector is from its own, axes,
//         heads: [asks, looks at, moves], what: { context, moved }, limit,
//         replace: { label, words, of, later, vectors }, texts: { of, nothing, replaced, still, moves, same,
//         dark, alone } }
export function outputs(host, spec, stage) {
  const box = make(null, 'div', { class: 'outputs' }, host);
  const line = make(null, 'label', { class: 'replace' }, box);
  make(null, 'span', { text: spec.replace.label }, line);
  const select = make(null, 'select', { class: 'small' }, line);
  for (const word of spec.replace.words) make(null, 'option', { text: word }, select);
  const verdict = make(null, 'p', { class: 'verdict', 'data-spoken': '' }, box),
    said = make(null, 'span', {}, verdict),
    most = make(null, 'b', {}, verdict),
    who = make(null, 'span', {}, verdict);
  const scroll = make(null, 'div', { class: 'scroll', tabindex: '-1' }, box),
    table = make(null, 'table', {}, scroll);
  make(null, 'caption', { text: spec.title }, table);
  const head = make(null, 'tr', {}, make(null, 'thead', {}, table));
  for (const text of [spec.heads[0], spec.heads[1], ...spec.axes, spec.heads[2]])
    make(null, 'th', { scope: 'col', text }, head);
  const body = make(null, 'tbody', {}, table),
    names = find(stage.scope, spec.names),
    last = names.length - 1;
  const rows = names.map((name, i) => {
    const row = make(null, 'tr', {}, body),
      choose = makeButton(make(null, 'th', { scope: 'row' }, row), { text: name }, () => setPose(stage, { word: i }));
    const cell = kind => make(null, 'td', { class: kind }, row);
    const looks = cell('looks'),
      numbers = spec.axes.map(() => cell(null)),
      moved = make(null, 'span', {}, cell('moves'));
    const tag = i === last && make(null, 'i', { text: spec.texts.replaced }, row.lastChild);
    return { row, choose, name, looks, numbers, moved, tag };
  });
  select.addEventListener('change', () => {
    const place = select.selectedIndex;
    const later = [[...find(stage.scope, spec.replace.vectors)[place]]];
    setPose(stage, { [spec.replace.of]: place, [spec.replace.later]: later });
  });
  return scope => {
    if (select.selectedIndex !== scope[spec.replace.of]) select.selectedIndex = scope[spec.replace.of];
    const counts = find(scope, spec.counts),
      context = find(scope, spec.context),
      moved = find(scope, spec.moved),
      hidden = stage.resultsHidden;
    rows.forEach((item, i) => {
      item.row.classList.toggle('chosen', i === scope.word);
      item.row.classList.toggle('dark', counts[i] === 0);
      item.choose.setAttribute('aria-pressed', i === scope.word);
      const text = counts[i] ? filled(spec.texts.of, { some: counts[i], all: names.length }) : spec.texts.nothing;
      write(item.looks, text);
      item.numbers.forEach((cell, k) =>
        show(cell, context[i][k], `${spec.what.context} ${item.name} ${spec.axes[k]}`, { hidden }),
      );
      show(item.moved, moved[i], `${spec.what.moved} ${item.name}`, { hidden });
      if (item.tag) item.tag.hidden = find(scope, spec.changed) === 0;
      if (i === last) return; // it is another word: its change says nothing of the mask
      const part = hidden ? 0 : (100 * Math.min(1, moved[i] / spec.limit)).toFixed(2);
      item.moved.parentElement.style.setProperty('--part', `${part}%`);
      item.moved.parentElement.classList.toggle('still', !hidden && moved[i] === 0);
    });
    const earlier = moved.slice(0, last),
      far = Math.max(...earlier);
    const unchanged = find(scope, spec.changed) === 0,
      { alone, same, dark, still, moves } = spec.texts,
      isDark = counts.slice(0, last).every(count => !count),
      sentence = hidden ? '' : !last ? alone : unchanged ? same : isDark ? dark : far === 0 ? still : moves,
      known = sentence.includes('{change}'),
      [before, after = ''] = sentence.split('{change}');
    write(said, filled(before, { last: names[last] }));
    write(most, known ? formatNumber(far) : '');
    write(who, filled(after, { word: names[earlier.indexOf(far)] }));
    if (known) Object.assign(most.dataset, { value: 'largest earlier change', exact: far });
    else for (const name of ['value', 'exact']) delete most.dataset[name];
    verdict.dataset.still = String(known && far === 0);
  };
}
