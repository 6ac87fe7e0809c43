// Softmax in tiles: nine scores under the hand. What is carried from tile to tile crosses the gaps between them: the
// largest score as a line over the bars, the sum as a band below. While a tile is read, the sum before it shrinks by
// its factor first; then the tile adds its own part. At the foot the context so far approaches that of all keys.
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
  TALL = { wide: 190, narrow: 110 }, // px of the highest score, where 1 rem is 16
  BAND = { wide: 84, narrow: 52 }, // px of the largest sum
  NARROW = 560, // px of room, below which names stand over their rows
  CLOSE = 0.4, // of these heights, on a projector
  FULL = 3, // the sum that is as high as the band, until one is larger
  STEPS = 12, // of the band's edge in half a tile
  REACH = 22, // px around a knob
  HELD = ['m', 'factor', 'sum', 'output', 'context'],
  ROWS = ['score', 'm', 'value', 'sum', 'output', 'context', 'target'];

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
    picture = { svg, ground, body, hits, spec, stage, carried: carriedOf(body, count) };
  picture.names = ROWS.map(kind =>
    make('svg', 'text', { class: `row-name ${kind}`, text: words[`row_${kind}`] }, ground),
  );
  picture.sample = make('svg', 'path', { class: 'sample' }, ground);
  picture.columns = Array.from({ length: count }, (_, k) => column(picture, k));
  picture.bars = spec.names.map((name, j) => bar(picture, name, j));
  const foot = make(null, 'figcaption', {}, box),
    [ofTiles, atOnce, difference] = results(foot, spec);

  followWidth(box, room => {
    box.classList.remove('narrow'); // the names are as wide as where there is room for them
    picture.at = measure(room, spec, Math.max(...picture.names.map(name => name.getComputedTextLength())));
    box.classList.toggle('narrow', picture.at.narrow);
    layOut(picture);
    stage.requestPaint();
  });
  return scope => {
    if (!picture.at) return;
    const passed = Math.max(0, Math.min(count, find(scope, spec.of))),
      steps = find(scope, spec.tiles),
      values = find(scope, spec.values).map(([value]) => value),
      hidden = stage.resultsHidden || (passed < count && '…');
    foot.style.visibility = passed < count ? 'hidden' : ''; // nothing has come out yet
    paintScores(picture, find(scope, spec.scores)[0], values, passed);
    paintCarried(picture, steps, find(scope, spec.scores)[0], passed);
    paintHeld(picture, steps, passed);
    paintTarget(picture, steps, passed, values, find(scope, spec.plain));
    write(status, stage.resultsHidden ? '' : sentence(steps, passed, spec));
    show(ofTiles, find(scope, spec.context), 'context in tiles', { hidden });
    show(atOnce, find(scope, spec.plain), 'context at once', { hidden });
    show(difference, find(scope, spec.difference), 'difference', { hidden, form: forms.settled });
    range.disabled = stage.resultsHidden;
    keys.show(range, passed, count, `${spec.of}: ${words.read} ${steady(passed)}`);
    paintBadge(stage);
  };
}

// A tile: its frame, the numbers that are held after it, and the context's way to the target.
function column({ ground, body, spec }, k) {
  const shape = (tag, kind, more) => make('svg', tag, { class: kind, ...more }, body);
  return {
    frame: make('svg', 'rect', { class: 'frame', rx: 8 }, ground),
    name: shape('text', 'name', { text: filled(spec.words.tile, { n: k + 1 }) }),
    before: k ? shape('rect', 'before') : null,
    way: shape('path', 'way'),
    target: shape('path', 'target'),
    point: shape('circle', 'point', { r: 6 }),
    ...Object.fromEntries(HELD.map(kind => [kind, shape('text', `number ${kind}`)])),
  };
}

// What crosses the gaps: the way of the sum, the band of each tile's part of it, and the line of the largest score.
function carriedOf(body, count) {
  const path = kind => make('svg', 'path', { class: kind }, body);
  return {
    bed: path('bed'),
    chunks: Array.from({ length: count }, (_, j) => path(`chunk of${j}`)),
    most: path('most'),
    end: make('svg', 'circle', { class: 'most-end', r: 4 }, body),
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
      const tile = Math.floor(j / picture.at.size);
      if (stage.pose[spec.of] <= tile) stage.pose[spec.of] = tile + 1; // what follows from it is seen
    },
  };
  makeDraggable(hit, stage, handle);
  const [bar, knob] = ['bar', 'knob'].map(kind => shape('rect', kind)),
    [number, value] = ['number score', 'number value'].map(kind => shape('text', kind));
  return { bar, knob, number, value, hit, handle };
}

// What comes out both ways: returns where the three results stand.
function results(foot, { words }) {
  const both = make(null, 'p', { class: 'results' }, foot);
  return ['of_tiles', 'at_once', 'difference'].map(kind => {
    const group = make(null, 'span', {}, both);
    make(null, 'i', { text: words[kind] }, group);
    return make(null, 'b', {}, group);
  });
}

// Where everything stands, for the room there is and names so wide. Behind each tile is a gap for what is carried.
function measure(room, { names, count }, widest) {
  const u = unitFor(0.75),
    narrow = room < NARROW * u || widest > 0.22 * room,
    size = names.length / count,
    kind = narrow ? 'narrow' : 'wide',
    part = projected() ? CLOSE : u,
    gutter = narrow ? 1 : widest + 20 * u,
    gap = narrow ? 28 * u : Math.min(72 * u, Math.max(50 * u, 0.07 * room)),
    wide = (room - gutter - count * gap) / count,
    tall = TALL[kind] * part,
    band = BAND[kind] * part,
    over = narrow ? 18 * u : 0, // of a name over its row
    top = 22 * u + over, // of the tiles, below their names
    bottom = top + 26 * u + tall,
    value = bottom + 22 * u + over,
    lane = value + 40 * u + over / 3 + band, // the lower edge of the band
    output = lane + 21 * u + over,
    context = output + (projected() ? 44 : narrow ? 58 : 60) * u,
    target = context + (narrow ? 20 : 22) * u;
  const left = k => gutter + k * (wide + gap),
    pitch = wide / size,
    half = Math.min(24 * u, 0.3 * pitch); // of a bar's width
  const x = j => left(Math.floor(j / size)) + ((j % size) + 0.5) * pitch;
  const y = { value, sum: lane, output, context, target, end: narrow ? bottom + 8 * u : value + 14 * u };
  const height = target + 14 * u;
  return { room, height, u, y, narrow, size, gap, wide, tall, band, top, bottom, pitch, half, left, x };
}

function layOut({ svg, names, sample, columns, carried, at }) {
  const { u, y, room, wide, gap, top, height } = at;
  place(svg, { viewBox: `0 0 ${room} ${height.toFixed(1)}` });
  svg.style.height = `${height.toFixed(1)}px`;
  sample.setAttribute('d', placeNames(names, at));
  columns.forEach(({ frame, name, m, factor, sum, output, context, way }, k) => {
    const x = at.left(k),
      middle = x + wide / 2,
      between = x + wide + gap / 2;
    place(frame, { x, y: top, width: wide, height: y.end - top });
    place(name, { x, y: top - 8 * u });
    for (const element of [m, sum, output]) place(element, { x: between });
    place(factor, { x: middle });
    place(output, { y: y.output });
    place(context, { x, y: y.context });
    way.setAttribute('d', `M${x} ${y.target}H${x + wide}`);
  });
  carried.bed.setAttribute('d', `M${at.left(0)} ${y.sum}H${at.left(columns.length)}`);
}

// The names of the rows, at the left or over them; returns a sample of what those at the right name.
function placeNames(names, { u, y, band, bottom, narrow, room }) {
  const [beside, over, right] = [
    { score: bottom - 4 * u, value: y.value, sum: y.sum - 4 * u, output: y.output, context: y.context },
    { score: 11 * u, value: y.value - 19 * u, sum: y.sum - band - 24 * u, output: y.output - 18 * u },
    { m: 11 * u, target: y.context - 31 * u },
  ];
  const rows = narrow ? { ...over, ...right, context: right.target } : { ...beside, target: y.target + 4 * u },
    isRight = kind => narrow && kind in right;
  ROWS.forEach((kind, i) => {
    const anchor = isRight(kind) ? 'end' : 'start';
    place(names[i], { x: isRight(kind) ? room : 0, y: rows[kind] ?? 0, 'text-anchor': anchor });
  });
  if (!narrow) return '';
  const [m, target] = ['m', 'target'].map(kind => room - names[ROWS.indexOf(kind)].getComputedTextLength() - 7 * u);
  return `M${m} ${7 * u}h${-20 * u}M${target} ${right.target + 2 * u}v${-12 * u}`;
}

function paintScores({ bars, at, spec }, scores, values, passed) {
  const { half } = at;
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

// How high a sum is drawn.
const sumHeight = ({ band }, { total: [total] }) => {
  const scale = band / Math.max(FULL, ...total);
  return sum => sum * scale;
};

// The band and the line as far as they have come: a whole tile is followed by its gap.
function paintCarried({ carried, names, at, spec, stage }, steps, scores, passed) {
  const { chunks, most, end } = carried,
    name = names[ROWS.indexOf('m')],
    reached = stage.resultsHidden ? 0 : passed,
    high = sumHeight(at, steps),
    stations = [];
  for (let k = 0; k < reached; k++) {
    const read = Math.min(1, reached - k),
      count = Math.max(1, Math.ceil(2 * STEPS * read));
    for (let i = 0; i <= count; i++) {
      const so = (read * i) / count;
      stations.push([at.left(k) + so * at.wide, halfway(steps, k, so).parts]);
    }
    if (read === 1) stations.push([at.left(k + 1), halfway(steps, k, 1).parts]);
  }
  const upTo = (parts, j) => at.y.sum - high(parts.slice(0, j).reduce((all, x) => all + x, 0)),
    point = ([x, parts], j) => `${x.toFixed(1)} ${upTo(parts, j).toFixed(1)}`;
  chunks.forEach((chunk, j) => {
    const own = stations.filter(([, parts]) => parts.length > j),
      edge = [...own.map(each => point(each, j + 1)), ...own.reverse().map(each => point(each, j))];
    chunk.setAttribute('d', edge.length ? `M${edge.join('L')}Z` : '');
  });
  const tiles = Math.ceil(reached),
    level = k => at.bottom - (at.tall * steps.largest[0][k]) / spec.highest;
  let way = '';
  for (let k = 0; k < tiles; k++) {
    const first = k * at.size,
      largest = first + scores.slice(first, first + at.size).indexOf(steps.largest[0][k]),
      rises = !k || level(k) < level(k - 1);
    if (rises)
      way += k
        ? `H${(at.x(largest) - at.half - 5).toFixed(1)}V${level(k).toFixed(1)}`
        : `M${at.x(largest)} ${level(k)}`;
    way += `H${(at.left(k + 1) - (reached < k + 1 ? at.gap : 0)).toFixed(1)}`;
  }
  most.setAttribute('d', way);
  end.style.display = way ? '' : 'none';
  name.style.display = way || at.narrow ? '' : 'none';
  if (!way) return;
  if (!at.narrow) place(name, { y: Math.min(level(0) + 4 * at.u, at.bottom - 24 * at.u) }); // above that of the scores
  place(end, { cx: at.left(tiles) - (reached < tiles ? at.gap : 0), cy: level(tiles - 1) });
}

function paintHeld({ columns, at, stage, spec }, steps, passed) {
  const { u, y, narrow, wide } = at,
    high = sumHeight(at, steps),
    hidden = stage.resultsHidden,
    lettered = letter => x => `${letter}${narrow ? ' ' : ' = '}${formatNumber(x)}`;
  columns.forEach(({ frame, before, m, factor, sum, output, context }, k) => {
    const read = Math.max(0, Math.min(1, passed - k)),
      now = halfway(steps, k, read),
      known = read > 0 && !hidden && now.sum > 0,
      earlier = k && read > 0 && !hidden ? high(steps.total[0][k - 1]) : 0,
      name = kind => `${kind} ${k + 1}`;
    frame.classList.toggle('now', read > 0 && read < 1);
    for (const element of [m, factor, sum, output]) element.style.display = read > 0 ? '' : 'none';
    context.style.display = known ? '' : 'none';
    context.classList.toggle('latest', passed <= k + 1);
    if (before) place(before, { x: at.left(k), y: y.sum - earlier, width: wide, height: earlier });
    place(m, { y: at.bottom - (hidden ? 0 : (at.tall * steps.largest[0][k]) / spec.highest) - 8 * u });
    place(sum, { y: y.sum - (hidden ? 0 : high(now.sum)) - 7 * u });
    place(factor, { y: y.sum - earlier - 7 * u });
    show(m, steps.largest[0][k], name('m'), { hidden, form: lettered('m') });
    if (k) show(factor, steps.factor[0][k], name('factor'), { hidden, form: x => `× ${formatNumber(x)}` });
    show(sum, now.sum, name('sum'), { hidden, form: lettered('ℓ') });
    show(output, now.output, name('output'), { hidden, form: lettered('o') });
    show(context, now.context, name('context'), { hidden });
  });
}

// How near the context after each tile is to the target, that of all keys at once.
function paintTarget({ columns, at, stage }, steps, passed, values, plain) {
  const [low, high] = [Math.min(...values), Math.max(...values)],
    y = at.y.target;
  columns.forEach(({ target, point }, k) => {
    const x = context => at.left(k) + 5 + ((at.wide - 10) * (context - low)) / (high - low),
      read = Math.max(0, Math.min(1, passed - k)),
      now = halfway(steps, k, read),
      hidden = stage.resultsHidden;
    target.setAttribute('d', `M${x(plain).toFixed(1)} ${y - 10 * at.u}v${20 * at.u}`);
    target.style.display = hidden ? 'none' : '';
    point.style.display = read > 0 && !hidden && now.sum > 0 ? '' : 'none';
    if (now.sum > 0) place(point, { cx: x(now.context).toFixed(1), cy: y });
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
