export const count_at_least = (numbers, least) => numbers.filter(x => Math.abs(x) >= least).length;

export function triangle(numbers) {
  const n = Math.floor((Math.sqrt(8 * numbers.length + 1) - 1) / 2);
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => (j <= i ? numbers[(i * (i + 1)) / 2 + j] : 0)),
  );
}
