// A head's pattern as pixels, rows asking, columns answering; the number of the cell that is pointed at.
import { followWidth, make, write } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { LINES } from './head_lines.js';
import { makeLens } from './lens.js';
import {
  drawShades,
  nameOf,
  onTheme,
  point,
  pointed,
  shadesOf,
  shownPattern,
  shownQuery,
  shownView,
  writtenWeight,
} from './own_shared.js';

const CELL = 26, // px: no cell is larger
  LABELLED = 12, // px: cells that are smaller have no room for a name
  NAMES = 84, // px that names take at the side
  TALLEST = 620, // px
  LONG = 10; // steps of an arrow key with Shift

// spec: { title, texts: { gives, none } }
export function pattern_canvas(host, spec, stage) {
  const box = make(null, 'figure', { class: 'pattern-canvas' }, host),
    grid = make(null, 'div', { class: 'grid', dir: 'ltr', style: `--names: ${NAMES}px` }, box),
    ofKeys = make(null, 'div', { class: 'names of-keys', 'aria-hidden': 'true' }, grid),
    ofQueries = make(null, 'div', { class: 'names of-queries', 'aria-hidden': 'true' }, grid),
    frame = make(null, 'div', { class: 'frame' }, grid),
    canvas = make(null, 'canvas', { role: 'img', tabindex: 0, 'aria-label': spec.title }, frame),
    mark = make(null, 'span', { class: 'row-mark', 'aria-hidden': 'true' }, frame),
    cell = make(null, 'span', { class: 'cell-mark', 'aria-hidden': 'true' }, frame),
    caption = make(null, 'figcaption', { 'data-spoken': '' }, box),
    map = {
      ...{ grid, ofKeys, ofQueries, frame, canvas, mark, cell },
      room: 0, // px
      drawn: null, // the pattern
      isStale: false, // whether it is to be drawn again: it has more room, or other colours
      shades: null,
      size: 1, // px of a cell
      corner: null, // where the picture is in the window, while the pointer or the keyboard is at a cell here
      lens: null, // of a pattern whose cells have no names
    };
  const drawAgain = () => {
    map.isStale = true;
    stage.requestPaint();
  };
  followWidth(box, wide => {
    map.room = wide;
    drawAgain();
  });
  onTheme(stage, drawAgain);
  listen(map, stage);
  return scope => {
    const view = shownView(scope),
      pattern = shownPattern(stage, scope),
      query = shownQuery(scope),
      { key } = pointed;
    box.hidden = scope.form === LINES;
    if (box.hidden || !map.room || !pattern) return;
    if (pattern !== map.drawn || map.isStale) draw(map, view, pattern);
    markCell(map, query, key);
    const isMagnified = map.corner && key >= 0 && map.size < LABELLED;
    if (isMagnified) map.lens ??= makeLens(frame);
    map.lens?.(isMagnified ? { ...map, view, pattern, query, key } : null);
    const share = key < 0 ? '' : writtenWeight(pattern, pattern.at(query, key)),
      named = { query: nameOf(view.queries, query), key: nameOf(view.keys, key), share };
    caption.classList.toggle('for-a-hand', key < 0);
    write(caption, key < 0 ? spec.texts.none : filled(spec.texts.gives, named));
  };
}

const within = (place, count) => Math.max(0, Math.min(count - 1, place));

// The pointer and the keys at the picture: they point at a cell, and let its query ask.
function listen(map, stage) {
  const { canvas } = map;
  const come = () => {
    map.corner = canvas.getBoundingClientRect();
  };
  const cellAt = ({ clientX, clientY }) => {
    const { corner, drawn, size } = map;
    return [
      within(Math.floor((clientY - corner.top) / size), drawn?.rows ?? 1),
      within(Math.floor((clientX - corner.left) / size), drawn?.columns ?? 1),
    ];
  };
  const leave = () => {
    map.corner = null;
    point(stage, -1, -1);
  };
  const choose = (query, key) => {
    Object.assign(pointed, { query: -1, key });
    setPose(stage, { query });
  };
  canvas.addEventListener('pointermove', event => {
    come();
    point(stage, ...cellAt(event));
  });
  canvas.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'touch' || leave());
  canvas.addEventListener('click', event => {
    come();
    choose(...cellAt(event));
  });
  canvas.addEventListener('blur', leave);
  canvas.addEventListener('keydown', event => {
    if (event.key === 'Escape') leave();
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step || !map.drawn) return;
    event.preventDefault();
    come();
    const query = pointed.query < 0 ? stage.pose.query : pointed.query, // the scope is as old as the last picture
      far = event.shiftKey ? LONG : 1,
      { rows, columns } = map.drawn;
    choose(within(query + far * step[0], rows), within(Math.max(0, pointed.key) + far * step[1], columns));
  });
}

// Draws a pattern in cells as large as there is room for, with names where these fit.
function draw(map, view, pattern) {
  const { room, grid, canvas } = map,
    { rows, columns } = pattern,
    fits = wide => Math.min(CELL, wide / columns, Math.max(TALLEST, room) / rows),
    isNamed = fits(room - NAMES) >= LABELLED,
    fitting = fits(isNamed ? room - NAMES : room),
    size = fitting >= 2 ? Math.floor(fitting) : fitting,
    shades = shadesOf(canvas);
  Object.assign(map, { drawn: pattern, isStale: false, size, shades });
  grid.style.setProperty('--cell', `${size}px`);
  for (const [host, names] of [
    [map.ofKeys, view.keys],
    [map.ofQueries, view.queries],
  ])
    host.replaceChildren(...(isNamed ? names : []).map(text => make(null, 'span', { text, translate: 'no' })));
  const sharp = Math.max(1, devicePixelRatio) * size,
    picture = pattern.reduced(Math.ceil(sharp * rows), Math.ceil(sharp * columns));
  drawShades(canvas, picture.columns, picture.rows, (i, j) => picture.at(i, j), shades);
  Object.assign(canvas.style, { width: `${size * columns}px`, height: `${size * rows}px` });
}

// Marks the row of a query, and in it the cell of a key, where one is pointed at.
function markCell({ mark, cell, canvas, size }, query, key) {
  const ofCell = Math.max(6, size);
  Object.assign(mark.style, { top: `${query * size}px`, height: `${Math.max(2, size)}px`, width: canvas.style.width });
  cell.hidden = key < 0;
  Object.assign(cell.style, {
    top: `${(query + 0.5) * size - ofCell / 2}px`,
    insetInlineStart: `${(key + 0.5) * size - ofCell / 2}px`,
    width: `${ofCell}px`,
    height: `${ofCell}px`,
  });
}
