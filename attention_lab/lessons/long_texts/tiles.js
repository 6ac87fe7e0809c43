// Softmax in tiles: nine scores under the hand, and below each tile what is held once it has been read: the largest
// score, the sum, the context. While a tile is read, the sum before it shrinks by its factor first; then the tile adds
// its own part.
import { find } from '../../figure/browser/calculation.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { badge, followWidth, make, place, projected, unitFor } from '../../figure/browser/elements.js';
import { filled, formatNumber, forms, show, steady } from '../../figure/browser/number_format.js';
import { player } from '../../figure/browser/player.js';
import { prefersReducedMotion } from '../../figure/browser/smoothing.js';

const HALF = 1500, // ms that play gives to the rescaling, and to what is added
  TALL = 140, // px of the highest score, where 1 rem is 16
  FULL = 4.5, // the sum that fills its bar, until one is larger
  REACH = 22; // px around a knob

const product = numbers => numbers.reduce((all, x) => all * x, 1);

// What a tile's sums are made of when so much of it has been read (0 to 1): each tile's part so far, rescaled.
export function halfway({ factor: [factor], part: [part], total: [total], output: [output] }, k, read) {
  const rescaled = Math.min(1, 2 * read),
    added = Math.max(0, 2 * read - 1),
    shrunk = k ? factor[k] ** rescaled : 0;
  const parts = part.slice(0, k).map((own, j) => own * product(factor.slice(j + 1, k)) * shrunk);
  parts.push(part[k] * added);
  const before = k ? output[k - 1][0] : 0,
    own = output[k][0] - before * (k ? factor[k] : 0),
    sum = read < 1 ? parts.reduce((all, x) => all + x, 0) : total[k];
  return { parts, sum, context: (read < 1 ? before * shrunk + own * added : output[k][0]) / sum };
}

// spec: { title, badge, names of the keys, scores, values, tiles, plain, context, difference: paths, of: the pose's
//         number of tiles read, count, highest, words: { tile, play, pause, back, on, slider, at, rows …, said … } }
export function tiles(host, spec, stage) {
  const box = make(null, 'figure', { class: 'tiles' }, host),
    paintBadge = badge(box, spec.badge),
    { words, count, names } = spec,
    size = names.length / count;
  const line = make(null, 'div', { class: 'player' }, box),
    keys = playerOf(make(null, 'div', { class: 'keys' }, line), spec, stage),
    range = keys.range(line, line, { 'data-scrubber': spec.of, 'data-handle': spec.of, step: 0.01 }),
    said = make(null, 'p', { class: 'said', 'data-spoken': '' }, box);
  const svg = make(
    'svg',
    'svg',
    { class: 'picture', role: 'group', 'aria-label': spec.title, 'data-picture': spec.title },
    box,
  );
  const layer = kind => make('svg', 'g', { class: kind }, svg),
    [ground, body, hits] = ['ground', 'body', 'hits'].map(layer);
  const text = kind => make('svg', 'text', { class: kind }, body);
  const columns = Array.from({ length: count }, (_, k) => ({
    frame: make('svg', 'rect', { class: 'frame', rx: 8 }, ground),
    name: make('svg', 'text', { class: 'name', text: filled(words.tile, { n: k + 1 }) }, body),
    parts: Array.from({ length: k + 1 }, (_, j) => make('svg', 'rect', { class: `chunk of${j}` }, body)),
    before: k ? make('svg', 'rect', { class: 'before', rx: 3 }, body) : null,
    axis: make('svg', 'path', { class: 'axis' }, body),
    dot: make('svg', 'circle', { class: 'dot' }, body),
    ...Object.fromEntries(['m', 'factor', 'sum', 'context'].map(kind => [kind, text(`number ${kind}`)])),
  }));
  const bars = names.map((name, j) => bar(name, j));
  const foot = make(null, 'figcaption', {}, box),
    counts = make(null, 'p', { class: 'counts' }, foot),
    cells = (label, n) => {
      const group = make(null, 'span', {}, counts);
      make(null, 'i', { text: label }, group);
      const row = make(null, 'span', { class: 'cells', 'aria-hidden': 'true' }, group);
      for (let k = 0; k < n; k++) make(null, 'u', {}, row);
      make(null, 'b', { text: n }, group);
    };
  cells(words.held, 3);
  cells(words.pattern, names.length);
  const results = make(null, 'p', { class: 'results' }, foot),
    result = kind => {
      const group = make(null, 'span', {}, results);
      make(null, 'i', { text: words[kind] }, group);
      return make(null, 'b', {}, group);
    },
    [ofTiles, atOnce, difference] = ['of_tiles', 'at_once', 'difference'].map(result);
  let at = null;

  function bar(name, j) {
    const item = {
      bar: make('svg', 'rect', { class: 'bar', rx: 3 }, body),
      knob: make('svg', 'rect', { class: 'knob', rx: 5 }, body),
      number: text('number score'),
      value: text('number value'),
      hit: make('svg', 'rect', { class: 'hit', 'aria-orientation': 'vertical' }, hits),
    };
    item.handle = {
      name,
      axes: [words.score],
      ranges: [[0, spec.highest]],
      step: 0.5,
      read: () => [stage.pose.scores[0][j]],
      at: event => [
        at.score(new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).y),
      ],
      move: ([score]) => {
        stage.pose.scores[0][j] = score;
      },
    };
    makeDraggable(item.hit, stage, item.handle);
    return item;
  }

  function layOut(room) {
    const u = unitFor(0.75),
      gutter = Math.min(104 * u, 0.2 * room),
      gap = Math.min(20 * u, 0.025 * room),
      wide = (room - gutter - (count - 1) * gap - 2) / count,
      tall = projected() ? 0.7 * TALL : TALL * u,
      bottom = 52 * u + tall,
      y = { value: 19, rule: 32, m: 56, factor: 82, bar: 95, sum: 133, context: 163, axis: 173 };
    for (const name in y) y[name] = bottom + y[name] * u;
    at = {
      u,
      y,
      wide,
      bottom,
      pitch: wide / size,
      left: k => gutter + k * (wide + gap),
      x: j => gutter + Math.floor(j / size) * (wide + gap) + ((j % size) + 0.5) * (wide / size),
      top: score => bottom - (tall * score) / spec.highest,
      score: y => ((bottom - y) * spec.highest) / tall,
    };
    const height = y.axis + 28 * u;
    place(svg, { viewBox: `0 0 ${room} ${height.toFixed(1)}` });
    svg.style.height = `${height.toFixed(1)}px`;
    ground.replaceChildren(...columns.map(({ frame }) => frame));
    const values = find(stage.scope, spec.values)
      .map(([value]) => value)
      .sort((a, b) => a - b);
    const label = (kind, y) =>
      make('svg', 'text', { class: 'row-name', x: 0, y: y.toFixed(1), text: words[`row_${kind}`] }, ground);
    label('score', bottom - 4 * u);
    label('value', y.value);
    for (const kind of ['m', 'factor', 'sum', 'context']) label(kind, y[kind]);
    columns.forEach(({ frame, name, axis, m, factor, sum }, k) => {
      const x = at.left(k),
        middle = x + wide / 2;
      place(frame, { x, y: 1, width: wide, height: height - 2 });
      place(name, { x: middle, y: 17 * u });
      make('svg', 'line', { class: 'rule', x1: x, x2: x + wide, y1: y.rule, y2: y.rule }, ground);
      place(m, { x: x + 10 * u, y: y.m });
      place(factor, { x: x + 10 * u, y: y.factor });
      place(sum, { x: x + 10 * u, y: y.sum });
      axis.setAttribute('d', `M${x + 12 * u} ${y.axis}H${x + wide - 12 * u}`);
      for (const [at, value] of [
        [x + 12 * u, values[0]],
        [x + wide - 12 * u, values.at(-1)],
      ])
        make('svg', 'text', { class: 'tick', x: at, y: y.axis + 18 * u, text: formatNumber(value) }, ground);
    });
  }

  followWidth(box, wide => {
    layOut(wide);
    stage.requestPaint();
  });

  function paintScores(scope, passed) {
    const [scores] = find(scope, spec.scores),
      values = find(scope, spec.values),
      half = Math.min(17 * at.u, 0.3 * at.pitch);
    bars.forEach(({ bar, knob, number, value, hit, handle }, j) => {
      const x = at.x(j),
        top = at.top(scores[j]);
      bar.classList.toggle('unread', j / size >= passed);
      place(bar, { x: x - half, width: 2 * half, y: top, height: Math.max(0, at.bottom - top) });
      place(knob, { x: x - half - 2, width: 2 * half + 4, y: top - 5, height: 10 });
      place(number, { x, y: top - 11 * at.u });
      place(value, { x, y: at.y.value });
      place(hit, { x: x - half - 8, width: 2 * half + 16, y: top - REACH, height: 2 * REACH });
      show(number, scores[j], `score ${names[j]}`);
      show(value, values[j][0], `value ${names[j]}`);
      describe(hit, handle);
    });
  }

  function paintHeld(steps, values, passed) {
    const full = Math.max(...steps.total[0]) <= FULL ? FULL : names.length,
      [least, most] = [Math.min(...values), Math.max(...values)],
      { u, y, wide } = at;
    columns.forEach(({ frame, parts, before, dot, m, factor, sum, context }, k) => {
      const read = Math.max(0, Math.min(1, passed - k)),
        shown = read > 0 && !stage.resultsHidden,
        left = at.left(k) + 10 * u,
        scale = (wide - 20 * u) / full,
        now = halfway(steps, k, read);
      frame.classList.toggle('now', read > 0 && read < 1);
      for (const element of [m, factor, sum]) element.style.display = read > 0 ? '' : 'none';
      const known = shown && now.sum > 0;
      for (const element of [dot, context]) element.style.display = known ? '' : 'none';
      let x = left;
      parts.forEach((part, j) => {
        const long = shown ? now.parts[j] * scale : 0;
        place(part, { x: x.toFixed(2), y: y.bar, width: long.toFixed(2), height: 20 * u });
        x += long;
      });
      if (before) {
        const long = shown ? steps.total[0][k - 1] * scale : 0;
        place(before, { x: left, y: y.bar - 2, width: long.toFixed(2), height: 20 * u + 4 });
      }
      const hidden = stage.resultsHidden,
        name = kind => `${kind} ${k + 1}`;
      show(m, steps.largest[0][k], name('m'), { hidden });
      if (k) show(factor, steps.factor[0][k], name('factor'), { hidden, form: x => `× ${formatNumber(x)}` });
      else factor.textContent = '–';
      show(sum, now.sum, name('sum'), { hidden });
      show(context, now.context, name('context'), { hidden });
      if (!known) return;
      const to = at.left(k) + 12 * u + ((now.context - least) / (most - least)) * (wide - 24 * u);
      place(dot, { cx: to.toFixed(2), cy: y.axis, r: 5 * u });
      place(context, { x: Math.min(at.left(k) + wide - 26 * u, Math.max(at.left(k) + 26 * u, to)), y: y.context });
    });
  }

  return scope => {
    if (!at) return;
    const passed = Math.max(0, Math.min(count, find(scope, spec.of))),
      steps = find(scope, spec.tiles),
      hidden = stage.resultsHidden || (passed < count && '…');
    paintScores(scope, Math.ceil(passed));
    paintHeld(
      steps,
      find(scope, spec.values).map(([value]) => value),
      passed,
    );
    const now = stage.resultsHidden ? '' : sentence(steps, passed, spec);
    if (said.textContent !== now) said.textContent = now;
    show(ofTiles, find(scope, spec.context), 'context in tiles', { hidden });
    show(atOnce, find(scope, spec.plain), 'context at once', { hidden });
    show(difference, find(scope, spec.difference), 'difference', { hidden, form: forms.settled });
    range.disabled = stage.resultsHidden;
    keys.show(range, passed, count, `${spec.of}: ${words.read} ${steady(passed)}`);
    paintBadge(stage);
  };
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
  return keys;
}
