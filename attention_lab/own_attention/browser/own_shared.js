// What the parts of a view share: which view, head and tokens the page shows.
import { formatShare, forms } from '../../figure/browser/number_format.js';
import { patternOf } from './weights.js';

// The token of a query or a key that is pointed at, in whichever part; -1 where none is.
export const pointed = { query: -1, key: -1 };

export function point(stage, query, key) {
  if (pointed.query === query && pointed.key === key) return;
  Object.assign(pointed, { query, key });
  stage.requestPaint();
}

// While the pointer is over an element, its query and its key are pointed at; -1 for none.
export function pointOver(element, stage, query, key) {
  element.addEventListener('pointerenter', () => point(stage, query, key));
  element.addEventListener('pointerleave', () => point(stage, -1, -1));
  return element;
}

// A token's name, and where the text has it twice its place, by which it is found, too.
export const nameOf = (names, k) =>
  names.indexOf(names[k]) === names.lastIndexOf(names[k]) ? names[k] : `${names[k]} #${k}`;

export const shownView = scope => scope.views[scope.view];
export const shownPattern = (stage, scope) => patternOf(shownView(scope), scope.head, stage.requestPaint);

// The query whose weights are shown: the one that is pointed at, else the one that was chosen.
export const shownQuery = scope =>
  pointed.query < 0 ? Math.min(scope.query, shownView(scope).queries.length - 1) : pointed.query;

// How dark a weight is drawn: as its root, so that small ones are seen.
export const shade = weight => Math.sqrt(weight);

// The components of a colour, 0 to 255: of an element's text, or of a property that it has.
export function coloursOf(element, property = 'color') {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  canvas.fillStyle = getComputedStyle(element).getPropertyValue(property);
  canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data;
}
export const lessColours = element => coloursOf(element, '--role-negative');

// The colours of numbers from −1 to 1, as the memory of a canvas has them: shades of an element's own colour, then as
// many of the colour of what is below 0.
const SHADES = 256;
export function shadesOf(element) {
  const bytes = new Uint8Array(2 * SHADES * 4);
  for (const [side, [red, green, blue]] of [coloursOf(element), lessColours(element)].entries())
    for (let k = 0; k < SHADES; k++) bytes.set([red, green, blue, k], 4 * (side * SHADES + k));
  return new Uint32Array(bytes.buffer);
}

// Writes numbers from −1 to 1 into a canvas: above 0 in shades of its colour, below 0 of another.
export function drawShades(canvas, columns, rows, numberAt, shades = shadesOf(canvas)) {
  const image = new ImageData(columns, rows),
    pixels = new Uint32Array(image.data.buffer);
  for (let row = 0, k = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, k++) {
      const number = numberAt(row, column);
      pixels[k] = shades[(number < 0 ? SHADES : 0) + Math.round((SHADES - 1) * shade(Math.abs(number)))];
    }
  Object.assign(canvas, { width: columns, height: rows });
  canvas.getContext('2d').putImageData(image, 0, 0);
}

// A weight as it is written, or what has been added to one.
export const writtenWeight = (pattern, weight) => (pattern.signed ? forms.signed_share : formatShare)(weight);

// Draws again where the reader changes between light and dark: colours have a transition then, too short to be seen.
export function onTheme(stage, draw) {
  stage.root.addEventListener('transitionend', ({ target, propertyName }) => {
    if (propertyName === 'color' && target.matches('.head-cells')) draw();
  });
}
