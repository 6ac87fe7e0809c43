// What the parts of a view share: which view, head and tokens the page shows.
import { patternOf } from './weights.js';

// The token of a query or a key that is pointed at, in whichever part; -1 where none is.
export const pointed = { query: -1, key: -1 };

export function point(stage, query, key) {
  if (pointed.query === query && pointed.key === key) return;
  Object.assign(pointed, { query, key });
  stage.requestPaint();
}

export const shownView = scope => scope.views[scope.view];
export const shownPattern = (stage, scope) => patternOf(shownView(scope), scope.head, stage.requestPaint);

// The query whose weights are shown: the one that is pointed at, else the one that was chosen.
export const shownQuery = scope =>
  pointed.query < 0 ? Math.min(scope.query, shownView(scope).queries.length - 1) : pointed.query;

// How dark a weight is drawn: as its root, so that small ones are seen.
export const shade = weight => Math.sqrt(weight);

// The components of a colour that CSS names, 0 to 255.
export function coloursOf(element) {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  canvas.fillStyle = getComputedStyle(element).color;
  canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data;
}

// Writes shades of an element's colour into its canvas.
export function drawShades(canvas, columns, rows, shadeAt) {
  const [red, green, blue] = coloursOf(canvas),
    image = new ImageData(columns, rows);
  for (let row = 0, k = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, k += 4)
      image.data.set([red, green, blue, 255 * shadeAt(row, column)], k);
  Object.assign(canvas, { width: columns, height: rows });
  canvas.getContext('2d').putImageData(image, 0, 0);
}

// Draws again where the reader changes between light and dark.
export function onTheme(draw) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}
