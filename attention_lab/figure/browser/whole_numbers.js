// Whole numbers of any size, counted exactly: beyond 2⁵³ they stay BigInts.

export const exactly = n => (n <= Number.MAX_SAFE_INTEGER ? Number(n) : n);
export const whole = size => BigInt(Math.round(size ?? 0));
