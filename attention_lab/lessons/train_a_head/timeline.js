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
  TALL = 8.6, // rem
  LOW = 7.3, // on a projector: what the head then attends to is seen below it
  SIDE = 2.6,
  LEAST = 1.3,
  OVER = 2.4; // how many times the chance level the picture reaches: so high, or higher where a run begins higher

// spec: { title, of: the name of the pose's step, moves: the name of the hand's moves, counted_moves: the path of
//         those that the run has been trained with, runs: [{ run, at, loss, accuracy, attention: paths; name, end }],
//         learned_at: the path of the step from which the first run has learned; chance,
//         words: { play, pause, back, on, first, slider, at, loss, accuracy, attention, learned, not_yet, step,
//         chance } }
export function timeline(host, spec, stage) {
  const box = make(null, 'div', { class: 'timeline', role: 'group', 'aria-label': spec.title }, host),
    { words } = spec;
  const line = make(null, 'div', { class: 'player' }, box),
    row = make(null, 'div', { class: 'keys' }, line);
  const readings = make(null, 'div', { class: 'readings' }, line),
    oneRun = spec.runs.length === 1,
    group = oneRun ? make(null, 'span', { class: 'group' }) : null, // they wrap together
    reading = (name, end) => {
      const among = oneRun && (name === 'attention' || name === 'learned') ? group : readings,
        item = make(null, 'span', { class: `reading ${name}${end}` }, among);
      make(null, 'i', { text: words[name] }, item);
      return make(null, 'b', {}, item);
    };
  const ofStep = reading('step', '');
  const measures = spec.runs.map(({ end, name }) => {
    if (!oneRun) make(null, 'span', { class: `run-name run${end}`, text: name }, readings);
    return Object.fromEntries(['loss', 'accuracy', 'attention'].map(what => [what, reading(what, end)]));
  });
  const learned = oneRun ? reading('learned', '') : null;
  if (group) readings.append(group);
  const svg = make('svg', 'svg', { class: 'losses', 'aria-hidden': 'true' }, box);
  const room = roomIn(box, stage);
  let drawn = null,
    at = null,
    lines = [],
    head = null;

  // How good a head is that a hand has just changed, Python has to count.
  const uncounted = () => asCounted(stage.pose[spec.moves]) !== asCounted(find(stage.scope, spec.counted_moves));

  const runs = scope => spec.runs.map(({ run }) => find(scope, run));
  const last = scope => Math.max(...runs(scope).map(({ steps }) => steps.at(-1)));
  const allSteps = scope => [...new Set(runs(scope).flatMap(({ steps }) => steps))].sort((a, b) => a - b);
  const shown = () => Math.min(stage.pose[spec.of], last(stage.scope));
  const put = step => {
    stage.pose[spec.of] = Math.round(Math.max(0, Math.min(last(stage.scope), step)));
    stage.requestPaint();
  };
  const go = by => {
    const steps = allSteps(stage.scope),
      here = steps.findLastIndex(step => step <= shown());
    put(steps[Math.max(0, Math.min(steps.length - 1, here + by))]);
  };

  const keys = player(row, stage, words, {
    at: shown,
    last: () => last(stage.scope),
    put,
    go,
    far: 10,
    run: halt => {
      let clock = performance.now(),
        reached = shown();
      const turn = now => {
        if (!keys.playing()) return;
        const end = last(stage.scope),
          length = Math.min(SLOWEST, Math.max(FASTEST, A_STEP * end));
        reached = Math.min(end, reached + (Math.max(0, now - clock) / length) * end);
        clock = now;
        if (Math.floor(reached) !== shown()) put(Math.floor(reached));
        if (reached >= end) halt();
        else requestAnimationFrame(turn);
      };
      requestAnimationFrame(turn);
    },
  });
  const range = keys.range(box, box, { 'data-scrubber': spec.of, 'data-handle': spec.of });
  range.classList.add('along');

  // Scrubbing: along the picture, by the range below it, by keys.
  const under = event => {
    const { left, width } = svg.getBoundingClientRect(),
      side = SIDE * rem();
    put((last(stage.scope) * (event.clientX - left - side)) / Math.max(1, width - 2 * side));
  };
  svg.addEventListener('pointerdown', event => {
    if (event.button || stage.resultsHidden) return;
    svg.setPointerCapture(event.pointerId);
    holdPointer(stage, svg, event, { move: under });
    under(event);
    event.preventDefault();
  });
  function draw(scope) {
    const unit = rem(),
      tall = (projected() ? LOW : TALL) * unit,
      side = SIDE * unit,
      end = last(scope),
      begun = Math.max(...runs(scope).map(({ loss }) => loss[0])),
      top = Math.min(OVER * spec.chance, Math.max(LEAST * spec.chance, 1.08 * begun));
    at = {
      x: step => side + ((room() - 2 * side) * step) / Math.max(1, end),
      y: loss => 0.5 * unit + (tall - 1.7 * unit) * (1 - Math.min(loss, top * 1.04) / top),
    };
    svg.replaceChildren();
    place(svg, { viewBox: `0 0 ${room()} ${tall.toFixed(1)}` });
    svg.style.height = `${tall.toFixed(1)}px`;
    const line = (x1, y1, x2, y2, kind) => make('svg', 'line', { x1, y1, x2, y2, class: kind }, svg);
    const text = (x, y, kind, said) => make('svg', 'text', { x, y, class: kind, text: said }, svg);
    const right = room() - side; // where a run ends, also one of which only the beginning is known
    line(at.x(0), at.y(0), right, at.y(0), 'ground');
    line(at.x(0), at.y(spec.chance), right, at.y(spec.chance), 'chance');
    text(right, at.y(spec.chance) - 0.35 * unit, 'chance-name', words.chance);
    const beside = at.x(0) - 0.4 * unit;
    text(beside, at.y(spec.chance) + 0.3 * unit, 'level', formatNumber(Number(spec.chance.toPrecision(2))));
    text(beside, at.y(0) + 0.3 * unit, 'level', '0');
    const name = text(beside, at.y(top) + 0.15 * unit, 'level name', words.loss);
    name.classList.toggle('long', name.getBBox().x < 0);
    if (name.matches('.long')) place(name, { x: 0 });
    const beyond = Math.max(...runs(scope).flatMap(({ loss }) => [...loss].filter(Number.isFinite)));
    if (beyond > top * 1.04)
      text(at.x(end) - 3.5 * unit, at.y(top) + 0.85 * unit, 'beyond', `↑ ${formatNumber(beyond)}`);
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find(n => (room() * n) / Math.max(1, end) > 4 * unit) ?? 1000;
    for (let step = 0; step <= end; step += every) text(at.x(step), tall - 0.15 * unit, 'count', String(step));
    lines = spec.runs.map(({ end: which }) => ({
      ahead: make('svg', 'path', { class: `ahead run${which}` }, svg),
      area: make('svg', 'path', { class: `area run${which}` }, svg),
      past: make('svg', 'path', { class: `past run${which}` }, svg),
      dot: make('svg', 'circle', { class: `dot run${which}`, r: 0.32 * unit }, svg),
    }));
    head = line(0, at.y(top), 0, at.y(0), 'head-line');
    runs(scope).forEach(({ steps, loss }, i) => {
      if (steps.length > 1) lines[i].ahead.setAttribute('d', curve(steps, loss, steps.length));
    });
    for (const [step] of stage.pose[spec.moves] ?? [])
      make('svg', 'circle', { class: 'by-hand', cx: at.x(step), cy: at.y(0), r: 0.28 * unit }, svg);
  }
  const curve = (steps, loss, count) =>
    steps
      .slice(0, count)
      .map((step, i) => `${i ? 'L' : 'M'}${at.x(step).toFixed(1)} ${at.y(loss[i]).toFixed(1)}`)
      .join(' ');

  return scope => {
    const end = last(scope),
      step = Math.min(scope[spec.of], end),
      signature = [room(), rem(), JSON.stringify(stage.pose[spec.moves])];
    if (room() && (!drawn || signature.join() !== drawn.join() || runs(scope).some((run, i) => run !== at.runs[i]))) {
      draw(scope);
      drawn = signature;
      at.runs = runs(scope);
    }
    show(ofStep, step, 'step', { hidden: stage.resultsHidden, form: x => String(x) });
    spec.runs.forEach((run, i) => {
      const endOf = run.end && ` ${run.end.slice(1)}`;
      const hidden = stage.resultsHidden || (!run.end && uncounted() && '…');
      show(measures[i].loss, find(scope, run.loss), `loss${endOf}`, { hidden });
      for (const what of ['accuracy', 'attention'])
        show(measures[i][what], find(scope, run[what]), `${what}${endOf}`, { hidden, form: formatShare });
      if (!at) return;
      const { steps, loss } = find(scope, run.run),
        here = find(scope, run.snapshot),
        past = curve(steps, loss, here + 1);
      lines[i].past.setAttribute('d', past);
      lines[i].area.setAttribute('d', `${past} L${at.x(steps[here]).toFixed(1)} ${at.y(0)} L${at.x(0)} ${at.y(0)} Z`);
      place(lines[i].dot, { cx: at.x(steps[here]), cy: at.y(loss[here]) });
      lines[i].dot.style.display = stage.resultsHidden ? 'none' : '';
    });
    if (learned)
      show(learned, find(scope, spec.learned_at), 'learned at', {
        hidden: stage.resultsHidden || (uncounted() && '…'),
        form: x => (Number.isFinite(x) ? String(x) : words.not_yet),
      });
    if (head) place(head, { x1: at.x(step), x2: at.x(step) });
    range.disabled = stage.resultsHidden;
    keys.show(range, step, end, `${spec.of}: ${words.step} ${steady(step)}`);
  };
}

// Where the numbers of a run come from, and how it ended. It is below the handles, because a text that grows longer
// must not push them away. spec: { of: the name of the pose's step, last: the last step, text }
export function run_line(host, spec, stage) {
  const line = make(null, 'p', { class: 'told-of-run' }, host);
  return scope => {
    write(line, stage.resultsHidden ? '' : filled(spec.text, { step: Math.min(scope[spec.of], spec.last) }));
  };
}
