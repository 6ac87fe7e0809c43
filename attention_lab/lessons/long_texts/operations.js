import { exactly, whole } from '../../figure/browser/whole_numbers.js';

export function softmax_in_tiles(scores, values, tile) {
  const wide = values[0].length,
    steps = { largest: [], factor: [], part: [], total: [], output: [], context: [] };
  for (const row of scores) {
    const held = Object.fromEntries(Object.keys(steps).map(name => [name, []]));
    let [m, total, output] = [-Infinity, 0, Array(wide).fill(0)];
    for (let start = 0; start < row.length; start += tile) {
      const part = row.slice(start, start + tile),
        before = m;
      m = Math.max(m, ...part);
      const shift = Number.isFinite(m) ? m : 0,
        factor = before === m ? 1 : Math.exp(before - shift),
        exponentials = part.map(s => Math.exp(s - shift)),
        added = exponentials.reduce((sum, e) => sum + e, 0);
      total = total * factor + added;
      output = output.map((o, k) => exponentials.reduce((sum, e, j) => sum + e * values[start + j][k], o * factor));
      const context = output.map(o => o / Math.max(total, Number.MIN_VALUE));
      Object.entries({ largest: m, factor, part: added, total, output, context }).forEach(([name, x]) =>
        held[name].push(x),
      );
    }
    for (const name in steps) steps[name].push(held[name]);
  }
  return steps;
}

export const kv_heads_of = (heads, wanted, published) => (wanted && heads % wanted === 0 ? wanted : published);

export const cache_bytes = (layers, kvHeads, d_k, tokens) =>
  exactly(4n * whole(layers) * whole(kvHeads) * whole(d_k) * whole(tokens));
