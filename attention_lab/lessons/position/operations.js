// The twins of operations.py.

export const row_changes = (a, b) =>
  a.map((line, i) => line.reduce((most, x, k) => Math.max(most, Math.abs(x - b[i][k])), 0));

export const rotate_by_position = (x, positions, base = 10000) =>
  x.map((v, i) =>
    v.map((_, k) => {
      const angle = positions[i] * base ** (-(k - (k % 2)) / v.length),
        [a, b] = [v[k - (k % 2)], v[k - (k % 2) + 1]];
      return k % 2 ? a * Math.sin(angle) + b * Math.cos(angle) : a * Math.cos(angle) - b * Math.sin(angle);
    }),
  );
