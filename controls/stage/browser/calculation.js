// A page's calculation is data: steps of [name, function, arguments]. Python runs the same steps with
// attention_core; here they run at every frame with mathematics.js.
import { product, side_by_side, rows, sum, ratio, relative_difference, row, pick, first_given, quotient, without_undefined, without_zeros, counted_rows, most_bits, log_sum_exp, largest_but, farthest, difference, lengths, largest, dot_product, scaled_dot_product, cosine_similarity, softmax, entropy, scaled_dot_product_attention, separation_ratio, causal_mask, window_mask, padding_mask, is_open, where_open, row_sums, exchange, but_last, row_changes, smallest, by_size, multiple, rotate_by_position, count_unlike, left_to_close, transposed, largest_places, crossings, closed_at, unless_zero, dividing, left_over, gathered, TransformerShape, count_parameters, pattern_entries, key_value_cache_bytes } from './mathematics.js';

export const operations = { product, side_by_side, rows, sum, ratio, relative_difference, row, pick, first_given, quotient, without_undefined, without_zeros, counted_rows, most_bits, log_sum_exp, largest_but, farthest, difference, lengths, largest, dot_product, scaled_dot_product, cosine_similarity, softmax, entropy, scaled_dot_product_attention, separation_ratio, causal_mask, window_mask, padding_mask, is_open, where_open, row_sums, exchange, but_last, row_changes, smallest, by_size, multiple, rotate_by_position, count_unlike, left_to_close, transposed, largest_places, crossings, closed_at, unless_zero, dividing, left_over, gathered, TransformerShape, count_parameters, pattern_entries, key_value_cache_bytes };

// A path leads from the scope to a value: 'dot' or ['dot', '$word', 0]; '$word' stands for the value of `word`.
export function find(scope, path) {
  if (!Array.isArray(path)) return scope[path];
  let value = scope;
  for (const step of path) value = value?.[typeof step === 'string' && step[0] === '$' ? scope[step.slice(1)] : step];
  return value;
}

export function calculate(steps, scope) {
  for (const [name, operation, parameters] of steps) scope[name] = operations[operation](...parameters.map(p => find(scope, p)));
  return scope;
}
