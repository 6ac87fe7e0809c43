// Taking away what the browser alone has: the drawn picture and the address.
import { make, place } from './elements.js';

const KEPT = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-opacity',
  'opacity',
  'font-size',
  'font-weight',
  'font-family',
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

// A page's picture: its first drawing, or the whole path where there is one.
function picture(page) {
  for (const root of roots()) {
    const path = root.querySelector(`[data-stage="${page}"] .stops, [data-stage="${page}"] section.links`),
      svg = root.querySelector(`[data-stage="${page}"] svg.picture`);
    if (path || svg) return path ? assembled(path) : copied(svg);
  }
  return null;
}

function copied(svg) {
  // a copy that looks the same on its own: styles written into the elements
  const twin = svg.cloneNode(true),
    from = [svg, ...svg.querySelectorAll('*')],
    to = [twin, ...twin.querySelectorAll('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of KEPT) to[i].style.setProperty(name, style.getPropertyValue(name));
  });
  twin.querySelectorAll('.hit').forEach(hit => hit.remove());
  return twin;
}

// Drawings and texts that stand side by side, as one drawing: each at its place, texts word by word.
function assembled(box) {
  const all = box.getBoundingClientRect(),
    edge = 16;
  const whole = make('svg', 'svg', {
    viewBox: `${-edge} ${-edge} ${Math.ceil(all.width) + 2 * edge} ${Math.ceil(all.height) + 2 * edge}`,
  });
  const seat = ({ left, top, width, height }) => ({ x: left - all.left, y: top - all.top, width, height });
  const strength = element =>
    element === box ? 1 : getComputedStyle(element).opacity * strength(element.parentElement);
  for (const svg of box.querySelectorAll('svg')) {
    const twin = copied(svg);
    place(twin, seat(svg.getBoundingClientRect()));
    whole.appendChild(twin);
  }
  for (const letter of box.querySelectorAll('.letter')) {
    const at = seat(letter.getBoundingClientRect());
    make('svg', 'rect', { ...at, rx: at.height / 2, fill: getComputedStyle(letter).backgroundColor }, whole);
  }
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT),
    range = document.createRange();
  while (texts.nextNode()) {
    const { currentNode: text } = texts,
      { parentElement: parent } = text;
    if (parent.closest('svg')) continue;
    const style = getComputedStyle(parent);
    for (const word of text.data.matchAll(/\S+/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const at = seat(range.getBoundingClientRect()),
        piece = make(
          'svg',
          'text',
          {
            x: at.x,
            y: at.y + 0.78 * at.height,
            textLength: at.width,
            lengthAdjust: 'spacingAndGlyphs',
            text: word[0],
            fill: style.color,
            opacity: strength(parent),
          },
          whole,
        );
      for (const name of ['font-size', 'font-weight', 'font-family', 'font-style', 'font-variant-numeric'])
        piece.style.setProperty(name, style.getPropertyValue(name));
    }
  }
  return whole;
}

function drawn(twin) {
  const [, , width, height] = twin.getAttribute('viewBox').split(' ');
  place(twin, { width, height });
  twin.style.setProperty(
    'background',
    getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor,
  );
  twin.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return { text: new XMLSerializer().serializeToString(twin), width: +width, height: +height };
}

function download(blob, name) {
  const link = make(null, 'a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function save_picture(host, spec) {
  const row = make(null, 'div', { class: 'keep' }, host);
  const button = (text, act) =>
    make(null, 'button', { type: 'button', class: 'plain', text }, row).addEventListener('click', act);
  button(spec.svg, () => {
    const svg = picture(spec.page);
    if (svg) download(new Blob([drawn(svg).text], { type: 'image/svg+xml' }), `${spec.page}.svg`);
  });
  button(spec.png, async () => {
    const svg = picture(spec.page);
    if (!svg) return;
    const { text, width, height } = drawn(svg),
      image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = make(null, 'canvas', { width: 2 * width, height: 2 * height });
    canvas.getContext('2d').drawImage(image, 0, 0, 2 * width, 2 * height);
    canvas.toBlob(blob => download(blob, `${spec.page}.png`), 'image/png');
  });
  return () => {};
}

export function copy_link(host, spec) {
  const row = make(null, 'div', { class: 'keep' }, host);
  const button = make(null, 'button', { type: 'button', class: 'plain', text: spec.text }, row);
  const field = make(null, 'input', { type: 'text', readonly: '', 'aria-label': spec.label }, row);
  const refresh = () => {
    if (field.value !== location.href) field.value = location.href;
  };
  button.addEventListener('click', async () => {
    refresh();
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand('copy');
    }
    button.textContent = spec.done;
    setTimeout(() => {
      button.textContent = spec.text;
    }, 1500);
  });
  setInterval(() => {
    if (field.isConnected && field.getRootNode().activeElement !== field) refresh();
  }, 500);
  return refresh;
}
