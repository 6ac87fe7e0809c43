// The first move: until anything is changed, the page asks for it and rings what to move.
import { holdsMoves } from './address.js';
import { areSteps } from './outbox.js';

// Whether the reader has done anything since the page was loaded, and when the pointer or the page was last moved,
// which only says that somebody is there.
let acted = false,
  stirred = 0;
export const hasActed = () => acted;
export const lastStirred = () => stirred;
const note = (types, noteIt) => {
  for (const type of types) globalThis.addEventListener?.(type, noteIt, { capture: true, passive: true });
};
note(['pointerdown', 'touchstart', 'wheel', 'keydown'], () => {
  acted = true;
});
note(['pointermove', 'scroll'], () => {
  stirred = performance.now();
});

// Whether the page is not as its link has opened it. A link that is followed on an open page is a step of Undo, too.
export const isChanged = ({ undoSteps, asOpened, unacknowledged }) =>
  (undoSteps > 0 && !asOpened) || areSteps(unacknowledged.map(([, event]) => event));

// Whether anything was changed on this page. Its URL knows it after a reload, too.
export const hasMoved = stage =>
  stage.moved || isChanged(stage) || stage.completed_goals.size > 0 || holdsMoves(stage.data.address);

// A calm ring around what to move first.
export function highlightFirstMove(stage) {
  const { first } = stage.data,
    cue = first && !hasMoved(stage) ? `[data-handle="${CSS.escape(first)}"], [data-cell="${CSS.escape(first)}"]` : null;
  const ringed = stage.root.querySelector('.cue'),
    wanted = cue && stage.root.querySelector(cue);
  if (ringed === wanted) return;
  ringed?.classList.remove('cue');
  wanted?.classList.add('cue');
}
