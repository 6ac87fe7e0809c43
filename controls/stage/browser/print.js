// What is printed is dark on white. Style sheets cannot see which theme Streamlit has drawn, so the page is marked
// before the browser lays it out for paper.
const DARK = 128; // of 255: how bright the ground may be

function mark() {
  const ground = getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor,
    bright = Math.max(...(ground.match(/[\d.]+/g) ?? [255]).slice(0, 3).map(Number));
  document.documentElement.toggleAttribute('data-dark', bright < DARK);
}

// Told once, whichever stages come and go.
export function mark_for_paper() {
  if (mark_for_paper.told) return;
  mark_for_paper.told = true;
  addEventListener('beforeprint', mark);
  addEventListener('afterprint', () => document.documentElement.removeAttribute('data-dark'));
}
