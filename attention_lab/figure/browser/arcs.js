// The words in a line, and over them whom the chosen one looks at: an arc to every word, as wide and as dark as its
// weight. Choosing a word lets it ask. Where the line has no room for the words, each is turned and stands upright;
// where even that is too wide or too high, they stand below one another and the arcs beside them. Of several heads
// one is shown at a time.
import { find } from './calculation.js';
import { apart, direction } from './direction.js';
import { badge, classes, followWidth, larger, make, makeButton, place, projected, putText } from './elements.js';
import { filled, formatPercent, formatShare, show } from './number_format.js';
import { smoothed, prefersReducedMotion } from './smoothing.js';

const GAP = [10, 30], // px between two words: at least, at most
  WORD = 30,
  NUMBER = 18,
  ROW = 27,
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
    say = make(null, 'p', { class: 'arcs-title', 'data-spoken': '' }, top);
  const first = spec.heads.findIndex((_, h) => stage.data.first === `head ${h + 1}`); // what to move first
  let look = Math.max(0, first);
  const choice = label => make(null, 'div', { class: 'arcs-choice joined', role: 'group', 'aria-label': label }, top);
  if (spec.swap) {
    const group = choice(spec.swap.label);
    for (const { example, text, own } of spec.swap.of)
      makeButton(group, { 'aria-pressed': own, text }, () => own || stage.ask({ example }));
  }
  const choices = spec.choose && choice(spec.choose),
    lenses = (choices ? spec.heads : []).map(({ label }, h) => {
      const title = filled(spec.texts.lens, { head: label });
      return makeButton(choices, { 'aria-label': title, title, text: String(h + 1) }, () => {
        look = h;
        stage.requestPaint();
      });
    });
  const paintBadge = spec.badge ? badge(top, spec.badge) : null,
    field = make(null, 'div', { class: 'arcs-field' }, box),
    svg = make('svg', 'svg', { 'aria-hidden': 'true' }, field);
  const spoken = find(stage.scope, spec.shown),
    n = spoken.length,
    fromRight = direction(spoken) === 'rtl';
  field.dir = fromRight ? 'rtl' : 'ltr';
  const earlier = before.get(stage.data.page),
    fresh = earlier && performance.now() - earlier.time < AGAIN && earlier.spoken.length === n ? earlier : null;
  const glide = smoothed(stage, fresh?.drawn),
    bundle = spoken.map(() => ({
      path: make('svg', 'path', { class: 'arc-of' }, svg),
      dot: make('svg', 'circle', { class: 'arc-end' }, svg),
    }));
  const words = spoken.map((text, i) => {
    const choose = () => {
      stage.pose[spec.focus] = i;
      stage.picked = { word: i }; // another object each time: the same word may be picked again
      stage.commit();
    };
    const button = makeButton(field, { class: 'arc-word', 'data-about': text }, choose),
      name = make(null, 'span', { class: 'spoken', text, dir: 'auto' }, button);
    if (fresh && fresh.spoken[i] !== text && !prefersReducedMotion()) {
      name.classList.add('coming');
      make(null, 'span', { class: 'going', text: fresh.spoken[i], 'aria-hidden': 'true' }, button);
    }
    const number = make(null, 'span', { class: 'number' }, button);
    return { button, name, number, wide: 0, middle: 0 };
  });
  let room = 0,
    upright = false,
    narrow = false,
    numbered = false, // whether the words' numbers are there: a word takes as much room as its number
    tall = 0;

  function layOut() {
    const measure = kind => {
      field.className = classes('arcs-field', kind);
      for (const word of words) {
        word.button.style.cssText = '';
        word.wide = word.button.offsetWidth;
        word.tall = word.button.offsetHeight;
      }
    };
    const highest = () => Math.max(...words.map(word => word.tall)),
      wideAll = () => words.reduce((sum, { wide }) => sum + wide, 0);
    measure('');
    const isTooWide = n > 1 && wideAll() + GAP[0] * (n - 1) > room;
    if (isTooWide) measure('turned');
    const mayTurn = spec.upright !== true && !(room < spec.upright) && PITCH * n <= room;
    narrow = isTooWide && mayTurn && highest() <= TALLEST + NUMBER;
    upright = isTooWide && !narrow;
    if (upright) {
      measure('upright');
      const widest = Math.min(Math.max(...words.map(({ wide }) => wide)), 0.62 * room);
      words.forEach((word, i) => {
        word.middle = (i + 0.5) * ROW;
        Object.assign(word.button.style, { top: `${i * ROW}px`, width: `${widest.toFixed(1)}px` });
        word.edge = widest + 6;
      });
      tall = n * ROW + 2;
    } else {
      for (const word of narrow ? words : []) {
        word.wide = room / n;
        word.button.style.width = `${word.wide.toFixed(1)}px`;
        word.button.style.height = `${highest()}px`;
      }
      const all = narrow ? room : wideAll(),
        gap = n > 1 ? Math.min(GAP[1], (room - all) / (n - 1)) : 0,
        base = larger() * (LOW + ((narrow ? 0.65 : 1) * HIGH() - LOW) * Math.min(1, all / (520 * larger())));
      let x = (room - all - gap * (n - 1)) / 2;
      for (const word of fromRight ? [...words].reverse() : words) {
        Object.assign(word.button.style, { left: `${x.toFixed(1)}px`, top: `${base}px` });
        word.middle = x + word.wide / 2;
        word.edge = base;
        x += word.wide + gap;
      }
      tall = base + (narrow ? highest() : larger() * (WORD + NUMBER));
    }
    field.style.height = `${tall}px`;
    place(svg, { width: room, height: tall, viewBox: `0 0 ${room} ${tall}` });
  }

  // An arc from one word to another: up from the line, or sideways from the column, higher for who stands further off;
  // and where it ends.
  function curve(from, to) {
    const at = (along, up) =>
      (upright ? [fromRight ? room - from.edge - up : from.edge + up, along] : [along, from.edge - up])
        .map(v => v.toFixed(1))
        .join(' ');
    const [a, b] = [from.middle, to.middle];
    if (from === to) {
      const wide = upright ? 7 : 10,
        ways = [at(a - wide, 0), at(a - 1.7 * wide, 24), at(a + 1.7 * wide, 24), at(a + wide, 0)];
      return [`M${ways[0]} C${ways.slice(1).join(' ')}`, ways[3].split(' ')];
    }
    const reach = upright ? Math.max(30, Math.min(150, room - from.edge - 14)) : from.edge - 8,
      length = Math.abs(words[0].middle - words.at(-1).middle) || 1,
      control = Math.max(18, reach * (Math.abs(a - b) / length) ** 0.62) / 0.75; // a cubic rises to three quarters
    return [`M${at(a, 0)} C${at(a, control)} ${at(b, control)} ${at(b, 0)}`, at(b, 1).split(' ')];
  }

  const layOutAgain = () => {
    if (!box.isConnected) return;
    layOut();
    stage.requestPaint();
  };
  followWidth(field, wide => {
    room = wide;
    layOutAgain();
    // in a font that is on its way, words are of another width
    if (document.fonts?.status === 'loading') document.fonts.ready.then(layOutAgain);
  });

  return scope => {
    if (!room) return;
    const { weights, name, label } = spec.heads[look],
      rows = find(scope, weights),
      focus = Math.min(scope[spec.focus], rows.length - 1), // a word chosen in a longer text, until Python answers
      names = find(scope, spec.words),
      row = rows[focus],
      hidden = Boolean(stage.resultsHidden),
      which = spec.which ? scope[spec.which] : look,
      off = spec.on ? find(scope, spec.on).flat()[which] < OFF : false,
      shut = spec.closed ? find(scope, spec.closed)[focus] : null;
    const top = row.reduce((best, weight, j) => (weight > (row[best] ?? 0) ? j : best), -1),
      alone = row.every((weight, j) => j === top || weight < row[top] - 1e-9),
      strongest = alone && !hidden && !off ? top : -1;
    const what = name ? `${name} ${spec.what}` : spec.what;
    words.forEach(({ button, number }, j) => {
      const kind = classes('arc-word', j === strongest && 'strongest', !hidden && shut?.[j] === -Infinity && 'closed');
      if (button.className !== kind) button.className = kind;
      if (button.getAttribute('aria-pressed') !== String(j === focus)) button.setAttribute('aria-pressed', j === focus);
      show(number, row[j], `${what} ${names[focus]} ${names[j]}`, {
        hidden: hidden || (off && '–'), // a head that is off attends nowhere
        form: narrow ? brief : projected() ? whole : formatShare,
      });
    });
    if (!numbered) {
      const wasNarrow = narrow;
      numbered = true;
      layOut();
      if (narrow !== wasNarrow) stage.requestPaint(); // numbers are shorter then, or longer
    }
    const drawn = glide(row.map(weight => (off || hidden || !Number.isFinite(weight) ? 0 : weight)));
    bundle.forEach(({ path, dot }, j) => {
      const seen = drawn[j] > FAINT;
      path.style.display = dot.style.display = seen ? '' : 'none';
      if (!seen) return;
      const [d, [cx, cy]] = curve(words[focus], words[j]);
      path.setAttribute('d', d);
      path.dataset.about = dot.dataset.about = `${names[focus]} ${names[j]}`;
      path.style.strokeWidth = `${(0.8 + WIDEST * drawn[j]).toFixed(2)}px`;
      path.style.strokeOpacity = (0.16 + 0.72 * drawn[j]).toFixed(3);
      place(dot, { cx, cy, r: (1.5 + 4 * Math.sqrt(drawn[j])).toFixed(2) });
    });
    stage.looked_at = look;
    before.set(stage.data.page, { drawn, spoken, time: performance.now() });
    lenses.forEach((button, h) => button.setAttribute('aria-pressed', h === look));
    // Both words are marked in the sentence: a number is needed only where the same word attends to itself elsewhere.
    const most = Math.max(0, strongest),
      called = most !== focus && spoken[most] === spoken[focus] ? names : spoken,
      said = filled(spec.texts[off ? 'off' : strongest < 0 ? 'asks' : 'strongest'], {
        head: spec.whichever?.[which] ?? label,
        who: apart(called[focus]),
        whom: apart(called[most]),
        share: formatShare(row[most]),
      });
    putText(say, said);
    paintBadge?.(stage);
  };
}
