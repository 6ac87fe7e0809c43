// A QR code of a text, as a picture, and of a page's address. No host is asked: it is drawn here.
import { qrcode } from '../../vendor/qrcode-generator/qrcode.js';
import { make } from '../../figure/browser/elements.js';
import { copying } from '../../figure/browser/export_image.js';

const QUIET = 4, // modules of white around it, as the standard asks
  LEVELS = ['M', 'L'], // how much of it may be unreadable: a long text leaves room for less
  MODULE = 4; // px, where it has no size of its own

// The code as an SVG, dark on white in every theme; null where the text is too long for any.
export function qr(text, label = text) {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text)); // the library takes a letter for a byte
  for (const level of LEVELS) {
    const code = qrcode(0, level);
    code.addData(bytes, 'Byte');
    try {
      code.make();
    } catch {
      continue; // too long for this level
    }
    return drawn(code, label);
  }
  return null;
}

function drawn(code, label) {
  const count = code.getModuleCount(),
    whole = count + 2 * QUIET;
  const svg = make('svg', 'svg', {
    class: 'qr',
    viewBox: `0 0 ${whole} ${whole}`,
    role: 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  });
  svg.style.setProperty('--qr-wide', `${Math.round(whole * MODULE)}px`);
  const runs = [];
  for (let row = 0; row < count; row++)
    for (let at = 0; at < count; at++) {
      if (!code.isDark(row, at)) continue;
      const from = at;
      while (at + 1 < count && code.isDark(row, at + 1)) at++;
      runs.push(`M${from + QUIET} ${row + QUIET}h${at - from + 1}v1h-${at - from + 1}z`);
    }
  make('svg', 'rect', { width: whole, height: whole, fill: '#fff' }, svg);
  make('svg', 'path', { d: runs.join(''), fill: '#000' }, svg);
  return svg;
}

// A page's address in full, wherever the app lies: pages lie beside one another.
export const wholeAddress = path => new URL(path, location.href.split(/[?#]/)[0]).href;

// The code of a page's address, `path`, which begins at the page's name; under it the address: on paper, and on the
// screen where it is to be `shown`.
export function qr_code(host, { path, label, shown, too_long }) {
  const address = wholeAddress(path),
    box = make(null, 'figure', { class: 'qr-code' }, host);
  box.appendChild(qr(address, label) ?? make(null, 'p', { text: too_long }));
  const text = address.replace(/^https?:\/\//, '');
  make(null, 'figcaption', { class: shown ? null : 'on-paper', text }, box);
}

// A link for others: its address to be copied, and its code; `compact`: a button below it, and no address to be seen.
export function class_link(host, spec) {
  const row = make(null, 'div', { class: spec.compact ? 'keep compact' : 'keep' }, host),
    field = copying(row, spec);
  field.value = wholeAddress(spec.path);
  qr_code(host, spec);
  if (spec.compact) {
    field.tabIndex = -1;
    host.append(row);
  }
}
