// Columns of bars, one a word: on top what a hand can pull, below it what follows, word under word.
import { find } from '../../figure/browser/calculation.js';
import {
  badge,
  classes,
  make,
  makeButton,
  makePicture,
  place,
  pointIn,
  projected,
  putClass,
  rem,
  roomIn,
  unitFor,
  write,
} from '../../figure/browser/elements.js';
import { formatNumber, forms, narrowForms, formatPercent, show } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { setPose } from '../../figure/browser/pose.js';
import { shortened } from '../../figure/browser/typed_text.js';

const LEAST = 26,
  ROOMY = 52,
  HEADROOM = 20,
  STEP = 30, // for what leads from one panel to the next
  REACH = 24,
  LONGEST_NAME = 13; // in px where 1 rem is 16
const shownSize = (form, x) => (form === 'power' ? Math.exp(x) : x);

// The first of 2, 4, 8, 20, 40, 80 … at which a scale holds all sizes; what is beyond all numbers is cut off.
function topFor(sizes, least) {
  const most = Math.min(1e300, Math.max(0, ...sizes.filter(Number.isFinite)));
  if (most <= least) return least;
  const unit = 10 ** Math.floor(Math.log10(most / 2));
  return unit * [2, 4, 8, 20].find(top => unit * top >= most);
}

// spec: { title, names, focus, other, asks, panels, hint, undefined, nothing, back, badge }. A panel: { of, title, step
// (what leads to it), raised, sub, range, ticks, height, form, what, result, pull (the pose's own row, empty until a
// bar is pulled), axis, unknown (said of a bar without a number), counted, ghost (drawn as outlines), lines: [{ of,
// head, what, suffix }] (numbers below, the `leading`-th of them in force), compared (the title of a fold: while it is
// closed, only the line in force is shown, and no ghost), asked: { show, hide } (it appears once the button with these
// texts is pressed) }.
export function bars(host, spec, stage) {
  const box = make(null, 'figure', { class: 'bars' }, host),
    paintBadge = badge(box, spec.badge),
    svg = makePicture(make(null, 'div', { class: 'scroll' }, box), spec.title),
    layer = kind => make('svg', 'g', { class: kind }, svg),
    foot = make(null, 'figcaption', {}, box);
  // What every function below gets as its `chart`.
  const chart = {
    spec,
    stage,
    svg,
    lanes: layer('lanes'),
    frame: layer('frame'),
    body: layer('body'),
    hits: layer('hits'),
    room: roomIn(box, stage),
    names: find(stage.scope, spec.names),
    pulled: spec.panels.find(panel => panel.pull), // the one with scores
    columns: [], // one a word
    laid: null, // what, once it is another, has all laid out anew
    at: null, // where everything stands
    subs: [], // what stands below panels' titles
    sides: [], // what stands before lines of numbers
  };
  chart.columns = chart.names.map((name, j) => makeColumn(chart, name, j));
  const paintFoot = makeFoot(chart, foot);
  return scope => {
    const isOwn = stage.pose[chart.pulled.pull].length > 0,
      focus = scope[spec.focus];
    fitRoom(chart);
    rescale(chart, scope);
    chart.columns.forEach(({ lane, head, asks, items }, j) => {
      lane.classList.toggle('other', j === scope[spec.other]);
      head.classList.toggle('focus', j === focus);
      asks.style.display = j === focus ? '' : 'none';
      for (const item of items) paintItem(chart, item, scope);
    });
    for (const { panel, line, text } of chart.sides)
      text.classList.toggle('leading', panel.lines.indexOf(line) === scope[panel.leading]);
    for (const { panel, text } of chart.subs) text.textContent = (isOwn && panel.sub_pulled) || panel.sub;
    paintFoot(scope, isOwn);
    paintBadge(stage, isOwn ? 'yours' : '');
  };
}

// What is open now: a panel that waits to be asked for, and the lines of numbers that are compared.
const isShown = ({ stage }, panel) => !panel.asked || stage.openFolds.has(panel.title);
const isCompared = ({ stage }, panel) => !panel.compared || stage.openFolds.has(panel.compared);
const linesShown = (chart, panel) =>
  (panel.lines ?? []).filter((_, k) => isCompared(chart, panel) || k === chart.stage.scope[panel.leading]);

// The line below the picture: scores that were pulled are given up, a panel is asked for. Returns what paints it.
function makeFoot(chart, foot) {
  const { spec, stage, pulled } = chart,
    asked = spec.panels.find(panel => panel.asked),
    giveUp = () => setPose(stage, { [pulled.pull]: [] }),
    back = makeButton(foot, { class: 'plain small back', text: spec.back }, giveUp);
  const between = makeButton(foot, { class: 'plain small back between' }, () => {
    stage.openFolds[isShown(chart, asked) ? 'delete' : 'add'](asked.title);
    stage.requestPaint();
  });
  const hint = make(null, 'span', { class: 'note', 'data-spoken': '' }, foot);
  return (scope, isOwn) => {
    const isEmpty = !find(scope, pulled.counted)[0].some(Number.isFinite),
      isUnknown = find(scope, pulled.of)[0].some(Number.isNaN);
    back.style.display = isOwn ? '' : 'none';
    write(between, asked.asked[isShown(chart, asked) ? 'hide' : 'show']);
    between.setAttribute('aria-expanded', isShown(chart, asked));
    write(hint, isUnknown ? spec.undefined : isEmpty ? spec.nothing : stage.number ? '' : spec.hint);
  };
}

function makeColumn(chart, name, j) {
  const { spec, stage, body } = chart,
    lane = make('svg', 'rect', { class: 'lane', rx: 6 }, chart.lanes),
    head = make('svg', 'text', { class: 'label' }, body),
    asks = make('svg', 'text', { class: 'asks', text: spec.asks }, body);
  lane.addEventListener('click', () => setPose(stage, { [spec.other]: j }));
  make('svg', 'title', { text: name }, head);
  head.append(shortened(name, LONGEST_NAME));
  const items = spec.panels.map(panel => {
    const group = make('svg', 'g', { class: `column ${panel.pull ? 'score' : panel.form}` }, body);
    const item = {
      panel,
      j,
      group,
      ghost: panel.ghost ? make('svg', 'rect', { class: 'ghost', rx: 3 }, group) : null,
      bar: make('svg', 'rect', { class: 'bar', rx: 3 }, group),
      cut: make('svg', 'path', { class: 'cut' }, group),
      numbers: (panel.lines ?? [panel]).map(line => ({ line, text: make('svg', 'text', { class: 'number' }, group) })),
    };
    if (panel.pull) makePullable(chart, item, name, lane);
    return item;
  });
  return { lane, head, asks, items };
}

function makePullable(chart, item, name, lane) {
  const { spec, stage, svg } = chart,
    { panel, j, group } = item,
    hit = make('svg', 'rect', { class: 'hit', rx: 8, 'aria-orientation': 'vertical' }, chart.hits),
    now = () => find(stage.scope, panel.of)[0].map(x => (Number.isFinite(x) ? x : 0));
  const handle = {
    name,
    axes: [panel.axis],
    ranges: [panel.range],
    step: 0.1,
    read: () => [(stage.pose[panel.pull][0] ?? now())[j]],
    ground: lane,
    at: event => [valueAt(chart.at.scales.get(panel), pointIn(svg, event).y)],
    move: ([value]) => {
      if (!stage.pose[panel.pull].length) stage.pose[panel.pull] = [now()];
      stage.pose[panel.pull][0][j] = value;
    },
    start: () => {
      stage.pose[spec.other] = j;
    },
  };
  Object.assign(item, { hit, handle, knob: make('svg', 'rect', { class: 'knob', rx: 5 }, group) });
  makeDraggable(hit, stage, handle);
  hit.addEventListener('focus', () => group.classList.toggle('focused', hit.matches(':focus-visible')));
  hit.addEventListener('blur', () => group.classList.remove('focused'));
}

// The height at which a panel's scale has a value, and back. What is beyond the scale is at its end.
const heightOf = ({ bottom, tall, low, high }, value) =>
  bottom - (tall * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
const valueAt = ({ bottom, tall, low, high }, y) => low + ((bottom - y) / tall) * (high - low);

// Where everything stands, for the room there is. Narrow columns have less text; too many of them scroll.
function measure(chart) {
  const { spec, names } = chart,
    room = chart.room() || 520,
    u = unitFor(0.75),
    n = names.length,
    gutter = Math.min(92 * u, 0.215 * room),
    widths = names.map(name => 7.8 * u * Math.min(LONGEST_NAME, name.length)),
    wide = Math.max(...widths),
    least = LEAST * u,
    column = Math.max(least, (room - gutter - 2) / n),
    slanted = wide > column - 4,
    tail = slanted ? Math.max(0, ...widths.map((w, j) => 0.76 * w - (n - j - 0.6) * column)) : 0,
    pitch = Math.max(least, (room - gutter - tail - 2) / n),
    head = (slanted ? 0.62 * wide + 14 * u : 20 * u) + 15 * u,
    scales = new Map(); // of the panels that are shown
  let y = head;
  for (const panel of spec.panels.filter(panel => isShown(chart, panel))) {
    const top = y + (HEADROOM + (panel.step ? STEP : 0)) * u,
      tall = panel.height * (projected() ? (0.58 * rem()) / 16 : u),
      [low, high] = panel.range;
    scales.set(panel, { top, tall, bottom: top + tall, low, high });
    y = top + tall + linesShown(chart, panel).length * 20 * u + (panel.lines ? 8 : 10) * u;
  }
  return {
    u,
    gutter,
    pitch,
    width: gutter + n * pitch + tail + 2,
    height: y + 2,
    head,
    slanted,
    scales,
    tight: pitch < ROOMY * u,
    half: Math.min(23 * u, 0.31 * pitch), // of a bar's width
    x: j => gutter + (j + 0.5) * pitch,
  };
}

// Lays out what is there, where the width, the size of type or what is open is another.
function fitRoom(chart) {
  const { spec, stage, svg, columns } = chart,
    stateOf = panel => [isShown(chart, panel), isCompared(chart, panel), stage.scope[panel.leading]],
    laid = [chart.room(), rem(), ...spec.panels.map(stateOf)].join();
  if (laid === chart.laid) return;
  chart.laid = laid;
  chart.at = measure(chart);
  const { u, pitch, head, slanted, height } = chart.at,
    size = [chart.at.width, height].map(length => length.toFixed(1));
  place(svg, { viewBox: `0 0 ${size.join(' ')}` });
  Object.assign(svg.style, { width: `${size[0]}px`, height: `${size[1]}px` });
  drawFrame(chart);
  columns.forEach((column, j) => {
    const x = chart.at.x(j),
      y = head - 18 * u;
    place(column.lane, { x: x - pitch / 2 + 1, y: 1, width: pitch - 2, height: height - 2 });
    column.head.style.textAnchor = slanted ? 'start' : 'middle';
    place(column.head, { x: slanted ? x - 3 : x, y, transform: slanted ? `rotate(-38 ${x} ${y})` : 'rotate(0)' });
    place(column.asks, { x, y: head - 3 * u });
    for (const item of column.items) placeNumbers(chart, item, x);
  });
}

// Numbers of a panel's lines stand below its bars.
function placeNumbers(chart, { panel, numbers, group }, x) {
  const { scales, u } = chart.at,
    scale = scales.get(panel);
  group.style.display = scale ? '' : 'none';
  if (!scale || !panel.lines) return;
  const seen = linesShown(chart, panel);
  for (const { line, text } of numbers) {
    const k = seen.indexOf(line);
    text.style.display = k < 0 ? 'none' : '';
    place(text, { x, y: scale.bottom + (17 + 20 * Math.max(0, k)) * u });
  }
}

// Names of the panels, their scales, and what each line of numbers says.
function drawFrame(chart) {
  const { frame, at } = chart,
    { u, gutter, width } = at,
    narrow = gutter < 84 * u,
    draw = (tag, attributes, parent = frame) => make('svg', tag, attributes, parent);
  frame.replaceChildren();
  chart.subs = [];
  chart.sides = [];
  for (const [panel, scale] of at.scales) {
    const { top, bottom, high } = scale,
      lifted = narrow ? 14 * u : 0, // there the highest tick is as far left as the text ends
      title = draw('text', { class: 'title', x: 0, y: top - 6 * u - lifted });
    title.append(panel.title);
    if (panel.sub) chart.subs.push({ panel, text: draw('text', { class: 'sub', x: 0, y: top + 9 * u - lifted }) });
    if (panel.step)
      draw('text', { class: 'step', x: (gutter + width) / 2, y: top - (HEADROOM + 6) * u, text: panel.step });
    if (panel.raised) draw('tspan', { class: 'raised', dy: -6 * u, text: panel.raised }, title);
    for (const tick of high === panel.range[1] ? panel.ticks : [0, high / 2, high]) {
      const y = heightOf(scale, tick),
        text = panel.form === 'share' ? formatPercent(100 * tick) : formatNumber(tick);
      draw('line', { class: tick ? 'grid-line' : 'axis', x1: gutter, x2: width - 2, y1: y, y2: y });
      draw('text', { class: 'tick', x: gutter - 7, y: y + 4 * u, 'text-anchor': 'end', text });
    }
    linesShown(chart, panel).forEach((line, k, seen) => {
      const alone = seen.length === 1 && line === panel.lines[0], // what goes without saying
        text = [alone ? '' : line.head, at.tight ? '%' : ''].filter(Boolean).join(', '),
        attributes = { class: narrow ? 'side narrow' : 'side', x: 0, y: bottom + (17 + 20 * k) * u, text };
      chart.sides.push({ panel, line, text: draw('text', attributes) });
    });
  }
}

// Powers of e outgrow every scale: theirs grows with them, and the numbers beside it.
function rescale(chart, scope) {
  let changed = false;
  for (const [panel, scale] of chart.at.scales) {
    if (panel.form !== 'power') continue;
    const sizes = chart.stage.resultsHidden ? [] : find(scope, panel.of)[0].map(x => shownSize(panel.form, x)),
      high = topFor(sizes, panel.range[1]);
    changed ||= scale.high !== high;
    scale.high = high;
  }
  if (changed) drawFrame(chart);
}

// The name of a live number.
const called = ({ spec, names }, { what, suffix = '' }, scope, j) =>
  `${what} ${find(scope, [spec.names, [spec.focus]])} ${names[j]}${suffix}`;

function paintItem(chart, item, scope) {
  const { spec, stage, at } = chart,
    { panel, j, group, numbers } = item,
    scale = at.scales.get(panel),
    value = find(scope, panel.of)[0][j];
  if (!scale) {
    show(numbers[0].text, value, called(chart, panel, scope, j), { form: forms[panel.form] });
    return;
  }
  const hidden = panel.result && stage.resultsHidden,
    size = shownSize(panel.form, value),
    closed = panel.pull && find(scope, panel.counted)?.[0][j] === -Infinity,
    values = numbers.map(({ line }) => find(scope, line.of)[0][j]),
    other = panel.ghost ? find(scope, panel.ghost)[0][j] : null;
  const state = classes(
    'column',
    panel.pull ? 'score' : panel.form,
    j === scope[spec.other] && 'other',
    size < 0 && 'negative',
    closed && 'closed',
    group.classList.contains('focused') && 'focused',
  );
  const drawn = [state, value, other, hidden, scale.high, ...values, scope[panel.leading], scope[spec.focus]].join();
  if (item.drawn === drawn && item.at === at) return;
  Object.assign(item, { drawn, at });
  putClass(group, state);
  const x = at.x(j),
    tip = heightOf(scale, Number.isNaN(size) ? 0 : size);
  drawBar(chart, item, scale, { x, size, other, tip, hidden });
  if (item.knob) drawKnob(chart, item, { x, size, tip });
  numbers.forEach(({ line, text }, k) => {
    const form = (at.tight ? narrowForms : forms)[panel.form],
      y = size < 0 ? tip + (item.knob ? 20 : 14) * at.u : tip - (item.knob ? 10 : 4) * at.u;
    show(text, values[k], called(chart, line, scope, j), { hidden, form });
    if (panel.lines) text.classList.toggle('leading', k === scope[panel.leading]);
    else place(text, { x: x.toFixed(1), y: y.toFixed(1) });
  });
}

// A bar, its outline before, and a mark where it goes on beyond the picture.
function drawBar(chart, { panel, bar, ghost, cut }, scale, { x, size, other, tip, hidden }) {
  const { u, half } = chart.at,
    zero = heightOf(scale, 0),
    reach = (rect, to, wide) => stand(rect, x, wide, Math.min(zero, to), Math.abs(zero - to).toFixed(2));
  reach(bar, hidden ? zero : tip, half);
  if (ghost) {
    ghost.style.display = hidden || !isCompared(chart, panel) || Math.abs(other - size) < 1e-9 ? 'none' : '';
    reach(ghost, heightOf(scale, other), half + 2 * u);
  }
  const beyond = size > scale.high || size < scale.low,
    mark = tip + (size < 0 ? -1 : 1) * 13 * u,
    point = (px, py) => `${px.toFixed(1)} ${py.toFixed(1)}`,
    stroke = y => `M${point(x - half - 3, y + 3 * u)} L${point(x + half + 3, y - 3 * u)}`;
  cut.setAttribute('d', beyond && !hidden ? `${stroke(mark)} ${stroke(mark + 5 * u)}` : '');
}

function drawKnob({ at: { u, half, pitch } }, { panel, knob, hit, handle }, { x, size, tip }) {
  stand(knob, x, half + 4 * u, tip - 5 * u, 10 * u);
  stand(hit, x, Math.min(pitch / 2, half + 14 * u), tip - REACH * u, 2 * REACH * u);
  describe(hit, handle);
  if (Number.isNaN(size)) hit.setAttribute('aria-valuetext', `${handle.name}: ${panel.unknown}`);
}

// Places a rectangle around x, as wide to either side.
const stand = (rect, x, wide, y, height) =>
  place(rect, { x: (x - wide).toFixed(1), width: (2 * wide).toFixed(1), y: y.toFixed(2), height });
