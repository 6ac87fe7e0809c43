export const raised_at = (scores, row, column, by) =>
  scores.map((line, i) => (i === row ? line.map((x, j) => (j === column ? x + by : x)) : line));
