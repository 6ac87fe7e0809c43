// A head's pattern as pixels, rows asking, columns answering; the number of the cell that is pointed at.
import { followWidth, make, write } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { LINES } from './head_lines.js';
import {
  drawShades,
  onTheme,
  point,
  pointed,
  shownPattern,
  shownQuery,
  shownView,
  writtenWeight,
} from './own_shared.js';

const CELL = 26, // px: no cell is larger
  LABELLED = 12, // px: cells that are smaller have no room for a name
  NAMES = 84, // px that names take at the side
  TALLEST = 620; // px

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
    size = 1; // px of a cell
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
    const { left, top } = canvas.getBoundingClientRect(),
      { rows, columns } = drawn ?? { rows: 1, columns: 1 };
    return [
      Math.max(0, Math.min(rows - 1, Math.floor((clientY - top) / size))),
      Math.max(0, Math.min(columns - 1, Math.floor((clientX - left) / size))),
    ];
  };
  canvas.addEventListener('pointermove', event => point(stage, ...cellAt(event)));
  canvas.addEventListener('pointerleave', () => point(stage, -1, -1));
  canvas.addEventListener('click', event => setPose(stage, { query: cellAt(event)[0] }));
  canvas.addEventListener('blur', () => point(stage, -1, -1));
  canvas.addEventListener('keydown', event => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step || !drawn) return;
    event.preventDefault();
    const query = pointed.query < 0 ? stage.pose.query : pointed.query, // the scope is as old as the last picture
      key = Math.max(0, pointed.key),
      row = Math.max(0, Math.min(drawn.rows - 1, query + step[0]));
    Object.assign(pointed, { query: -1, key: Math.max(0, Math.min(drawn.columns - 1, key + step[1])) });
    setPose(stage, { query: row });
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
      drawShades(canvas, columns, rows, (i, j) => pattern.at(i, j));
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
    write(caption, key < 0 ? spec.texts.none : filled(spec.texts.gives, named));
  };
}
