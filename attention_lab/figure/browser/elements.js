import { wordsOfPage } from './language.js';

// Making elements. Text always goes in as text: no word of the reader's is ever read as HTML.
const SPACES = { svg: 'http://www.w3.org/2000/svg', math: 'http://www.w3.org/1998/Math/MathML' };

export function make(space, tag, attributes = {}, parent = null) {
  const element = space ? document.createElementNS(SPACES[space], tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text' && !space) write(element, value);
    else if (name === 'text') element.textContent = value;
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  if (tag === space) element.setAttribute('translate', 'no'); // a browser leaves its words and numbers as they are
  parent?.appendChild(element);
  return element;
}

export function makeButton(parent, attributes, act) {
  const button = make(null, 'button', { type: 'button', ...attributes }, parent);
  button.addEventListener('click', act);
  return button;
}

// A track with a bar in it, and behind it a number.
export function makeBar(parent, trackKind = 'track', numberKind = 'number') {
  const track = make(null, 'span', { class: trackKind }, parent),
    bar = make(null, 'span', { class: 'bar' }, track);
  return { track, bar, number: make(null, 'span', { class: numberKind }, parent) };
}

// The picture of a part whose handles have names of their own; its title is also that of a saved picture.
export const makePicture = (parent, title) =>
  make('svg', 'svg', { class: 'picture', role: 'group', 'aria-label': title, 'data-picture': title }, parent);

// While a word is composed (Chinese, Japanese, Korean; on most telephones any word), its keys are the input method's,
// and the field holds half of it. Only who listens to `half-word` hears of that; `input` comes once the word is there.
export function composeWords(field) {
  const early = event => {
    if (!event.isComposing && event.keyCode !== 229) return;
    event.stopImmediatePropagation();
    if (event.type === 'input') field.dispatchEvent(new Event('half-word'));
  };
  for (const type of ['keydown', 'input']) field.addEventListener(type, early, { capture: true });
  field.addEventListener('compositionend', () => field.dispatchEvent(new Event('input', { bubbles: true })));
}

// Symbols as plain text has them, W_O or e^(score ÷ T): what follows the sign stands lower or higher.
const SYMBOL = /\b(?:(W)_([A-Z])\b|e\^\(([^()]*)\))/;

// Writes a text into an element of HTML, touching the document only where it changed.
export function write(element, text) {
  const [first, ...more] = String(text ?? '').split(SYMBOL),
    nodes = [first];
  for (let k = 0; k < more.length; k += 4) {
    const [letter, below, above, rest] = more.slice(k, k + 4);
    nodes.push(letter ?? 'e', make(null, letter ? 'sub' : 'sup', { text: below ?? above }), rest);
  }
  if (element.textContent !== nodes.map(node => node.textContent ?? node).join('')) element.replaceChildren(...nodes);
}

// The same for a text without symbols, in any element.
export function putText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A text's paragraphs, beside what they are about.
export function remark(host, text) {
  for (const paragraph of text.split('\n\n')) write(make(null, 'p', { class: 'remark' }, host), paragraph);
}

// How the page looks, on whose ground all stands.
export const pageStyle = () => getComputedStyle(document.querySelector('.stApp') ?? document.body);

// Hands the reader a file.
export function download(blob, name) {
  const link = make(null, 'a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The names of classes that hold, in one.
export const classes = (...names) => names.filter(Boolean).join(' ');

// Tells `then` when the pointer or the focus comes to an element, and when it goes.
export function followPointing(element, then) {
  for (const type of ['pointerenter', 'focus']) element.addEventListener(type, () => then(true));
  for (const type of ['pointerleave', 'blur']) element.addEventListener(type, () => then(false));
}

// Names an element's class, touching the document only where it changed.
export function putClass(element, kind) {
  if (element.getAttribute('class') !== kind) element.setAttribute('class', kind);
}

export function place(element, attributes) {
  for (const name in attributes) element.setAttribute(name, attributes[name]);
}

// Where an event is in a picture, in its own units.
export const pointIn = (svg, { clientX, clientY }) =>
  new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());

// The least width in which things stand in as few rows as in `room`: so the last row is not left with a single one.
export function balanced(widths, gap, room) {
  const rows = wide =>
    widths.reduce(([n, at], w) => (at && at + gap + w > wide ? [n + 1, w] : [n, at ? at + gap + w : w]), [1, 0])[0];
  const least = rows(room);
  if (least === 1) return null;
  let wide = room;
  while (wide > Math.max(...widths) && rows(wide - 4) === least) wide -= 4;
  return wide;
}

// Keeps the rows of a flex box that wraps about equally long, however wide its parent is; `then` hears whether it
// wraps.
export function balance(row, then = () => {}) {
  const findFrame = () => {
    let frame = row.parentElement;
    while (frame.parentElement && getComputedStyle(frame).display === 'contents') frame = frame.parentElement;
    return frame;
  };
  const lay = frame => {
    row.style.maxWidth = '';
    then(false);
    const room = frame.clientWidth;
    const measured = () => {
      const widths = [...row.children].map(child => child.getBoundingClientRect().width);
      return balanced(widths, Number.parseFloat(getComputedStyle(row).columnGap) || 0, room);
    };
    let wide = room ? measured() : null;
    if (wide !== null) {
      then(true);
      wide = measured();
    }
    row.style.maxWidth = wide === null ? '' : `${Math.ceil(wide) + 1}px`;
  };
  measureWhenBuilt(findFrame, frame => new ResizeObserver(() => lay(frame)).observe(frame));
}

// How large type is, in px. To ask the browser between two changes makes it work out the styles of all; while a stage
// is painted, it is asked once.
const rootFontSize = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
let sizeNow = null;
export const rem = () => sizeNow ?? rootFontSize();
// How large letters are that elsewhere have a `part` of a rem: on a projector none are smaller than `--smallest`, rem.
export const letters = part =>
  rem() * Math.max(part, parseFloat(document.documentElement.style.getPropertyValue('--smallest')) || 0);
// How large letters of a `part` of a rem are where there is room for `most` px: smaller ones have few sizes, too.
export const fitted = (part, most) =>
  most < letters(part) - 0.05 ? Math.max(Math.floor(most), Math.min(most, 8)) : letters(part);
// How much larger than elsewhere what has its length in px is drawn: on a projector it grows with the letters.
export const larger = () => parseFloat(document.documentElement.style.getPropertyValue('--larger')) || 1;
// Whether the page is on a projector: there drawings show less, and that in larger letters.
export const projected = () => letters(0) > 0;
// What 1 px is to a drawing whose smallest letters have a `part` of a rem, of 16 px.
export const unitFor = part => letters(part) / (16 * part);
export function withOneRem(paint) {
  sizeNow = rootFontSize();
  try {
    paint();
  } finally {
    sizeNow = null;
  }
}

// To measure what has just been changed makes the browser lay out the page. While a stage is built, what its parts
// measure waits until all are there, and is measured before any of them changes: the page is laid out once. What a
// part shows only once it is painted has no size yet. A part that is built at other times, as in a paint, is measured
// at once.
let waiting = null;
export function measureTogether(build) {
  const outer = waiting,
    own = [];
  try {
    waiting = own;
    build();
    waiting = null;
    const sizes = own.map(({ measure }) => measure());
    for (const [k, { act }] of own.entries()) act(sizes[k]);
  } finally {
    waiting = outer;
  }
}
export function measureWhenBuilt(measure, act) {
  if (waiting) waiting.push({ measure, act });
  else act(measure());
}

// Tells `then` how wide an element is, in whole pixels: once it is built, and whenever that or the size of letters has
// changed.
export function followWidth(element, then) {
  let seen = '';
  const measure = () => Math.floor(element.getBoundingClientRect().width),
    tell = wide => {
      const now = `${wide} ${rem()}`;
      if (!wide || now === seen) return;
      seen = now;
      then(wide);
    },
    look = () => tell(measure());
  measureWhenBuilt(measure, tell);
  element.followRoom = look; // for who cannot wait until the browser tells
  rooms.observe(element);
}
// Returns a function that says how wide an element is: 0 until it is built. The stage is painted for another width.
export function roomIn(element, stage) {
  let room = 0;
  followWidth(element, wide => {
    room = wide;
    stage.requestPaint();
  });
  return () => room;
}
// What has another width is painted for it before it is seen.
const rooms = new ResizeObserver(entries => {
  for (const { target } of entries) target.followRoom();
  for (const stage of new Set(entries.map(({ target }) => target.closest('.stage')))) stage?.paintNow();
});

// Where a picture's numbers come from: a badge at its lower right, at the end of the line below it, told anew at every
// paint. `of` says what the picture is made of; a stage without a hand has one badge for all. Numbers that no hand has
// changed may have another where a choice of the pose stands at a certain value: `elsewhere` is [where it then comes
// from, the choice, its value].
export function badge(figure, of) {
  const element = make(null, 'span', {}, figure);
  badgeSizes.observe(element); // the first in sight may be another in another window
  return ({ pose, otherPose, data: { provenance, origin, elsewhere } }, own = '') => {
    element.style.visibility = otherPose ? 'hidden' : ''; // somebody else's numbers, of which the page knows nothing
    const usual = provenance[of] ?? provenance,
      [other, name, value] = elsewhere ?? [],
      from = own || (elsewhere && usual === origin && pose[name] === value ? other : usual);
    const before = element.dataset.provenance;
    if (before === from) return;
    if (before) element.style.minWidth = `${element.offsetWidth}px`; // the line beside it stays as it is
    element.dataset.provenance = from;
    element.textContent = wordsOfPage().badges?.[from] ?? from;
    element.className = `badge ${from.split(' ').join('-')}`;
    if (before)
      labelOnce(element.getRootNode()); // the first time, its size is news, too
    else {
      const last = figure.lastElementChild;
      if (last.matches('figcaption, p')) last.before(element);
      else figure.append(element);
    }
  };
}

// A page says once where its numbers come from, on its uppermost picture: others say it where theirs differ. A label
// that is not shown keeps its room.
function labelOnce(root) {
  const all = [...root.querySelectorAll('.badge')],
    top = each => (each.offsetParent ? each.parentElement.getBoundingClientRect().top : Infinity),
    first = all.reduce((one, other) => (top(other) < top(one) ? other : one), all[0]);
  for (const each of all)
    each.toggleAttribute('data-repeated', each !== first && each.dataset.provenance === first.dataset.provenance);
}
const badgeSizes = new ResizeObserver(entries => {
  for (const root of new Set(entries.map(({ target }) => target.getRootNode()))) labelOnce(root);
});
