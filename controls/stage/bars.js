// Bars a hand can pull, and shares as bars or as a ring.
export function bars() { return () => {}; }
export function ring() { return () => {}; }
