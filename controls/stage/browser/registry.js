// The kinds of part there are, by name: filled by stage.js and by lessons with parts of their own.
export const parts = {};

export function draw(host, spec, stage) {
  if (!(spec.kind in parts))
    throw new Error(`unknown part '${spec.kind}'; known are: ${Object.keys(parts).join(', ')}`);
  return parts[spec.kind](host, spec, stage);
}
