// Arrays that came once, as bytes (see carried.py): for the stage they are lists of rows, like all that is given.
const unpacked = new Map(),
  KEPT = 6;

const nested = (numbers, shape, begin) => {
  if (shape.length < 2) return Array.from(numbers.subarray(begin, begin + (shape[0] ?? 1)));
  const [count, ...inner] = shape,
    size = inner.reduce((product, n) => product * n, 1);
  return Array.from({ length: count }, (_, i) => nested(numbers, inner, begin + i * size));
};

export function carried({ id, layout }) {
  if (!unpacked.has(id)) {
    const numbers = new Float32Array(globalThis.attention_lab.carried.get(id)),
      found = {};
    for (const [name, shape, begin] of layout) {
      const path = name.split('/'),
        last = path.pop();
      let record = found;
      for (const key of path) {
        record[key] ??= {};
        record = record[key];
      }
      record[last] = nested(numbers, shape, begin);
    }
    unpacked.set(id, found);
    for (const old of unpacked.keys()) if (unpacked.size > KEPT) unpacked.delete(old);
  }
  return unpacked.get(id);
}
