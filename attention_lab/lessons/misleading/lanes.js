// Words or heads, each with a bar in every lane: what it is now, and faint what it was before. They stand in a row,
// with upright bars above them, or where there is no room for it below one another. Bars of a lane may be dragged,
// words may be swapped, and one may be chosen.
import { find } from '../../figure/browser/calculation.js';
import { badge, balance, classes, followWidth, make, makeButton, rem, write } from '../../figure/browser/elements.js';
import { filled, forms, show } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { setPose } from '../../figure/browser/pose.js';

const STRIDE = 0.01, // a key
  LETTER = 0.5, // rem
  LEAST = 2.5, // rem for the number of an upright bar
  LARGE = 1.3, // times that room, and words are larger
  FINE = 1000; // so finely is written what a hand has added to a weight

const rowOf = numbers => numbers.flat();

// Sets fields of the pose, and others to zeros.
function setAndClear(stage, fields, clears = []) {
  const cleared = clears.map(name => [name, [stage.pose[name][0].map(() => 0)]]);
  setPose(stage, { ...fields, ...Object.fromEntries(cleared) });
}

// What a hand drags, where it writes it: a weight takes from the others in proportion, and what stands in the pose is
// what was added to the row that it begins with; anything else is set as it is.
function dragOf({ of, upto, drag: { shift, base, set, from_one } }, j, stage) {
  if (!shift)
    return {
      move: ([to]) => {
        const wide = stage.pose[set][0].length;
        stage.pose[set][Math.floor(j / wide)][j % wide] = from_one ? Math.round(100 * (1 - to)) / 100 : to;
      },
    };
  let begun = [];
  return {
    start: () => {
      begun = rowOf(find(stage.scope, of));
    },
    move: ([to]) => {
      const rest = begun.reduce((all, w, k) => all + (k === j ? 0 : w), 0),
        reach = upto === undefined ? begun.length : find(stage.scope, upto) + 1,
        others = Math.max(1, reach - 1);
      const spread = (w, k) => (rest > 1e-6 ? (w * (1 - to)) / rest : k < reach ? (1 - to) / others : 0),
        wanted = begun.map((w, k) => (k === j ? to : spread(w, k))),
        own = rowOf(find(stage.scope, base));
      stage.pose[shift] = [wanted.map((w, k) => Math.round(FINE * (w - own[k])) / FINE)];
    },
  };
}

// The list of words that one can be swapped for. Returns what paints it.
function choices(j, head, spec, stage) {
  const { of, among } = spec.swap,
    name = make(null, 'span', { class: 'name', 'aria-hidden': 'true' }, head), // as wide as the word chosen
    list = make(null, 'select', { class: 'small' }, head);
  let offered = '';
  list.addEventListener('change', () => {
    stage.moved = true;
    setPose(stage, { [of]: [stage.pose[of][0].map((token, k) => (k === j ? Number(list.value) : token))] });
  });
  return (scope, word) => {
    name.dataset.word = word;
    const now = scope[of][0][j],
      vocabulary = find(scope, spec.swap.vocabulary),
      words = among[j].includes(now) ? among[j] : [now, ...among[j]],
      key = words.join(' ');
    if (key !== offered) {
      offered = key;
      list.replaceChildren();
      for (const each of words) make(null, 'option', { value: each, text: vocabulary[each] }, list);
    }
    if (list.value !== String(now)) list.value = String(now);
    if (list.dataset.cell !== `word ${word}`) {
      list.dataset.cell = `word ${word}`;
      list.setAttribute('aria-label', filled(spec.texts.exchange, { word, place: j + 1 }));
    }
  };
}

// spec: { title, names: path, label (of a name, "head {name}"), upto: path of the last row that counts,
//         lanes: [{ text, of, ghost: paths, what, form, full, least, kind, axis, upto,
//                   drag: { shift, set: names in the pose; base: path; from_one } }],
//         swap: { of: a name in the pose, vocabulary: path, among: of each place the numbers of its words },
//         choose: a name in the pose, clears: what is 0 again once another row is chosen, marked: path of the row that
//         stands out; texts: { exchange, choose } }
export function lanes(host, spec, stage) {
  const box = make(null, 'figure', { class: 'lanes', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge),
    table = make(null, 'div', { style: `--lanes: ${spec.lanes.length}` }, box),
    top = make(null, 'div', { class: 'lane-row top' }, table);
  make(null, 'span', {}, top);
  for (const { text } of spec.lanes) make(null, 'span', { class: 'lane-name', text }, top);
  const list = { spec, stage, table, upright: false }; // what every function below gets
  followWidth(box, wide => {
    const wants = ({ length }) => Math.max(LEAST, LETTER * length + 0.7),
      least = rem() * find(stage.scope, spec.names).reduce((sum, name) => sum + wants(name), 0);
    list.upright = least <= wide;
    table.className = classes('lanes-of', list.upright && 'upright', LARGE * least <= wide && 'large');
    stage.requestPaint();
  });
  let rows = [];
  return scope => {
    const names = find(scope, spec.names),
      upto = spec.upto === undefined ? names.length : find(scope, spec.upto) + 1,
      marked = spec.marked === undefined ? -1 : find(scope, spec.marked),
      numbers = spec.lanes.map(lane => numbersOf(lane, scope));
    if (rows.length !== names.length) {
      for (const { row } of rows) row.remove();
      rows = names.map((_, j) => makeRow(list, j));
    }
    rows.forEach((each, j) => {
      const called = spec.label ? filled(spec.label, { name: names[j] }) : names[j];
      each.row.classList.toggle('beyond', j >= upto);
      each.row.classList.toggle('marked', j === marked);
      paintHead(list, each, j, names[j], called, scope);
      for (const [k, bar] of each.bars.entries()) paintBar(list, bar, numbers[k], j, called, j < upto);
    });
    paintBadge(stage);
  };
}

function makeRow(list, j) {
  const { spec, stage, table } = list,
    row = make(null, 'div', { class: 'lane-row' }, table),
    head = make(null, 'span', { class: 'lane-head' }, row),
    open = spec.swap && spec.swap.among[j].length > 1,
    choose = () => setAndClear(stage, { [spec.choose]: j }, spec.clears),
    chosen = spec.choose && makeButton(head, { class: spec.swap ? 'dot' : 'name' }, choose),
    paintChoices = open ? choices(j, head, spec, stage) : null,
    name = open ? null : chosen && !spec.swap ? chosen : make(null, 'span', { class: 'name' }, head);
  return { row, head, name, chosen, paintChoices, bars: spec.lanes.map(lane => makeLane(list, row, lane, j)) };
}

function makeLane(list, row, lane, j) {
  const { stage } = list,
    cell = make(null, 'span', { class: classes('lane', lane.kind, lane.drag && 'held-by-hand') }, row),
    track = make(null, 'span', { class: 'track' }, cell),
    ghost = lane.ghost && make(null, 'span', { class: 'ghost' }, track),
    bar = make(null, 'span', { class: 'bar' }, track),
    number = make(null, 'span', { class: 'number' }, cell);
  if (!lane.drag) return { lane, ghost, bar, number };
  const thumb = make(null, 'span', { class: 'thumb' }, track);
  const handle = {
    name: '',
    axes: [lane.axis],
    ranges: [[0, 1]],
    step: STRIDE,
    ...dragOf(lane, j, stage),
    read: () => [rowOf(find(stage.scope, lane.of))[j]],
    ground: track,
    at: event => {
      const { left, bottom, width, height } = track.getBoundingClientRect();
      return [list.upright ? (bottom - event.clientY) / height : (event.clientX - left) / width];
    },
  };
  makeDraggable(thumb, stage, handle);
  return { lane, ghost, bar, number, thumb, handle };
}

// A lane's numbers now and before, and the largest, which has the longest bar.
function numbersOf({ of, ghost, full, least }, scope) {
  const now = rowOf(find(scope, of)),
    before = ghost && rowOf(find(scope, ghost)),
    known = [least ?? 1e-9, ...now, ...(before ?? [])].filter(Number.isFinite).map(Math.abs);
  return { now, before, most: full ?? Math.max(...known) };
}

function paintHead({ spec, upright }, { row, head, name, chosen, paintChoices }, j, text, called, scope) {
  if (upright === (row.firstChild === head)) row[upright ? 'append' : 'prepend'](head); // keys go down
  if (name) write(name, text);
  if (chosen) {
    const on = scope[spec.choose] === j,
      label = filled(spec.texts.choose, { name: called });
    chosen.setAttribute('aria-pressed', on);
    row.classList.toggle('chosen', on);
    if (chosen.getAttribute('aria-label') !== label) chosen.setAttribute('aria-label', label);
  }
  paintChoices?.(scope, text);
}

function paintBar({ stage, upright }, { lane, ghost, bar, number, thumb, handle }, numbers, j, called, counts) {
  const { now, before, most } = numbers,
    isHidden = x => stage.resultsHidden || !Number.isFinite(x),
    wide = x => `${isHidden(x) ? 0 : Math.min(100, (100 * Math.abs(x)) / most).toFixed(1)}%`;
  bar.style.setProperty('--part', wide(now[j]));
  bar.classList.toggle('negative', now[j] < 0);
  ghost?.style.setProperty('--part', wide(before[j]));
  ghost?.classList.toggle('same', wide(before[j]) === wide(now[j]));
  show(number, now[j], `${lane.what} ${called}`, { hidden: stage.resultsHidden, form: forms[lane.form] });
  if (!thumb) return;
  handle.name = called;
  if (thumb.dataset.handle !== called) thumb.dataset.handle = called;
  thumb.style.setProperty('--part', wide(now[j]));
  thumb.setAttribute('aria-orientation', upright ? 'vertical' : 'horizontal');
  thumb.style.display = stage.resultsHidden || !counts ? 'none' : '';
  thumb.classList.toggle('held', stage.held === thumb);
  describe(thumb, handle);
}

// Buttons of which one is chosen. spec: { title, buttons: [{ text, set: { name: number } }], clears: what is then 0 }
export function chooser(host, spec, stage) {
  const box = make(null, 'div', { class: 'chooser', role: 'group', 'aria-label': spec.title }, host);
  make(null, 'span', { text: spec.title }, box);
  const row = make(null, 'div', { class: 'joined' }, box);
  const buttons = spec.buttons.map(({ text, set }) => ({
    button: makeButton(row, { text }, () => setAndClear(stage, set, spec.clears)),
    set: Object.entries(set),
  }));
  balance(row, wraps => row.classList.toggle('wrapped', wraps));
  return scope => {
    const isSet = ([name, number]) => scope[name] === number;
    for (const { button, set } of buttons) button.setAttribute('aria-pressed', set.every(isSet));
  };
}
