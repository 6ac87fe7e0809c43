// A head's pattern, small: in a few depths of one colour, all cells of a depth as one path. Every cell of its own would
// be too many.
import { make } from './elements.js';

const DEPTHS = [0.06, 0.2, 0.4, 0.6, 0.8, 1]; // of the colour

export function smallPattern(host) {
  const svg = make('svg', 'svg', { class: 'pattern', 'aria-hidden': 'true', preserveAspectRatio: 'none' }, host);
  return { svg, depths: DEPTHS.map(depth => make('svg', 'path', { class: 'weights', 'fill-opacity': depth }, svg)) };
}

export function drawPattern({ svg, depths }, weights, turned) {
  const n = weights.length,
    cells = DEPTHS.map(() => []);
  svg.setAttribute('viewBox', `0 0 ${n || 1} ${n || 1}`);
  weights.forEach((row, i) =>
    row.forEach((weight, j) => {
      const depth = DEPTHS.findLastIndex(least => weight >= 0.6 * least);
      if (depth < 0) return;
      const [x, y] = turned ? [i, j] : [j, i];
      cells[depth].push(`M${x} ${y}h.94v.94h-.94z`);
    }),
  );
  depths.forEach((path, k) => {
    path.setAttribute('d', cells[k].join(''));
  });
}
