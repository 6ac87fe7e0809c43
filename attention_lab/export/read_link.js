// What the link of a page that stands alone says: its settings, and with them the variant that it leads to.
import { cleanWord, readNumber, usualSigns } from '../figure/browser/typed_text.js';

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const WHOLE = /^\d{1,20}$/,
  CHARACTER = /_([0-9a-f]{1,6})_/g; // how a link writes what is no letter and no digit
const decode = (letters, code) => (parseInt(code, 16) > 0x10ffff ? letters : String.fromCodePoint(parseInt(code, 16)));
const readable = written => cleanWord(written.replace(CHARACTER, decode));
const isWritten = (value, spellings) =>
  spellings.some(written => written === value || [readable(written), usualSigns(written)].includes(readable(value)));

const readBounded = (written, [low, high, whole]) => {
  const number = readNumber(written);
  return low <= number && number <= high && (!whole || Number.isInteger(number)) ? number : NaN;
};

function readMatrix(written, { columns, shape, most, each_once }) {
  const cell = (number, k) => readBounded(number, columns[Math.min(k, columns.length - 1)]),
    rows = written.split('__').map(row => row.split('_').map(cell)),
    all = rows.flat(),
    fits = (count, k) => (shape[k] === null ? count <= most : count === shape[k]),
    isRight =
      [rows.length, rows[0].length].every(fits) &&
      rows.every(row => row.length === rows[0].length) &&
      !all.some(Number.isNaN) &&
      !(each_once && new Set(all).size < all.length);
  return isRight ? rows : NaN;
}

// One setting of a link, by the rules by which Python reads it (permalink.py); NaN where the app would refuse it.
function readSetting(written, { options, rules }) {
  if (rules?.shape) return readMatrix(written, rules);
  if (rules) return readBounded(written, rules.columns[0]);
  const found = options.findIndex(option => isWritten(option, [written]));
  return found < 0 ? NaN : found;
}

// A field with the options and the shape that it has beside settings that have been read before it.
export function fieldBeside(field, pose) {
  const { by, options_by, same_as, places, rules } = field;
  if (places) return { options: pose[places][0].map((_, k) => String(k + 1)) };
  if (same_as) return { rules: { ...rules, shape: [pose[same_as].length, pose[same_as][0].length] } };
  return options_by ? { options: options_by[pose[by]] } : field;
}

// A setting's value where the link has none: it may depend on others, which have been read before it.
export function defaultOf({ default: usual, by, values, of, rows, same_as, places }, pose) {
  if (same_as) return structuredClone(pose[same_as]);
  if (places) return pose[places][0].length - 1;
  if (!by) return structuredClone(usual);
  return structuredClone(values ? values[pose[by]] : [pose[of][rows[pose[by]]]]);
}

const isSetting = (name, { fields, fixed }) => Object.hasOwn(fields, name) || Object.hasOwn(fixed, name);

// What stands in a link without what it may have brought of the sentence that it stood in.
export function withoutEnd(written, { closing }) {
  const letters = [...written];
  return letters.slice(0, letters.findLastIndex(letter => !closing.includes(letter)) + 1).join('');
}

// The parameters of a link, each with the spellings of its value: of the last one there may be two. Left out are those
// of trackers, and those that say how, and not what, the page shows.
const HOW = ['lang', 'present'];
export function parametersOf(query, link) {
  const isTracker = name =>
    link.trackers.some(each => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
  const all = [...new URLSearchParams(query)].filter(
    ([name]) => isSetting(name, link) || !isTracker(name.toLowerCase()),
  );
  if (all.length) all.at(-1).push(withoutEnd(all.at(-1)[1], link));
  return all.filter(([name]) => !HOW.includes(name));
}

// { pose, predicts, refused, damaged } of a link's parameters: `predicts` says whether the reader wants to predict,
// `damaged` names the settings that the app would not read either, `refused` those that can't be opened here. Where
// there are any of these, the pose is not what the link says.
export function readLink(parameters, link) {
  const { fields, fixed, longest } = link,
    pose = {},
    moved = new Set(),
    isLong = parameters.reduce((sum, [name, written]) => sum + name.length + written.length + 2, 0) > longest,
    given = new Map(isLong ? [] : parameters.map(([name, ...spellings]) => [name, spellings])),
    isRepeated = name => parameters.filter(([each]) => each === name).length > 1,
    names = [...new Set(parameters.map(([name]) => name))],
    damaged = isLong ? names : names.filter(name => !isSetting(name, link) || isRepeated(name)),
    isOther = name => given.has(name) && !damaged.includes(name) && !isWritten(fixed[name], given.get(name)),
    refused = Object.keys(fixed).filter(isOther);
  for (const [name, field] of Object.entries(fields)) {
    const { depends = [], by, of, same_as } = field;
    pose[name] = defaultOf(field, pose);
    if (!given.has(name) || damaged.includes(name)) continue;
    // Numbers of places mean the same, whatever words have been put there.
    const isPlace = field.options?.every(option => WHOLE.test(option)),
      isUnknown = !isPlace && depends.some(each => ![by, of, same_as].includes(each) && moved.has(each)),
      isMoved = field.fixed !== undefined && !isWritten(field.fixed, given.get(name));
    if (isUnknown || isMoved) {
      refused.push(name);
      continue;
    }
    const here = fieldBeside(field, pose),
      readings = given.get(name).map(written => readSetting(written, here)),
      read = readings.find(value => !Number.isNaN(value));
    if (read === undefined) damaged.push(name);
    else if (!same(read, pose[name])) {
      pose[name] = read;
      moved.add(name);
    }
  }
  const { predict, ...ofFigure } = pose;
  return { pose: ofFigure, predicts: predict > 0, refused, damaged };
}

// The variant of the page that a link's parameters lead to; none where its settings are not among them.
export function variantOf(parameters, { settings, variants }) {
  const given = parameters.filter(([name]) => Object.hasOwn(settings, name));
  return variants.find(each => given.every(([name, ...spellings]) => isWritten(each.settings[name] ?? '', spellings)));
}

// The variant with another value of a setting that keeps most of the other settings.
export function chooseVariant(name, value, current, variants) {
  const kept = each => Object.keys(current).filter(other => each.settings[other] === current[other]).length,
    found = variants.filter(each => isWritten(each.settings[name] ?? '', [value]));
  return found.sort((a, b) => kept(b) - kept(a))[0];
}
