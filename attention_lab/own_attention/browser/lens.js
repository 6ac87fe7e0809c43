// A piece of a pattern, magnified, beside the cell that is pointed at: the cells around it, the names of their
// tokens, and the weight of the middle one.
import { make, putText } from '../../figure/browser/elements.js';
import { drawShades, writtenWeight } from './own_shared.js';

const REACH = 6, // rows and columns on each side of the cell
  SIDE = 2 * REACH + 1,
  CELL = 15, // px
  NAMES = 80, // px
  EDGE = 6, // px around it
  SIZE = NAMES + SIDE * CELL + 2 * EDGE + 2,
  AWAY = 16; // px between the cell and the lens

// The first place along an axis that is clear of a point and inside of `room`: after it or before it.
const after = (at, room) => (at + AWAY + SIZE <= room ? at + AWAY : null);
const before = at => (at - AWAY - SIZE >= 0 ? at - AWAY - SIZE : null);
const around = (at, room) => Math.max(EDGE, Math.min(room - SIZE - EDGE, at - SIZE / 2));

// Above and to the right of the cell, where a causal pattern is empty; elsewhere where the window has no room there.
function seat(x, y) {
  const [wide, tall] = [document.documentElement.clientWidth, innerHeight],
    left = after(x, wide) ?? before(x),
    top = before(y) ?? after(y, tall);
  return [left ?? around(x, wide), top ?? (left === null ? y + AWAY : around(y, tall))];
}

// Shows a cell of a pattern that has its `corner` in the window, and cells of a `size`, in px; with null, nothing.
export function makeLens(frame) {
  const style = `--cell: ${CELL}px; --names: ${NAMES}px; --side: ${SIDE}; --edge: ${EDGE}px`,
    box = make(null, 'div', { class: 'lens grid', 'aria-hidden': 'true', style }, frame),
    [ofKeys, ofQueries] = ['of-keys', 'of-queries'].map(kind => make(null, 'div', { class: `names ${kind}` }, box)),
    weight = make(null, 'span', { class: 'weight' }, box),
    field = make(null, 'div', { class: 'frame' }, box),
    canvas = make(null, 'canvas', {}, field);
  make(null, 'span', { class: 'cell-mark' }, field);
  const spans = [ofKeys, ofQueries].map(host =>
    Array.from({ length: SIDE }, (_, k) =>
      make(null, 'span', { translate: 'no', class: k === REACH ? 'middle' : null }, host),
    ),
  );
  return cell => {
    box.hidden = !cell;
    if (!cell) return;
    const { view, pattern, query, key, corner, size, shades } = cell,
      { left, top } = corner,
      [x, y] = seat(left + (key + 0.5) * size, top + (query + 0.5) * size),
      [row, column] = [query - REACH, key - REACH];
    box.style.transform = `translate(${Math.round(x - left)}px, ${Math.round(y - top)}px)`;
    putText(weight, writtenWeight(pattern, pattern.at(query, key)));
    spans[0].forEach((span, k) => putText(span, view.keys[column + k] ?? ''));
    spans[1].forEach((span, k) => putText(span, view.queries[row + k] ?? ''));
    const isInside = (i, j) => i >= 0 && j >= 0 && i < pattern.rows && j < pattern.columns,
      numberAt = (i, j) => (isInside(row + i, column + j) ? pattern.at(row + i, column + j) : 0);
    drawShades(canvas, SIDE, SIDE, numberAt, shades);
  };
}
