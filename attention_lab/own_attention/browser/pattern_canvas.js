// A head's pattern as pixels, rows asking, columns answering; the number of the cell that is pointed at.
import { followWidth, make, write } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { LINES } from './head_lines.js';
import { makeLens } from './lens.js';
import {
  drawShades,
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
    caption = make(null, 'figcaption', { 'data-spoken': '' }, box);
  let room = 0,
    drawn = null,
    shades = null,
    size = 1, // px of a cell
    corner = null, // where the picture is in the window, while the pointer or the keyboard is at a cell here
    lens = null; // of a pattern whose cells have no names
  followWidth(box, wide => {
    room = wide;
    drawn = null;
    stage.requestPaint();
  });
  onTheme(() => {
    drawn = null;
    stage.requestPaint();
  });
  const cellAt = ({ clientX, clientY }) => {
    const { left, top } = corner,
      { rows, columns } = drawn ?? { rows: 1, columns: 1 };
    return [
      Math.max(0, Math.min(rows - 1, Math.floor((clientY - top) / size))),
      Math.max(0, Math.min(columns - 1, Math.floor((clientX - left) / size))),
    ];
  };
  const come = () => {
    corner = canvas.getBoundingClientRect();
  };
  const leave = () => {
    corner = null;
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
    if (!step || !drawn) return;
    event.preventDefault();
    come();
    const query = pointed.query < 0 ? stage.pose.query : pointed.query, // the scope is as old as the last picture
      far = event.shiftKey ? LONG : 1,
      within = (place, count) => Math.max(0, Math.min(count - 1, place));
    choose(within(query + far * step[0], drawn.rows), within(Math.max(0, pointed.key) + far * step[1], drawn.columns));
  });
  return scope => {
    const view = shownView(scope),
      pattern = shownPattern(stage, scope);
    box.hidden = scope.form === LINES;
    if (box.hidden || !room || !pattern) return;
    if (pattern !== drawn) {
      drawn = pattern;
      const { rows, columns } = pattern,
        fits = wide => Math.min(CELL, wide / columns, Math.max(TALLEST, room) / rows),
        isNamed = fits(room - NAMES) >= LABELLED;
      size = fits(isNamed ? room - NAMES : room);
      if (size >= 2) size = Math.floor(size);
      grid.style.setProperty('--cell', `${size}px`);
      for (const [host, names] of [
        [ofKeys, view.keys],
        [ofQueries, view.queries],
      ])
        host.replaceChildren(...(isNamed ? names : []).map(text => make(null, 'span', { text, translate: 'no' })));
      shades = shadesOf(canvas);
      const sharp = Math.max(1, devicePixelRatio) * size,
        picture = pattern.reduced(Math.ceil(sharp * rows), Math.ceil(sharp * columns));
      drawShades(canvas, picture.columns, picture.rows, (i, j) => picture.at(i, j), shades);
      Object.assign(canvas.style, { width: `${size * columns}px`, height: `${size * rows}px` });
    }
    const query = shownQuery(scope),
      { key } = pointed;
    Object.assign(mark.style, {
      top: `${query * size}px`,
      height: `${Math.max(2, size)}px`,
      width: canvas.style.width,
    });
    cell.hidden = key < 0;
    const cellSize = Math.max(6, size);
    Object.assign(cell.style, {
      top: `${(query + 0.5) * size - cellSize / 2}px`,
      insetInlineStart: `${(key + 0.5) * size - cellSize / 2}px`,
      width: `${cellSize}px`,
      height: `${cellSize}px`,
    });
    const named = {
      query: view.queries[query],
      key: view.keys[key],
      share: key < 0 ? '' : writtenWeight(pattern, pattern.at(query, key)),
    };
    const isMagnified = corner && key >= 0 && size < LABELLED;
    if (isMagnified) lens ??= makeLens(frame);
    lens?.(isMagnified ? { view, pattern, query, key, corner, size, shades } : null);
    write(caption, key < 0 ? spec.texts.none : filled(spec.texts.gives, named));
  };
}
