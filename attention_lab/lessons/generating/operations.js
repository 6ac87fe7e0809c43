import { through, times } from '../../figure/browser/matrices.js';
import { dot_product, softmax } from '../../figure/browser/mathematics.js';
import { remembered } from '../../figure/browser/reading.js';

export const first_tokens = (tokens, count) => tokens.map(row => row.slice(0, Math.max(1, count)));

export const smaller_count = (one, other) => Math.min(one, other);

export const append_token = (tokens, token, most) => (tokens[0].length >= most ? tokens : [[...tokens[0], token]]);

export const decode = remembered(6, (weights, [tokens], given, causal) => {
  const { embeddings, positions, W_query, W_key, W_value, W_output, W_vocabulary, bias } = weights,
    n = tokens.length,
    start = Math.min(given, n),
    blank = () => W_query.flatMap(heads => heads.map(() => [])),
    [rows, keys, values] = [blank(), blank(), blank()],
    begins = [0, ...Array.from({ length: n - start }, (_, k) => start + k)];
  let x = [];
  begins.forEach((begin, k) => {
    const end = begins[k + 1] ?? n;
    x = tokens.slice(begin, end).map((token, i) => embeddings[token].map((part, d) => part + positions[begin + i][d]));
    W_query.forEach((heads, layer) => {
      const before = x;
      x = before.map(row => [...row]);
      heads.forEach((W, head) => {
        const h = layer * heads.length + head;
        keys[h].push(...through(before, W_key[layer][head]));
        values[h].push(...through(before, W_value[layer][head]));
        const scores = times(dot_product(through(before, W), keys[h]), 1 / Math.sqrt(W[0].length)),
          hidden = scores.map((row, i) => row.map((score, j) => (causal && j > begin + i ? -Infinity : score))),
          weight = softmax(hidden);
        through(through(weight, values[h]), W_output[layer][head]).forEach((added, i) => {
          for (let d = 0; d < added.length; d++) x[i][d] += added[d];
        });
        rows[h].push(...weight.map(row => [...row, ...Array(n - row.length).fill(0)]));
      });
    });
  });
  const [logits] = through(x.slice(-1), W_vocabulary).map(row => row.map((logit, k) => logit + bias[k]));
  return { weights: rows, keys, values, logits, next_word: softmax([logits])[0] };
});

export function change_in_common(before, after) {
  if (!Array.isArray(before)) return Math.abs(after - before);
  const both = Math.min(before.length, after.length);
  return before.slice(0, both).reduce((most, each, i) => Math.max(most, change_in_common(each, after[i])), 0);
}

export const newest_rows = weights => weights.map(rows => rows.at(-1));

export function adjust(logits, temperature, top_k, top_p) {
  const n = logits.length,
    top = Math.max(...logits);
  if (temperature === 0) return [logits.map((_, k) => (k === logits.indexOf(top) ? 1 : 0))];
  let kept = logits.map(logit => (logit - top) / temperature);
  if (top_k < n) {
    const least = [...kept].sort((a, b) => b - a)[top_k - 1];
    kept = kept.map(logit => (logit < least ? -Infinity : logit));
  }
  const [all] = softmax([kept]);
  let before = 0;
  for (const k of all.map((_, i) => i).sort((a, b) => kept[b] - kept[a] || a - b)) {
    if (before >= Math.max(top_p, 1e-12) || all[k] <= (1 - top_p) / (2 * n)) kept[k] = -Infinity;
    before += all[k];
  }
  return softmax([kept]);
}

export const by_probability = ([row]) => row.map((_, k) => k).sort((a, b) => row[b] - row[a] || a - b);

export function chosen([row], order, draw) {
  const places = order.flat(),
    whole = places.reduce((sum, k) => sum + row[k], 0);
  let sum = 0;
  const place = places.findIndex(k => {
    sum += row[k];
    return sum > draw * whole;
  });
  return places.at(place);
}

export const possible = ([row]) => row.filter(part => part > 0).length;

export function count_work({ W_query, W_vocabulary }, start, written) {
  const [layers, heads, d_model, d_k] = [
      W_query.length,
      W_query[0].length,
      W_query[0][0].length,
      W_query[0][0][0].length,
    ],
    logits = d_model * W_vocabulary[0].length;
  const rows = (first, last) => {
    const count = last - first + 1;
    return layers * heads * (4 * count * d_model * d_k + (first + last) * count * d_k);
  };
  const lengths = Array.from({ length: written }, (_, k) => start + k);
  return [
    lengths.map(length => rows(1, length) + logits),
    lengths.map(length => rows(length === start ? 1 : length, length) + logits),
  ];
}
