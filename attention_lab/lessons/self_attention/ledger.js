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
  rem,
  roomIn,
  unitFor,
} from '../../figure/browser/elements.js';
import { find } from '../../figure/browser/calculation.js';
import { formatNumber, filled, portion, formatShare, show } from '../../figure/browser/number_format.js';
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
    tell = badge(frame, spec.badge);
  const svg = make('svg', 'svg', { class: 'picture', role: 'grid', 'aria-label': spec.title }, frame);
  const nothing = make(null, 'p', { class: 'nothing', 'data-spoken': '' }, frame);
  const hint = make(null, 'figcaption', { class: 'hint', text: spec.hint }, frame);
  const room = roomIn(frame, stage);
  let cells = [],
    labels = {},
    drawn = null,
    lastStep = null,
    arriving = null, // the step whose numbers fade in: it was just taken
    at = null;

  function cell(row, kind, j, k) {
    const group = make('svg', 'g', { role: 'gridcell', class: 'ledger-cell', tabindex: '-1' }, row);
    const item = {
      kind,
      j,
      k,
      group,
      ground: make('svg', 'rect', { class: 'ground', rx: 3 }, group),
      mark: make('svg', 'rect', { class: 'fill', rx: 3 }, group),
      frame: make('svg', 'rect', { class: 'outline', rx: 3 }, group),
      text: make('svg', 'text', { class: 'number' }, group),
    };
    cells.push(item);
    if (kind === 'x') group.removeAttribute('tabindex');
    if (kind === 'x' && layerShown(spec, stage.scope).which === 0) makeHandle(item);
    else followHand(item);
    return item;
  }

  // The sentence's own vectors are in the hand.
  function makeHandle(item) {
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
  function followHand(item) {
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

  function layOut(scope, made) {
    svg.replaceChildren();
    cells = [];
    labels = { words: [], heads: [] };
    const unit = unitFor(0.75),
      { n, d_k, d_v } = made.sizes,
      d_model = spec.drawn ?? made.sizes.d_model,
      step = scope.step;
    const names = scope.words;
    const wideName = Math.min(12, Math.max(7, ...names.map(name => name.length))) * 7.6 * unit + 12 * unit;
    const tall = Math.max(1.5 * letters(0.75), ((n > 8 ? 22.5 : 25) * rem()) / 16),
      gap = 8 * unit,
      bar = 64 * unit;
    const parts = { key: d_k, score: 1, scaled: 1, masked: 1, weight: 0, value: d_v, part: d_v };
    const fits = kinds =>
      (room() - wideName - gap * kinds.length - (kinds.includes('weight') ? bar : 0)) /
      kinds.reduce((sum, kind) => sum + parts[kind], 0);
    const all = Object.keys(parts),
      narrow = fits(all) < 32 * unit, // then only the columns of the step shown
      kinds = narrow ? NARROW[step] : all;
    const size = Math.min(50 * unit, fits(kinds)),
      put = (item, x, y, w, h) => Object.assign(item, { left: x, top: y, w, h, x: x + w / 2, y: y + h / 2 });
    const text = (content, x, y, kind, anchor = 'start') =>
      make('svg', 'text', { x: x.toFixed(1), y: y.toFixed(1), class: kind, 'text-anchor': anchor, text: content }, svg);
    // What a line of cells is called, before it; and its cells.
    const title = (kind, content = '', end = wideName - 4 * unit) =>
        text(content, end, y + tall * 0.66, `ledger-label ${kind}`, 'end'),
      line = (row, kind, j, count, left, w) => {
        for (let k = 0; k < count; k++)
          put(cell(row, kind, j, OF_A_PAIR.includes(kind) ? null : k), left + k * w, y, w, tall);
      };

    let x = wideName;
    const starts = {};
    for (const kind of kinds) {
      starts[kind] = x += gap;
      const width = kind === 'weight' ? bar : parts[kind] * size;
      labels.heads.push({
        kind,
        text: text(spec.words[kind], x + width / 2, 12 * unit, `ledger-head ${CELLS[kind].role}`, 'middle'),
      });
      x += width;
    }
    const head = 20 * unit;
    let y = head;
    labels.features = [];
    // A sum that nothing is added to may be shorter than a word's vector: then it is the end.
    const isVector = made.row('new_x').length === made.sizes.d_model;
    function features(from) {
      // what the word was, what is added, what it becomes
      const until = narrow ? room() : starts.part - 40 * unit,
        feature = Math.min(64 * unit, (until - wideName - gap) / d_model);
      const axes = spec.axes.slice(0, d_model),
        slanted = axes.some(axis => axis.length * 6.2 * unit > feature);
      y = from + (slanted ? 52 : 24) * unit;
      axes.forEach((axis, k) => {
        const px = wideName + gap + (k + 0.5) * feature,
          py = y - 6 * unit;
        const label = text(axis, px, py, 'ledger-axis', slanted ? 'start' : 'middle');
        if (slanted) label.setAttribute('transform', `rotate(-56 ${px.toFixed(1)} ${py.toFixed(1)})`);
      });
      for (const kind of narrow && step === 0
        ? ['x']
        : ['x', ...(layerShown(spec, scope).layer.delta ? ['delta'] : []), ...(isVector ? ['new_x'] : [])]) {
        const row = make('svg', 'g', { role: 'row' }, svg);
        labels.features.push({ kind, text: title(CELLS[kind].role) });
        line(row, kind, null, d_model, wideName + gap, feature);
        y += tall + (kind === 'delta' ? 4 * unit : 0);
      }
    }
    if (narrow && step === 0) {
      // there is no room for more, and x comes first
      features(0);
      for (const { text: head } of labels.heads) place(head, { y: y + 20 * unit });
      y += 8 * unit + head;
    }
    if (kinds.includes('key')) {
      // the query stands over the keys that it meets
      const row = make('svg', 'g', { role: 'row' }, svg);
      labels.asks = title('query');
      line(row, 'query', null, d_k, starts.key, size);
      y += tall + 6 * unit;
    }
    for (let j = 0; j < n; j++, y += tall) {
      const row = make('svg', 'g', { role: 'row' }, svg);
      const name = title('chooses');
      name.addEventListener('click', () => setPose(stage, { word: j }));
      labels.words.push(name);
      for (const kind of kinds)
        line(row, kind, j, Math.max(1, parts[kind]), starts[kind], kind === 'weight' ? bar : size);
    }
    const below = y;
    if (kinds.includes('part')) {
      y += 6 * unit;
      const row = make('svg', 'g', { role: 'row' }, svg);
      const ends = { x1: starts.part, x2: starts.part + d_v * size, y1: y - 3 * unit, y2: y - 3 * unit };
      labels.rule = make('svg', 'line', { class: 'rule', ...ends }, svg);
      labels.sum = title('context', spec.words.sum, starts.part - 8 * unit);
      line(row, 'context', null, d_v, starts.part, size);
      y += tall;
    }
    if (!narrow || step === 6) features(narrow ? y + 4 * unit : below);
    const height = Math.max(y, below + tall + 6 * unit) + 4 * unit;
    place(svg, { viewBox: `0 0 ${room()} ${height.toFixed(1)}` });
    svg.style.height = `${height.toFixed(1)}px`;
    svg.style.width = '100%';
    for (const item of cells) {
      const box = {
        x: (item.left + 1).toFixed(2),
        y: (item.top + 1).toFixed(2),
        width: (item.w - 2).toFixed(2),
        height: (item.h - 2).toFixed(2),
      };
      for (const part of [item.ground, item.frame]) place(part, box);
      place(item.mark, { ...box, width: item.kind === 'weight' ? 0 : box.width });
      if (item.hit) place(item.hit, box);
      place(
        item.text,
        item.kind === 'weight'
          ? { x: (item.left + item.w - 5 * unit).toFixed(2), 'text-anchor': 'end' }
          : { x: item.x.toFixed(2), 'text-anchor': 'middle' },
      );
      place(item.text, { y: (item.y + 4.4 * unit).toFixed(2) });
      item.group.style.setProperty('--row', item.j ?? n);
      const source = cells.find(({ kind, j, k }) => {
        const same = k === item.k || k === null || item.k === null;
        return CELLS[item.kind].of?.at(-1) === kind && j === item.j && same;
      });
      if (source) item.group.style.setProperty('--from', `${(source.x - item.x).toFixed(1)}px`); // comes from there
    }
    at = { unit, narrow, name: wideName };
  }

  function paint(scope) {
    const { layer } = layerShown(spec, scope),
      made = layerResults(layer, scope),
      { step } = scope;
    const signature = () => JSON.stringify([room(), rem(), scope.words, layer, made.sizes, at?.narrow ? step : null]);
    if (!room()) return;
    if (signature() !== drawn) {
      layOut(scope, made);
      drawn = signature();
      arriving = null;
    }
    if (step !== lastStep) [arriving, lastStep] = [lastStep === null ? null : step, step];
    const open = openedCell(scope, stage, made),
      who = scope.words[scope.word];
    const source = item =>
      CELLS[open.kind].of?.includes(item.kind) &&
      {
        score: item.kind === 'query' || item.j === open.j,
        scaled: item.j === open.j,
        masked: item.j === open.j,
        weight: true,
        part: item.j === open.j && (item.kind === 'weight' || item.k === open.k),
        context: item.k === open.k,
        delta: true,
        new_x: item.k === open.k,
        query: true,
      }[open.kind];
    const focus =
      cells.find(item => item.kind === open.kind && item.j === open.j && item.k === open.k) ??
      cells.find(item => !item.future);
    const first = cells.find(item => item.kind !== 'x');
    for (const item of cells) {
      const { kind, j, k } = item,
        kept = CELLS[kind],
        value = made[kind](j, k);
      item.future = kept.step > step;
      const hidden = stage.resultsHidden && kept.result,
        closed = kind === 'masked' && value === -Infinity;
      const form = item.future ? () => '' : kind === 'weight' ? formatShare : inCell;
      show(item.text, value, called(kind, scope, j, k, spec), { hidden, form });
      const wide = (item.w - 5 * at.unit) / (0.58 * Math.max(1, item.text.textContent.length));
      item.text.style.fontSize = `${fitted(0.75, wide)}px`;
      const strength =
        item.future || hidden || !Number.isFinite(value)
          ? 0
          : Math.min(1, Math.abs(value) / (OF_A_PAIR.includes(kind) ? FULL.score : FULL.vector));
      if (kind === 'weight')
        place(item.mark, { width: (item.future || hidden ? 0 : Math.max(0, value) * (item.w - 2)).toFixed(2) });
      else item.mark.style.fillOpacity = (strength && 0.08 + 0.5 * strength).toFixed(3);
      const read = READS[step].includes(kind) && (layer.delta || kind !== 'x' || step < 6);
      const state = classes(
        `ledger-cell ${kept.role}`,
        value < 0 && 'minus',
        closed && 'closed',
        value === 0 && 'nought',
        item.future ? 'future' : kept.step === step ? 'made' : read ? 'read' : 'past',
        kept.step === arriving && 'arriving',
        item === focus ? 'open' : source(item) && 'source',
      );
      putClass(item.group, state);
      if (item.hit) {
        item.handle.name = item.hit.dataset.handle = `${who} ${spec.axes[k]}`; // of another word, another name
        describe(item.hit, item.handle);
        continue;
      }
      item.group.setAttribute('tabindex', item === focus || (focus?.hit && item === first) ? '0' : '-1');
      const said = item.future ? spec.words.later : `${named(kind, scope, j, k, spec)}: ${item.text.textContent}`;
      if (item.group.getAttribute('aria-label') !== said) item.group.setAttribute('aria-label', said);
    }
    const write = (element, content) => {
      if (element && element.textContent !== content) element.textContent = content;
    };
    const short = name => shortened(name, 13);
    const asks = filled(spec.words.asks, { who: short(who) });
    write(labels.asks, 7.4 * at.unit * asks.length < at.name ? asks : 'q'); // no room for its name
    labels.words.forEach((text, j) => {
      write(text, short(scope.words[j]));
      text.classList.toggle('focus', j === scope.word);
      text.classList.toggle('other', j === open.j);
      text.classList.toggle('shut', step >= 3 && made.masked(j) === -Infinity);
    });
    for (const { kind, text } of labels.heads) {
      text.classList.toggle('future', CELLS[kind].step > step);
      text.classList.toggle('made', CELLS[kind].step === step);
    }
    for (const { kind, text } of labels.features) {
      write(text, spec.words[kind]);
      text.classList.toggle('future', CELLS[kind].step > step);
    }
    labels.sum?.classList.toggle('future', step < 5);
    labels.rule?.classList.toggle('future', step < 5);
    write(nothing, step >= 3 && !made.open ? `${who}: ${spec.words.nothing}` : '');
    write(hint, layerShown(spec, scope).which === 0 ? spec.hint : spec.hint_given);
    tell(stage);
  }

  return paint;
}

const terms = (labels, left, right) =>
  labels.map((label, m) => ({
    label,
    text: `${inBrackets(left[m])} × ${inBrackets(right[m])}`,
    value: left[m] * right[m],
  }));

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
        top = Math.max(...row);
      const lines = row.map((s, m) => ({
        label: words[m],
        text: `e^(${formatNumber(s - top)})`,
        value: Math.exp(s - top),
        own: m === j,
      }));
      const sum = lines.reduce((all, term) => all + term.value, 0),
        division = `${formatNumber(Math.exp(row[j] - top))} ÷ ${formatNumber(sum)}`;
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
    case 'new_x':
      return layer.delta
        ? {
            lines: [
              { label: words[i], text: 'x', value: made.x(null, k) },
              { label: '+', text: 'Δx', value: made.delta(null, k) },
            ],
          }
        : told(spec.words.replaced);
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
      total = sum ?? value;
    const title = named(cell.kind, scope, cell.j, cell.k, spec);
    const signature = JSON.stringify([title, shown, said, hidden, spec.words]);
    if (signature === drawn) return;
    drawn = signature;
    name.replaceChildren(make(null, 'span', { text: title }), make(null, 'b', { text: ' = ' }));
    show(make(null, 'b', {}, name), value, 'opened', {
      hidden,
      form: cell.kind === 'weight' ? formatShare : x => formatNumber(Math.abs(x) < 1e-12 ? 0 : x),
    });
    table.replaceChildren();
    shown.forEach((line, m) => {
      const row = make(null, 'tr', { class: `${line.own ? 'own' : ''}${line.value === 0 ? ' none' : ''}` }, table);
      make(null, 'th', { scope: 'row', text: line.label }, row);
      make(null, 'td', { text: line.text }, row);
      show(make(null, 'td', {}, row), line.value, `opened ${m + 1}`);
    });
    if (shown.length && !single) {
      const row = make(null, 'tr', { class: 'sum' }, table);
      make(null, 'th', { scope: 'row', text: spec.words.sum }, row);
      make(null, 'td', {}, row);
      show(make(null, 'td', {}, row), total, 'opened sum');
    }
    note.textContent = said ?? '';
  };
}
