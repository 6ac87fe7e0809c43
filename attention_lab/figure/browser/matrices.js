export const inner = (u, v) => u.reduce((sum, x, k) => sum + x * v[k], 0);
export const times = (matrix, factor) => matrix.map(row => row.map(x => x * factor));

// Rows times a matrix, written out: it runs at every frame over a model's every head.
export function through(x, W) {
  const wide = W[0].length;
  return x.map(row => {
    const made = new Array(wide).fill(0);
    for (let k = 0; k < row.length; k++) {
      const part = row[k],
        line = W[k];
      for (let j = 0; j < wide; j++) made[j] += part * line[j];
    }
    return made;
  });
}
