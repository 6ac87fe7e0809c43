// Numbers as text: at most four significant digits, a true minus; the unrounded number stays in data-exact.
const raised = text => [...text].map(c => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c] ?? '⁻').join('');

export function figure(x) {
  if (Number.isNaN(x) || x === undefined || x === null) return 'undefined';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 1e6) return String(Number(x.toPrecision(4))).replace('-', '−');
  const [digits, power] = x.toExponential(1).split('e');
  return `${digits.replace('-', '−')} × 10${raised(power.replace('+', ''))}`;
}

export const share = x => Number.isFinite(x) ? `${(100 * x).toFixed(1)} %` : 'undefined';
export const steady = x => x.toFixed(2).replace(/^-0\.00$/, '0.00');       // for aria-valuetext

// What names a live number: texts and paths in turn, joined ("dot ", ['words', '$word'], …).
export const spell = (parts, find) => parts.map(part => Array.isArray(part) ? find(part) : part).join('');

// Writes a live number into an element, touching the document only where it changed.
export function show(element, x, what, { hidden = false, form = figure } = {}) {
  const text = hidden ? '?' : form(x);
  if (element.textContent !== text) element.textContent = text;
  if (element.dataset.value !== what) element.dataset.value = what;
  if (hidden) delete element.dataset.exact; else element.dataset.exact = String(x);
}
