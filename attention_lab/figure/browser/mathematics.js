// The few lines of attention_core that must follow the hand. Each function bears the name and the meaning
// of its twin in Python and is held to it by a test; Python stays the truth. Matrices are arrays of rows.

export const product = (a, b) => a.map(row => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));

export const concat_columns = (...matrices) => matrices[0].map((_, i) => matrices.flatMap(matrix => matrix[i]));

export const rows = (matrix, places) => places.map(place => matrix[place]);

export const difference = (a, b) => (Array.isArray(a) ? a.map((x, i) => difference(x, b[i])) : a - b);

export const sum = (a, b) => a.map((row, i) => row.map((x, k) => x + b[i][k]));

export const ratio = (a, b) => (b ? Number(a) / Number(b) : NaN); // of nothing there is no multiple

export const relative_difference = (a, b) => Math.abs(ratio(a, b) - 1);

export const row = (matrix, place) => [matrix[place]];

export const pick = (place, ...among) => among[place];

export const first_given = (...among) => among.find(matrix => matrix.length) ?? among.at(-1);

export const quotient = (matrix, by) => matrix.map(line => line.map(x => x / by));

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

export const largest_but = (matrix, place) => Math.max(0, ...matrix[0].filter((_, j) => j !== place));

export const farthest = (a, b) =>
  a.reduce(
    (most, line, i) =>
      line.reduce((m, x, j) => (Number.isNaN(x - b[i][j]) ? NaN : Math.max(m, Math.abs(x - b[i][j]))), most),
    0,
  );

export const lengths = vectors => vectors.map(vector => Math.hypot(...vector));

export const largest = numbers => Math.max(...numbers);

const inner = (u, v) => u.reduce((sum, x, k) => sum + x * v[k], 0);
const times = (matrix, factor) => matrix.map(row => row.map(x => x * factor));

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
    context: product(weights, value),
  };
}

export const causal_mask = n => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => j <= i));

export const window_mask = (n, width) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Math.abs(i - j) <= width));

export const padding_mask = is_padding => is_padding.map(() => is_padding.map(filler => !filler));

export const is_open = cells => cells.map(line => line.map(cell => cell > 0.5));

export const where_open = (numbers, mask) => numbers.map((line, i) => line.map((x, j) => (mask[i][j] ? x : 0)));

export const row_sums = matrix => matrix.map(line => line.reduce((total, x) => total + Number(x), 0));

export const replace_row = (matrix, place, by) => matrix.map((line, i) => (i === place ? by[0] : line));

export const raised_at = (scores, row, column, by) =>
  scores.map((line, i) => (i === row ? line.map((x, j) => (j === column ? x + by : x)) : line));

export const but_last = list => list.slice(0, -1);

export const row_changes = (a, b) =>
  a.map((line, i) => line.reduce((most, x, k) => Math.max(most, Math.abs(x - b[i][k])), 0));

export const argsort = numbers =>
  numbers.map((_, i) => i).sort((i, j) => (numbers[i] < numbers[j] ? -1 : numbers[i] > numbers[j] ? 1 : 0));

export const multiple = (a, factor) => a.map(x => (Array.isArray(x) ? multiple(x, factor) : x * factor));

export const rotate_by_position = (x, positions, base = 10000) =>
  x.map((v, i) =>
    v.map((_, k) => {
      const angle = positions[i] * base ** (-(k - (k % 2)) / v.length),
        [a, b] = [v[k - (k % 2)], v[k - (k % 2) + 1]];
      return k % 2 ? a * Math.sin(angle) + b * Math.cos(angle) : a * Math.cos(angle) - b * Math.sin(angle);
    }),
  );

export const smallest = numbers => Math.min(...numbers);

export const count_unlike = (a, b) =>
  a.reduce((count, line, i) => count + line.filter((x, j) => x !== b[i][j]).length, 0);

export const left_to_close = mask =>
  Math.min(mask.length, ...mask.map((line, i) => (line[i] ? line.filter(Boolean).length - 1 : line.length)).slice(1));

export const transposed = matrix => matrix[0].map((_, k) => matrix.map(line => line[k]));

export const argmax = matrix => matrix.map(line => line.indexOf(Math.max(...line)));

export const crossings = (places, left_out = []) =>
  places
    .filter((_, k) => !left_out[k])
    .reduce((count, a, k, links) => count + links.slice(k + 1).filter(b => a > b).length, 0);

export const closed_at = (mask, places) => places.map((place, i) => Number(!mask[i][place]));

export function separation_ratio(first, second, reference_first, reference_second) {
  const apart = (a, b) => Math.hypot(...a.map((x, k) => x - b[k])),
    reference = apart(reference_first, reference_second);
  return reference > 0 ? apart(first, second) / reference : NaN;
}

// What was learned.
export function last_at_most(numbers, limit) {
  let place = 0;
  while (place + 1 < numbers.length && numbers[place + 1] <= limit) place += 1;
  return place;
}

export const each_at = (arrays, place) =>
  Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, array[place]]));

export const moved_at = (places, moves, step) =>
  moves.reduce(
    (moved, [at, row, right, up]) =>
      at === step && row < moved.length
        ? moved.map(([x, y, ...rest], i) => (i === row ? [x + right, y + up, ...rest] : moved[i]))
        : moved,
    places,
  );

export const lifted = (vectors, before, after, axes) =>
  vectors.map((vector, i) =>
    vector.map((x, k) => x + axes[k].reduce((total, part, j) => total + part * (after[i][j] - before[i][j]), 0)),
  );

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
  W_query.forEach((of_heads, layer) => {
    const heads = of_heads.map((W, head) => {
      const query = product(x, W),
        key = W_key ? product(x, W_key[layer][head]) : query;
      return scaled_dot_product_attention(query, key, product(x, W_value[layer][head]), mask, scaled ? null : 1);
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
      x = heads.reduce((vectors, { context }, head) => sum(vectors, product(context, W_output[layer][head])), x);
  });
  const contexts = layers.at(-1).context,
    own = W_vocabulary[0].length === contexts[0][0].length; // a head of its own for each group, or one for all
  const logits = W_vocabulary.map((W, group) => {
    const read = own ? contexts[contexts.length > 1 ? group : 0] : concat_columns(...contexts);
    return product(read, W).map(row => row.map((logit, k) => logit + bias[group][k]));
  });
  return { x: xs, layers, logits, probabilities: logits.map(rows => softmax(rows)) };
}

// A text in a language model. Rows times a matrix, written out: it runs at every frame over a model's every head.
function through(x, W) {
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

// `look` may say of a head, by its number through all layers, where it looks instead.
function through_layers(weights, tokens, strengths, look = (_, pattern) => pattern) {
  const { embeddings, positions, W_query, W_key, W_value, W_output } = weights,
    mask = causal_mask(tokens.length);
  let x = tokens.map((word, place) => embeddings[word].map((part, k) => part + positions[place][k]));
  const states = [x],
    heads = [];
  W_query.forEach((of_heads, layer) => {
    const before = x;
    x = before.map(row => [...row]);
    of_heads.forEach((W, h) => {
      const own = scaled_dot_product_attention(
        through(before, W),
        through(before, W_key[layer][h]),
        through(before, W_value[layer][h]),
        mask,
      );
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
function remembered(most, calculated) {
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

function told_of({ W_vocabulary, bias }, { states, heads }) {
  const logits = through(
    states.map(state => state.at(-1)),
    W_vocabulary,
  ).map(row => row.map((logit, k) => logit + bias[k]));
  return {
    states,
    weights: heads.map(({ trace }) => trace.weights),
    scores: heads.map(({ trace }) => trace.masked_scores),
    updates: heads.map(({ trace, W_out }) => through(trace.value, W_out)),
    logits,
    next_word: softmax(logits),
  };
}

export const read_text = remembered(3, (weights, tokens, strengths) =>
  told_of(weights, through_layers(weights, tokens[0], strengths)),
);

export const read_changed = remembered(2, (weights, tokens, head, pattern) =>
  told_of(
    weights,
    through_layers(weights, tokens[0], null, (h, own) => (h === head ? pattern : own)),
  ),
);

const only_kept = (pattern, kept) =>
  pattern.map(row => {
    const left = row.map((weight, j) => weight * kept[j]),
      whole = left.reduce((all, weight) => all + weight, 0);
    return left.map(weight => (whole > 0 ? weight / whole : 0));
  });

export const read_thinned = remembered(2, (weights, tokens, head, kept) =>
  told_of(
    weights,
    through_layers(weights, tokens[0], null, (h, own) => (head < 0 || h === head ? only_kept(own, kept.flat()) : own)),
  ),
);

export function handed_parts({ W_value, W_output }, own, head, place) {
  const heads = W_value[0].length,
    through_head = vectors => through(through(vectors, W_value[1][head - heads]), W_output[1][head - heads]);
  const brought = own.states[0].map((start, j) =>
    start.map((x, k) => {
      let part = j === place ? x : 0;
      for (let h = 0; h < heads; h++) part += own.weights[h][place][j] * own.updates[h][j][k];
      return part;
    }),
  );
  const parts = through_head(brought),
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

export const weights_apart = (one, other) =>
  one.reduce((all, row, i) => all + row.reduce((sum, weight, j) => sum + Math.abs(weight - other[i][j]), 0), 0) /
  (2 * one.length);

export function changes_between(before, after) {
  const layers = before.states.length - 1,
    heads = before.weights.length / layers,
    count = before.states[0].length,
    wide = before.states[0][0].length;
  const states = before.states.map((state, layer) =>
    state.map((was, i) => Math.hypot(...was.map((x, k) => after.states[layer][i][k] - x)) / Math.hypot(...was)),
  );
  const carried = Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: count }, (_, i) =>
      Array.from({ length: count }, (_, j) => {
        let squares = 0;
        for (let k = 0; k < wide; k++) {
          let moved = 0;
          for (let h = layer * heads; h < (layer + 1) * heads; h++) {
            const was = before.weights[h][i][j] * before.updates[h][j][k];
            moved += after.weights[h][i][j] * after.updates[h][j][k] - was;
          }
          squares += moved * moved;
        }
        return Math.sqrt(squares);
      }),
    ),
  );
  return { states, carried };
}

export const last_states = remembered(3, (weights, texts, strengths) => {
  const each = texts.map(tokens => through_layers(weights, tokens, strengths).states.map(state => state.at(-1)));
  return each[0].map((_, layer) => each.map(states => states[layer]));
});

export function loss_of_each(weights, tokens, strengths) {
  const said = now => read_text(weights, tokens, now).next_word.at(-1),
    whole = said(strengths),
    answer = whole.indexOf(Math.max(...whole));
  return strengths.flatMap((row, layer) =>
    row.map((_, head) => {
      const fewer = strengths.map((line, l) => line.map((s, h) => (l === layer && h === head ? 0 : s)));
      return whole[answer] - said(fewer)[answer];
    }),
  );
}

export function states_at(states, depth) {
  const whole = Math.min(Math.floor(depth), states.length - 2);
  return states[whole].map((row, i) => row.map((x, k) => x + (depth - whole) * (states[whole + 1][i][k] - x)));
}

export function mean_where(numbers, mask) {
  const found = numbers.flatMap((line, i) => line.filter((_, j) => mask[i][j]));
  return found.length ? found.reduce((all, x) => all + x, 0) / found.length : NaN;
}

export const total = numbers => numbers.reduce((all, line) => all + line.reduce((part, x) => part + x, 0), 0);

export const words_unlike = ([one], [other]) =>
  one.filter((word, i) => i < other.length && word !== other[i]).length + Math.abs(one.length - other.length);

// A translator of `attention_core.models`. Each French word is asked for once: what came before it stays.
const BEGIN = 0,
  END = 1,
  LINK = 0.5;

const added = (vector, ...others) => vector.map((x, k) => others.reduce((total, other) => total + other[k], x));

export function translation(parameters, tokens, raw_values, off, bent) {
  const norm = (name, x) => {
    const mean = x.reduce((total, v) => total + v, 0) / x.length,
      root = Math.sqrt(x.reduce((total, v) => total + (v - mean) ** 2, 0) / x.length + 1e-5),
      [scale, shift] = [parameters[`${name}_scale`], parameters[`${name}_shift`]];
    return x.map((v, k) => ((v - mean) / root) * scale[k] + shift[k]);
  };
  const matrices = part => {
    const [query, key, value, output] = ['query', 'key', 'value', 'output'].map(m => parameters[`${part}_W_${m}`]);
    return query.map((_, h) => ({ query: query[h], key: key[h], value: value[h], output: output[h] }));
  };
  const answers = (heads, keys, values) =>
    heads.map(W => ({ keys: product(keys, W.key), values: product(values, W.value) }));
  const looks = (heads, told, asks, row_of = (_, row) => row) =>
    heads.map((W, h) => {
      const weights = row_of(h, softmax(scaled_dot_product(product([asks], W.query), told[h].keys))[0]);
      return { weights, delta: product(product([weights], told[h].values), W.output)[0] };
    });
  const deltas = seen => seen.map(({ delta }) => delta);

  const raw = rows(parameters.source, tokens[0]);
  let x = sum(raw, parameters.source_positions);
  if (parameters.encoder_W_query) {
    const heads = matrices('encoder'),
      normed = x.map(v => norm('encoder', v)),
      told = answers(heads, normed, normed);
    const mixed = normed.map(v =>
      added(
        v.map(() => 0),
        ...deltas(looks(heads, told, v)),
      ),
    );
    x = raw_values ? sum(x, mixed) : mixed;
  }
  const across = matrices('across'),
    keys = x.map(v => norm('memory', v)),
    memory = answers(across, keys, raw_values ? raw.map(v => norm('memory', v)) : keys);
  const decoder = matrices('decoder'),
    before = decoder.map(() => ({ keys: [], values: [] })),
    target = [BEGIN],
    weights = across.map(() => []),
    next_word = [];
  for (;;) {
    const at = target.length - 1;
    let y = added(parameters.target[target[at]], parameters.target_positions[at]);
    const normed = norm('decoder', y);
    answers(decoder, [normed], [normed]).forEach((told, h) => {
      before[h].keys.push(told.keys[0]);
      before[h].values.push(told.values[0]);
    });
    y = added(y, ...deltas(looks(decoder, before, normed)));
    const seen = looks(across, memory, norm('across', y), (h, row) => {
      const by_hand = bent.findLast(([step, head]) => step === at && head === h);
      if (!by_hand) return row;
      const wanted = row.map((_, k) => by_hand[2 + k] ?? 0),
        whole = wanted.reduce((total, w) => total + w, 0);
      return wanted.map(w => w / (whole || 1));
    });
    y = added(y, ...deltas(seen.filter((_, h) => !((off >> h) & 1))));
    const [shares] = softmax([added(product([y], parameters.W_vocabulary)[0], parameters.bias)]),
      chosen = shares.indexOf(Math.max(...shares));
    next_word.push(shares);
    seen.forEach((head, h) => weights[h].push(head.weights));
    if (chosen === END || target.length === parameters.target_positions.length)
      return { said: target.slice(1), weights, next_word };
    target.push(chosen);
  }
}

export function translated_places(tokens, said, can_be) {
  const free = [...tokens[0]];
  return said.map(word => {
    const place = free.findIndex(other => other >= 0 && can_be[other][word]);
    if (place >= 0) free[place] = -1;
    return place;
  });
}

export const places_lost = (places, before) =>
  new Set(before.filter(place => place >= 0 && !places.includes(place))).size;

export function links_scored(weights, gold) {
  const counts = [0, 0, 0];
  gold.forEach((place, i) => {
    weights[i].forEach((weight, j) => {
      if (weight >= LINK) counts[j === place ? 0 : 1] += 1;
      else if (j === place) counts[2] += 1;
    });
  });
  return counts;
}

export const share_at = (numbers, places, step) => numbers[places[step] ?? -1] ?? 0;

export const no_later = (step, said) => Math.min(step, said.length);

// Sizes of a transformer. Whole numbers of any size are counted exactly: beyond 2⁵³ they stay BigInts.
const exactly = n => (n <= Number.MAX_SAFE_INTEGER ? Number(n) : n);
const whole = size => BigInt(Math.round(size ?? 0));

export const unless_zero = size => size || null;

export const dividing = (all, groups) => (groups && all % groups === 0 ? groups : null);

export const remainder = (all, by) => (by ? all % by : 0);

export const gathered = (...numbers) => [numbers];

export const TransformerShape = (
  d_model,
  d_k,
  num_heads,
  num_layers,
  d_v,
  d_ff,
  num_kv_heads,
  vocabulary,
  context,
  decoder_layers,
  biases,
  tied_embeddings,
  attention_biases,
  learned_positions,
  final_norm,
  attention_only,
  output_bias,
) => ({
  d_model,
  d_k,
  num_heads,
  num_layers,
  d_v: d_v ?? d_k,
  d_ff: d_ff ?? 4 * d_model,
  num_kv_heads: num_kv_heads ?? num_heads,
  vocabulary,
  context,
  decoder_layers,
  biases,
  tied_embeddings,
  attention_biases: attention_biases ?? biases,
  learned_positions,
  final_norm,
  attention_only,
  output_bias,
  attention_blocks: num_layers + 2 * decoder_layers,
  feed_forward_blocks: attention_only ? 0 : num_layers + decoder_layers,
});

export function count_parameters(shape) {
  const [d_model, d_k, d_v, d_ff, heads, kv_heads, decoder, vocabulary, context, blocks] = [
    'd_model',
    'd_k',
    'd_v',
    'd_ff',
    'num_heads',
    'num_kv_heads',
    'decoder_layers',
    'vocabulary',
    'context',
    'attention_blocks',
  ].map(name => whole(shape[name]));
  const query_side = d_model * d_k + d_v * d_model,
    key_side = d_model * d_k + d_model * d_v,
    per_layer = heads * query_side + kv_heads * key_side;
  const layers = whole(shape.feed_forward_blocks),
    stacks = decoder ? 2n : 1n,
    yes = flag => (flag ? 1n : 0n);
  const attention_total = per_layer * blocks,
    feed_forward_total = layers * 2n * d_model * d_ff;
  const tables = shape.tied_embeddings ? 1n : stacks + 1n,
    embeddings = (tables * vocabulary + yes(shape.learned_positions) * stacks * context) * d_model;
  const normed = shape.attention_only ? 0n : blocks + layers + yes(shape.final_norm) * stacks,
    norms = normed * d_model * (shape.biases ? 2n : 1n);
  const biases =
    yes(shape.attention_biases) * (heads * d_k + kv_heads * (d_k + d_v) + d_model) * blocks +
    yes(shape.biases) * (d_ff + d_model) * layers +
    yes(shape.output_bias) * vocabulary;
  const counts = {
    per_matrix: d_model * d_k,
    per_head: query_side + key_side,
    per_layer,
    attention_total,
    feed_forward_total,
    embeddings,
    norms,
    biases,
    total: attention_total + feed_forward_total + embeddings + norms + biases,
  };
  return Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, exactly(n)]));
}

export const pattern_entries = tokens => exactly(whole(tokens) ** 2n);

export const key_value_cache_bytes = (shape, tokens) =>
  exactly(
    whole(tokens) *
      (whole(shape.d_k) + whole(shape.d_v)) *
      whole(shape.num_kv_heads) *
      whole(2 * shape.decoder_layers || shape.num_layers) *
      2n,
  );

export const same = value => value;

export const listed = (...values) => values;
