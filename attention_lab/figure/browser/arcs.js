// The words in a line, and over them whom the chosen one looks at: an arc to every word, as wide and as dark as its
// weight. Choosing a word lets it ask. Where the line has no room for the words, each is turned and stands upright;
// where even that is too wide or too high, they stand below one another and the arcs beside them. A `large` line has
// larger words, and no turned ones: where it has no room, every other word stands a row lower. Of several heads the
// one is shown that `stage.looked_at` numbers.
import { find } from './calculation.js';
import { apart, direction } from './direction.js';
import { badge, classes, followWidth, larger, make, makeButton, place, projected, putText } from './elements.js';
import { filled, formatPercent, formatShare, show } from './number_format.js';
import { setPose } from './pose.js';
import { smoothed, prefersReducedMotion } from './smoothing.js';

const GAP = [10, 30], // px between two words: at least, at most
  WORD = 30,
  NUMBER = 18,
  ROW = 27,
  LIFT = 5, // px from a word to its arcs
  LOWER = 24, // px from a word to one a row lower
  PITCH = 23, // px for a turned word, at least
  TALLEST = 104, // px of a turned word
  HIGH = () => (projected() ? 84 : 112),
  LOW = 26,
  WIDEST = 15,
  FAINT = 0.004,
  OFF = 0.005, // a head less strong adds nothing that is seen
  AGAIN = 3000; // ms: arcs drawn so long ago are those that the sentence had before
const brief = x => (Number.isFinite(x) ? String(Math.round(100 * x)) : '–'); // in per cent, as its title says
const whole = x => (Number.isFinite(x) ? formatPercent(brief(x)) : brief(x));
const before = new Map(); // by page: what was drawn last, for when another sentence takes its place

// spec: what `arcs` in words.py sends.
export function arcs(host, spec, stage) {
  const box = make(null, 'div', { class: 'word-arcs', role: 'group', 'aria-label': spec.title }, host),
    top = make(null, 'div', { class: 'arcs-head' }, box),
    say = make(null, 'p', { class: 'arcs-title', 'data-spoken': '' }, top),
    spoken = find(stage.scope, spec.shown),
    field = make(null, 'div', { class: 'arcs-field', dir: direction(spoken) }, box),
    svg = make('svg', 'svg', { 'aria-hidden': 'true' }, field),
    draw = (tag, kind) => make('svg', tag, { class: kind }, svg),
    first = spec.heads.findIndex((_, h) => stage.data.first === `head ${h + 1}`), // what to move first
    earlier = before.get(stage.data.page),
    isFresh = earlier && performance.now() - earlier.time < AGAIN && earlier.spoken.length === spoken.length;
  // What every function below gets as its `line`.
  const line = {
    spec,
    stage,
    field,
    svg,
    spoken,
    bundle: spoken.map(() => ({ path: draw('path', 'arc-of'), dot: draw('circle', 'arc-end') })),
    words: spoken.map((text, i) => makeWord({ spec, stage, field }, i, text, isFresh ? earlier.spoken[i] : text)),
    glide: smoothed(stage, isFresh ? earlier.drawn : null),
    room: 0,
    form: '', // how the words stand: `large`, each `turned`, every other lower (`stepped`), or `upright`: in a column
    numbered: false, // whether the words' numbers are there: a word takes as much room as its number
  };
  stage.looked_at = Math.max(0, first);
  if (spec.swap) offerTexts(line, top);
  const paintBadge = spec.badge ? badge(top, spec.badge) : null;
  const layOutAgain = () => {
    if (!box.isConnected) return;
    layOut(line);
    stage.requestPaint();
  };
  followWidth(field, wide => {
    line.room = wide;
    layOutAgain();
    if (document.fonts?.status === 'loading') document.fonts.ready.then(layOutAgain); // then words have other widths
  });
  return scope => {
    if (!line.room) return;
    putText(say, paint(line, scope));
    paintBadge?.(stage);
  };
}

// Above the line: another text.
function offerTexts({ spec, stage }, top) {
  const texts = make(null, 'div', { class: 'arcs-choice joined', role: 'group', 'aria-label': spec.swap.label }, top);
  for (const { example, text, own } of spec.swap.of)
    makeButton(texts, { 'aria-pressed': own, text }, () => own || stage.ask({ example }));
}

function makeWord({ spec, stage, field }, i, text, earlier) {
  const button = makeButton(field, { class: 'arc-word', 'data-about': text }, () => {
    stage.picked = { word: i }; // another object each time: the same word may be picked again
    setPose(stage, { [spec.focus]: i });
  });
  const isComing = earlier !== text && !prefersReducedMotion();
  make(null, 'span', { class: classes('spoken', isComing && 'coming'), text, dir: 'auto' }, button);
  if (isComing) make(null, 'span', { class: 'going', text: earlier, 'aria-hidden': 'true' }, button);
  return { button, number: make(null, 'span', { class: 'number' }, button) };
}

const most = (words, side) => Math.max(...words.map(word => word[side]));
const widthOf = words => words.reduce((sum, { wide }) => sum + wide, 0);

function layOut(line) {
  const { spec, field, svg, words, room } = line,
    n = words.length,
    forms = spec.large ? [projected() ? '' : 'large', '', 'stepped'] : ['', 'turned'];
  if (!forms.some(form => fits(line, form))) measure(line, 'upright');
  const widest = Math.min(most(words, 'wide'), 0.62 * room),
    tall = line.form === 'upright' ? n * ROW + 2 : layInLine(line);
  for (const [i, word] of line.form === 'upright' ? words.entries() : []) {
    Object.assign(word, { middle: (i + 0.5) * ROW, edge: widest + 6, lower: 0 });
    Object.assign(word.button.style, { top: `${i * ROW}px`, width: `${widest.toFixed(1)}px` });
  }
  field.style.height = `${tall}px`;
  place(svg, { width: room, height: tall, viewBox: `0 0 ${room} ${tall}` });
}

function fits(line, form) {
  measure(line, form);
  const { spec, words, room } = line,
    n = words.length,
    pitch = room / n;
  if (form === 'stepped') return words.every(({ wide }, i) => wide + (words[i + 2] ?? words[i]).wide <= 4 * pitch);
  if (form !== 'turned') return n < 2 || widthOf(words) + GAP[0] * (n - 1) <= room;
  const mayTurn = spec.upright !== true && !(room < spec.upright) && PITCH <= pitch;
  return mayTurn && most(words, 'tall') <= TALLEST + NUMBER;
}

function measure(line, form) {
  line.form = form;
  line.field.className = classes('arcs-field', form);
  for (const word of line.words) {
    word.button.style.cssText = '';
    Object.assign(word, { wide: word.button.offsetWidth, tall: word.button.offsetHeight });
  }
}

// Whether each word has an equal part of the line, and its number no sign of per cent.
const isNarrow = form => form === 'turned' || form === 'stepped';

// Returns how high all is.
function layInLine({ words, room, form, field }) {
  const n = words.length,
    narrow = isNarrow(form),
    high = form === 'turned' ? most(words, 'tall') : larger() * (WORD + NUMBER) + (narrow ? LOWER : 0);
  for (const word of narrow ? words : []) {
    word.wide = room / n;
    Object.assign(word.button.style, { width: `${word.wide.toFixed(1)}px`, height: `${high}px` });
  }
  const all = narrow ? room : widthOf(words),
    gap = n > 1 ? Math.min(GAP[1], (room - all) / (n - 1)) : 0,
    base = larger() * (LOW + ((narrow ? 0.65 : 1) * HIGH() - LOW) * Math.min(1, all / (520 * larger())));
  let x = (room - all - gap * (n - 1)) / 2;
  for (const word of field.dir === 'rtl' ? [...words].reverse() : words) {
    Object.assign(word, {
      middle: x + word.wide / 2,
      edge: form === 'turned' ? base : base - LIFT,
      lower: form === 'stepped' && words.indexOf(word) % 2 ? LOWER : 0,
    });
    Object.assign(word.button.style, { left: `${x.toFixed(1)}px`, top: `${base}px` });
    x += word.wide + gap;
  }
  return base + high;
}

// An arc between words and where it ends: up from the line or sideways from the column, higher to words further off.
function curve({ spec, words, room, form, field }, from, to) {
  const upright = form === 'upright',
    [a, b] = [from.middle, to.middle],
    aside = up => (field.dir === 'rtl' ? room - from.edge - up : from.edge + up),
    at = (along, up) => (upright ? [aside(up), along] : [along, from.edge - up]).map(v => v.toFixed(1)).join(' ');
  if (from === to) {
    const wide = upright ? 7 : 10,
      ways = [
        [a - wide, 0],
        [a - 1.7 * wide, 24],
        [a + 1.7 * wide, 24],
        [a + wide, 0],
      ].map(([along, up]) => at(along, up - from.lower));
    return [`M${ways[0]} C${ways.slice(1).join(' ')}`, ways[3].split(' ')];
  }
  const reach = upright ? Math.max(30, Math.min(150, room - from.edge - 14)) : from.edge - 8,
    length = Math.abs(words[0].middle - words.at(-1).middle) || 1,
    high = Math.max(18, reach * (Math.abs(a - b) / length) ** (spec.large ? 0.4 : 0.62)),
    control = high / 0.75; // a cubic rises to three quarters
  // to a word a row lower it goes on between those above
  const foot = (along, { lower }, up = 0) => at(along, up - lower);
  return [
    `M${foot(a, from)} L${at(a, 0)} C${at(a, control)} ${at(b, control)} ${at(b, 0)} L${foot(b, to)}`,
    foot(b, to, 1).split(' '),
  ];
}

// Paints the chosen word's row of weights, and returns what it says.
function paint(line, scope) {
  const { spec, stage, words, spoken, form } = line,
    look = stage.looked_at,
    { weights, name, label } = spec.heads[look],
    rows = find(scope, weights),
    names = find(scope, spec.words),
    focus = Math.min(scope[spec.focus], rows.length - 1), // a word chosen in a longer text, until Python answers
    row = rows[focus],
    hidden = Boolean(stage.resultsHidden),
    which = spec.which ? scope[spec.which] : look,
    off = spec.on ? find(scope, spec.on).flat()[which] < OFF : false,
    shut = !hidden && spec.closed ? find(scope, spec.closed)[focus] : null,
    top = row.reduce((best, weight, j) => (weight > (row[best] ?? 0) ? j : best), -1),
    alone = row.every((weight, j) => j === top || weight < row[top] - 1e-9),
    strongest = alone && !hidden && !off ? top : -1,
    what = name ? `${name} ${spec.what}` : spec.what;
  words.forEach(({ button, number, lower }, j) => {
    const kind = classes(
      'arc-word',
      lower && 'lower',
      j === strongest && 'strongest',
      shut?.[j] === -Infinity && 'closed',
    );
    if (button.className !== kind) button.className = kind;
    if (button.getAttribute('aria-pressed') !== String(j === focus)) button.setAttribute('aria-pressed', j === focus);
    show(number, row[j], `${what} ${names[focus]} ${names[j]}`, {
      hidden: hidden || (off && '–'), // a head that is off attends nowhere
      form: isNarrow(form) ? brief : projected() ? whole : formatShare,
    });
  });
  if (!line.numbered) {
    line.numbered = true;
    layOut(line);
    if (isNarrow(line.form) !== isNarrow(form)) stage.requestPaint(); // there numbers are shorter
  }
  const drawn = line.glide(row.map(weight => (off || hidden || !Number.isFinite(weight) ? 0 : weight)));
  line.bundle.forEach(({ path, dot }, j) => {
    const seen = drawn[j] > FAINT;
    path.style.display = dot.style.display = seen ? '' : 'none';
    if (!seen) return;
    const [d, [cx, cy]] = curve(line, words[focus], words[j]);
    path.setAttribute('d', d);
    path.dataset.about = dot.dataset.about = `${names[focus]} ${names[j]}`;
    path.style.strokeWidth = `${(0.8 + WIDEST * drawn[j]).toFixed(2)}px`;
    path.style.strokeOpacity = (0.16 + 0.72 * drawn[j]).toFixed(3);
    place(dot, { cx, cy, r: (1.5 + 4 * Math.sqrt(drawn[j])).toFixed(2) });
  });
  before.set(stage.data.page, { drawn, spoken, time: performance.now() });
  // Both words are marked in the sentence: a number is needed only where the same word attends to itself elsewhere.
  const to = Math.max(0, strongest),
    called = to !== focus && spoken[to] === spoken[focus] ? names : spoken;
  return filled(spec.texts[off ? 'off' : strongest < 0 ? 'asks' : 'strongest'], {
    head: spec.whichever?.[which] ?? label,
    who: apart(called[focus]),
    whom: apart(called[to]),
    share: formatShare(row[to]),
  });
}
