// The twins of operations.py.

export const padding_mask = is_padding => is_padding.map(() => is_padding.map(filler => !filler));

export const is_open = cells => cells.map(line => line.map(cell => cell > 0.5));

export const both_open = (a, b) => a.map((line, i) => line.map((open, j) => open && b[i][j]));

export const where_open = (numbers, mask) => numbers.map((line, i) => line.map((x, j) => (mask[i][j] ? x : 0)));

export const but_last = list => list.slice(0, -1);

export const left_to_close = mask =>
  Math.min(mask.length, ...mask.map((line, i) => (line[i] ? line.filter(Boolean).length - 1 : line.length)).slice(1));
