// A size under the hand: as a range that stops at round numbers, and typed in.
import { find } from '../../figure/browser/calculation.js';
import { composeWords, make } from '../../figure/browser/elements.js';
import { filled, forms, group, steady } from '../../figure/browser/number_format.js';
import { bindRange } from '../../figure/browser/slider.js';
import { readNumber, usualSigns } from '../../figure/browser/typed_text.js';

const FINEST = 16,
  FAR = 8; // stops from one power of two to the next; stops that Shift or Page goes

// Whole numbers that sizes are made of: four binary digits and as many zeros as it takes.
function stopsBetween(low, high) {
  const stops = [];
  for (let n = low; n <= high; ) {
    stops.push(n);
    n += n < 2 * FINEST ? 1 : 2 ** Math.floor(Math.log2(n)) / FINEST;
  }
  return stops;
}

function nearest(stops, n) {
  const far = stops.map(stop => Math.abs(Math.log((stop + 0.5) / (n + 0.5))));
  return far.indexOf(Math.min(...far));
}

// A whole number as it is typed: 12288, 12,288, in some languages 12.288, or 1e12; NaN for anything else.
function typed(text) {
  const plain = usualSigns(text).replace(/[\s,_']/g, ''),
    number = readNumber(group() === '.' ? plain.replace(/\.(?=\d{3}(?:\D|$))/g, '') : plain);
  return Number.isInteger(number) ? number : NaN;
}

// spec: { of, label, shown (a path), low, high, least, most, also: [stops besides],
//         ticks: [stops that are written below the range], known: [[a stop, whose it is], named above the range],
//         times (the pose's own size that it stays a multiple of),
//         rest: [a path, times]: where it is that, the pose holds 0 and it follows }
export function size(host, spec, stage, light, refuse) {
  const box = make(null, 'div', { class: 'size' }, host);
  make(null, 'span', { class: 'name', text: spec.label }, box);
  const about = { role: 'slider', min: 0, step: 1, 'aria-label': spec.label, 'data-handle': spec.of },
    range = make(null, 'input', { type: 'range', ...about }, box),
    plain = { class: 'small', inputmode: 'numeric', autocomplete: 'off', spellcheck: 'false' },
    field = make(null, 'input', { type: 'text', ...plain, 'aria-label': spec.field, 'data-value': spec.of }, box),
    marks = spec.ticks && make(null, 'div', { class: 'ticks', 'aria-hidden': 'true' }, box);
  const fixed = [...new Set([...stopsBetween(spec.low, spec.high), ...spec.also])].sort((a, b) => a - b),
    digits = forms.whole(spec.high).length; // the field is as wide from the start: no track moves under the hand
  // What every function below gets. `written`: what the field was last written for, undefined once it holds something
  // that was refused. While the reader `isTyping`, until the field is left, no other change overwrites it.
  const sized = { spec, stage, box, range, field, refuse, fixed, digits, written: null, isTyping: false };
  if (spec.ticks) writeAlong(sized, marks);
  const hand = bindRange(range, stage, {
    put: place => put(sized, stops(sized)[place] ?? now(sized)),
    key: (way, long) => put(sized, stopAfter(sized, way * (long ? FAR : 1))),
  });
  bindField(sized);
  for (const element of [range, field]) {
    element.addEventListener('focus', () => light(true));
    element.addEventListener('blur', () => light(false));
  }
  return () => paint(sized, hand);
}

// What is written below the range and above it; the field stands above both.
function writeAlong({ spec, range, field, fixed }, below) {
  const above = make(null, 'div', { class: 'known', 'aria-hidden': 'true' });
  range.before(field, above);
  const write = (host, stop, text) => {
    const part = fixed.indexOf(stop) / (fixed.length - 1);
    make(null, 'span', { text, style: `left:${(100 * part).toFixed(2)}%` }, host);
  };
  for (const tick of spec.ticks) write(below, tick, forms.whole(tick));
  for (const [stop, whose] of spec.known) write(above, stop, whose);
}

const rest = ({ spec, stage }) => (spec.rest ? find(stage.scope, spec.rest[0]) * spec.rest[1] : NaN);
const now = ({ spec, stage }) => find(stage.scope, spec.shown);

function stops(sized) {
  const { spec, stage, fixed } = sized,
    by = spec.times ? stage.pose[spec.times] : 0,
    own = by ? fixed.filter(n => n % by === 0) : fixed,
    atRest = rest(sized),
    isNew = atRest >= spec.low && atRest <= spec.high && !own.includes(atRest);
  return isNew ? [...own, atRest].sort((a, b) => a - b) : own;
}

// The stop so many after the present one, or before it.
function stopAfter(sized, step) {
  const among = stops(sized),
    n = now(sized),
    last = among.length - 1,
    at = step > 0 ? among.findLastIndex(stop => stop <= n) : among.findIndex(stop => stop >= n);
  return among[at < 0 ? (step > 0 ? 0 : last) : Math.min(last, Math.max(0, at + step))] ?? n;
}

function put(sized, n) {
  clear(sized);
  sized.stage.pose[sized.spec.of] = n === rest(sized) ? 0 : n;
}

function clear({ spec, box, field, refuse }) {
  if (!box.classList.contains('refused')) return;
  box.classList.remove('refused');
  field.removeAttribute('aria-invalid');
  refuse(spec.of, null);
}

function bindField(sized) {
  const { spec, stage, box, field } = sized;
  composeWords(field);
  for (const type of ['input', 'half-word', 'blur'])
    field.addEventListener(type, () => Object.assign(sized, { isTyping: type !== 'blur' }));
  field.addEventListener('change', () => {
    const n = typed(field.value);
    if (n >= spec.least && n <= spec.most) {
      put(sized, n);
      sized.written = null;
      stage.commit();
      return;
    }
    sized.written = undefined;
    box.classList.add('refused');
    field.setAttribute('aria-invalid', 'true');
    sized.refuse(spec.of, filled(spec.refused, { typed: field.value.slice(0, 24) }));
  });
  field.addEventListener('keydown', ({ key }) => key === 'Enter' && field.blur());
}

function paint(sized, hand) {
  const { spec, stage, box, range, field } = sized,
    n = now(sized),
    among = stops(sized),
    at = String(nearest(among, n)),
    key = `${n} ${among.length} ${stage.renewals}`;
  range.max = among.length - 1;
  if (!hand.pointer && range.value !== at) range.value = at;
  box.style.setProperty('--part', `${((100 * at) / Math.max(1, among.length - 1)).toFixed(2)}%`);
  range.setAttribute('aria-valuetext', `${spec.of}: ${spec.axis} ${steady(n)}`);
  if (sized.written === undefined) sized.written = key; // what was refused stays beside the number that this shows
  if (key === sized.written || sized.isTyping) return;
  sized.written = key;
  clear(sized);
  field.value = forms.whole(n);
  sized.digits = Math.max(sized.digits, field.value.length);
  box.style.setProperty('--digits', sized.digits);
  box.classList.toggle('long', sized.digits > 10);
  field.dataset.exact = String(n);
}
