// Marks of the planes on which numbers walk while they are trained: the way that they have come, and where on the
// plane of values which answer is given.
import { find } from '../../figure/browser/calculation.js';
import { classes, make } from '../../figure/browser/elements.js';
import { marks } from '../../figure/browser/plane.js';
import { meaning } from '../../figure/browser/tint.js';

const BACK = 28; // snapshots of the way that are drawn

// The places on two axes at every snapshot, once for a run.
const places = new WeakMap();
function ways(run) {
  const table = run.parameters.embeddings,
    { words: axes } = run.axes;
  if (!places.has(table))
    places.set(
      table,
      table.map(words =>
        words.map(word => [0, 1].map(k => word.reduce((total, part, i) => total + part * axes[i][k], 0))),
      ),
    );
  return places.get(table);
}

// spec: { run, snapshot, now: where the words are (paths), meanings of the words }
marks.trails = (group, spec, stage, plane) => {
  const lines = find(stage.scope, spec.now).map((_, row) => {
    return make('svg', 'path', { class: classes('trail', meaning(spec, row)) }, group);
  });
  return scope => {
    const way = ways(find(scope, spec.run)),
      snapshot = find(scope, spec.snapshot),
      now = find(scope, spec.now);
    lines.forEach((line, word) => {
      const points = way.slice(Math.max(0, snapshot - BACK), snapshot + 1).map(all => all[word]);
      points.push(now[word]);
      line.setAttribute(
        'd',
        points.map(([a, b], i) => `${i ? 'L' : 'M'}${plane.at.x(a).toFixed(1)} ${plane.at.y(b).toFixed(1)}`).join(' '),
      );
    });
  };
};

// The part of a polygon where a · x + b · y + c > 0.
function cut(polygon, [a, b, c]) {
  const kept = [];
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length],
      [atP, atQ] = [p, q].map(([x, y]) => a * x + b * y + c);
    if (atP >= 0) kept.push(p);
    if (atP >= 0 !== atQ >= 0) {
      const part = atP / (atP - atQ);
      kept.push([p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])]);
    }
  });
  return kept;
}

const area = polygon =>
  Math.abs(
    polygon.reduce((sum, [x, y], i) => {
      const [u, v] = polygon[(i + 1) % polygon.length];
      return sum + x * v - u * y;
    }, 0) / 2,
  );

// spec: { of: the matrix from values to answers, bias (paths), names }: each answer's part of the plane
marks.regions = (group, spec, stage, plane) => {
  const regions = spec.names.map((name, k) => ({
    shape: make('svg', 'polygon', { class: `region tint-${k % 6}` }, group),
    label: make('svg', 'text', { class: 'label region-name', text: name }, plane.labels),
  }));
  const [[left, right], [low, high]] = plane.ranges,
    whole = [
      [left, low],
      [right, low],
      [right, high],
      [left, high],
    ];
  return scope => {
    const W = find(scope, spec.of),
      bias = find(scope, spec.bias);
    regions.forEach(({ shape, label }, k) => {
      const polygon = bias.reduce(
        (kept, b, other) =>
          other === k || !kept.length ? kept : cut(kept, [W[0][k] - W[0][other], W[1][k] - W[1][other], bias[k] - b]),
        whole,
      );
      const size = polygon.length > 2 ? area(polygon) : 0,
        shown = !stage.resultsHidden && size > 0;
      shape.style.display = shown ? '' : 'none';
      label.style.display = 'none';
      if (!shown) return;
      shape.setAttribute(
        'points',
        polygon.map(([x, y]) => `${plane.at.x(x).toFixed(1)},${plane.at.y(y).toFixed(1)}`).join(' '),
      );
      const [x, y] = [0, 1].map(axis => polygon.reduce((sum, p) => sum + p[axis], 0) / polygon.length);
      if (size < 0.02 * (right - left) * (high - low)) return;
      const spots = [0, 1, -1, 2, -2].map(k => ({ x: plane.at.x(x), y: plane.at.y(y) + 18 * k, dear: Math.abs(k) }));
      plane.name(label, spots[0].x, spots[0].y, 0, 0, 'label region-name', { rank: 9, yields: true, spots });
    });
  };
};
