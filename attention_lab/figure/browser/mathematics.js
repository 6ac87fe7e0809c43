// The few lines of attention_core that must follow the hand. Each function bears the name and the meaning
// of its twin in Python and is held to it by a test; Python stays the truth. Matrices are arrays of rows.
import { inner, times } from './matrices.js';
import { exactly, whole } from './whole_numbers.js';

export const matmul = (a, b) => a.map(row => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));

export const concat_columns = (...matrices) => matrices[0].map((_, i) => matrices.flatMap(matrix => matrix[i]));

export const rows = (matrix, places) => places.map(place => matrix[place]);

export function triangle(numbers) {
  const n = Math.floor((Math.sqrt(8 * numbers.length + 1) - 1) / 2);
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => (j <= i ? numbers[(i * (i + 1)) / 2 + j] : 0)),
  );
}

// Number by number; a single number on either side belongs to each of the others.
const each = calculate => {
  const of = (a, b) => {
    if (Array.isArray(a)) return a.map((x, i) => of(x, Array.isArray(b) ? b[i] : b));
    return Array.isArray(b) ? b.map(x => of(a, x)) : calculate(a, b);
  };
  return of;
};
export const subtract = each((a, b) => a - b);

export const add = each((a, b) => a + b);

export const ratio = (a, b) => (b ? Number(a) / Number(b) : NaN); // of nothing there is no multiple

export const relative_difference = (a, b) => Math.abs(ratio(a, b) - 1);

export const row = (matrix, place) => [matrix[place]];

export const pick = (place, ...among) => among[place];

export const first_nonempty = (...among) => among.find(matrix => matrix.length) ?? among.at(-1);

export const divide = each((a, b) => a / b);

export const largest_but = (matrix, place) => Math.max(0, ...matrix[0].filter((_, j) => j !== place));

export const max_abs_difference = (a, b) =>
  a.reduce(
    (most, line, i) =>
      line.reduce((m, x, j) => (Number.isNaN(x - b[i][j]) ? NaN : Math.max(m, Math.abs(x - b[i][j]))), most),
    0,
  );

export const norms = vectors => vectors.map(vector => Math.hypot(...vector));

export const largest = numbers => Math.max(...numbers);

export const dot_product = (a, b) => a.map(u => b.map(v => inner(u, v)));

export const scaled_dot_product = (a, b) => times(dot_product(a, b), 1 / Math.sqrt(a[0]?.length ?? 1));

export function cosine_similarity(a, b) {
  const unit = u => {
    const length = Math.hypot(...u);
    return u.map(x => x / length);
  }; // 0/0: NaN, undefined
  return dot_product(a.map(unit), b.map(unit));
}

export function softmax(scores, temperature = 1) {
  return scores.map(row => {
    const top = Math.max(...row);
    if (top === -Infinity) return row.map(() => 0);
    const powers = row.map(s => Math.exp((s - top) / temperature));
    const total = powers.reduce((sum, p) => sum + p, 0);
    return powers.map(p => p / total);
  });
}

export const entropy = weights =>
  weights.map(row => row.reduce((bits, w) => (w > 0 ? bits - w * Math.log2(w) : bits), 0));

export function scaled_dot_product_attention(query, key, value, mask = null, scale = null) {
  const scores = dot_product(query, key);
  const factor = scale ?? 1 / Math.sqrt(key[0]?.length ?? 1);
  const scaled_scores = times(scores, factor);
  const masked_scores = mask
    ? scaled_scores.map((row, i) => row.map((s, j) => (mask[i][j] ? s : -Infinity)))
    : scaled_scores;
  const weights = softmax(masked_scores);
  return {
    query,
    key,
    value,
    mask,
    scale: factor,
    scores,
    scaled_scores,
    masked_scores,
    weights,
    context: matmul(weights, value),
  };
}

export const causal_mask = n => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => j <= i));

export const window_mask = (n, width) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Math.abs(i - j) <= width));

export const row_sums = matrix => matrix.map(line => line.reduce((total, x) => total + Number(x), 0));

export const replace_row = (matrix, place, by) => matrix.map((line, i) => (i === place ? by[0] : line));

export const argsort = numbers =>
  numbers.map((_, i) => i).sort((i, j) => (numbers[i] < numbers[j] ? -1 : numbers[i] > numbers[j] ? 1 : 0));

export const multiply = each((a, b) => a * b);

export const smallest = numbers => Math.min(...numbers);

export const count_unlike = (a, b) =>
  a.reduce((count, line, i) => count + line.filter((x, j) => x !== b[i][j]).length, 0);

export const transpose = matrix => matrix[0].map((_, k) => matrix.map(line => line[k]));

export const argmax = matrix => matrix.map(line => line.indexOf(Math.max(...line)));

export const total = numbers => numbers.reduce((all, line) => all + line.reduce((part, x) => part + x, 0), 0);

export const gathered = (...numbers) => [numbers];

export const pattern_entries = tokens => exactly(whole(tokens) ** 2n);

export const same = value => value;

export const listed = (...values) => values;
