// A text in a language model: what its operations share.
import { through, times } from './matrices.js';
import { causal_mask, scaled_dot_product_attention, softmax } from './mathematics.js';

// `look` may say of a head, by its number through all layers, where it looks instead.
export function throughLayers(weights, tokens, strengths, look = (_, pattern) => pattern) {
  const { embeddings, positions, W_query, W_key, W_value, W_output } = weights,
    mask = causal_mask(tokens.length);
  let x = tokens.map((word, place) => embeddings[word].map((part, k) => part + positions[place][k]));
  const states = [x],
    heads = [];
  W_query.forEach((ofHeads, layer) => {
    const before = x;
    x = before.map(row => [...row]);
    ofHeads.forEach((W, h) => {
      const [query, key, value] = [W, W_key[layer][h], W_value[layer][h]].map(each => through(before, each)),
        own = scaled_dot_product_attention(query, key, value, mask);
      const looks = look(heads.length, own.weights),
        trace = looks === own.weights ? own : { ...own, weights: looks, context: through(looks, own.value) },
        W_out = strengths ? times(W_output[layer][h], strengths[layer][h]) : W_output[layer][h];
      heads.push({ trace, W_out });
      through(trace.context, W_out).forEach((added, i) => {
        for (let k = 0; k < added.length; k++) x[i][k] += added[k];
      });
    });
    states.push(x);
  });
  return { states, heads };
}

// The newest results of a function of weights, numbers of words and more: at most frames few of them change.
export function remembered(most, calculated) {
  const kept = [];
  return (weights, tokens, ...others) => {
    const key = JSON.stringify([tokens, ...others]),
      known = kept.find(each => each.weights === weights && each.key === key);
    if (known) return known.result;
    const result = calculated(weights, tokens, ...others);
    kept.unshift({ weights, key, result });
    kept.length = Math.min(kept.length, most);
    return result;
  };
}

export function readPredictions({ W_vocabulary, bias }, { states, heads }) {
  const last = states.map(state => state.at(-1)),
    logits = through(last, W_vocabulary).map(row => row.map((logit, k) => logit + bias[k]));
  return {
    states,
    weights: heads.map(({ trace }) => trace.weights),
    scores: heads.map(({ trace }) => trace.masked_scores),
    updates: heads.map(({ trace, W_out }) => through(trace.value, W_out)),
    logits,
    next_word: softmax(logits),
  };
}
