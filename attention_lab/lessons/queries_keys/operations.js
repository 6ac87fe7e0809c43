// The twins of operations.py.

export function separation_ratio(first, second, reference_first, reference_second) {
  const apart = (a, b) => Math.hypot(...a.map((x, k) => x - b[k])),
    reference = apart(reference_first, reference_second);
  return reference > 0 ? apart(first, second) / reference : NaN;
}
