// Taking away what the browser alone has: the drawn picture and the address.
import { make } from './elements.js';

const KEPT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-opacity', 'opacity',
  'font-size', 'font-weight', 'font-family', 'text-anchor', 'display', 'paint-order', 'stroke-linejoin'];

// Shadow roots hide the picture from a plain query, so every open root is searched.
function* roots(root = document) {
  yield root;
  for (const element of root.querySelectorAll('*')) if (element.shadowRoot) yield* roots(element.shadowRoot);
}

function picture(page) {
  for (const root of roots()) { const svg = root.querySelector(`[data-stage="${page}"] svg.picture`); if (svg) return svg; }
  return null;
}

function drawn(svg) {                // a copy that looks the same on its own: styles written into the elements
  const twin = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll('*')], to = [twin, ...twin.querySelectorAll('*')];
  from.forEach((element, i) => { const style = getComputedStyle(element); for (const name of KEPT) to[i].style.setProperty(name, style.getPropertyValue(name)); });
  twin.querySelectorAll('.hit').forEach(hit => hit.remove());
  const [, , width, height] = svg.getAttribute('viewBox').split(' ');
  twin.setAttribute('width', width); twin.setAttribute('height', height);
  twin.style.setProperty('background', getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor);
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
  const button = (text, act) => make(null, 'button', { type: 'button', class: 'plain', text }, row).addEventListener('click', act);
  button(spec.svg, () => { const svg = picture(spec.page); if (svg) download(new Blob([drawn(svg).text], { type: 'image/svg+xml' }), `${spec.page}.svg`); });
  button(spec.png, async () => {
    const svg = picture(spec.page);
    if (!svg) return;
    const { text, width, height } = drawn(svg), image = new Image();
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
  const refresh = () => { if (field.value !== location.href) field.value = location.href; };
  button.addEventListener('click', async () => {
    refresh(); field.select();
    try { await navigator.clipboard.writeText(field.value); } catch { document.execCommand('copy'); }
    button.textContent = spec.done;
    setTimeout(() => { button.textContent = spec.text; }, 1500);
  });
  setInterval(() => { if (field.isConnected && field.getRootNode().activeElement !== field) refresh(); }, 500);
  return refresh;
}
