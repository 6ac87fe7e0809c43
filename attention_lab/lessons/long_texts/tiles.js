// Softmax in tiles: nine scores under the hand, and below each tile what is held once it has been read: the largest
// score, the sum, the context. While a tile is read, the sum before it shrinks by its factor first; then the tile adds
// its own part.
import { find } from '../../figure/browser/calculation.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import {
  badge,
  followWidth,
  make,
  makePicture,
  place,
  pointIn,
  projected,
  unitFor,
  write,
} from '../../figure/browser/elements.js';
import { filled, formatNumber, forms, show, steady } from '../../figure/browser/number_format.js';
import { player } from '../../figure/browser/player.js';
import { prefersReducedMotion } from '../../figure/browser/smoothing.js';

const HALF = 1500, // ms that play gives to the rescaling, and to what is added
  TALL = 140, // px of the highest score, where 1 rem is 16
  CLOSE = 0.76, // of the distance between rows, on a projector
  FULL = 4.5, // the sum that fills its bar, until one is larger
  REACH = 22, // px around a knob
  KEPT = 3, // numbers from tile to tile: m, ℓ and o
  HELD = ['m', 'factor', 'sum', 'output', 'context'];

const product = numbers => numbers.reduce((all, x) => all * x, 1);

// What a tile's sums are made of when so much of it has been read (0 to 1): each tile's part so far, rescaled.
function halfway({ factor: [factor], part: [part], total: [total], output: [output] }, k, read) {
  const rescaled = Math.min(1, 2 * read),
    added = Math.max(0, 2 * read - 1),
    shrunk = k ? factor[k] ** rescaled : 0;
  const parts = part.slice(0, k).map((own, j) => own * product(factor.slice(j + 1, k)) * shrunk);
  parts.push(part[k] * added);
  const before = k ? output[k - 1][0] : 0,
    own = output[k][0] - before * (k ? factor[k] : 0),
    sum = read < 1 ? parts.reduce((all, x) => all + x, 0) : total[k];
  const now = read < 1 ? before * shrunk + own * added : output[k][0];
  return { parts, sum, output: now, context: now / sum };
}

// spec: { title, badge, names of the keys, scores, values, tiles, plain, context, difference: paths, of: the pose's
//         number of tiles read, count, highest, words: { tile, play, pause, back, on, slider, at, rows …, status … } }
export function tiles(host, spec, stage) {
  const box = make(null, 'figure', { class: 'tiles' }, host),
    paintBadge = badge(box, spec.badge),
    { words, count } = spec;
  const line = make(null, 'div', { class: 'player' }, box),
    keys = playerOf(make(null, 'div', { class: 'keys' }, line), spec, stage),
    range = keys.range(line, line, { 'data-scrubber': spec.of, 'data-handle': spec.of, step: 0.01 }),
    status = make(null, 'p', { class: 'status', 'data-spoken': '' }, box);
  const svg = makePicture(box, spec.title);
  const [ground, body, hits] = ['ground', 'body', 'hits'].map(kind => make('svg', 'g', { class: kind }, svg)),
    picture = { svg, ground, body, hits, spec, stage };
  picture.columns = Array.from({ length: count }, (_, k) => column(picture, k));
  picture.bars = spec.names.map((name, j) => bar(picture, name, j));
  const [ofTiles, atOnce, difference] = results(make(null, 'figcaption', {}, box), spec);

  followWidth(box, room => {
    picture.at = measure(room, spec);
    layOut(picture, find(stage.scope, spec.values));
    stage.requestPaint();
  });
  return scope => {
    if (!picture.at) return;
    const passed = Math.max(0, Math.min(count, find(scope, spec.of))),
      steps = find(scope, spec.tiles),
      values = find(scope, spec.values).map(([value]) => value),
      hidden = stage.resultsHidden || (passed < count && '…');
    paintScores(picture, find(scope, spec.scores)[0], values, passed);
    paintHeld(picture, steps, values, passed);
    write(status, stage.resultsHidden ? '' : sentence(steps, passed, spec));
    show(ofTiles, find(scope, spec.context), 'context in tiles', { hidden });
    show(atOnce, find(scope, spec.plain), 'context at once', { hidden });
    show(difference, find(scope, spec.difference), 'difference', { hidden, form: forms.settled });
    range.disabled = stage.resultsHidden;
    keys.show(range, passed, count, `${spec.of}: ${words.read} ${steady(passed)}`);
    paintBadge(stage);
  };
}

// A tile: its frame, the bar of its sum, and the numbers that are held after it.
function column({ ground, body, spec }, k) {
  const shape = (tag, kind, more) => make('svg', tag, { class: kind, ...more }, body);
  return {
    frame: make('svg', 'rect', { class: 'frame', rx: 8 }, ground),
    name: shape('text', 'name', { text: filled(spec.words.tile, { n: k + 1 }) }),
    parts: Array.from({ length: k + 1 }, (_, j) => shape('rect', `chunk of${j}`)),
    before: k ? shape('rect', 'before', { rx: 3 }) : null,
    axis: shape('path', 'axis'),
    dot: shape('circle', 'dot'),
    ...Object.fromEntries(HELD.map(kind => [kind, shape('text', `number ${kind}`)])),
  };
}

// A key's score as a bar under the hand, with its value below it.
function bar(picture, name, j) {
  const { svg, body, hits, spec, stage } = picture,
    shape = (tag, kind) => make('svg', tag, { class: kind, ...(tag === 'rect' && { rx: 3 }) }, body),
    hit = make('svg', 'rect', { class: 'hit', 'aria-orientation': 'vertical' }, hits);
  const handle = {
    name,
    axes: [spec.words.score],
    ranges: [[0, spec.highest]],
    step: 0.5,
    read: () => [stage.pose.scores[0][j]],
    at: event => [((picture.at.bottom - pointIn(svg, event).y) * spec.highest) / picture.at.tall],
    move: ([score]) => {
      stage.pose.scores[0][j] = score;
    },
  };
  makeDraggable(hit, stage, handle);
  const [bar, knob] = ['bar', 'knob'].map(kind => shape('rect', kind)),
    [number, value] = ['number score', 'number value'].map(kind => shape('text', kind));
  return { bar, knob, number, value, hit, handle };
}

// How much is kept against the whole pattern, and what comes out both ways: returns where the three results stand.
function results(foot, { words, names }) {
  const line = kind => make(null, 'p', { class: kind }, foot),
    [counts, both] = ['counts', 'results'].map(line);
  for (const [name, n] of Object.entries({ held: KEPT, pattern: names.length })) {
    const group = make(null, 'span', {}, counts);
    make(null, 'i', { text: words[name] }, group);
    const row = make(null, 'span', { class: 'cells', 'aria-hidden': 'true' }, group);
    for (let k = 0; k < n; k++) make(null, 'u', {}, row);
    make(null, 'b', { text: n }, group);
  }
  return ['of_tiles', 'at_once', 'difference'].map(kind => {
    const group = make(null, 'span', {}, both);
    make(null, 'i', { text: words[kind] }, group);
    return make(null, 'b', {}, group);
  });
}

// Where everything stands, for the room there is.
function measure(room, { names, count }) {
  const u = unitFor(0.75),
    size = names.length / count,
    gutter = Math.min(104 * u, 0.2 * room),
    gap = Math.min(20 * u, 0.025 * room),
    wide = (room - gutter - (count - 1) * gap - 2) / count,
    tall = projected() ? 0.7 * TALL : TALL * u,
    bottom = 52 * u + tall,
    y = { value: 19, rule: 32, m: 56, factor: 82, bar: 95, sum: 133, output: 157, context: 186, axis: 196 };
  for (const name in y) y[name] = bottom + y[name] * u * (projected() ? CLOSE : 1);
  const left = k => gutter + k * (wide + gap),
    pitch = wide / size;
  const x = j => left(Math.floor(j / size)) + ((j % size) + 0.5) * pitch;
  return { room, u, y, size, wide, tall, bottom, pitch, left, x, height: y.axis + 26 * u };
}

function layOut({ svg, ground, columns, spec, at }, values) {
  const { u, y, wide, room, height } = at,
    text = (kind, x, y, text) => make('svg', 'text', { class: kind, x, y: y.toFixed(1), text }, ground),
    ends = [Math.min(...values.flat()), Math.max(...values.flat())];
  place(svg, { viewBox: `0 0 ${room} ${height.toFixed(1)}` });
  svg.style.height = `${height.toFixed(1)}px`;
  ground.replaceChildren(...columns.map(({ frame }) => frame));
  text('row-name', 0, at.bottom - 4 * u, spec.words.row_score);
  for (const kind of ['value', ...HELD]) text(`row-name ${kind}`, 0, y[kind], spec.words[`row_${kind}`]);
  columns.forEach(({ frame, name, axis, m, factor, sum, output }, k) => {
    const x = at.left(k);
    place(frame, { x, y: 1, width: wide, height: height - 2 });
    place(name, { x: x + wide / 2, y: 17 * u });
    make('svg', 'line', { class: 'rule', x1: x, x2: x + wide, y1: y.rule, y2: y.rule }, ground);
    for (const [kind, element] of Object.entries({ m, factor, sum, output }))
      place(element, { x: x + 10 * u, y: y[kind] });
    axis.setAttribute('d', `M${x + 12 * u} ${y.axis}H${x + wide - 12 * u}`);
    ends.forEach((value, end) =>
      text('tick', x + (end ? wide - 12 * u : 12 * u), y.axis + 18 * u, formatNumber(value)),
    );
  });
}

function paintScores({ bars, at, spec }, scores, values, passed) {
  const half = Math.min(17 * at.u, 0.3 * at.pitch);
  bars.forEach(({ bar, knob, number, value, hit, handle }, j) => {
    const x = at.x(j),
      top = at.bottom - (at.tall * scores[j]) / spec.highest;
    bar.classList.toggle('unread', j / at.size >= Math.ceil(passed));
    place(bar, { x: x - half, width: 2 * half, y: top, height: Math.max(0, at.bottom - top) });
    place(knob, { x: x - half - 2, width: 2 * half + 4, y: top - 5, height: 10 });
    place(number, { x, y: top - 11 * at.u });
    place(value, { x, y: at.y.value });
    place(hit, { x: x - half - 8, width: 2 * half + 16, y: top - REACH, height: 2 * REACH });
    show(number, scores[j], `score ${spec.names[j]}`);
    show(value, values[j], `value ${spec.names[j]}`);
    describe(hit, handle);
  });
}

function paintHeld({ columns, at, stage, spec }, steps, values, passed) {
  const full = Math.max(...steps.total[0]) <= FULL ? FULL : spec.names.length,
    [least, most] = [Math.min(...values), Math.max(...values)],
    { u, y, wide } = at,
    scale = (wide - 20 * u) / full,
    hidden = stage.resultsHidden;
  columns.forEach(({ frame, parts, before, dot, m, factor, sum, output, context }, k) => {
    const read = Math.max(0, Math.min(1, passed - k)),
      shown = read > 0 && !hidden,
      now = halfway(steps, k, read),
      known = shown && now.sum > 0,
      name = kind => `${kind} ${k + 1}`;
    frame.classList.toggle('now', read > 0 && read < 1);
    for (const element of [m, factor, sum, output]) element.style.display = read > 0 ? '' : 'none';
    for (const element of [dot, context]) element.style.display = known ? '' : 'none';
    let x = at.left(k) + 10 * u;
    const long = (element, number, y, more) => {
      const width = (shown ? number * scale : 0).toFixed(2);
      place(element, { x: x.toFixed(2), y, width, height: 20 * u + more });
    };
    if (before) long(before, steps.total[0][k - 1], y.bar - 2, 4);
    parts.forEach((part, j) => {
      long(part, now.parts[j], y.bar, 0);
      x += now.parts[j] * scale;
    });
    show(m, steps.largest[0][k], name('m'), { hidden });
    if (k) show(factor, steps.factor[0][k], name('factor'), { hidden, form: x => `× ${formatNumber(x)}` });
    else factor.textContent = '–';
    show(sum, now.sum, name('sum'), { hidden });
    show(output, now.output, name('output'), { hidden });
    show(context, now.context, name('context'), { hidden });
    if (!known) return;
    const to = 12 * u + ((now.context - least) / (most - least)) * (wide - 24 * u);
    place(dot, { cx: (at.left(k) + to).toFixed(2), cy: y.axis, r: 5 * u });
    place(context, { x: at.left(k) + Math.min(wide - 26 * u, Math.max(26 * u, to)), y: y.context });
  });
}

// What is happening, in a sentence.
function sentence({ largest: [largest], factor: [factor], part: [part] }, passed, { words, count }) {
  if (passed >= count) return words.end;
  if (passed <= 0) return words.begin;
  const k = Math.ceil(passed) - 1,
    rescaling = passed - k <= 0.5,
    kind = !rescaling ? 'adds' : !k ? 'first_tile' : factor[k] < 1 ? 'rescales' : 'stays',
    numbers = { m: largest[k], before: largest[k - 1], factor: factor[k], part: part[k] };
  const written = Object.entries(numbers).map(([name, x]) => [name, formatNumber(x)]);
  return filled(words[kind], { tile: k + 1, ...Object.fromEntries(written) });
}

// Plays and steps through the tiles, half a tile a step: rescaled, then added.
function playerOf(row, spec, stage) {
  const shown = () => Math.max(0, Math.min(spec.count, stage.pose[spec.of]));
  const put = to => {
    stage.pose[spec.of] = Math.round(100 * Math.max(0, Math.min(spec.count, to))) / 100;
    stage.requestPaint();
  };
  const keys = player(row, stage, spec.words, {
    at: shown,
    last: () => spec.count,
    put,
    far: 2,
    go: by => put((by > 0 ? Math.floor(2 * shown() + 1e-6) + by : Math.ceil(2 * shown() - 1e-6) + by) / 2),
    run: halt => {
      const from = shown(),
        since = performance.now(),
        calm = prefersReducedMotion();
      const turn = now => {
        if (!keys.playing()) return;
        const reached = from + Math.max(0, now - since) / (2 * HALF);
        put(calm ? Math.floor(2 * reached) / 2 : reached);
        if (reached >= spec.count) halt();
        else requestAnimationFrame(turn);
      };
      requestAnimationFrame(turn);
    },
  });
  row.querySelector('.main').classList.remove('main'); // to drag a bar is the main thing here
  return keys;
}
