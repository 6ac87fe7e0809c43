// What a page that stands alone shows: its figure's payload, of what Python has put together for every choice.
import { defaultOf, fieldBeside, same } from './read_link.js';

// Where numbers come from: they are the reader's where any that a badge speaks of has another value than its default.
function provenanceOf(pose, badges, { fields }) {
  const isMoved = name => Object.hasOwn(fields, name) && !same(pose[name], defaultOf(fields[name], pose));
  return Object.fromEntries(
    Object.entries(badges).map(([of, usual]) => [of, of.split(' ').some(isMoved) ? 'yours' : usual]),
  );
}

function change(data, changes) {
  for (const [path, ...value] of changes) {
    const last = path.at(-1),
      place = path.slice(0, -1).reduce((inner, name) => inner[name], data);
    if (value.length) place[last] = structuredClone(value[0]);
    else delete place[last];
  }
}

// The figure's payload for a pose: for what is chosen in it, and where a hand has moved anything; while the question
// of a number is open, or none is.
export function payloadFor(pose, { payload, link, choices }, open_question = 0) {
  const data = structuredClone({ ...payload, pose }),
    { base, together, changes } = choices,
    chosen = { ...pose, open_question };
  change(data, base);
  for (const names of together) change(data, changes[names.map(name => `${name} ${chosen[name]}`).join(' ')] ?? []);
  data.provenance = provenanceOf(pose, data.provenance, link);
  for (const [name, field] of Object.entries(link.fields))
    if (field.places) data.address[name] = fieldBeside(field, pose).options;
  return data;
}
