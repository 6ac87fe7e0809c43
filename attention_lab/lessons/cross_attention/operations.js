import { matmul, rows, scaled_dot_product, softmax, add } from '../../figure/browser/mathematics.js';

export const crossings = (places, left_out = []) =>
  places
    .filter((_, k) => !left_out[k])
    .reduce((count, a, k, links) => count + links.slice(k + 1).filter(b => a > b).length, 0);

export const closed_at = (mask, places) => places.map((place, i) => Number(!mask[i][place]));

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
    heads.map(W => ({ keys: matmul(keys, W.key), values: matmul(values, W.value) }));
  const looks = (heads, told, asks, rowOf = (_, row) => row) =>
    heads.map((W, h) => {
      const weights = rowOf(h, softmax(scaled_dot_product(matmul([asks], W.query), told[h].keys))[0]);
      return { weights, delta: matmul(matmul([weights], told[h].values), W.output)[0] };
    });
  const deltas = seen => seen.map(({ delta }) => delta);

  const raw = rows(parameters.source, tokens[0]);
  let x = add(raw, parameters.source_positions);
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
    x = raw_values ? add(x, mixed) : mixed;
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
      const byHand = bent.findLast(([step, head]) => step === at && head === h);
      if (!byHand) return row;
      const wanted = row.map((_, k) => byHand[2 + k] ?? 0),
        whole = wanted.reduce((total, w) => total + w, 0);
      return wanted.map(w => w / (whole || 1));
    });
    y = added(y, ...deltas(seen.filter((_, h) => !((off >> h) & 1))));
    const [shares] = softmax([added(matmul([y], parameters.W_vocabulary)[0], parameters.bias)]),
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
