// One word's way through the calculation: the graph of its operations with the current box lit, a scrubber, and
// play. A calculation of two layers has the same boxes twice.
import { filled } from '../../figure/browser/number_format.js';
import { fitted, make, place, putText, rem, roomIn, unitFor } from '../../figure/browser/elements.js';
import { runSteps } from '../../figure/browser/play_clock.js';
import { player } from '../../figure/browser/player.js';

const CALM = 2600; // ms that play stays with a step

// The layer shown, of those that `spec.layers` holds for one layer or for two; and how far along the whole way.
export function layerShown(spec, scope) {
  const layers = spec.layers[Math.min(scope.layers, spec.layers.length - 1)];
  const which = layers.length > 1 ? scope.layer : 0;
  return { layers, which, layer: layers[which] };
}

// spec: { title, steps: [{ name, label, sign, text, reads, makes }], layers: [[layer], [layer, layer]],
//         seen: the name of how many steps of a layer were seen of this word,
//         words: { play, pause, back, on, slider, at, reads, makes,
//         and for a layer that adds nothing replaced: { text, sign, reads, makes } } }
export function stepper(host, spec, stage) {
  const box = make(null, 'div', { class: 'stepper', role: 'group', 'aria-label': spec.title }, host),
    row = make(null, 'div', { class: 'scrub' }, box);
  // What every function below gets as its `way`.
  const way = {
    spec,
    stage,
    row,
    svg: null,
    room: null,
    graph: [], // the elements of each layer
    drawn: null, // what, once it is another, has the graph drawn anew
    shown: { about: null, steps: new Set() },
  };
  way.keys = stepKeys(way, row);
  const range = way.keys.range(row, row, { 'data-scrubber': 'step', 'data-cell': 'step' }),
    graph = make(null, 'div', { class: 'graph' }, row),
    tell = telling(box, spec);
  way.svg = make('svg', 'svg', { class: 'way-of-a-word', 'aria-hidden': 'true' }, graph);
  way.room = roomIn(graph, stage);
  return scope => {
    const { layers, which } = layerShown(spec, scope),
      all = layers.length * spec.steps.length,
      at = which * spec.steps.length + scope.step;
    const about = [stage.renewals, scope.word, scope.layers].join();
    if (about !== way.shown.about) way.shown = { about, steps: new Set() };
    way.shown.steps.add(at);
    // of the steps of a layer: those that were shown in every layer
    scope[spec.seen] = spec.steps.filter((_, k) =>
      layers.every((_, l) => way.shown.steps.has(l * spec.steps.length + k)),
    ).length;
    const signature = JSON.stringify([way.room(), rem(), layers]);
    if (way.room() && signature !== way.drawn) {
      draw(way, layers);
      way.drawn = signature;
    }
    paintGraph(way, at);
    way.keys.show(range, at, all - 1, filled(spec.words.at, { step: at + 1, all, name: spec.steps[scope.step].label }));
    tell(scope);
  };
}

// What is said of a step: its name, what it does, what it reads and what it makes.
function telling(box, spec) {
  const host = make(null, 'div', { class: 'telling', 'data-spoken': '' }, box),
    line = make(null, 'p', {}, host),
    parts = { name: make(null, 'b', {}, line), text: make(null, 'span', {}, line) },
    made = make(null, 'p', { class: 'made-of' }, host);
  for (const kind of ['reads', 'makes']) {
    const part = make(null, 'span', { class: kind }, made);
    make(null, 'i', { text: spec.words[kind] }, part);
    parts[kind] = make(null, 'span', {}, part);
  }
  return scope => {
    const { layers, layer } = layerShown(spec, scope),
      step = spec.steps[scope.step],
      { text, reads, makes } = scope.step === 6 && !layer.delta ? spec.words.replaced : step,
      name = `${layers.length > 1 ? `${layer.name} · ` : ''}${scope.step + 1} · ${step.label}`;
    for (const [kind, said] of Object.entries({ name, text, reads, makes })) putText(parts[kind], said);
  };
}

function stepKeys(way, row) {
  const { spec, stage } = way,
    { length } = spec.steps,
    last = () => layerShown(spec, stage.pose).layers.length * length - 1,
    at = () => layerShown(spec, stage.pose).which * length + stage.pose.step;
  way.put = to => {
    const goal = Math.max(0, Math.min(last(), to));
    stage.pose.step = goal % length;
    if (last() >= length) stage.pose.layer = Math.floor(goal / length);
    stage.requestPaint();
  };
  // A hand is quicker than the screen.
  const scrub = to => {
    const from = at();
    way.put(to);
    for (let i = Math.min(from, at()); i <= Math.max(from, at()); i++) way.shown.steps.add(i);
  };
  const run = halt =>
    runSteps(CALM, way.keys.playing, () => {
      way.put(at() + 1);
      if (at() >= last()) halt();
    });
  return player(row, stage, spec.words, { at, last, put: way.put, scrub, go: by => scrub(at() + by), run });
}

function draw(way, layers) {
  const unit = unitFor(0.75),
    narrow = way.room() < 34 * rem(),
    left = layers.length > 1 && !narrow ? 58 * unit : 0,
    pitch = (way.room() - left) / way.spec.steps.length,
    wide = pitch - (narrow || unit > 1.2 ? 7 : 15) * unit, // a projector's large letters need the room
    tall = (narrow ? 34 : 46) * unit,
    arc = 15 * unit,
    level = tall + 2 * arc + (layers.length > 1 ? 14 : 6) * unit,
    height = (layers.length * level).toFixed(1),
    x = i => left + i * pitch + (pitch - wide) / 2;
  way.svg.replaceChildren();
  place(way.svg, { viewBox: `0 0 ${way.room()} ${height}` });
  way.svg.style.height = `${height}px`;
  // Of one layer, the slider stands at each step above its box.
  way.row.style.setProperty('--first', layers.length > 1 ? '0px' : `${(pitch / 2).toFixed(1)}px`);
  const at = { unit, narrow, left, pitch, wide, tall, arc, level, x, centre: i => x(i) + wide / 2 };
  way.graph = layers.map((layer, l) => ({ ...drawFlows(way, layer, l, at), boxes: drawBoxes(way, layer, l, at) }));
}

const topOf = (l, { level, arc, unit }) => l * level + arc + 3 * unit;

// The arrows of a layer, along its steps and over some of them.
function drawFlows({ spec, svg }, layer, l, at) {
  const { unit, left, pitch, wide, arc, x, centre } = at,
    [top, bend] = [topOf(l, at), arc * 0.45],
    [middle, bottom] = [top + at.tall / 2, top + at.tall];
  const path = (d, kind) => make('svg', 'path', { d, class: `flow ${kind}` }, svg),
    write = (text, x, y, kind) => make('svg', 'text', { x, y, class: kind, text }, svg);
  const over = (from, to, y, up, kind) =>
    path(
      `M${centre(from)} ${y} v${up * arc * 0.55} q0 ${up * bend} ${bend} ${up * bend} ` +
        `H${centre(to) - bend} q${bend} 0 ${bend} ${-up * bend} V${y + up}`,
      kind,
    );
  if (left) write(layer.name, 0, middle + 4 * unit, 'layer-name');
  const on = i => path(`M${x(i) + wide} ${middle} H${x(i + 1) - 1}`, i ? '' : 'query'),
    along = spec.steps.slice(1).map((_, i) => on(i)),
    value = over(0, 5, top, -1, 'value'),
    carried = layer.delta ? over(0, 6, bottom, 1, 'word') : null;
  if (l) {
    // what the layer before made comes in
    const gap = ((pitch - wide) / 2) * 0.6,
      out = `M${x(6) + wide} ${middle - at.level} h${gap} V${top - arc - 7 * unit}`;
    path(`${out} H${x(0) - gap} V${middle} H${x(0)}`, 'word between');
  }
  write('v', centre(2.5), top - arc + 4 * unit, 'flow-letter value');
  if (carried) write('x', centre(3), bottom + arc + 4 * unit, 'flow-letter word');
  return { along, value, carried };
}

function drawBoxes({ spec, svg, keys, put }, layer, l, at) {
  const { unit, narrow, wide, tall, x, centre } = at,
    top = topOf(l, at),
    middle = top + tall / 2;
  return spec.steps.map((step, i) => {
    const group = make('svg', 'g', { class: 'operation', 'data-step': step.name }, svg),
      sign = i === 6 && !layer.delta ? spec.words.replaced.sign : step.sign;
    make('svg', 'rect', { x: x(i), y: top, width: wide, height: tall, rx: 7 * unit }, group);
    const write = (text, y, kind, part) => {
      const size = fitted(part, (1.9 * wide) / text.length);
      make('svg', 'text', { x: centre(i), y, class: kind, 'font-size': size, text }, group);
    };
    // The word stands above its formula; a box too small for words has the formula alone.
    if (!narrow) write(step.label, middle - 2 * unit, 'sign', 0.875);
    write(sign, middle + (narrow ? 4.5 : 14) * unit, narrow ? 'sign' : 'operation-name', 0.75);
    group.addEventListener('click', () => keys.halt(() => put(l * spec.steps.length + i)));
    return group;
  });
}

function paintGraph({ spec, graph }, at) {
  graph.forEach(({ boxes, along, value, carried }, l) => {
    const here = at - l * spec.steps.length,
      light = (element, step) => {
        element.classList.toggle('lit', step === here);
        element.classList.toggle('done', step < here);
      };
    boxes.forEach(light);
    along.forEach((flow, i) => light(flow, i + 1));
    light(value, 5);
    carried?.classList.toggle('lit', here === 6);
  });
}
