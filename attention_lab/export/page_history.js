// Undo, Redo and Reset of a page that stands alone: they lead through what was shown, with the link to each.
import { globals } from '../figure/browser/page_globals.js';
import { payloadFor } from './page_payload.js';
import { withPredict } from './page_settings.js';
import { openVariant, show } from './page_view.js';

export const here = ({ variant, data, search }) => ({ variant, pose: data.pose, search });

export function remember({ past, future }, step) {
  past.push(step);
  if (past.length > globals.modules.outbox.MOST_STEPS) past.shift();
  future.length = 0;
}

// The link after a move, as the stage has written it.
export function withMove(link, move, { data: { address } }) {
  const all = new URLSearchParams(link);
  for (const [name, value] of Object.entries(move)) {
    const written = name in address ? globals.modules.stage.encode(address[name], value) : '';
    if (written) all.set(name, written);
    else all.delete(name);
  }
  return String(all);
}

// Shows what a link leads to, with what is `kept` of the pose before it.
export function showStep(page, { pose, search }, kept = {}) {
  page.search = withMove(withPredict(search, page), kept, page);
  show(page, { ...pose, ...kept });
}

// Another try at the same goal.
function showAtGoal(page, step) {
  const { goal } = page.data.pose;
  showStep(page, step, goal === step.pose.goal ? {} : { goal });
}

export async function turn(page, way) {
  const { past, future } = page,
    [from, to] = way < 0 ? [past, future] : [future, past],
    before = here(page),
    step = from.at(-1);
  if (!step || (step.variant !== page.variant && !(await openVariant(page, step.variant)))) return;
  from.pop();
  to.push(before);
  if (payloadFor(step.pose, page.content).subject === page.whole.subject) showAtGoal(page, step);
  else showStep(page, step);
}

export function reset(page) {
  remember(page, here(page));
  showAtGoal(page, page.content.payload);
}
