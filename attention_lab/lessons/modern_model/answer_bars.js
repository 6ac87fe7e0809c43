// What may come next, before and after an intervention, as bars; and the answers of all texts before and after one.
import { find } from '../../figure/browser/calculation.js';
import { classes, make, putClass, write } from '../../figure/browser/elements.js';
import { formatShare, show } from '../../figure/browser/number_format.js';

const percent = x => `${(100 * x).toFixed(2)}%`;

// A row with a name, a track with a bar and a mark, and a number.
function barRow(host) {
  const row = make(null, 'p', { class: 'token-bar' }, host),
    name = make(null, 'span', { class: 'name', translate: 'no', dir: 'auto' }, row),
    track = make(null, 'span', { class: 'track', dir: 'ltr' }, row),
    [bar, was] = ['bar', 'was'].map(kind => make(null, 'span', { class: kind }, track));
  return { row, name, bar, was, number: make(null, 'span', { class: 'number' }, row) };
}

// spec: { title, cut, head: the pose's choices, without: path of the answers' probabilities with each head off,
//         rows: of each intervention [{ name, p, was, answer: its place among the answers }], texts: { was } }
export function answer_bars(host, spec, stage) {
  const box = make(null, 'div', { class: 'answer-bars', role: 'group', 'aria-label': spec.title }, host);
  make(null, 'h2', { class: 'heading', text: spec.title }, box);
  const rows = spec.rows[0].map(() => barRow(box));
  make(null, 'p', { class: 'was-says', text: spec.texts.was }, box);
  return scope => {
    const hidden = Boolean(stage.resultsHidden),
      cut = scope[spec.cut],
      without = find(scope, spec.without).map(row => row[scope[spec.head]]);
    rows.forEach(({ row, name, bar, was, number }, k) => {
      const { name: text, p, was: before, answer } = spec.rows[cut][k],
        now = p ?? without[answer] ?? null;
      putClass(row, classes('token-bar', answer === 0 && 'answer', now === null && 'unknown'));
      write(name, hidden ? '?' : text);
      bar.style.width = percent(hidden ? 0 : (now ?? 0));
      was.style.insetInlineStart = percent(before ?? 0);
      was.style.visibility = hidden || before === null || !cut ? 'hidden' : '';
      show(number, now, `next ${text}`, { hidden: hidden || (now === null && '–'), form: formatShare });
    });
  };
}

// spec: { title, rows: [{ text, answer, before, after }], texts: { before, after } }
export function closings(host, spec, stage) {
  const box = make(null, 'div', { class: 'closings', role: 'group', 'aria-label': spec.title }, host),
    key = make(null, 'p', { class: 'key' }, box);
  for (const kind of ['before', 'after']) {
    make(null, 'i', { class: kind }, key);
    make(null, 'span', { text: spec.texts[kind] }, key);
  }
  const rows = spec.rows.map(({ text, answer, before, after }) => {
    const row = make(null, 'p', { class: 'closing' }, box),
      name = make(null, 'span', { class: 'name' }, row);
    make(null, 'span', { class: 'text', text, dir: 'auto' }, name);
    make(null, 'b', { text: answer, translate: 'no' }, name);
    const track = make(null, 'span', { class: 'track', dir: 'ltr' }, row),
      line = make(null, 'span', { class: 'line' }, track);
    line.style.insetInlineStart = percent(Math.min(before, after));
    line.style.width = percent(Math.abs(before - after));
    for (const [kind, x] of Object.entries({ before, after }))
      make(null, 'i', { class: kind, style: `inset-inline-start: ${percent(x)}` }, track);
    const numbers = make(null, 'span', { class: 'number', dir: 'ltr' }, row),
      [was, now] = ['span', 'b'].map(tag => make(null, tag, {}, numbers));
    was.after(' → ');
    return { track, was, now };
  });
  return () =>
    rows.forEach(({ track, was, now }, k) => {
      const { answer, before, after } = spec.rows[k],
        share = { hidden: stage.resultsHidden, form: formatShare };
      track.style.visibility = stage.resultsHidden ? 'hidden' : '';
      show(was, before, `${answer} before ${k + 1}`, share);
      show(now, after, `${answer} closed ${k + 1}`, share);
    });
}
