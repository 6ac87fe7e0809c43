// Arrays that came once, as bytes (see binary_arrays.py). The stage sees them as lists of rows.
const unpacked = new Map(),
  CACHE_SIZE = 6;

const nested = (numbers, shape, begin) => {
  if (shape.length < 2) return Array.from(numbers.subarray(begin, begin + (shape[0] ?? 1)));
  const [count, ...inner] = shape,
    size = inner.reduce((product, n) => product * n, 1);
  return Array.from({ length: count }, (_, i) => nested(numbers, inner, begin + i * size));
};

export function unpackArrays({ id, layout }) {
  if (!unpacked.has(id)) {
    const bytes = globalThis.attention_lab.arrays.get(id),
      arrays = {};
    for (const [name, shape, begin, bits] of layout) {
      const path = name.split('/'),
        last = path.pop();
      let record = arrays;
      for (const key of path) {
        record[key] ??= {};
        record = record[key];
      }
      record[last] =
        bits === 16 ? nested(new Uint16Array(bytes), shape, 2 * begin) : nested(new Float32Array(bytes), shape, begin);
    }
    unpacked.set(id, arrays);
    for (const old of unpacked.keys()) if (unpacked.size > CACHE_SIZE) unpacked.delete(old);
  }
  return unpacked.get(id);
}
