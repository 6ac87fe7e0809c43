// A file with a view of attention weights. In a notebook it tells the cell that it is in how high it is.
import { arrivedStyle, isOutdated, openShelf, placeFigure, text } from '../html_file/open_figure.js';

const OWN = 'own_attention';

function fitFrame() {
  const { frameElement } = window;
  if (!frameElement) return;
  new ResizeObserver(() => {
    frameElement.style.height = `${document.documentElement.offsetHeight + 2}px`;
  }).observe(document.documentElement);
}

export async function start() {
  if (isOutdated()) return;
  const { modules } = openShelf(),
    parentElement = await placeFigure(),
    style = await arrivedStyle(OWN),
    component = { parentElement, setStateValue() {}, setTriggerValue() {} };
  modules.stage.showStage({ ...component, data: text('payload') }, style);
  fitFrame();
}
