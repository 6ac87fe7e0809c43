// A small live matrix: numbers on colour, or dots whose area is the number. Rows ask, columns answer, unless
// `turned`. A cell under the pointer or the focus shows how its number is computed; choosing it chooses the pair.
// At the edge, if wanted, one row's numbers as bars: the weights of the word of interest.
import { find } from './calculation.js';
import { calculation, direction, pair, runsLeft } from './direction.js';
import {
  badge,
  classes,
  fitted,
  followPointing,
  followWidth,
  larger,
  letters,
  make,
  place,
  putClass,
  putText,
  rem,
  write,
} from './elements.js';
import {
  formatNumber,
  filled,
  forms,
  localized,
  formatPercent,
  formatShare,
  show,
  sum_of_powers,
} from './number_format.js';
import { holdPointer } from './pointer_hold.js';
import { smoothed } from './smoothing.js';
import { offerSteps } from './tap_controls.js';
import { showTooltip } from './tooltip.js';
import { shortened } from './typed_text.js';

const CELL_FORMS = {
  figure: forms.settled,
  weight: forms.weight,
  share: x =>
    x === 0 ? '0' : x > 0 && x < 0.0005 ? '≈ 0' : Math.abs(x - 1) < 1e-12 ? formatPercent(100) : formatShare(x),
  tenths: forms.settled,
  hundredths: forms.settled,
  two: x => (Math.abs(x - Math.round(x)) < 1e-12 ? formatNumber(Math.round(x) + 0) : rounded(x, 2)),
  percent,
};
function percent(x) {
  if (!Number.isFinite(x)) return formatNumber(x);
  if (x === 0) return '0';
  return x > 0 && x < 0.005 ? '≈ 0' : formatPercent(Math.round(100 * x));
}
function rounded(x, places) {
  if (!Number.isFinite(x)) return formatNumber(x);
  if (Math.abs(x) < 1e-12) return '0';
  return Math.abs(x) < 0.5 / 10 ** places ? '≈ 0' : localized(x.toFixed(Math.abs(x) < 10 ? places : 0));
}
// In narrow cells all numbers of a matrix are shortened alike: the first form in which every one fits. None may take
// more than a tenth of the largest number away; where such forms are too wide, cells stay without numbers.
const CELL_SHORTER = { figure: [2, 1, 0], hundredths: [2, 1, 0], tenths: [1, 0] },
  TAKEN_AWAY = 0.1,
  ROUNDED = [0, 1, 2].map(places => x => rounded(x, places));
function shorter(name, numbers) {
  const largest = Math.max(0, ...numbers.filter(Number.isFinite).map(Math.abs)),
    places = (CELL_SHORTER[name] ?? []).filter(k => 0.5 / 10 ** k <= TAKEN_AWAY * largest);
  return [CELL_FORMS[name], ...(/share|weight/.test(name) ? [CELL_FORMS.percent] : places.map(k => ROUNDED[k]))];
}
const CELL_ENDS = {
  Home: (cells, i) => cells[i][0],
  End: (cells, i) => cells[i].at(-1),
  PageUp: (cells, _, j) => cells[0][j],
  PageDown: (cells, _, j) => cells.at(-1)[j],
};
const CELL_MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const EDGE = 46,
  EDGE_BESIDE = 26;

const bracketed = x => (x < 0 ? `(${formatNumber(x)})` : formatNumber(x)),
  factor = x => (/\s/.test(formatNumber(x)) ? `(${formatNumber(x)})` : formatNumber(x)); // in brackets: a product
const worked = (u, v) => u.map((x, k) => `${bracketed(x)} × ${bracketed(v[k])}`).join(' + ');

// A share is made of one row of scores: e to the power of the one, divided by the sum of all such powers.
const shared = (scores, j) => {
  const sum = scores.reduce((total, x) => total + Math.exp(x), 0);
  return `e^(${formatNumber(scores[j])}) ÷ ${Number.isFinite(sum) && sum > 0 ? factor(sum) : sum_of_powers()}`;
};

// settings: those of `Heatmap` in words.py; with `toggle`, every cell is a switch.
export function heatmap(host, settings, stage) {
  const spec = settings,
    box = make(null, 'figure', { class: 'heatmap' }, host),
    paintBadge = spec.badge ? badge(box, spec.badge) : null,
    look = classes('matrix', spec.small && 'small', spec.toggle && 'toggle'),
    attributes = { role: spec.toggle ? 'group' : 'grid', class: look, 'aria-label': spec.title },
    svg = make('svg', 'svg', attributes, box),
    isExplained = spec.toggle || (spec.computed_from && !spec.small);
  // What every function below gets as its `map`.
  const map = {
    spec,
    stage,
    box,
    svg,
    caption: isExplained ? make(null, 'figcaption', { class: 'explanation' }, box) : null,
    cells: [],
    labels: [],
    sums: [],
    bars: [],
    names: [], // of the rows and of the columns, as they are drawn
    built: null, // what, once it is another, has all laid out anew
    at: null, // where everything stands
    room: 0,
    hovered: null, // the cell that is pointed at
    reachable: null,
    painting: null, // what a mouse has switched since it was pressed
    mirrored: false, // where the words run right to left, rows begin at the right
    pageMirrored: false,
    flow: smoothed(stage), // shares glide: of a cell that closes, one sees where its weight goes
    flowOfEdge: smoothed(stage),
  };
  followWidth(box, wide => {
    map.room = wide;
    map.pageMirrored = runsLeft(box);
    stage.requestPaint();
  });
  return scope => {
    if (settings.cases) map.spec = { ...settings, ...settings.cases[scope[settings.by]] };
    if (svg.getAttribute('aria-label') !== map.spec.title) svg.setAttribute('aria-label', map.spec.title);
    const [rows, columns] = [map.spec.rows, map.spec.columns].map(of => find(scope, of) ?? []);
    if (!map.room || !rows.length) return;
    fitRoom(map, rows, columns);
    paint(map, scope);
    paintBadge?.(stage);
  };
}

// Builds and lays out what is there, where the words, the width or the size of type are others.
function fitRoom(map, rows, columns) {
  const names = JSON.stringify([rows, columns]),
    built = `${names} ${map.room} ${rem()}`;
  if (built === map.built) return;
  const isOther = names !== JSON.stringify(map.names);
  map.names = [rows, columns];
  map.built = built;
  if (isOther) build(map);
  layOut(map);
}

function paint(map, scope) {
  const { spec, stage, cells, caption, hovered, labels } = map,
    [rows, columns] = map.names,
    matrix = find(scope, spec.of) ?? [],
    mask = spec.mask ? find(scope, spec.mask) : null,
    chosen = [spec.row, spec.column].map(name => placeAt(spec, scope, name)),
    hidden = stage.resultsHidden || spec.veiled;
  if (!map.reachable?.group.matches(':focus'))
    makeReachable(map, cells[Math.max(0, chosen[0])]?.[Math.max(0, chosen[1])]);
  paintCells(map, matrix, mask, chosen, hidden);
  paintSums(map, scope, hidden);
  labels[0].forEach((text, i) => text.classList.toggle('focus', i === chosen[0]));
  labels[1].forEach((text, j) => text.classList.toggle('other', j === chosen[1]));
  if (spec.edge) paintEdge(map, scope);
  if (spec.toggle) say(map);
  else if (caption || (spec.small && spec.computed_from && hovered)) {
    const isThere = hovered && rows[hovered[0]] !== undefined && columns[hovered[1]] !== undefined;
    tell(map, scope, matrix, mask, isThere ? hovered : spec.idle ? null : chosen);
  }
}

// A name's place among the pose's words, and back; −1 where none is chosen.
const placeOf = ({ spec, stage }, k) => (spec.through ? find(stage.scope, spec.through)[k] : k);
const placeAt = ({ through }, scope, name) =>
  !name ? -1 : through ? find(scope, through).indexOf(scope[name]) : scope[name];
function choose(map, i, j) {
  const { spec, stage } = map;
  if (spec.row) stage.pose[spec.row] = placeOf(map, i);
  if (spec.column && j !== null) stage.pose[spec.column] = placeOf(map, j);
  stage.commit();
}

// A cell is switched by mouse (held down, it goes on over others), finger or key. One's own mask begins as the one
// that is shown.
const isShut = ({ spec, stage }, i, j) => !find(stage.scope, spec.mask)[i][j];
function set(map, i, j, open) {
  const { spec, stage } = map,
    { grid, choice, own } = spec.toggle,
    { pose } = stage;
  if (pose[choice] !== own || !pose[grid].length)
    pose[grid] = find(stage.scope, spec.mask).map(line => line.map(Number));
  pose[grid][i][j] = Number(open);
  pose[choice] = own;
  pose[spec.row] = placeOf(map, i);
  stage.requestPaint();
}
// A fast pointer is next heard of some cells further on: those on its way are painted, too.
function paintOver(map, i, j) {
  const { over, open } = map.painting,
    [a, b] = over.at(-1) ?? [i, j],
    steps = Math.max(1, Math.abs(i - a), Math.abs(j - b));
  if (over.length && i === a && j === b) return;
  for (let step = 1; step <= steps; step++) {
    const passed = [a + Math.round(((i - a) * step) / steps), b + Math.round(((j - b) * step) / steps)];
    over.push(passed);
    set(map, ...passed, open);
  }
}
function press(map, event, i, j) {
  const { stage, svg, cells } = map,
    painting = { open: isShut(map, i, j), over: [] };
  if (event.button || event.pointerType === 'touch') return;
  event.preventDefault();
  map.painting = painting;
  holdPointer(stage, svg, event, {
    move: event => {
      const group = event.composedPath()[0].closest?.('[data-cell]');
      if (svg.contains(group)) paintOver(map, ...group.dataset.cell.split(' ').map(Number));
    },
  });
  stage.again = { by: svg, put: () => painting.over.forEach(cell => set(map, ...cell, painting.open)) };
  paintOver(map, i, j);
  cells[i][j].group.focus({ preventScroll: true });
}
function flip(map, i, j) {
  set(map, i, j, isShut(map, i, j));
  map.stage.commit();
}

function build(map) {
  const { spec, svg } = map,
    [rows, columns] = map.names;
  svg.replaceChildren();
  map.reachable = null;
  map.labels = [
    rows.map((name, i) => label(svg, name, 'asks', () => spec.row && choose(map, i, null))),
    columns.map(name => label(svg, name, 'answers')),
  ];
  map.labels.titles = [spec.row_title, spec.column_title].map(text =>
    make('svg', 'text', { class: 'title', text }, svg),
  );
  map.cells = rows.map((name, i) => {
    const role = spec.toggle ? { role: 'group', 'aria-label': name } : { role: 'row' },
      line = make('svg', 'g', role, svg);
    return columns.map((_, j) => cell(map, line, i, j));
  });
  const edge = spec.edge ? make('svg', 'g', { class: 'edge', 'aria-hidden': 'true' }, svg) : null;
  map.bars = (edge ? columns : []).map(() => ({
    ground: make('svg', 'rect', { class: 'ground', rx: 2 }, edge),
    bar: make('svg', 'rect', { class: 'share', rx: 2 }, edge),
    text: make('svg', 'text', { class: 'number' }, edge),
  }));
  map.sums = (spec.sums ? rows : []).map(() => make('svg', 'text', { class: 'number sum' }, svg));
  if (spec.sums) map.sums.title = make('svg', 'text', { class: 'label sums', text: spec.sums.title }, svg);
  if (edge) map.bars.title = make('svg', 'text', { class: 'label' }, edge);
}

function label(svg, name, as, act) {
  const about = { 'aria-hidden': 'true', 'data-about': name, 'data-as': as },
    text = make('svg', 'text', { class: 'label', text: shortened(name, 13), ...about }, svg);
  make('svg', 'title', { text: name }, text);
  if (act) text.addEventListener('click', act);
  return text;
}

// One cell is reached by the tab key; from there the arrows lead on.
function makeReachable(map, item) {
  if (!item || map.reachable === item) return;
  map.reachable?.group.setAttribute('tabindex', '-1');
  map.reachable = item;
  item.group.setAttribute('tabindex', '0');
}

function cell(map, line, i, j) {
  const { spec, stage } = map,
    act = spec.toggle ? flip : choose,
    group = make('svg', 'g', { role: spec.toggle ? 'button' : 'gridcell', class: 'cell', tabindex: '-1' }, line);
  const item = {
    group,
    ground: make('svg', 'rect', { class: 'ground', rx: 3 }, group),
    mark: make('svg', spec.dots ? 'circle' : 'rect', { class: 'mark', rx: spec.dots ? null : 3 }, group),
    frame: make('svg', 'rect', { class: 'frame', rx: 3 }, group),
    text: make('svg', 'text', { class: 'number' }, group),
  };
  followPointing(group, on => {
    map.hovered = on ? [i, j] : null;
    stage.requestPaint();
  });
  let isPressed = false; // by a mouse, which has switched it
  if (spec.toggle) {
    group.dataset.cell = `${i} ${j}`;
    group.addEventListener('pointerdown', event => {
      isPressed = event.pointerType !== 'touch';
      press(map, event, i, j);
    });
  }
  group.addEventListener('click', event => {
    if (isPressed && event.detail) return;
    act(map, i, j);
    group.focus({ preventScroll: true });
  });
  if (!spec.toggle) offerSteps(stage, group);
  group.addEventListener('keydown', event => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      act(map, i, j);
    } else goByKey(map, event, i, j);
  });
  return item;
}

// Arrows lead to the next cell, other keys to a line's or the whole's end.
function goByKey(map, event, i, j) {
  const { spec, cells } = map,
    way = CELL_MOVES[event.key];
  if (!(way || event.key in CELL_ENDS) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault(); // the page stays where it is
  const [right, below] = way ?? [],
    along = map.mirrored ? -right : right,
    [across, down] = spec.turned ? [below, along] : [along, below],
    next = way ? cells[i + down]?.[j + across] : CELL_ENDS[event.key](cells, i, j);
  if (!next) return;
  makeReachable(map, next);
  next.group.focus();
}

// Where everything stands, in px.
function measure({ spec, room, names: [rows, columns], mirrored, pageMirrored }) {
  const em = rem(),
    letter = spec.small ? 0.59 * letters(0.75) : 0.57 * letters(0.875),
    wide = text => letter * Math.min(13, text.length),
    [down, across] = spec.turned ? [columns, rows] : [rows, columns],
    isAside = spec.turned, // what stands at the matrix's end: beside it the edge, or below it
    hasSums = Boolean(spec.sums || spec.toggle),
    widest = Math.max(...across.map(wide));
  const left =
      Math.max(...down.map(wide), spec.edge && !isAside ? 3.3 * em : 0) + (spec.small ? 6 : 12) + 1.25 * letters(0.75),
    beside = (spec.edge && isAside ? EDGE_BESIDE + 3.2 * em : 0) + (hasSums && !isAside ? 3.3 * em : 0),
    most = spec.large ? [76, Math.max(32, Math.min(50, 384 / down.length))] : [58, 44],
    fitted = free => Math.max(8, Math.min(most[0] * larger(), (room - left - free - 4) / Math.max(1, across.length))),
    slanted = widest > fitted(beside) - (spec.small ? -3 : 4);
  // slanted, the last names reach beyond their columns
  const reach = (size, k) => 0.7 * wide(across[k]) - (across.length - k - 0.5) * size,
    past = slanted ? Math.max(beside, ...across.map((_, k) => reach(fitted(beside), k))) : beside,
    size = fitted(past),
    head = (slanted ? 0.72 * widest + 8 : em) + 1.5 * em,
    quietly = Math.min(2 * em, Math.max(em, (11 * em) / down.length)),
    atMost = spec.quiet ? quietly : spec.small ? 2 * em : most[1] * larger(),
    tall = Math.min(Math.max(size, spec.turned ? 1.3 * em : 0), atMost),
    bottom = head + down.length * tall,
    upright = spec.edge && !isAside && size < 1.3 * em; // no room for shares beside one another
  const below = spec.edge && !isAside ? EDGE + (upright ? 3.1 : 1.9) * em : hasSums && isAside ? 1.9 * em : 6,
    right = left + across.length * size,
    height = (bottom + below).toFixed(1);
  // it begins where the page's lines do, and its own rows where its words do
  const whole = Math.min(room, right + past + 4),
    begin = pageMirrored ? room - whole : 0,
    xOf = x => begin + (mirrored ? whole - x : x),
    boxAt = (x, width) => ({ x: begin + (mirrored ? whole - x - width : x), width }),
    [start, end] = mirrored ? ['end', 'start'] : ['start', 'end'];
  const middle = k => xOf(left + (k + 0.5) * size),
    level = k => head + (k + 0.5) * tall;
  return { em, size, tall, left, right, head, bottom, height, slanted, upright, xOf, boxAt, start, end, middle, level };
}

// Drawn anew only when the width, the words or the type size change.
function layOut(map) {
  const { spec, box, svg, room, names } = map;
  map.mirrored = direction(names.flat()) === 'rtl';
  box.classList.toggle('mirrored', map.mirrored);
  map.at = measure(map);
  const { size, tall, left, head, em, height, boxAt, middle, level } = map.at;
  svg.setAttribute('viewBox', `0 0 ${room} ${height}`);
  svg.style.height = `${height}px`;
  placeNames(map);
  map.cells.forEach((line, i) =>
    line.forEach(({ ground, frame, mark, text }, j) => {
      const [k, l] = spec.turned ? [i, j] : [j, i],
        around = { ...boxAt(left + k * size + 1, size - 2), y: head + l * tall + 1, height: tall - 2 };
      place(ground, around);
      place(frame, around);
      place(mark, spec.dots ? { cx: middle(k), cy: level(l) } : around);
      writeAt(text, middle(k), level(l) + 0.29 * em, 'middle');
    }),
  );
  placeSums(map);
  placeBars(map);
}

// Puts a text with its `anchor` at a point, turned by an angle around it.
function writeAt(text, x, y, anchor, angle = 0) {
  place(text, { x, y, 'text-anchor': anchor });
  if (angle) text.setAttribute('transform', `rotate(${angle} ${x} ${y})`);
  else text.removeAttribute('transform');
}

function placeNames({ spec, labels, mirrored, at }) {
  const { em, left, head, bottom, slanted, xOf, start, end, middle, level } = at,
    [down, across] = spec.turned ? [labels[1], labels[0]] : labels,
    [ofRows, ofColumns] = spec.turned ? [labels.titles[1], labels.titles[0]] : labels.titles;
  down.forEach((text, k) => writeAt(text, xOf(left - 8), level(k) + 0.3 * em, end));
  across.forEach((text, k) =>
    writeAt(text, middle(k), head - 8, slanted ? start : 'middle', slanted && (mirrored ? 46 : -46)),
  );
  writeAt(ofColumns, xOf(left), 0.85 * em, start);
  writeAt(ofRows, xOf(0.75 * em), (head + bottom) / 2, 'middle', mirrored ? 90 : -90);
  ofRows.style.display = bottom - head < 3 * em ? 'none' : '';
}

function placeSums({ spec, sums, at }) {
  const { em, left, right, head, bottom, slanted, xOf, end, middle, level } = at,
    [beside, below] = [xOf(right + 3 * em), bottom + 1.15 * em];
  sums.forEach((text, i) => {
    if (spec.turned) writeAt(text, middle(i), below, 'middle');
    else writeAt(text, beside, level(i) + 0.29 * em, end);
  });
  if (!sums.title) return;
  if (spec.turned) writeAt(sums.title, xOf(left - 8), below, end);
  else writeAt(sums.title, beside, slanted ? 0.85 * em : head - 8, end); // above slanted names
}

function placeBars({ spec, bars, at }) {
  const { em, size, tall, left, right, head, bottom, upright, xOf, boxAt, start, end, middle, level } = at;
  bars.forEach(({ ground, text }, j) => {
    if (spec.turned) {
      place(ground, { ...boxAt(right + 10, EDGE_BESIDE), y: head + j * tall + 3, height: tall - 6 });
      writeAt(text, xOf(right + 15 + EDGE_BESIDE), level(j) + 0.28 * em, start);
      return;
    }
    place(ground, { ...boxAt(left + j * size + 3, size - 6), y: bottom + 8, height: EDGE });
    if (upright) writeAt(text, middle(j) + 0.25 * em, bottom + 14 + EDGE, 'end', -90);
    else writeAt(text, middle(j), bottom + 8 + EDGE + em, 'middle');
  });
  if (!bars.title) return;
  if (spec.turned) writeAt(bars.title, xOf(right + 10), head - 8, start);
  else writeAt(bars.title, xOf(left - 8), bottom + 8 + EDGE / 2 + 0.3 * em, end);
}

const signOf = ({ scale }, value) => (scale === 'share' ? 'share' : value < 0 ? 'negative' : 'positive');

// How all numbers of a matrix are written: { form, size of letters, legible }.
function lettering({ spec, at }, numbers) {
  const wideEnough = length => (at.size - 4) / (0.53 * length),
    longest = form => Math.max(...numbers.map(x => form(x).length)),
    least = letters(spec.scale === 'share' ? 0.66 : 0.52),
    all = shorter(spec.form ?? 'figure', numbers),
    form = all.find(each => wideEnough(longest(each)) >= least) ?? all.at(-1),
    room = wideEnough(longest(form)),
    legible = room > Math.max(7.5, letters(0) - 0.05) && at.size > 1.2 * at.em; // all or none
  return { form, size: fitted(spec.large ? 0.875 : 0.75, room), legible };
}

function paintCells(map, matrix, mask, chosen, hidden) {
  const { spec, cells, at } = map,
    isClosed = (i, j) => (mask ? !mask[i][j] : false),
    partOf = (value, closed) =>
      hidden || closed || !Number.isFinite(value) ? 0 : Math.min(1, Math.abs(value) / spec.limit),
    parts = cells.flatMap((line, i) => line.map((_, j) => partOf(matrix[i]?.[j], isClosed(i, j)))),
    drawn = spec.scale === 'share' ? map.flow(parts) : parts,
    { form, size, legible } = lettering(map, matrix.flat());
  // A cell of which all this is as it was stays as it is; with other words or another width, `at` is another.
  const sharedByAll = [at, form, size, legible, hidden, spec];
  cells.forEach((line, i) =>
    line.forEach((item, j) => {
      const value = matrix[i]?.[j],
        closed = isClosed(i, j),
        part = drawn[i * line.length + j],
        asks = i === chosen[0],
        isChosen = asks && j === chosen[1],
        mirror = Boolean(spec.mirror && i === chosen[1] && j === chosen[0] && i !== j),
        now = [value, part, closed, asks, isChosen, mirror, ...sharedByAll];
      if (item.now?.every((was, k) => Object.is(was, now[k]))) return;
      item.now = now;
      const marks = [asks && 'asks', isChosen && 'chosen', mirror && 'mirror', closed && 'closed'];
      paintCell(map, item, [i, j], value, part, { form, size, legible, hidden, closed, marks });
    }),
  );
}

function paintCell({ spec, names, at }, item, [i, j], value, part, { form, size, legible, hidden, closed, marks }) {
  const { group, mark, text } = item,
    [row, column] = [names[0][i], names[1][j]],
    sign = signOf(spec, value),
    isSilent = spec.dots || spec.quiet || !legible,
    isNil = Math.abs(value) < 1e-12 && !hidden;
  putClass(mark, `mark ${sign}`);
  if (spec.dots) mark.setAttribute('r', (0.47 * Math.min(at.size, at.tall) * Math.sqrt(part)).toFixed(2));
  else group.style.setProperty('--part', (part && 0.06 + 0.88 * part).toFixed(3));
  show(text, value, `${spec.what} ${row} ${column}`, { hidden, form });
  text.style.fontSize = `${size}px`;
  putClass(group, classes('cell', ...marks, sign, isSilent && 'silent', isNil && 'nil'));
  const number = `${text.textContent}${closed && spec.closed ? `, ${spec.closed}` : ''}`,
    said = `${pair(row, column)}: ${spec.toggle ? spec.toggle[closed ? 'closed' : 'open'] : number}`;
  if (spec.toggle) group.setAttribute('aria-pressed', !closed);
  if (group.getAttribute('aria-label') !== said) group.setAttribute('aria-label', said);
}

function paintSums({ spec, sums, names: [rows], at }, scope, hidden) {
  for (const text of sums.length ? [...sums, sums.title] : []) text.style.display = spec.sums ? '' : 'none';
  if (!spec.sums) return;
  const brief = spec.turned && at.size < 2.1 * at.em,
    room = spec.turned ? (at.size - 2) / (0.56 * (brief ? 4 : 6)) : letters(0.9),
    form = CELL_FORMS[brief ? 'percent' : 'share'];
  sums.forEach((text, i) => {
    const value = find(scope, spec.sums.of)[i];
    text.style.fontSize = `${fitted(0.75, room)}px`;
    show(text, value, `${spec.sums.what} ${rows[i]}`, { hidden, form });
    text.classList.toggle('off', !hidden && value !== 0 && Math.abs(value - 1) > 1e-12);
  });
}

function paintEdge({ spec, stage, bars, names: [rows, columns], at, mirrored, flowOfEdge }, scope) {
  const values = find(scope, spec.edge.of) ?? [],
    who = rows[scope[spec.row]],
    hidden = stage.resultsHidden,
    parts = flowOfEdge(bars.map((_, j) => (hidden ? 0 : Math.max(0, Math.min(1, values[j] || 0))))),
    roomy = at.size > 3 * at.em,
    room = roomy || spec.turned || at.upright ? 99 : (at.size - 2) / 2.2,
    form = CELL_FORMS[roomy ? 'share' : 'percent'];
  putText(bars.title, spec.edge.title);
  bars.forEach(({ ground, bar, text }, j) => {
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(name => Number(ground.getAttribute(name))),
      part = parts[j],
      along = { x: mirrored ? x + (1 - part) * width : x, y, width: (part * width).toFixed(2), height },
      up = { x, y: (y + (1 - part) * height).toFixed(2), width, height: (part * height).toFixed(2) };
    place(bar, spec.turned ? along : up);
    text.style.fontSize = `${fitted(0.75, room)}px`;
    show(text, values[j], `${spec.edge.what} ${who} ${columns[j]}`, { hidden, form });
  });
}

// Says what a switch under the pointer does.
function say(map) {
  const { spec, caption, hovered, names } = map,
    [row, column] = hovered ? names.map((all, k) => all[hovered[k]]) : [],
    isThere = row !== undefined && column !== undefined,
    text = isThere
      ? `${pair(row, column)}: ${spec.toggle[isShut(map, ...hovered) ? 'closed' : 'open']}`
      : spec.toggle.idle;
  putText(caption, text);
  caption.classList.toggle('idle', text === spec.toggle.idle);
}

// Tells how a cell's number is computed.
function tell({ spec, stage, cells, caption, hovered, names: [rows, columns] }, scope, matrix, mask, cell) {
  const [i, j] = cell ?? [-1, -1],
    [left, right] = spec.computed_from.map(path => find(scope, path)),
    isShare = spec.scale === 'share',
    known = !stage.resultsHidden && left?.[i] && (isShare || right?.[j]);
  let text = spec.idle ?? '';
  if (known) {
    const result = CELL_FORMS[spec.form ?? 'figure'](matrix[i][j]),
      working = isShare ? shared(left[i], j) : worked(left[i], right[j]),
      shut = mask && !mask[i]?.[j] ? ` (${spec.closed})` : '';
    text = spec.sentence
      ? filled(spec.sentence, { row: rows[i], column: columns[j], score: formatNumber(left[i][j]), share: result })
      : `${pair(rows[i], columns[j])}: ${calculation(`${working} = ${result}`)}${shut}`;
    if (hovered) showTooltip(stage, cells[i][j].group, text);
  }
  if (!caption) {
    stage.explanation = text;
    return;
  }
  write(caption, text);
  caption.classList.toggle('idle', !known);
}
