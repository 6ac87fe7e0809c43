// What a model costs, line by line, each with the sizes that it is made of under the hand.
import { find } from '../../figure/browser/calculation.js';
import { make } from '../../figure/browser/elements.js';
import { filled, forms, show, steady } from '../../figure/browser/figures.js';
import { travel } from '../../figure/browser/slider.js';

const FINEST = 16,
  FAR = 8; // stops from one power of two to the next; stops that Shift or Page goes

// Whole numbers that sizes are made of: four binary digits and as many zeros as it takes.
function stops_between(low, high) {
  const stops = [];
  for (let n = low; n <= high; ) {
    stops.push(n);
    n += n < 2 * FINEST ? 1 : 2 ** Math.floor(Math.log2(n)) / FINEST;
  }
  return stops;
}

const divisors = new Map(); // of a number, in order; kept, since one is asked for at every frame
function divisors_of(n) {
  if (!divisors.has(n)) {
    const below = [],
      above = [];
    for (let d = 1; d * d <= n; d++)
      if (n % d === 0) {
        below.push(d);
        if (d * d < n) above.unshift(n / d);
      }
    if (divisors.size > 99) divisors.clear();
    divisors.set(n, [...below, ...above]);
  }
  return divisors.get(n);
}

const nearest = (stops, n) =>
  stops.reduce(
    (best, stop, i) =>
      Math.abs(Math.log((stop + 0.5) / (n + 0.5))) < Math.abs(Math.log((stops[best] + 0.5) / (n + 0.5))) ? i : best,
    0,
  );

// A number as it is typed: 12288, 12,288 or 1e12; null for anything else.
function typed(text) {
  const plain = text.replace(/[\s,_’']/g, '');
  return /^\d{1,20}$/.test(plain) || /^\d{1,4}e\d{1,2}$/i.test(plain) ? Number(plain) : null;
}

// spec: { of, label, shown (a path), low, high, least, most, also: [stops besides], divides (a path),
//         times (the pose's own size that it stays a multiple of),
//         rest: [a path, times]: where it is that, the pose holds 0 and it follows }
function size(host, spec, stage, light, refuse) {
  const box = make(null, 'div', { class: 'size' }, host);
  make(null, 'span', { class: 'name', text: spec.label }, box);
  const range = make(
    null,
    'input',
    { type: 'range', role: 'slider', min: 0, step: 1, 'aria-label': spec.label, 'data-handle': spec.of },
    box,
  );
  const field = make(
    null,
    'input',
    {
      type: 'text',
      inputmode: 'numeric',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-label': spec.field,
      'data-value': spec.of,
    },
    box,
  );
  const fixed = [...new Set([...(spec.divides ? [] : stops_between(spec.low, spec.high)), ...spec.also])].sort(
    (a, b) => a - b,
  );
  const rest = () => (spec.rest ? find(stage.scope, spec.rest[0]) * spec.rest[1] : NaN);
  const stops = () => {
    if (spec.divides) return divisors_of(find(stage.scope, spec.divides));
    const by = spec.times ? stage.pose[spec.times] : 0,
      own = by ? fixed.filter(n => n % by === 0) : fixed,
      at_rest = rest();
    return at_rest >= spec.low && at_rest <= spec.high && !own.includes(at_rest)
      ? [...own, at_rest].sort((a, b) => a - b)
      : own;
  };
  const now = () => find(stage.scope, spec.shown);
  const put = n => {
    stage.pose[spec.of] = n === rest() ? 0 : n;
  };
  const clear = () => {
    if (box.classList.contains('refused')) {
      box.classList.remove('refused');
      field.removeAttribute('aria-invalid');
      refuse(spec.of, null);
    }
  };
  const hand = travel(range, stage, {
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
  let last = null;
  field.addEventListener('change', () => {
    const n = typed(field.value);
    if (n === null || n < spec.least || n > spec.most) {
      box.classList.add('refused');
      field.setAttribute('aria-invalid', 'true');
      refuse(spec.of, filled(spec.refused, { typed: field.value.slice(0, 24) }));
      return;
    }
    clear();
    put(n);
    last = null;
    stage.touch();
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
    range.setAttribute('aria-valuetext', `${spec.of}: size ${steady(n)}`);
    if (key !== last) {
      last = key;
      clear();
      field.value = forms.whole(n);
      box.style.setProperty('--digits', field.value.length);
      box.classList.toggle('long', field.value.length > 10);
      field.dataset.exact = String(n);
    }
  };
}

// spec: { title, entries: [{ name, label, how: [texts and paths], of, what, form, share, result, veiled, role,
//         sizes: [size], heading, published (the line on the published total follows) }],
//         notes: [{ when, text: [texts and paths] }],
//         published: [{ text, note } for each model], model, touched, gap, own }
export function account(host, spec, stage) {
  const box = make(null, 'div', { class: 'account' }, host),
    refused = new Map();
  const table = make(null, 'table', { 'aria-label': spec.title }, box),
    body = make(null, 'tbody', {}, table),
    paints = [];
  const told = (element, parts) => scope => {
    const text = parts.map(part => (Array.isArray(part) ? forms.whole(find(scope, part)) : part)).join('');
    if (element.textContent !== text) {
      element.textContent = text;
      element.title = text;
    }
  };
  let text = null,
    gap = null;
  const published = () => {
    const row = make(null, 'tr', { class: 'entry published' }, body),
      name = make(null, 'th', { scope: 'row' }, row);
    text = make(null, 'td', { class: 'how' }, row);
    make(null, 'i', { class: 'swatch', 'aria-hidden': 'true' }, name);
    make(null, 'span', { text: spec.published_label }, name);
    make(null, 'td', { class: 'share' }, row);
    gap = make(null, 'b', {}, make(null, 'td', { class: 'number' }, row));
  };
  for (const entry of spec.entries) {
    if (entry.heading)
      make(
        null,
        'th',
        { scope: 'rowgroup', colspan: 4, text: entry.heading },
        make(null, 'tr', { class: 'heading' }, body),
      );
    const row = make(null, 'tr', { class: `entry ${entry.role ?? ''}`, 'data-entry': entry.name }, body);
    const light = on => {
      stage.lit = on ? entry.name : null;
      stage.touch();
    };
    const name = make(null, 'th', { scope: 'row' }, row);
    make(null, 'i', { class: 'swatch', 'aria-hidden': 'true' }, name);
    make(null, 'span', { text: entry.label }, name);
    const how = make(null, 'td', { class: 'how' }, row),
      share = make(null, 'td', { class: 'share' }, row),
      number = make(null, 'td', { class: 'number' }, row);
    const hidden = () => entry.veiled || (stage.veil && entry.result),
      write_how = told(how, entry.how);
    paints.push(scope => {
      how.style.visibility = hidden() ? 'hidden' : '';
      write_how(scope);
    });
    if (entry.of) {
      const value = make(null, 'b', {}, number);
      paints.push(scope =>
        show(value, find(scope, entry.of), entry.what, { hidden: hidden(), form: forms[entry.form ?? 'whole'] }),
      );
    }
    if (entry.share) {
      const value = make(null, 'span', {}, share);
      paints.push(scope => {
        const part = find(scope, entry.share);
        show(value, part, `share ${entry.what}`, { hidden: hidden(), form: forms.part_of_all });
        row.style.setProperty('--part', hidden() ? '0%' : `${(100 * part).toFixed(2)}%`);
      });
    }
    if (entry.published) published();
    const lit = [row];
    if (entry.sizes) {
      const cell = make(null, 'td', { colspan: 4 }, make(null, 'tr', { class: 'sizes' }, body)),
        inner = make(null, 'div', {}, cell);
      lit.push(cell.parentElement);
      for (const each of entry.sizes)
        paints.push(
          size(inner, each, stage, light, (of, text) => {
            if (text) refused.set(of, text);
            else refused.delete(of);
            stage.touch();
          }),
        );
    }
    for (const line of lit) {
      line.addEventListener('pointerenter', event => {
        if (event.pointerType === 'mouse') light(true);
      });
      line.addEventListener('pointerleave', () => {
        if (stage.lit === entry.name) light(false);
      });
    }
  }
  const said = make(null, 'div', { class: 'said' }, box),
    warning = make(null, 'p', { class: 'warning', 'data-spoken': '' }, said),
    note = make(null, 'p', { class: 'note' }, said);
  const write = (element, words) => {
    if (element.textContent !== words) element.textContent = words;
  };
  return scope => {
    for (const paint of paints) paint(scope);
    const model = spec.published[scope[spec.model]],
      own = find(scope, spec.touched) > 0;
    write(text, own ? spec.own : model.text);
    if (own) {
      write(gap, '');
      delete gap.dataset.value;
      delete gap.dataset.exact;
    } else show(gap, find(scope, spec.gap), 'gap', { hidden: stage.veil, form: forms.gap });
    write(note, own || stage.veil ? '' : model.note);
    const warnings = [
      ...refused.values(),
      ...spec.notes
        .filter(each => find(scope, each.when))
        .map(each => each.text.map(part => (Array.isArray(part) ? forms.whole(find(scope, part)) : part)).join('')),
    ];
    write(warning, warnings.join(' '));
    warning.classList.toggle('refused', refused.size > 0);
  };
}
