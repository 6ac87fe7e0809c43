// Operations on trained heads and language models, the twins of those in Python.
import { causal_mask, concat_columns, matmul, scaled_dot_product_attention, softmax, add } from './mathematics.js';
import { remembered, throughLayers, readPredictions } from './reading.js';

const SMALL_DIGITS = '₀₁₂₃₄₅₆₇₈₉';
export function token_names(words, tokens) {
  const seen = {},
    names = [];
  for (let place = 0; place < tokens[0].length; place++) {
    const word = tokens.map(feature => words[feature[place]]).join(' ');
    seen[word] = (seen[word] ?? 0) + 1;
    let name = word;
    while (names.includes(name)) {
      name = word + [...String(seen[word])].map(digit => SMALL_DIGITS[digit]).join('');
      seen[word] += Number(names.includes(name));
    }
    names.push(name);
  }
  return names;
}

export function attention_network(parameters, embeddings, tokens, scaled, causal) {
  const { positions, W_query, W_key, W_value, W_output, W_vocabulary, bias } = parameters,
    count = tokens[0].length;
  let x = tokens[0].map((_, place) =>
    embeddings[0].map((_, k) =>
      tokens.reduce((total, feature) => total + embeddings[feature[place]][k], positions ? positions[place][k] : 0),
    ),
  );
  const xs = [],
    layers = [],
    mask = causal ? causal_mask(count) : null;
  W_query.forEach((ofHeads, layer) => {
    const heads = ofHeads.map((W, head) => {
      const query = matmul(x, W),
        key = W_key ? matmul(x, W_key[layer][head]) : query;
      return scaled_dot_product_attention(query, key, matmul(x, W_value[layer][head]), mask, scaled ? null : 1);
    });
    const { mask: shut, scale } = heads[0],
      arrays = Object.keys(heads[0]).filter(name => name !== 'mask' && name !== 'scale');
    xs.push(x);
    layers.push({
      ...Object.fromEntries(arrays.map(name => [name, heads.map(head => head[name])])),
      mask: shut && heads.map(() => shut),
      scale,
    });
    if (layer < W_query.length - 1)
      x = heads.reduce((vectors, { context }, head) => add(vectors, matmul(context, W_output[layer][head])), x);
  });
  const contexts = layers.at(-1).context,
    own = W_vocabulary[0].length === contexts[0][0].length; // a head of its own for each group, or one for all
  const logits = W_vocabulary.map((W, group) => {
    const read = own ? contexts[contexts.length > 1 ? group : 0] : concat_columns(...contexts);
    return matmul(read, W).map(row => row.map((logit, k) => logit + bias[group][k]));
  });
  return { x: xs, layers, logits, probabilities: logits.map(rows => softmax(rows)) };
}

export const read_text = remembered(3, (weights, tokens, strengths) =>
  readPredictions(weights, throughLayers(weights, tokens[0], strengths)),
);

export function states_at(states, depth) {
  const whole = Math.min(Math.floor(depth), states.length - 2);
  return states[whole].map((row, i) => row.map((x, k) => x + (depth - whole) * (states[whole + 1][i][k] - x)));
}

export const words_unlike = ([one], [other]) =>
  one.filter((word, i) => i < other.length && word !== other[i]).length + Math.abs(one.length - other.length);
