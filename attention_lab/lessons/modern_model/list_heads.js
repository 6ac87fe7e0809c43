// Heads to switch off together, six in a group, and the perplexity without them on a scale of powers of ten.
import { find } from '../../figure/browser/calculation.js';
import { badge, make, makeButton } from '../../figure/browser/elements.js';
import { filled, formatWhole, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

const TICKS = [1, 10, 100, 1000],
  TOP = 2000;
const place = x => `${((100 * Math.log(x)) / Math.log(TOP)).toFixed(2)}%`;

function logBar(host, kind) {
  const track = make(null, 'span', { class: `log-track ${kind}`, dir: 'ltr' }, host);
  for (const tick of TICKS.slice(1)) make(null, 'i', { style: `inset-inline-start: ${place(tick)}` }, track);
  return { bar: make(null, 'span', { class: 'bar' }, track), number: make(null, 'b', {}, host) };
}

// spec: { title, badge, off: the pose's name of ones and zeros, a row for each group, heads: [names], groups: [titles],
//         perplexities: paths, whole: with no head off, texts: { none, all, none_off, head, perplexity } }
export function list_heads(host, spec, stage) {
  const box = make(null, 'div', { class: 'list-heads', role: 'group', 'aria-label': spec.title }, host),
    put = (g, row) => setPose(stage, { [spec.off]: stage.pose[spec.off].map((old, k) => (k === g ? row : [...old])) });
  const base = make(null, 'div', { class: 'list-group' }, box);
  make(null, 'p', { class: 'of', text: spec.texts.none }, base);
  const whole = logBar(base, 'whole');
  const groups = spec.heads.map((heads, g) => {
    const group = make(null, 'div', { class: 'list-group' }, box);
    make(null, 'p', { class: 'of', text: spec.groups[g] }, group);
    const row = make(null, 'div', { class: 'toggles', role: 'group', 'aria-label': spec.groups[g] }, group),
      turn = k => stage.pose[spec.off][g].map((bit, at) => (at === k ? 1 - bit : bit)),
      buttons = heads.map((head, k) => {
        const about = { text: head, 'aria-label': filled(spec.texts.head, { head }), 'data-off': `${g} ${k}` };
        return makeButton(row, { class: 'plain small', ...about }, () => put(g, turn(k)));
      }),
      all = makeButton(row, { class: 'plain small bare', 'data-all': g }, () =>
        put(g, Array(heads.length).fill(stage.pose[spec.off][g].every(Boolean) ? 0 : 1)),
      );
    return { buttons, all, ...logBar(group, g ? 'others' : 'six') };
  });
  const axis = make(null, 'div', { class: 'log-axis', dir: 'ltr', 'aria-hidden': 'true' }, box);
  for (const tick of TICKS)
    make(null, 'span', { style: `inset-inline-start: ${place(tick)}`, text: formatWhole(tick) }, axis);
  make(null, 'p', { class: 'axis-name', text: spec.texts.perplexity }, box);
  const paintBadge = badge(box, spec.badge);
  return scope => {
    paintBadge(stage);
    const hidden = stage.resultsHidden;
    const paint = ({ bar, number }, x, what) => {
      bar.style.width = hidden ? 0 : place(x);
      show(number, x, what, { hidden });
    };
    paint(whole, spec.whole, 'perplexity with all heads');
    groups.forEach((group, g) => {
      const off = scope[spec.off][g];
      group.buttons.forEach((button, k) => button.setAttribute('aria-pressed', Boolean(off[k])));
      group.all.textContent = spec.texts[off.every(Boolean) ? 'none_off' : 'all'];
      paint(group, find(scope, spec.perplexities[g]), `perplexity ${g ? 'without others' : 'without induction heads'}`);
    });
  };
}
