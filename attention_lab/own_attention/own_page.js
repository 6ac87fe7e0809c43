// A file with a view of attention weights. In a notebook it tells the cell that it is in how high it is.
import * as figure_page from '../html_file/figure_page.js';

function fitFrame() {
  const { frameElement } = window;
  if (!frameElement) return;
  new ResizeObserver(() => {
    frameElement.style.height = `${document.documentElement.offsetHeight + 2}px`;
  }).observe(document.documentElement);
}

export async function start() {
  await figure_page.start();
  fitFrame();
}
