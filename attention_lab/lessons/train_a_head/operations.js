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
