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
//         times (the pose's own size that it stays a multiple of),
//         rest: [a path, times]: where it is that, the pose holds 0 and it follows }
export function size(host, spec, stage, light, refuse) {
  const box = make(null, 'div', { class: 'size' }, host);
  make(null, 'span', { class: 'name', text: spec.label }, box);
  const about = { role: 'slider', min: 0, step: 1, 'aria-label': spec.label, 'data-handle': spec.of },
    range = make(null, 'input', { type: 'range', ...about }, box),
    plain = { class: 'small', inputmode: 'numeric', autocomplete: 'off', spellcheck: 'false' },
    field = make(null, 'input', { type: 'text', ...plain, 'aria-label': spec.field, 'data-value': spec.of }, box);
  const fixed = [...new Set([...stopsBetween(spec.low, spec.high), ...spec.also])].sort((a, b) => a - b);
  const rest = () => (spec.rest ? find(stage.scope, spec.rest[0]) * spec.rest[1] : NaN);
  const stops = () => {
    const by = spec.times ? stage.pose[spec.times] : 0,
      own = by ? fixed.filter(n => n % by === 0) : fixed,
      atRest = rest();
    return atRest >= spec.low && atRest <= spec.high && !own.includes(atRest)
      ? [...own, atRest].sort((a, b) => a - b)
      : own;
  };
  const now = () => find(stage.scope, spec.shown);
  const put = n => {
    stage.pose[spec.of] = n === rest() ? 0 : n;
  };
  const clear = () => {
    if (!box.classList.contains('refused')) return;
    box.classList.remove('refused');
    field.removeAttribute('aria-invalid');
    refuse(spec.of, null);
  };
  const hand = bindRange(range, stage, {
    put: place => {
      clear();
      put(stops()[place] ?? now());
    },
    key: (way, long) => {
      clear();
      const among = stops(),
        n = now(),
        step = way * (long ? FAR : 1),
        at = way > 0 ? among.findLastIndex(stop => stop <= n) : among.findIndex(stop => stop >= n);
      put(among[at < 0 ? (way > 0 ? 0 : among.length - 1) : Math.min(among.length - 1, Math.max(0, at + step))] ?? n);
    },
  });
  let last = null,
    digits = forms.whole(spec.high).length, // the field is as wide from the start: no track moves under the hand
    isRefused = false, // what was refused stays beside the number that the next frame shows
    isTyping = false; // until the reader leaves the field, no other change overwrites it
  composeWords(field);
  for (const type of ['input', 'half-word', 'blur'])
    field.addEventListener(type, () => {
      isTyping = type !== 'blur';
    });
  field.addEventListener('change', () => {
    const n = typed(field.value);
    if (!(n >= spec.least && n <= spec.most)) {
      isRefused = true;
      box.classList.add('refused');
      field.setAttribute('aria-invalid', 'true');
      refuse(spec.of, filled(spec.refused, { typed: field.value.slice(0, 24) }));
      return;
    }
    clear();
    put(n);
    last = null;
    isRefused = false;
    stage.commit();
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter') field.blur();
  });
  for (const element of [range, field]) {
    element.addEventListener('focus', () => light(true));
    element.addEventListener('blur', () => light(false));
  }
  return () => {
    const n = now(),
      among = stops(),
      at = String(nearest(among, n)),
      key = `${n} ${among.length} ${stage.renewals}`;
    range.max = among.length - 1;
    if (!hand.pointer && range.value !== at) range.value = at;
    box.style.setProperty('--part', `${((100 * at) / Math.max(1, among.length - 1)).toFixed(2)}%`);
    range.setAttribute('aria-valuetext', `${spec.of}: ${spec.axis} ${steady(n)}`);
    if (isRefused) {
      last = key;
      isRefused = false;
    }
    if (key !== last && !isTyping) {
      last = key;
      clear();
      field.value = forms.whole(n);
      digits = Math.max(digits, field.value.length);
      box.style.setProperty('--digits', digits);
      box.classList.toggle('long', digits > 10);
      field.dataset.exact = String(n);
    }
  };
}
