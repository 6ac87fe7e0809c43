export const without_undefined = scores => scores.map(line => line.map(s => (Number.isNaN(s) ? -Infinity : s)));

export const without_zeros = scores => scores.map(line => line.map(s => (Math.abs(s) > 1e-12 ? s : -Infinity)));

export const counted_rows = (matrix, scores) => matrix.filter((_, j) => scores[0][j] > -Infinity);

export const most_bits = scores => scores.map(line => Math.log2(Math.max(1, line.filter(s => s > -Infinity).length)));

export const log_sum_exp = scores =>
  scores.map(line => {
    const top = Math.max(...line),
      shift = Number.isFinite(top) ? top : 0;
    return Math.log(line.reduce((sum, s) => sum + Math.exp(s - shift), 0)) + shift;
  });
