// The twins of operations.py.
import { exactly, whole } from '../../figure/browser/whole_numbers.js';

export const unless_zero = size => size || null;

export const dividing = (all, groups) => (groups && all % groups === 0 ? groups : null);

export const remainder = (all, by) => (by ? all % by : 0);

const FIELDS = `d_model d_k num_heads num_layers d_v d_ff num_kv_heads vocabulary context decoder_layers biases
  tied_embeddings attention_biases learned_positions final_norm attention_only output_bias gated_feed_forward`.split(
  /\s+/,
);

export function TransformerShape(...values) {
  const shape = Object.fromEntries(FIELDS.map((name, k) => [name, values[k]])),
    { d_model, d_k, num_heads, num_layers, decoder_layers, attention_only } = shape;
  return {
    ...shape,
    d_v: shape.d_v ?? d_k,
    d_ff: shape.d_ff ?? 4 * d_model,
    num_kv_heads: shape.num_kv_heads ?? num_heads,
    attention_biases: shape.attention_biases ?? shape.biases,
    attention_blocks: num_layers + 2 * decoder_layers,
    feed_forward_blocks: attention_only ? 0 : num_layers + decoder_layers,
    feed_forward_matrices: shape.gated_feed_forward ? 3 : 2,
  };
}

export function count_parameters(shape) {
  const [d_model, d_k, d_v, d_ff] = [shape.d_model, shape.d_k, shape.d_v, shape.d_ff].map(whole),
    [heads, kvHeads, blocks] = [shape.num_heads, shape.num_kv_heads, shape.attention_blocks].map(whole),
    [decoder, vocabulary, context] = [shape.decoder_layers, shape.vocabulary, shape.context].map(whole);
  const querySide = d_model * d_k + d_v * d_model,
    keySide = d_model * d_k + d_model * d_v,
    per_layer = heads * querySide + kvHeads * keySide;
  const layers = whole(shape.feed_forward_blocks),
    stacks = decoder ? 2n : 1n,
    yes = flag => (flag ? 1n : 0n);
  const attention_total = per_layer * blocks,
    matrices = whole(shape.feed_forward_matrices),
    feed_forward_total = layers * matrices * d_model * d_ff;
  const tables = shape.tied_embeddings ? 1n : stacks + 1n,
    embeddings = (tables * vocabulary + yes(shape.learned_positions) * stacks * context) * d_model;
  const normed = shape.attention_only ? 0n : blocks + layers + yes(shape.final_norm) * stacks,
    norms = normed * d_model * (shape.biases ? 2n : 1n);
  const biases =
    yes(shape.attention_biases) * (heads * d_k + kvHeads * (d_k + d_v) + d_model) * blocks +
    yes(shape.biases) * ((matrices - 1n) * d_ff + d_model) * layers +
    yes(shape.output_bias) * vocabulary;
  const counts = {
    per_matrix: d_model * d_k,
    per_head: querySide + keySide,
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
