// The calculation for one word as a ledger that fills from left to right, a row for each word it may look at:
// key, score, scaled, masked, weight, value, weighted value; below, the sum and the new vector. Each cell opens
// into the products that made it.
import {
  badge,
  classes,
  fitted,
  letters,
  make,
  place,
  putClass,
  putText,
  rem,
  roomIn,
  unitFor,
} from '../../figure/browser/elements.js';
import { find } from '../../figure/browser/calculation.js';
import { formatNumber, filled, forms, portion, formatShare, show } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { setPose } from '../../figure/browser/pose.js';
import { offerSteps } from '../../figure/browser/tap_controls.js';
import { layerShown } from './steps.js';
import { shortened } from '../../figure/browser/typed_text.js';

// Which step makes a kind of cell, what colour it has and which kinds it is made of.
const CELLS = {
  x: { step: -1, role: 'word' },
  query: { step: 0, role: 'query', of: ['x'] },
  key: { step: 0, role: 'key', of: [] },
  value: { step: 0, role: 'value', of: [] },
  score: { step: 1, role: 'plain', of: ['query', 'key'] },
  scaled: { step: 2, role: 'plain', of: ['score'] },
  masked: { step: 3, role: 'plain', of: ['scaled'] },
  weight: { step: 4, role: 'weight', of: ['masked'], result: true },
  part: { step: 5, role: 'value', of: ['weight', 'value'], result: true },
  context: { step: 5, role: 'context', of: ['part'], result: true },
  delta: { step: 6, role: 'context', of: ['context'], result: true },
  new_x: { step: 6, role: 'word', of: ['x', 'delta'], result: true },
};
const READS = [['x'], ['query', 'key'], ['score'], ['scaled'], ['masked'], ['weight', 'value'], ['context', 'x']];
const NARROW = [
  ['key', 'value'],
  ['key', 'score'],
  ['score', 'scaled'],
  ['scaled', 'masked'],
  ['masked', 'weight'],
  ['weight', 'value', 'part'],
  ['weight', 'part'],
];
const OF_A_PAIR = ['score', 'scaled', 'masked', 'weight']; // one number each
const FULL = { vector: 4, score: 16 }; // where a cell's colour is full
const REACH = 10,
  PULL = 40; // how far a given number goes; pixels of the hand for one
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Numbers as a small cell shows them: at most three digits behind the point, and what is next to nothing as such.
const three = x => formatNumber(Number.isFinite(x) ? Number(x.toPrecision(3)) : x);
const inCell = x =>
  !Number.isFinite(x) || x === 0
    ? formatNumber(x)
    : Math.abs(x) < 0.0005
      ? '≈ 0'
      : Math.abs(x) < 1
        ? formatNumber(Number(x.toFixed(3)))
        : three(x);
// A calculation is written with as many digits as its result: it comes to what is printed.
const inBrackets = x => (x < 0 ? `(${formatNumber(x)})` : formatNumber(x));
const largestPlace = row => row.reduce((best, x, k) => (Math.abs(x) > Math.abs(row[best]) ? k : best), 0);

// What a layer made, by kind: functions of the word j and the component k.
function layerResults(layer, scope) {
  const i = scope.word,
    trace = find(scope, layer.trace),
    context = trace.context[i],
    delta = layer.delta ? find(scope, layer.delta)[i] : null,
    x = find(scope, layer.x)[i],
    new_x = find(scope, layer.new)[i];
  return {
    x: (_, k) => x[k],
    query: (_, k) => trace.query[i][k],
    key: (j, k) => trace.key[j][k],
    value: (j, k) => trace.value[j][k],
    score: j => trace.scores[i][j],
    scaled: j => trace.scaled_scores[i][j],
    masked: j => trace.masked_scores[i][j],
    weight: j => trace.weights[i][j],
    part: (j, k) => trace.weights[i][j] * trace.value[j][k],
    context: (_, k) => context[k],
    delta: (_, k) => delta?.[k],
    new_x: (_, k) => new_x[k],
    sizes: { n: trace.weights.length, d_k: trace.query[i].length, d_v: context.length, d_model: x.length },
    open: trace.masked_scores[i].some(s => s > -Infinity),
    row: kind => ({ query: trace.query[i], context, delta, new_x })[kind],
  };
}

// While it is the same, a chosen cell stays chosen.
const situation = ({ word, layers, layer, step }) => [word, layers, layer, step].join();

// The cell that is open: under the pointer, chosen, or the first one that this step made.
function openedCell(scope, stage, made) {
  if (stage.cell && stage.cell.about !== situation(scope)) stage.cell = null;
  const cell = stage.pointedCell ?? stage.cell;
  if (cell && CELLS[cell.kind].step <= scope.step && (cell.j ?? 0) < made.sizes.n) return cell;
  const shorter = made.row('new_x').length < made.sizes.d_model, // nothing is added to it: the sum is the end
    kind = ['query', 'score', 'scaled', 'masked', 'weight', 'context', shorter ? 'context' : 'new_x'][scope.step];
  if (!['query', 'context', 'new_x'].includes(kind)) return { kind, j: scope.other, k: null };
  const delta = made.row('delta'),
    row = kind === 'new_x' && delta?.some(x => x) ? delta : made.row(kind);
  return { kind, j: null, k: largestPlace(row) };
}

const lowered = k => [...String(k)].map(digit => '₀₁₂₃₄₅₆₇₈₉'[digit]).join('');

// What a cell is called on the page: `spec.cells` has its name by kind, with {who}, {other}, {k} and {axis} left open.
function named(kind, scope, j, k, spec) {
  const open = { who: scope.words[scope.word], other: scope.words[j], k: lowered((k ?? 0) + 1), axis: spec.axes[k] };
  return filled(spec.cells[kind], open);
}

// What a number is called in `data-value`: the word that asks comes first.
function called(kind, scope, j, k, spec) {
  const who = scope.words[scope.word],
    other = scope.words[j];
  if (OF_A_PAIR.includes(kind)) return `${kind} ${who} ${other}`;
  if (kind === 'part') return `part ${who} ${other} ${k + 1}`;
  if (['x', 'delta', 'new_x'].includes(kind)) return `${kind === 'new_x' ? 'new' : kind} ${who} ${spec.axes[k]}`;
  return ['key', 'value'].includes(kind) ? `${kind} ${other} ${k + 1}` : `${kind} ${who} ${k + 1}`;
}

// The next cell in a direction: near in that direction, and hardly off it.
function nearest(cells, from, [across, down]) {
  const reach = to => {
    const dx = to.x - from.x,
      dy = to.y - from.y,
      along = dx * across + dy * down,
      off = Math.abs(dx * down) + Math.abs(dy * across);
    return along > 2 ? along + 4 * off : Infinity;
  };
  return cells
    .filter(to => to !== from && !to.future && !to.hit)
    .reduce((best, to) => (reach(to) < reach(best ?? from) ? to : best), null);
}

// spec: { title, hint, hint_given (where x is what the layer before has made), layers, axes, cells: { kind: name },
//         words: { asks, sum, x, delta, new_x, nothing, later } }
export function ledger(host, spec, stage) {
  const frame = make(null, 'figure', { class: 'ledger' }, host),
    paintBadge = badge(frame, spec.badge);
  // What every function below gets as its `grid`.
  const grid = {
    spec,
    stage,
    svg: make('svg', 'svg', { class: 'picture', role: 'grid', 'aria-label': spec.title }, frame),
    nothing: make(null, 'p', { class: 'nothing', 'data-spoken': '' }, frame),
    hint: make(null, 'figcaption', { class: 'hint', text: spec.hint }, frame),
    room: roomIn(frame, stage),
    cells: [],
    labels: {},
    at: null, // where the columns stand, in px, and how far down the rows reach
    drawn: null, // what, once it is another, has all laid out anew
    lastStep: null,
    arriving: null, // the step whose numbers fade in: it was just taken
  };
  return scope => {
    if (!grid.room()) return;
    paint(grid, scope);
    paintBadge(stage);
  };
}

function paint(grid, scope) {
  const { spec, stage } = grid,
    { step } = scope,
    { layer, which } = layerShown(spec, scope),
    made = layerResults(layer, scope);
  const signature = () =>
    JSON.stringify([grid.room(), rem(), scope.words, layer, made.sizes, grid.at?.narrow ? step : null]);
  if (signature() !== grid.drawn) {
    layOut(grid, scope, layer, made);
    grid.drawn = signature();
    grid.arriving = null;
  }
  if (step !== grid.lastStep) grid.arriving = grid.lastStep === null ? null : step;
  grid.lastStep = step;
  const { cells } = grid,
    open = openedCell(scope, stage, made),
    focus =
      cells.find(({ kind, j, k }) => kind === open.kind && j === open.j && k === open.k) ??
      cells.find(item => !item.future),
    reachable = focus?.hit ? cells.find(item => item.kind !== 'x') : focus;
  for (const item of cells) {
    const isRead = READS[step].includes(item.kind) && (layer.delta || item.kind !== 'x' || step < 6),
      chosen = item === focus ? 'open' : isSource(item, open) && 'source';
    paintCell(grid, item, scope, made);
    paintState(grid, item, step, isRead, chosen);
    nameCell(grid, item, scope, item === reachable);
  }
  paintLabels(grid, scope, made, open);
  putText(grid.nothing, step >= 3 && !made.open ? `${scope.words[scope.word]}: ${spec.words.nothing}` : '');
  putText(grid.hint, which === 0 ? spec.hint : spec.hint_given);
}

// Where the columns stand. `narrow` says that only those of the step shown have room.
function columnsFor({ room }, { words, step }, { n, d_k, d_v }) {
  const unit = unitFor(0.75),
    name = Math.min(12, Math.max(7, ...words.map(word => word.length))) * 7.6 * unit + 12 * unit,
    gap = 8 * unit,
    bar = 64 * unit,
    counts = { key: d_k, score: 1, scaled: 1, masked: 1, weight: 0, value: d_v, part: d_v },
    all = Object.keys(counts);
  const fits = kinds =>
    (room() - name - gap * kinds.length - (kinds.includes('weight') ? bar : 0)) /
    kinds.reduce((sum, kind) => sum + counts[kind], 0);
  const narrow = fits(all) < 32 * unit,
    kinds = narrow ? NARROW[step] : all,
    size = Math.min(50 * unit, fits(kinds)),
    columns = {};
  let left = name;
  for (const kind of kinds) {
    const [count, wide] = kind === 'weight' ? [1, bar] : [counts[kind], size];
    left += gap;
    columns[kind] = { left, count, wide };
    left += count * wide;
  }
  const tall = Math.max(1.5 * letters(0.75), ((n > 8 ? 22.5 : 25) * rem()) / 16);
  return { unit, narrow, name, gap, columns, tall, y: 20 * unit };
}

function layOut(grid, scope, layer, made) {
  const { svg, room } = grid,
    { n } = made.sizes,
    at = columnsFor(grid, scope, made.sizes),
    { unit, narrow, columns, y: head } = at;
  svg.replaceChildren();
  Object.assign(grid, { at, cells: [], labels: { words: [], heads: [], features: [] } });
  layHeads(grid);
  if (narrow && scope.step === 0) {
    // there is no room for more, and x comes first
    layFeatures(grid, 0, ['x'], made.sizes);
    for (const { text } of grid.labels.heads) place(text, { y: at.y + head });
    at.y += 8 * unit + head;
  }
  if (columns.key) {
    // the query stands over the keys that it meets
    grid.labels.asks = layRow(grid, 'query', columns.key);
    at.y += at.tall + 6 * unit;
  }
  for (let j = 0; j < n; j++) layPair(grid, j);
  const below = at.y;
  if (columns.part) laySum(grid);
  if (!narrow || scope.step === 6) {
    // what the word was, what is added, what it becomes; a sum that nothing is added to may be shorter than a word's
    // vector: then it is the end
    const isVector = made.row('new_x').length === made.sizes.d_model,
      kinds = ['x', layer.delta && 'delta', isVector && 'new_x'].filter(Boolean);
    layFeatures(grid, narrow ? at.y + 4 * unit : below, kinds, made.sizes);
  }
  const height = (Math.max(at.y, below + at.tall + 6 * unit) + 4 * unit).toFixed(1);
  place(svg, { viewBox: `0 0 ${room()} ${height}` });
  svg.style.height = `${height}px`;
  svg.style.width = '100%';
  showOrigins(grid.cells, n);
}

const writeAt = ({ svg }, text, x, y, kind, anchor) =>
  make('svg', 'text', { x: x.toFixed(1), y: y.toFixed(1), class: kind, 'text-anchor': anchor, text }, svg);
// What a row of cells is called, before it.
const title = (grid, kind, text = '', end = grid.at.name - 4 * grid.at.unit) =>
  writeAt(grid, text, end, grid.at.y + grid.at.tall * 0.66, `ledger-label ${kind}`, 'end');

function layHeads(grid) {
  const { spec, labels, at } = grid;
  for (const [kind, { left, count, wide }] of Object.entries(at.columns)) {
    const middle = left + (count * wide) / 2,
      text = writeAt(grid, spec.words[kind], middle, 12 * at.unit, `ledger-head ${CELLS[kind].role}`, 'middle');
    labels.heads.push({ kind, text });
  }
}

// A row of one kind alone. Returns what it is called.
function layRow(grid, kind, column, text, end) {
  const row = make('svg', 'g', { role: 'row' }, grid.svg),
    label = title(grid, CELLS[kind].role, text, end);
  layCells(grid, row, kind, null, column);
  return label;
}

// The row of a word that may be looked at.
function layPair(grid, j) {
  const row = make('svg', 'g', { role: 'row' }, grid.svg),
    name = title(grid, 'chooses');
  name.addEventListener('click', () => setPose(grid.stage, { word: j }));
  grid.labels.words.push(name);
  for (const [kind, column] of Object.entries(grid.at.columns)) layCells(grid, row, kind, j, column);
  grid.at.y += grid.at.tall;
}

function laySum(grid) {
  const { spec, labels, at } = grid,
    { left, count, wide } = at.columns.part;
  at.y += 6 * at.unit;
  const y = at.y - 3 * at.unit;
  labels.rule = make('svg', 'line', { class: 'rule', x1: left, x2: left + count * wide, y1: y, y2: y });
  labels.sum = layRow(grid, 'context', at.columns.part, spec.words.sum, left - 8 * at.unit);
  labels.sum.before(labels.rule);
  at.y += at.tall;
}

// Vectors of the word, below the names of their components.
function layFeatures(grid, from, kinds, { d_model }) {
  const { spec, labels, at } = grid,
    { unit, gap, name, tall } = at,
    left = name + gap,
    count = spec.drawn ?? d_model,
    until = at.narrow ? grid.room() : at.columns.part.left - 40 * unit,
    wide = Math.min(64 * unit, (until - name - gap) / count);
  const axes = spec.axes.slice(0, count),
    slanted = axes.some(axis => axis.length * 6.2 * unit > wide);
  at.y = from + (slanted ? 52 : 24) * unit;
  axes.forEach((axis, k) => {
    const [x, y] = [left + (k + 0.5) * wide, at.y - 6 * unit],
      label = writeAt(grid, axis, x, y, 'ledger-axis', slanted ? 'start' : 'middle');
    if (slanted) label.setAttribute('transform', `rotate(-56 ${x.toFixed(1)} ${y.toFixed(1)})`);
  });
  for (const kind of kinds) {
    labels.features.push({ kind, text: layRow(grid, kind, { left, count, wide }) });
    at.y += tall + (kind === 'delta' ? 4 * unit : 0);
  }
}

function layCells(grid, row, kind, j, { left, count, wide }) {
  for (let k = 0; k < count; k++)
    grid.cells.push(cell(grid, row, kind, j, OF_A_PAIR.includes(kind) ? null : k, left + k * wide, wide));
}

function cell(grid, row, kind, j, k, left, w) {
  const { unit, y: top, tall } = grid.at,
    isWeight = kind === 'weight',
    [x, y] = [left + w / 2, top + tall / 2],
    [width, height] = [w, tall].map(length => (length - 2).toFixed(2)),
    box = { x: (left + 1).toFixed(2), y: (top + 1).toFixed(2), width, height },
    [anchor, end] = isWeight ? ['end', left + w - 5 * unit] : ['middle', x],
    middle = (y + 4.4 * unit).toFixed(2);
  const group = make('svg', 'g', { role: 'gridcell', class: 'ledger-cell', tabindex: kind === 'x' ? null : '-1' }, row),
    rect = (kind, size) => make('svg', 'rect', { class: kind, rx: 3, ...box, ...size }, group);
  rect('ground');
  const mark = rect('fill', isWeight ? { width: 0 } : {});
  rect('outline');
  const text = make('svg', 'text', { class: 'number', x: end.toFixed(2), 'text-anchor': anchor, y: middle }, group),
    item = { kind, j, k, group, mark, text, x, y, w };
  if (kind === 'x' && layerShown(grid.spec, grid.stage.scope).which === 0) {
    makeHandle(grid, item);
    place(item.hit, box);
  } else followHand(grid, item);
  return item;
}

// The style sheet lets numbers come row by row, and from where they are made.
function showOrigins(cells, n) {
  for (const item of cells) {
    item.group.style.setProperty('--row', item.j ?? n);
    const from = CELLS[item.kind].of?.at(-1), // one number, without a component, belongs to each
      source = cells.find(({ kind, j, k }) => kind === from && j === item.j && (k ?? item.k) === (item.k ?? k));
    if (source) item.group.style.setProperty('--from', `${(source.x - item.x).toFixed(1)}px`);
  }
}

// The sentence's own vectors are in the hand.
function makeHandle({ spec, stage, at }, item) {
  const { group, k } = item,
    row = () => stage.pose.vectors[stage.scope.ids[stage.scope.word]];
  item.hit = make('svg', 'rect', { class: 'hit' }, group);
  item.handle = {
    name: `${stage.scope.words[stage.scope.word]} ${spec.axes[k]}`,
    axes: ['x'],
    ranges: [[-REACH, REACH]],
    step: 0.1,
    read: () => [row()[k]],
    at: event => [event.clientX / (PULL * at.unit)],
    move: ([value]) => {
      row()[k] = value;
    },
  };
  makeDraggable(item.hit, stage, item.handle);
}

// A cell can be pointed at, chosen, and left by the arrow keys.
function followHand({ stage, cells }, item) {
  const { kind, j, k, group } = item,
    point = cell => {
      stage.pointedCell = cell;
      stage.requestPaint();
    },
    open = () => {
      stage.cell = { kind, j, k, about: situation(stage.scope) };
      stage.requestPaint();
    };
  const choose = () => {
    if (item.future) return;
    open();
    if (j !== null) setPose(stage, { other: j });
  };
  group.addEventListener('pointermove', event => {
    // moving onto it, not merely lying under a pointer that let go of something
    if (event.pointerType !== 'mouse' || item.future || !(event.movementX || event.movementY)) return;
    point({ kind, j, k });
  });
  group.addEventListener('pointerleave', () => stage.pointedCell && point(null));
  group.addEventListener('click', () => {
    choose();
    group.focus({ preventScroll: true });
  });
  offerSteps(stage, group);
  group.addEventListener('focus', () => {
    stage.pointedCell = null;
    open();
  });
  group.addEventListener('keydown', event => {
    const way = WAYS[event.key],
      chosen = event.key === 'Enter' || event.key === ' ';
    if (!chosen && (!way || event.ctrlKey || event.metaKey || event.altKey)) return;
    event.preventDefault();
    if (chosen) choose();
    else nearest(cells, item, way)?.group.focus();
  });
}

// The number of a cell, and how full it is.
function paintCell({ spec, stage, at }, item, scope, made) {
  const { kind, j, k, mark, text, w } = item,
    value = made[kind](j, k),
    hidden = stage.resultsHidden && CELLS[kind].result;
  item.future = CELLS[kind].step > scope.step;
  item.value = value;
  const form = item.future ? () => '' : kind === 'weight' ? formatShare : inCell;
  show(text, value, called(kind, scope, j, k, spec), { hidden, form });
  const wide = (w - 5 * at.unit) / (0.58 * Math.max(1, text.textContent.length));
  text.style.fontSize = `${fitted(0.75, wide)}px`;
  const isEmpty = item.future || hidden;
  if (kind === 'weight') place(mark, { width: (isEmpty ? 0 : Math.max(0, value) * (w - 2)).toFixed(2) });
  else {
    const full = OF_A_PAIR.includes(kind) ? FULL.score : FULL.vector,
      strength = isEmpty || !Number.isFinite(value) ? 0 : Math.min(1, Math.abs(value) / full);
    mark.style.fillOpacity = (strength && 0.08 + 0.5 * strength).toFixed(3);
  }
}

// Whether the open cell is made of this one: of those of its word, of its component, or of all.
function isSource({ kind, j, k }, open) {
  if (!CELLS[open.kind].of?.includes(kind)) return false;
  const isOfWord = j === open.j || kind === 'query' || !['score', 'scaled', 'masked', 'part'].includes(open.kind),
    isOfComponent = k === open.k || kind === 'weight' || !['part', 'context', 'new_x'].includes(open.kind);
  return isOfWord && isOfComponent;
}

function paintState({ arriving }, { kind, group, value, future }, step, isRead, chosen) {
  const { role, step: madeIn } = CELLS[kind],
    sign = classes(value < 0 && 'minus', kind === 'masked' && value === -Infinity && 'closed', value === 0 && 'nought'),
    phase = future ? 'future' : madeIn === step ? 'made' : isRead ? 'read' : 'past';
  putClass(group, classes(`ledger-cell ${role}`, sign, phase, madeIn === arriving && 'arriving', chosen));
}

// What a screen reader says of a cell, and whether the tab key leads to it.
function nameCell({ spec }, { kind, j, k, group, text, future, hit, handle }, scope, isReachable) {
  if (hit) {
    handle.name = hit.dataset.handle = `${scope.words[scope.word]} ${spec.axes[k]}`; // of another word, another name
    describe(hit, handle);
    return;
  }
  group.setAttribute('tabindex', isReachable ? '0' : '-1');
  const said = future ? spec.words.later : `${named(kind, scope, j, k, spec)}: ${text.textContent}`;
  if (group.getAttribute('aria-label') !== said) group.setAttribute('aria-label', said);
}

function paintLabels({ spec, labels, at }, { words, word, step }, made, open) {
  const short = name => shortened(name, 13),
    asks = filled(spec.words.asks, { who: short(words[word]) });
  if (labels.asks) putText(labels.asks, 7.4 * at.unit * asks.length < at.name ? asks : 'q'); // no room for its name
  labels.words.forEach((text, j) => {
    putText(text, short(words[j]));
    text.classList.toggle('focus', j === word);
    text.classList.toggle('other', j === open.j);
    text.classList.toggle('shut', step >= 3 && made.masked(j) === -Infinity);
  });
  for (const { kind, text } of labels.heads) {
    text.classList.toggle('future', CELLS[kind].step > step);
    text.classList.toggle('made', CELLS[kind].step === step);
  }
  for (const { kind, text } of labels.features) {
    putText(text, spec.words[kind]);
    text.classList.toggle('future', CELLS[kind].step > step);
  }
  for (const element of [labels.sum, labels.rule]) element?.classList.toggle('future', step < 5);
}

const terms = (labels, left, right) =>
  labels.map((label, m) => {
    const [a, b] = [left[m], right[m]];
    return { label, text: `${inBrackets(a)} × ${inBrackets(b)}`, value: a * b };
  });

// What a cell was made of: lines that add up, a note, or both.
function making({ kind, j, k }, scope, layer, made, spec) {
  const i = scope.word,
    trace = find(scope, layer.trace),
    x = find(scope, layer.x),
    column = (matrix, c) => find(scope, layer[matrix]).map(row => row[c]),
    words = scope.words;
  const numbers = length => Array.from({ length }, (_, m) => `${m + 1}`),
    single = (label, text, value) => ({ lines: [{ label, text, value }], single: true }),
    told = note => ({ lines: [], note }),
    nothing = told(`${words[i]}: ${spec.words.nothing}`);
  switch (kind) {
    case 'query':
      return { lines: terms(spec.axes, x[i], column('W_query', k)) };
    case 'key':
      return { lines: terms(spec.axes, x[j], column('W_key', k)) };
    case 'value':
      return { lines: terms(spec.axes, x[j], column('W_value', k)) };
    case 'score':
      return { lines: terms(numbers(made.sizes.d_k), trace.query[i], trace.key[j]) };
    case 'scaled':
      return single(spec.words.root, `${inBrackets(made.score(j))} ÷ √${made.sizes.d_k}`, made.scaled(j));
    case 'masked': {
      const text = made.masked(j) === -Infinity ? spec.words.closed : spec.words.may;
      return made.open ? told(filled(text, { word: words[i], other: words[j] })) : nothing;
    }
    case 'weight': {
      if (!made.open) return nothing;
      const row = trace.masked_scores[i],
        top = Math.max(...row),
        powers = row.map(s => Math.exp(s - top)),
        texts = row.map(s => `e^(${formatNumber(s - top)})`),
        lines = powers.map((value, m) => ({ label: words[m], text: texts[m], value, own: m === j })),
        sum = powers.reduce((all, value) => all + value, 0),
        division = `${formatNumber(powers[j])} ÷ ${formatNumber(sum)}`;
      return { lines, sum, note: `${division} = ${formatShare(made.weight(j))}. ${spec.words.largest}` };
    }
    case 'part':
      return single(words[j], `${portion(made.weight(j))} × ${inBrackets(made.value(j, k))}`, made.part(j, k));
    case 'context': {
      const values = trace.value.map(row => row[k]);
      return made.open ? { lines: terms(words, trace.weights[i], values) } : nothing;
    }
    case 'delta':
      return { lines: terms(numbers(made.sizes.d_v), trace.context[i], column('W_output', k)) };
    case 'new_x': {
      const xLine = { label: words[i], text: 'x', value: made.x(null, k) },
        deltaLine = { label: '+', text: 'Δx', value: made.delta(null, k) };
      return layer.delta ? { lines: [xLine, deltaLine] } : told(spec.words.replaced);
    }
    default:
      return told(spec.words.given);
  }
}

// The lines that say most, and the rest in one.
function abridged(lines, spec) {
  if (lines.length <= 6) return lines;
  const rank = ({ own, value }) => (own ? Infinity : Math.abs(value)),
    most = [...lines].sort((a, b) => rank(b) - rank(a) || 0).slice(0, 5),
    rest = lines.filter(line => !most.includes(line)),
    value = rest.reduce((sum, line) => sum + line.value, 0);
  return [
    ...lines.filter(line => most.includes(line)),
    { label: filled(spec.words.others, { n: rest.length }), text: '', value },
  ];
}

// How the open cell was made: a line for each product, and the sum.
// spec: { title, layers, axes, cells: { kind: name }, words: { sum, others, veiled, root, may, closed, largest,
//         nothing, replaced, given } }
export function opened(host, spec, stage) {
  const box = make(null, 'div', { class: 'opened', role: 'group', 'aria-label': spec.title }, host);
  make(null, 'p', { class: 'opened-title', text: spec.title }, box);
  const name = make(null, 'p', { class: 'opened-name' }, box),
    table = make(null, 'table', {}, box),
    note = make(null, 'p', { class: 'opened-note' }, box);
  let drawn = null;
  return scope => {
    const { layer } = layerShown(spec, scope),
      made = layerResults(layer, scope),
      cell = openedCell(scope, stage, made);
    const hidden = stage.resultsHidden && CELLS[cell.kind].result,
      explained = hidden ? { lines: [], note: spec.words.veiled } : making(cell, scope, layer, made, spec),
      { lines, sum, single, note: said } = explained;
    const value = made[cell.kind](cell.j, cell.k),
      shown = abridged(lines, spec),
      title = named(cell.kind, scope, cell.j, cell.k, spec),
      signature = JSON.stringify([title, shown, said, hidden, spec.words]);
    if (signature === drawn) return;
    drawn = signature;
    name.replaceChildren(make(null, 'span', { text: title }), make(null, 'b', { text: ' = ' }));
    const form = cell.kind === 'weight' ? formatShare : forms.settled;
    show(make(null, 'b', {}, name), value, 'opened', { hidden, form });
    table.replaceChildren();
    const addRow = (kind, label, text, value, which) => {
      const row = make(null, 'tr', { class: kind }, table);
      make(null, 'th', { scope: 'row', text: label }, row);
      make(null, 'td', { text }, row);
      show(make(null, 'td', {}, row), value, `opened ${which}`);
    };
    shown.forEach(({ label, text, value, own }, m) =>
      addRow(`${own ? 'own' : ''}${value === 0 ? ' none' : ''}`, label, text, value, m + 1),
    );
    if (shown.length && !single) addRow('sum', spec.words.sum, '', sum ?? value, 'sum');
    note.textContent = said ?? '';
  };
}
