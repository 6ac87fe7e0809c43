// A file with a figure and no lesson: it has no link, no questions and no goals.
import { ready, globals } from '../figure/browser/page_globals.js';
import { isOutdated, placeFigure, text } from './open_figure.js';

// In a notebook the page tells the cell that it is in how high it is.
function fitFrame() {
  const { frameElement } = window; // null in a frame that keeps to itself
  if (!frameElement) return;
  new ResizeObserver(() => {
    frameElement.style.height = `${document.documentElement.offsetHeight + 2}px`;
  }).observe(document.documentElement);
}

export async function start() {
  if (isOutdated()) return;
  const data = JSON.parse(text('payload')),
    parentElement = await placeFigure(),
    style = await ready(data.own, data.lang);
  // The stage keeps its own pose: nobody has to answer what is chosen in it.
  const component = { parentElement, data, setStateValue() {}, setTriggerValue() {} };
  globals.modules.stage.showStage(component, style);
  fitFrame();
}
