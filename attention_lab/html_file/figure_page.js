// A file with a figure and no lesson: it has no link, no questions and no goals.
import { arrivedStyle, isOutdated, openShelf, placeFigure, text } from './open_figure.js';

export async function start() {
  if (isOutdated()) return;
  const { modules } = openShelf(),
    parentElement = await placeFigure(),
    style = await arrivedStyle('');
  // The stage keeps its own pose: nobody has to answer what is chosen in it.
  const component = { parentElement, setStateValue() {}, setTriggerValue() {} };
  modules.stage.showStage({ ...component, data: text('payload') }, style);
}
