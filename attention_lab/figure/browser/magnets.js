// Magnets: near a place that says something a vector under a pointer holds on to it: at a right angle to another, as
// long as another, both at once, or at whole tenths.
const REACH = 7, // px to a right angle or an equal length
  NEAR = 3; // px to a tenth

const tenth = x => Math.round(10 * x) / 10 + 0,
  hundredth = x => Math.round(100 * x) / 100 + 0;

// A vector at a right angle to v, near to `foot`: their dot product is exactly 0, and its larger number a short one.
function upright([a, b], foot) {
  const first = Math.abs(foot[0]) >= Math.abs(foot[1]) ? 0 : 1,
    of = k => (k ? b : a),
    large = Math.abs(foot[first]) > 0.1 ? tenth(foot[first]) : hundredth(foot[first]),
    made = small => (first ? [small, large] : [large, small]),
    exact = ([x, y]) => a * x + b * y === 0,
    small = (-of(first) * large) / of(1 - first);
  for (const near of [hundredth(small), small, small * (1 + 2 ** -52), small * (1 - 2 ** -52)])
    if (exact(made(near))) return made(near);
  return made(small);
}

// others: [{ name, vector }] of two numbers each; unit: px for one. → { values, kind, name, vector, length }
export function pulled([x, y], others, unit) {
  let best = null,
    least = Infinity;
  const offer = (kind, { name, vector }, values, reach = REACH) => {
    const far = Math.hypot(values[0] - x, values[1] - y) * unit;
    if (far >= reach || far >= least) return;
    least = far;
    best = { kind, name, vector, values, length: Math.hypot(...vector) };
  };
  for (const other of others) {
    const [a, b] = other.vector,
      length = Math.hypot(a, b),
      own = Math.hypot(x, y);
    if (length * unit < 20 || own * unit < 20) continue;
    const along = (b * x - a * y) / length ** 2;
    if (Math.abs(along) * length * unit > 20) offer('right', other, upright([a, b], [b * along, -a * along]));
    offer('equal', other, [(x * length) / own, (y * length) / own]);
  }
  for (const other of others) {
    const [a, b] = other.vector;
    least = best ? Math.max(least, 1.5 * REACH) : Infinity; // both at once hold more than one
    for (const side of [1, -1]) offer('both', other, [side * b + 0, -side * a + 0], 1.5 * REACH);
  }
  if (best) return best;
  const values = [x, y].map(v => (Math.abs(v - tenth(v)) * unit < NEAR ? tenth(v) : hundredth(v)));
  return { kind: 'tenths', values };
}
