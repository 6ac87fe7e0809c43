// The colour of what a vector [tech, fruit] points to: warm for fruit, blue for tech, violet for both, else grey.
// The longer the vector, the fuller its colour, up to FULL. A name or a number always stands beside it.
const FULL = 2,
  GREY = 'color-mix(in srgb, var(--st-text-color) 45%, var(--st-background-color))';
const percent = x => `${Math.round(100 * x)}%`;

export function tint(vector) {
  const [tech, fruit] = vector.map(x => Math.max(0, x) || 0),
    mixed = `color-mix(in oklch, var(--tech) ${percent(tech / (tech + fruit || 1))}, var(--fruit))`;
  return `color-mix(in oklab, ${mixed} ${percent(Math.min(1, Math.hypot(tech, fruit) / FULL))}, ${GREY})`;
}

// Colours an element and what stands in it: style sheets read `--ink`.
export function applyTint(element, vector) {
  const colour = tint(vector);
  if (element.style.getPropertyValue('--ink') !== colour) element.style.setProperty('--ink', colour);
}

// The class of what a row means, which gives it the colour of fruit, or of tech.
export const meaning = ({ meanings }, row) => meanings?.[row] && `of-${meanings[row]}`;
