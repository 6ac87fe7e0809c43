// Numbers as text: at most three significant digits, whole ones with all of theirs, weights as percentages, a true
// minus; the unrounded number stays in data-exact. Words, decimal mark and grouping are the language's (`numbers` in
// browser_code.py). number_format.py has the same rules.
import { apart, runsLeft } from './direction.js';
import { wordsOfPage } from './language.js';

const words = () => wordsOfPage().numbers ?? {},
  noNumber = () => words().undefined ?? '–';

// What parts the numbers of a list: a semicolon where a comma stands inside of numbers.
export const betweenNumbers = () => (words().decimal === ',' ? '; ' : ', ');

// Words one after the other, with the comma of the language.
export const listed = pieces => pieces.join(words().comma ?? ', ');

// What parts thousands.
export const group = () => words().group ?? ',';

// Digits with a point, perhaps with a sign, as the language writes them: −0,5.
export const localized = digits =>
  String(digits)
    .replace('-', '−')
    .replace('.', words().decimal ?? '.');
const raised = text => [...text].map(c => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c] ?? '⁻').join('');

// A text with its {names} filled in, all at once: what a reader has typed stays as typed, whatever signs it has.
export const fillPlaceholders = (text, values, form = String) =>
  text.replace(/\{(\w+)\}/g, (open, name) => (values[name] === undefined ? open : form(values[name])));
const PLAIN = /^[\w.₀-₉]*$/; // runs the same way everywhere, or as the letter does that it is the index of
export const filled = (text, values) =>
  fillPlaceholders(text, values, value => (PLAIN.test(value) || !runsLeft() ? String(value) : apart(value)));

// The plural form of a text that a count takes: `name/one`, `name/other` … as the language of the page has them.
export function counted(texts, name, count, values = {}) {
  const form = new Intl.PluralRules(document.documentElement.lang || 'en').select(count);
  return filled(texts[`${name}/${form}`] ?? texts[`${name}/other`] ?? texts[name], { ...values, count });
}

// A percentage as the language writes it: 80%.
export const formatPercent = digits => fillPlaceholders(words().percent ?? '{number}%', { number: localized(digits) });

export const sum_of_powers = () => words().sum_of_powers;

export function formatNumber(x) {
  if (Number.isNaN(x) || x === undefined || x === null) return noNumber();
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 1e6) {
    const rounded = Number.isInteger(x) ? x : Number(x.toPrecision(3));
    return Math.abs(rounded) < 1000
      ? localized(String(rounded))
      : `${x < 0 ? '−' : ''}${formatWhole(Math.abs(rounded))}`;
  }
  const [digits, power] = x.toExponential(1).split('e');
  return `${localized(digits)} × 10${raised(power.replace('+', ''))}`;
}

export const formatShare = x => (Number.isFinite(x) ? formatPercent((100 * x).toFixed(1)) : noNumber());

// e to the power of x, also where that is beyond all numbers: its size is then told by its power of ten.
const powerOfTen = x => `10${raised(String(Math.round(x / Math.LN10)))}`;
const formatPower = x => (Math.abs(x) < 300 || !Number.isFinite(x) ? formatNumber(Math.exp(x)) : powerOfTen(x));
formatPower.exact = Math.exp;

// The same with two digits, for narrow columns.
const briefFigure = x =>
  Number.isNaN(x) ? '–' : !Number.isFinite(x) ? formatNumber(x) : localized(String(Number(x.toPrecision(2))));
const briefShare = x => (Number.isFinite(x) ? (100 * x).toFixed(0) : '–');
function briefPower(x) {
  const size = Math.exp(x);
  if (x === -Infinity) return '0';
  return size >= 0.01 && size < 1000 ? briefFigure(size) : powerOfTen(x);
}
briefPower.exact = Math.exp;

// A weight as a percentage, of which next to nothing is not nothing and nearly all is not all.
export function formatWeight(x) {
  if (!Number.isFinite(x)) return noNumber();
  const least = Math.min(x, 1 - x);
  if (x === 0 || x === 1) return formatPercent(100 * x);
  let places = 1,
    bound = 0.01;
  while (least < bound && places <= 8) {
    bound /= 10;
    places += 1;
  }
  return least <= 0 || places > 8 ? formatNumber(x) : formatPercent((100 * x).toFixed(places));
}

// A weight with which a formula goes on. What is short of one stays short of it.
export const portion = x =>
  x < 1 && x >= 0.9995 ? localized(x.toFixed(Math.min(10, 1 - Math.floor(Math.log10(1 - x))))) : formatNumber(x);

// A number in which rounding left next to nothing of what cancels is written as nothing.
const settled = x => (Math.abs(x) < 1e-12 ? '0' : formatNumber(x));

// Whole numbers, BigInts among them: every digit, up to where nobody could read them.
export function formatWhole(n) {
  if (n >= 1e15) return formatNumber(Number(n));
  const digits = String(n);
  return digits.length < (words().least_grouped ?? 4) ? digits : digits.replace(/\B(?=(\d{3})+$)/g, group());
}

// How many times as large something is: a large multiple as whole numbers are written.
export const formatMultiple = x => (Math.abs(x) >= 1000 ? formatWhole(Math.round(x)) : formatNumber(x));

// Bytes with the unit that suits them, in powers of a thousand.
const UNITS = ['', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
export function formatBytes(n) {
  const size = Number(n),
    found = UNITS.findIndex((_, k) => size < 1000 ** (k + 1)),
    step = found < 0 ? UNITS.length - 1 : found,
    part = size / 1000 ** step;
  if (!step) return counted(words(), 'bytes', size);
  return `${part >= 1e6 ? formatNumber(part) : localized(String(Number(part.toPrecision(3))))} ${UNITS[step]}`;
}

// A share of all, where a small one is not nothing.
export const partOfAll = x =>
  Number.isFinite(x) ? (x > 0 && x < 0.0005 ? `< ${formatPercent('0.1')}` : formatShare(x)) : noNumber();

// How far a multiple is from one.
export const formatGap = x =>
  Number.isFinite(x)
    ? formatPercent(`${x > 1 ? '+' : x < 1 ? '-' : ''}${(100 * Math.abs(x - 1)).toFixed(2)}`)
    : noNumber();
formatGap.exact = x => x - 1;

// With two digits always: as machines read it, and in the language with a plain minus, which every voice reads.
export const plainSteady = x => x.toFixed(2).replace(/^-0\.00$/, '0.00');
export const steady = x => localized(plainSteady(x)).replace('−', '-');

// A correlation, or by how much something changes: two digits and its sign.
export const signed = x => (Number.isFinite(x) ? localized(plainSteady(x)) : '–');

export const signed_share = x => formatShare(x).replace(/^−(0\D0\D)/, '$1');

export const forms = {
  figure: formatNumber,
  share: formatShare,
  power: formatPower,
  weight: formatWeight,
  portion,
  settled,
  whole: formatWhole,
  multiple: formatMultiple,
  memory: formatBytes,
  partOfAll,
  gap: formatGap,
  steady,
  signed,
  signed_share,
};
export const narrowForms = { figure: briefFigure, share: briefShare, power: briefPower };

// What names a live number: texts and paths in turn, joined ("dot ", ['words', '$word'], …).
export const spell = (parts, find) => parts.map(part => (Array.isArray(part) ? find(part) : part)).join('');

// Writes a live number into an element, touching the document only where it changed. `hidden` is true, or the sign
// that stands there instead.
export function show(element, x, what, { hidden = false, form = formatNumber } = {}) {
  const number = x ?? NaN, // null on the way from Python: undefined, and never 0
    text = hidden ? (hidden === true ? '?' : hidden) : form(number);
  if (element.textContent !== text) element.textContent = text;
  if (element.dataset.value !== what) element.dataset.value = what;
  if (hidden) delete element.dataset.exact;
  else element.dataset.exact = String(form.exact ? form.exact(number) : number);
}
