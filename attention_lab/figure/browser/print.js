// What is printed is dark on white. Style sheets cannot see which theme Streamlit has drawn, so the page is marked
// before the browser lays it out for paper.
import { pageStyle } from './elements.js';

const DARK = 128; // of 255: how bright the ground may be

function mark() {
  const ground = pageStyle().backgroundColor,
    bright = Math.max(...(ground.match(/[\d.]+/g) ?? [255]).slice(0, 3).map(Number));
  document.documentElement.toggleAttribute('data-dark', bright < DARK);
}

// What is drawn for the width of its column is drawn for that of the paper: a browser that prints tells nobody that
// columns are narrower there.
const WIDTH = '184mm'; // of A4 without its margins, as in attention_lab/widgets/print.css

function layOutForPaper(on) {
  for (const host of document.querySelectorAll('[data-testid="stBidiComponentIsolated"], #figure')) {
    const root = host.shadowRoot?.querySelector('.stage');
    if (!root) continue;
    root.toggleAttribute('data-paper', on);
    root.style.maxWidth = on ? WIDTH : '';
    for (const element of root.querySelectorAll('*')) element.followRoom?.();
    root.paintNow?.();
  }
}

// Told once, whichever stages come and go.
export function markForPaper() {
  if (markForPaper.told) return;
  markForPaper.told = true;
  addEventListener('beforeprint', () => {
    mark();
    layOutForPaper(true);
  });
  addEventListener('afterprint', () => {
    document.documentElement.removeAttribute('data-dark');
    layOutForPaper(false);
  });
}
