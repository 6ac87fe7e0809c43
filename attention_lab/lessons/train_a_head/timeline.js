// A run from its first step to its last: play, step and scrub; the loss with the chance level. Everything that is
// shown of a step follows from the pose's `step`, in the browser alone.
import { find } from '../../figure/browser/calculation.js';
import { make, place, projected, rem, roomIn, write } from '../../figure/browser/elements.js';
import { formatNumber, filled, formatShare, show, steady } from '../../figure/browser/number_format.js';
import { player } from '../../figure/browser/player.js';
import { holdPointer } from '../../figure/browser/pointer_hold.js';

// Moves as one text: the address rounds what a hand does.
const asCounted = moves => JSON.stringify((moves ?? []).map(move => move.map(part => part.toFixed(6))).sort());

const SLOWEST = 14_000,
  FASTEST = 4000,
  A_STEP = 110, // ms that play gives to a step, within these bounds for the whole run
  TALL = [9.6, 18], // rem, of one run: a picture of the width that there is
  WIDE = 0.5, // of the width
  LOW = 6.3, // on a projector: what the head then attends to is seen below it
  SIDE = 2.6, // rem before the first step
  END = 0.8, // and after the last one
  LEAST = 1.3,
  OVER = 2.4; // how many times the chance level the picture reaches: so high, or higher where a run begins higher

// spec: { title, of: the name of the pose's step, moves: the name of the hand's moves, counted_moves: the path of
//         those that the run has been trained with, runs: [{ run, at, loss, accuracy, attention: paths; name, end }],
//         learned_at: the path of the step from which the first run has learned; chance,
//         words: { play, pause, back, on, first, slider, at, loss, accuracy, attention, learned, not_yet, step,
//         chance } }
export function timeline(host, spec, stage) {
  const box = make(null, 'div', { class: 'timeline', role: 'group', 'aria-label': spec.title }, host),
    paintReadings = makeReadings(spec, stage, box),
    svg = make('svg', 'svg', { class: 'losses', 'aria-hidden': 'true' }, box),
    line = make(null, 'div', { class: 'player' }, box),
    row = make(null, 'div', { class: 'keys' }, line),
    chart = { spec, stage, svg, room: roomIn(box, stage) }; // what every function below gets
  const keys = player(row, stage, spec.words, {
    at: () => shown(chart),
    last: () => last(chart),
    put: step => put(chart, step),
    go: by => {
      const steps = [...new Set(runs(chart).flatMap(({ steps }) => steps))].sort((a, b) => a - b),
        here = steps.findLastIndex(step => step <= shown(chart));
      put(chart, steps[Math.max(0, Math.min(steps.length - 1, here + by))]);
    },
    far: 10,
    run: halt => play(chart, keys, halt),
  });
  const range = keys.range(line, box, { 'data-scrubber': spec.of, 'data-handle': spec.of });
  svg.addEventListener('pointerdown', event => scrub(chart, event));
  let drawn = [], // what, once it is another, has all drawn anew
    picture = null;
  return scope => {
    const end = last(chart, scope),
      step = Math.min(scope[spec.of], end),
      now = [chart.room(), rem(), JSON.stringify(stage.pose[spec.moves]), ...runs(chart, scope)];
    if (now[0] && now.some((part, k) => part !== drawn[k])) {
      drawn = now;
      picture = draw(chart, scope);
    }
    paintReadings(scope, step);
    if (picture) paintLines(chart, picture, scope, step);
    range.disabled = stage.resultsHidden;
    keys.show(range, step, end, `${spec.of}: ${spec.words.step} ${steady(step)}`);
  };
}

// The numbers above the picture. Returns what paints them.
function makeReadings(spec, stage, box) {
  const readings = make(null, 'div', { class: 'readings' }, box),
    oneRun = spec.runs.length === 1;
  const reading = (name, end = '') => {
    const item = make(null, 'span', { class: `reading ${name}${end}` }, readings);
    make(null, 'i', { text: spec.words[name] }, item);
    return make(null, 'b', {}, item);
  };
  const ofStep = reading('step');
  const measures = spec.runs.map(({ end, name }) => {
    if (!oneRun) make(null, 'span', { class: `run-name run${end}`, text: name }, readings);
    return ['loss', 'accuracy', 'attention'].map(what => [what, reading(what, end), what !== 'loss' && formatShare]);
  });
  const learned = oneRun ? reading('learned') : null;
  return (scope, step) => {
    // How good a head is that a hand has just changed, Python has to count.
    const isCounted = asCounted(stage.pose[spec.moves]) === asCounted(find(scope, spec.counted_moves)),
      hidden = stage.resultsHidden || (!isCounted && '…'),
      form = x => (Number.isFinite(x) ? String(x) : spec.words.not_yet);
    show(ofStep, step, 'step', { hidden: stage.resultsHidden, form });
    spec.runs.forEach(({ end, ...run }, i) => {
      for (const [what, number, form] of measures[i])
        show(number, find(scope, run[what]), `${what}${end && ` ${end.slice(1)}`}`, {
          hidden: end ? stage.resultsHidden : hidden,
          form: form || undefined,
        });
    });
    if (learned) show(learned, find(scope, spec.learned_at), 'learned at', { hidden, form });
  };
}

// The runs, their last step, and the step that is shown.
const runs = ({ spec, stage }, scope = stage.scope) => spec.runs.map(({ run }) => find(scope, run));
const last = (chart, scope) => Math.max(...runs(chart, scope).map(({ steps }) => steps.at(-1)));
const shown = chart => Math.min(chart.stage.pose[chart.spec.of], last(chart));
function put(chart, step) {
  chart.stage.pose[chart.spec.of] = Math.round(Math.max(0, Math.min(last(chart), step)));
  chart.stage.requestPaint();
}

function play(chart, keys, halt) {
  let clock = performance.now(),
    reached = shown(chart);
  const turn = now => {
    if (!keys.playing()) return;
    const end = last(chart),
      length = Math.min(SLOWEST, Math.max(FASTEST, A_STEP * end));
    reached = Math.min(end, reached + (Math.max(0, now - clock) / length) * end);
    clock = now;
    if (Math.floor(reached) !== shown(chart)) put(chart, Math.floor(reached));
    if (reached >= end) halt();
    else requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
}

// Scrubbing: along the picture, by the range below it, by keys.
function scrub(chart, event) {
  const { stage, svg } = chart;
  if (event.button || stage.resultsHidden) return;
  const move = ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect(),
      [side, past] = [SIDE * rem(), END * rem()];
    put(chart, (last(chart) * (clientX - left - side)) / Math.max(1, width - side - past));
  };
  svg.setPointerCapture(event.pointerId);
  holdPointer(stage, svg, event, { move });
  move(event);
  event.preventDefault();
}

// In rem: of one run as high as suits its width.
function height({ spec, room }) {
  if (projected()) return LOW;
  const [low, high] = TALL;
  return spec.runs.length > 1 ? low : Math.max(low, Math.min(high, (WIDE * room()) / rem()));
}

function draw(chart, scope) {
  const { spec, stage, svg, room } = chart,
    unit = rem(),
    tall = height(chart) * unit,
    side = SIDE * unit,
    end = last(chart, scope),
    right = room() - END * unit, // where a run ends, also one of which only the beginning is known
    losses = runs(chart, scope).map(({ loss }) => [...loss]),
    begun = Math.max(...losses.map(([first]) => first)),
    top = Math.min(OVER * spec.chance, Math.max(LEAST * spec.chance, 1.08 * begun)),
    beyond = Math.max(...losses.flat().filter(Number.isFinite));
  const x = step => side + ((right - side) * step) / Math.max(1, end),
    y = loss => 0.5 * unit + (tall - 1.7 * unit) * (1 - Math.min(loss, top * 1.04) / top),
    line = (x1, y1, x2, y2, kind) => make('svg', 'line', { x1, y1, x2, y2, class: kind }, svg),
    text = (x, y, kind, said) => make('svg', 'text', { x, y, class: kind, text: said }, svg);
  svg.replaceChildren();
  place(svg, { viewBox: `0 0 ${room()} ${tall.toFixed(1)}` });
  svg.style.height = `${tall.toFixed(1)}px`;
  line(x(0), y(0), right, y(0), 'ground');
  line(x(0), y(spec.chance), right, y(spec.chance), 'chance');
  text(right - 0.4 * unit, y(spec.chance) - 0.35 * unit, 'chance-name', spec.words.chance);
  const beside = x(0) - 0.75 * unit; // clear of the dot
  text(beside, y(spec.chance) + 0.3 * unit, 'level', formatNumber(Number(spec.chance.toPrecision(2))));
  text(beside, y(0) + 0.3 * unit, 'level', '0');
  const name = text(beside, y(top) + 0.15 * unit, 'level name', spec.words.loss);
  if (name.getBBox().x < 0) place(name, { x: 0, class: 'level name long' });
  if (beyond > top * 1.04) text(x(end) - 3.5 * unit, y(top) + 0.85 * unit, 'beyond', `↑ ${formatNumber(beyond)}`);
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find(n => (room() * n) / Math.max(1, end) > 4 * unit) ?? 1000;
  for (let step = 0; step <= end; step += every) text(x(step), tall - 0.15 * unit, 'count', String(step));
  const lines = spec.runs.map(({ end: which }) => ({
    ahead: make('svg', 'path', { class: `ahead run${which}` }, svg),
    area: make('svg', 'path', { class: `area run${which}` }, svg),
    past: make('svg', 'path', { class: `past run${which}` }, svg),
    dot: make('svg', 'circle', { class: `dot run${which}`, r: 0.32 * unit }, svg),
  }));
  const head = line(0, y(top), 0, y(0), 'head-line');
  runs(chart, scope).forEach(({ steps, loss }, i) => {
    if (steps.length > 1) lines[i].ahead.setAttribute('d', curve({ x, y }, steps, loss));
  });
  for (const [step] of stage.pose[spec.moves] ?? [])
    make('svg', 'circle', { class: 'by-hand', cx: x(step), cy: y(0), r: 0.28 * unit }, svg);
  return { x, y, lines, head };
}

const curve = ({ x, y }, steps, loss) =>
  steps.map((step, i) => `${i ? 'L' : 'M'}${x(step).toFixed(1)} ${y(loss[i]).toFixed(1)}`).join(' ');

function paintLines({ spec, stage }, picture, scope, step) {
  const { x, y, lines, head } = picture;
  spec.runs.forEach(({ run, snapshot }, i) => {
    const { steps, loss } = find(scope, run),
      here = find(scope, snapshot),
      past = curve(picture, steps.slice(0, here + 1), loss);
    lines[i].past.setAttribute('d', past);
    lines[i].area.setAttribute('d', `${past} L${x(steps[here]).toFixed(1)} ${y(0)} L${x(0)} ${y(0)} Z`);
    place(lines[i].dot, { cx: x(steps[here]), cy: y(loss[here]) });
    lines[i].dot.style.display = stage.resultsHidden ? 'none' : '';
  });
  place(head, { x1: x(step), x2: x(step) });
}

// Where the numbers of a run come from, and how it ended. It is below the handles, because a text that grows longer
// must not push them away. spec: { of: the name of the pose's step, last: the last step, text }
export function run_line(host, spec, stage) {
  const line = make(null, 'p', { class: 'told-of-run' }, host);
  return scope => {
    write(line, stage.resultsHidden ? '' : filled(spec.text, { step: Math.min(scope[spec.of], spec.last) }));
  };
}
