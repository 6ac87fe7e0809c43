export const count_at_least = (numbers, least) => numbers.filter(x => Math.abs(x) >= least).length;
