// The twins of operations.py.
import { inner, through } from '../../figure/browser/matrices.js';
import { remembered, throughLayers, readPredictions } from '../../figure/browser/reading.js';

export const run_with_patched_weights = remembered(2, (weights, tokens, head, pattern) =>
  readPredictions(
    weights,
    throughLayers(weights, tokens[0], null, (h, own) => (h === head ? pattern : own)),
  ),
);

const onlyKept = (pattern, kept) =>
  pattern.map(row => {
    const left = row.map((weight, j) => weight * kept[j]),
      whole = left.reduce((all, weight) => all + weight, 0);
    return left.map(weight => (whole > 0 ? weight / whole : 0));
  });

export const run_with_scaled_weights = remembered(2, (weights, tokens, head, kept) =>
  readPredictions(
    weights,
    throughLayers(weights, tokens[0], null, (h, own) => (head < 0 || h === head ? onlyKept(own, kept.flat()) : own)),
  ),
);

export function handed_parts({ W_value, W_output }, own, head, place) {
  const heads = W_value[0].length,
    throughHead = vectors => through(through(vectors, W_value[1][head - heads]), W_output[1][head - heads]);
  const brought = own.states[0].map((start, j) =>
    start.map((x, k) => {
      let part = j === place ? x : 0;
      for (let h = 0; h < heads; h++) part += own.weights[h][place][j] * own.updates[h][j][k];
      return part;
    }),
  );
  const parts = throughHead(brought),
    whole = parts.reduce((all, part) => all.map((x, k) => x + part[k])),
    size = inner(whole, whole);
  return parts.map(part => (size ? inner(part, whole) / size : 0));
}

export const places_unlike = ([one], [other]) => [one.map((word, i) => Number(word !== other[i]))];

export function shifted_row([row], [by]) {
  const wanted = row.map((weight, j) => Math.max(0, weight + by[j])),
    whole = wanted.reduce((all, weight) => all + weight, 0);
  return [whole > 0 ? wanted.map(weight => weight / whole) : row];
}

export const rearranged = (weights, order) => weights.map((row, i) => order[i].map(place => row[place]));

export const total_variation_distance = (one, other) =>
  one.reduce((all, row, i) => all + row.reduce((sum, weight, j) => sum + Math.abs(weight - other[i][j]), 0), 0) /
  (2 * one.length);
