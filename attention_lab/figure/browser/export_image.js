// Exports what only the browser has: the figure as an image, and the link.
import { runsLeft } from './direction.js';
import { download, make, makeButton, pageStyle, place } from './elements.js';

const FONT = [
  'font-size',
  'font-weight',
  'font-family',
  'font-style',
  'font-variant-numeric',
  'direction',
  'unicode-bidi',
];
const KEPT = [
  ...FONT,
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-opacity',
  'opacity',
  'text-anchor',
  'display',
  'paint-order',
  'stroke-linejoin',
];

// Shadow roots hide the picture from a plain query, so every open root is searched.
function* roots(root = document) {
  yield root;
  for (const element of root.querySelectorAll('*')) if (element.shadowRoot) yield* roots(element.shadowRoot);
}

// The stage of a page that has a picture.
export function pictured(page) {
  for (const root of roots()) {
    const stage = root.querySelector(`[data-stage="${page}"]:has([data-pictured])`);
    if (stage) return stage;
  }
  return null;
}

// A page's picture as it stands: all that its lesson calls so, under the page's name.
export function picture(page) {
  const parts = pictured(page)?.querySelectorAll('[data-pictured]'),
    boxes = [...(parts ?? [])].flatMap(part => [...part.children]);
  return parts ? assembled(boxes, document.title) : null;
}

function copied(svg) {
  // a copy that looks the same on its own: styles written into the elements
  const twin = svg.cloneNode(true),
    from = [svg, ...svg.querySelectorAll('*')],
    to = [twin, ...twin.querySelectorAll('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of [...to[i].style]) if (name.startsWith('--')) to[i].style.removeProperty(name);
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      to[i].style.setProperty(name, /^(ok|color)/.test(value) ? plain(value) : value);
    }
  });
  twin.querySelectorAll('.hit').forEach(hit => hit.remove());
  return twin;
}

// A colour as every program that draws reads it: the page's own may be mixed.
const mixing = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
function plain(colour) {
  mixing.clearRect(0, 0, 1, 1);
  mixing.fillStyle = colour;
  mixing.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = mixing.getImageData(0, 0, 1, 1).data;
  return alpha ? `rgba(${red}, ${green}, ${blue}, ${(alpha / 255).toFixed(3)})` : null;
}

const ABOVE = 44,
  EDGE = 16; // px: room for the title, and around the whole
const LEFT_OUT = '.hint, .for-a-hand, .visually-hidden, .step-button, .another'; // what only speaks to a hand
const SIDES_OF = {
  Top: ['x', 'y', 'r', 'y'],
  Right: ['r', 'y', 'r', 'b'],
  Bottom: ['x', 'b', 'r', 'b'],
  Left: ['x', 'y', 'x', 'b'],
};

// Drawings and texts that stand side by side, as one drawing under a title: each at its place, grounds and borders
// as rectangles and lines, texts word by word.
export function assembled(boxes, title) {
  const places = boxes.map(box => box.getBoundingClientRect()).filter(({ width, height }) => width && height),
    all = { left: Math.min(...places.map(p => p.left)), top: Math.min(...places.map(p => p.top)) };
  all.width = Math.max(...places.map(p => p.right)) - all.left;
  all.height = Math.max(...places.map(p => p.bottom)) - all.top;
  const [wide, tall] = [all.width, all.height].map(Math.ceil),
    viewBox = [-EDGE, -EDGE - ABOVE, wide + 2 * EDGE, tall + 2 * EDGE + ABOVE].join(' '),
    whole = make('svg', 'svg', { viewBox });
  const seat = ({ left, top, width, height }) => ({ x: left - all.left, y: top - all.top, width, height });
  const strength = element =>
    boxes.includes(element) ? 1 : getComputedStyle(element).opacity * strength(element.parentElement);
  const seen = element => !element.closest(LEFT_OUT) && element.checkVisibility({ visibilityProperty: true });
  const { fontFamily, color } = getComputedStyle(boxes[0]);
  const x = runsLeft() ? all.width : 0,
    name = make('svg', 'text', { x, y: -ABOVE + 12, fill: plain(color), text: title }, whole);
  name.style.cssText = `font: 600 20px ${fontFamily}; direction: ${runsLeft() ? 'rtl' : 'ltr'}`;
  for (const box of boxes) {
    for (const svg of box.querySelectorAll('svg')) {
      if (!seen(svg)) continue;
      const twin = copied(svg);
      place(twin, seat(svg.getBoundingClientRect()));
      whole.appendChild(twin);
    }
    for (const element of [box, ...box.querySelectorAll('*')])
      if (element instanceof HTMLElement && seen(element)) ground(element, seat, strength(element), whole);
    for (const canvas of box.querySelectorAll('canvas')) if (seen(canvas)) pixelsOf(canvas, seat, whole);
    write(box, seat, strength, seen, whole);
    for (const list of box.querySelectorAll('select')) if (seen(list)) choose(list, seat, whole);
  }
  return whole;
}

// What an element of the page has behind its text: its ground, and the borders on its sides.
function ground(element, seat, opacity, whole) {
  const style = getComputedStyle(element),
    at = seat(element.getBoundingClientRect()),
    fill = plain(style.backgroundColor),
    lines = Object.keys(SIDES_OF).filter(side => Number.parseFloat(style[`border${side}Width`]));
  const allAround = lines.length === 4,
    stroke = lines.length ? plain(style[`border${lines[0]}Color`]) : null;
  const border = allAround ? { stroke, 'stroke-width': Number.parseFloat(style.borderTopWidth) } : {},
    rx = Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, at.height / 2);
  if (fill || border.stroke) make('svg', 'rect', { ...at, rx, fill: fill ?? 'none', ...border, opacity }, whole);
  if (allAround) return;
  const corner = { x: at.x, y: at.y, r: at.x + at.width, b: at.y + at.height };
  for (const side of lines) {
    const [x1, y1, x2, y2] = SIDES_OF[side].map(name => corner[name]),
      wide = Number.parseFloat(style[`border${side}Width`]),
      colour = plain(style[`border${side}Color`]);
    if (colour) make('svg', 'line', { x1, y1, x2, y2, stroke: colour, 'stroke-width': wide, opacity }, whole);
  }
}

// The pixels of a canvas, as large as they stand there.
function pixelsOf(canvas, seat, whole) {
  const about = { ...seat(canvas.getBoundingClientRect()), href: canvas.toDataURL(), preserveAspectRatio: 'none' };
  make('svg', 'image', { ...about, style: 'image-rendering: pixelated' }, whole);
}

// What is chosen in a list: its text lies in no node that is seen.
function choose(list, seat, whole) {
  const at = seat(list.getBoundingClientRect()),
    style = getComputedStyle(list),
    text = list.selectedOptions[0]?.text ?? '',
    centred = [style.textAlign, style.textAlignLast].includes('center'),
    edge = runsLeft(list) ? at.width - 2 : 2,
    [x, y] = [at.x + (centred ? at.width / 2 : edge), at.y + 0.64 * at.height];
  writePiece(whole, style, { x, y, 'text-anchor': centred ? 'middle' : 'start', text });
}

// A piece of text as an element of this style has it.
function writePiece(whole, style, attributes) {
  const piece = make('svg', 'text', { ...attributes, fill: plain(style.color) }, whole);
  for (const name of FONT) piece.style.setProperty(name, style.getPropertyValue(name));
}

function write(box, seat, strength, seen, whole) {
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT),
    range = document.createRange();
  while (texts.nextNode()) {
    const { currentNode: text } = texts,
      { parentElement: parent } = text;
    if (parent.closest('svg') || !seen(parent)) continue;
    const style = getComputedStyle(parent);
    for (const word of text.data.matchAll(/\S+/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const at = seat(range.getBoundingClientRect()),
        upright = style.writingMode.startsWith('vertical'), // read from below
        [x, y] = upright ? [at.x + 0.78 * at.width, at.y + at.height] : [at.x, at.y + 0.78 * at.height];
      writePiece(whole, style, {
        x,
        y,
        'text-anchor': runsLeft(parent) ? 'end' : 'start', // at its left
        transform: upright ? `rotate(-90 ${x} ${y})` : null,
        textLength: upright ? at.height : at.width,
        lengthAdjust: 'spacingAndGlyphs',
        text: word[0],
        opacity: strength(parent),
      });
    }
  }
}

export function drawn(twin) {
  const [, , width, height] = twin.getAttribute('viewBox').split(' ');
  place(twin, { width, height });
  twin.style.background = pageStyle().backgroundColor;
  twin.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return { text: new XMLSerializer().serializeToString(twin), width: +width, height: +height };
}

// A drawing as a PNG, with so many pixels for each px.
export async function pixels({ text, width, height }, sharp) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(sharp * width, sharp * height);
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob();
}

export function save_picture(host, spec) {
  const row = make(null, 'div', { class: 'keep' }, host);
  const button = (text, act) => makeButton(row, { class: 'plain', text }, act);
  button(spec.svg, () => {
    const svg = picture(spec.page);
    if (svg) download(new Blob([drawn(svg).text], { type: 'image/svg+xml' }), `${spec.page}.svg`);
  });
  button(spec.png, async () => {
    const svg = picture(spec.page);
    if (!svg) return;
    download(await pixels(drawn(svg), 2), `${spec.page}.png`);
  });
}

// A button that copies what a field holds, and says so for a moment. `refresh` brings the field up to date first.
export function copying(row, { text, done, label }, refresh = () => {}) {
  const button = makeButton(row, { class: 'plain', text }, async () => {
    refresh();
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand('copy');
    }
    button.textContent = done;
    setTimeout(() => {
      button.textContent = text;
    }, 1500);
  });
  const field = make(null, 'input', { type: 'text', readonly: '', 'aria-label': label }, row);
  return field;
}

export function print_page(host, spec) {
  const row = make(null, 'div', { class: 'keep' }, host);
  makeButton(row, { class: 'plain', text: spec.text }, () => print());
}

export function copy_link(host, spec) {
  const row = make(null, 'div', { class: 'keep' }, host);
  const refresh = () => {
    if (field.value !== location.href) field.value = location.href;
  };
  const field = copying(row, spec, refresh);
  setInterval(() => {
    if (field.isConnected && field.getRootNode().activeElement !== field) refresh();
  }, 500);
  return refresh;
}
