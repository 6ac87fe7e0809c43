// Two lines of words with the links between them. Where they are too narrow for the words, they stand as two columns.
import { runsLeft } from '../../figure/browser/direction.js';
import { make, place, putClass, rem } from '../../figure/browser/elements.js';

export const HEAD = 1.5; // rem
export const ROW = 2.625; // rem
const WORD = 2.125; // rem: as in links.css

// What both lines stand in, and the picture behind them; `heads` are their titles.
export function makeField(box, titles) {
  const field = make(null, 'div', { class: 'field' }, box),
    svg = make('svg', 'svg', { 'aria-hidden': 'true' }, field),
    title = (text, k) => make(null, 'span', { class: `head ${k ? 'answers' : 'asks'}`, text }, field);
  return { box, field, svg, heads: titles.map(title) };
}

// Finds out how two lines of { word } stand in a room of so many px, and makes the field as large. `backwards` says
// of each whether it runs to the left. size: { between: the lines, number: below the second, beside: a word of the
// second: rem; gap: px that a word has to have beside itself, most: part of the room that a column may take }
// `spot` then says where the word at a place of a line stands, and where its links end.
export function fitLines({ box, field, svg, heads }, lines, room, backwards, size) {
  const lengths = [HEAD, WORD, ROW, size.between, size.number ?? 0, size.beside ?? 0],
    [head, line, row, between, number, beside] = lengths.map(length => length * rem());
  box.classList.remove('upright');
  for (const { word } of lines.flat()) word.style.width = '';
  const needed = lines.map(words => Math.max(...words.map(({ word }) => word.scrollWidth + 4))),
    upright = lines.some((words, k) => needed[k] + size.gap > room / words.length),
    widths = needed.map(width => Math.min(width, size.most * room)),
    mirrored = runsLeft(box),
    rows = Math.max(...lines.map(words => words.length)),
    tall = upright ? head + row * rows : head + 2 * line + between + number + head;
  box.classList.toggle('upright', upright);
  field.style.height = `${tall}px`;
  place(svg, { width: room, height: tall, viewBox: `0 0 ${room} ${tall}` });
  heads[1].style.top = upright ? 0 : `${tall - head}px`;
  const spot = (k, at) => {
    const along = ((at + 0.5) * room) / lines[k].length,
      taken = widths[k] + (k ? beside : 0),
      isRight = (k === 1) !== mirrored, // of the columns
      inColumn = [isRight ? room - taken : 0, head + (at + 0.5) * row],
      [x, y] = upright ? inColumn : [backwards[k] ? room - along : along, k ? head + line + between : head];
    return { x, y, end: upright ? [isRight ? x - 4 : taken + 4, y] : [x, k ? y - 3 : y + line + 3] };
  };
  return { upright, spot, widthOf: k => (upright ? `${widths[k]}px` : '') };
}

export function standAt(element, { x, y }) {
  element.style.left = `${x.toFixed(1)}px`;
  element.style.top = `${y.toFixed(1)}px`;
}

// Draws the link between two words as strong as its weight, or not at all if that is not above `faint`.
export function drawLink(path, [from, to], upright, weight, { faint, widest, opacity: [least, more], kind }) {
  path.style.display = weight > faint ? '' : 'none';
  if (!(weight > faint)) return;
  path.setAttribute('d', linkPath(from, to, upright));
  path.style.strokeWidth = `${(0.8 + widest * weight).toFixed(2)}px`;
  path.style.strokeOpacity = (least + more * weight).toFixed(3);
  putClass(path, kind);
}

// The way of a link between two words: in two lines, or where these are `upright` in two columns.
export function linkPath([x0, y0], [x1, y1], upright) {
  const point = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`,
    [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2],
    bends = upright ? `${point(x, y0)} ${point(x, y1)}` : `${point(x0, y)} ${point(x1, y)}`;
  return `M${point(x0, y0)} C${bends} ${point(x1, y1)}`;
}
