// The first move: until anything is changed, the page asks for it and rings what to move.
import { holds_moves } from './address.js';

export const can_undo = ({ steps_back, unacknowledged }) => steps_back > 0 || unacknowledged.length > 0;

// Whether anything was changed on this page. Its URL knows it after a reload, too.
export const has_moved = stage =>
  stage.moved || can_undo(stage) || stage.completed_goals.size > 0 || holds_moves(stage.data.address);

// A calm ring around what to move first.
export function ring_first_move(stage) {
  const { first } = stage.data,
    cue =
      first && !has_moved(stage) ? `[data-handle="${CSS.escape(first)}"], [data-cell="${CSS.escape(first)}"]` : null;
  const ringed = stage.root.querySelector('.cue'),
    wanted = cue && stage.root.querySelector(cue);
  if (ringed === wanted) return;
  ringed?.classList.remove('cue');
  wanted?.classList.add('cue');
}
