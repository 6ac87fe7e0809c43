// The kinds of part there are, by name: those that pages share, filled by stage.js, and those that a lesson has, by
// the lesson's name.
export const parts = {};
export const ownParts = {};

const still = () => {}; // of a part in which nothing changes

export function draw(host, spec, stage) {
  const known = { ...parts, ...ownParts[stage.data.own] };
  if (!(spec.kind in known))
    throw new Error(`unknown part '${spec.kind}'; known are: ${Object.keys(known).join(', ')}`);
  return known[spec.kind](host, spec, stage) ?? still;
}
