// The page that is open in this tab, and the question that it can ask.
import { roomOverlay } from '../../figure/browser/room_overlay.js';

// One that was drawn outside of the room, a moment before or after it, knows nothing of it.
export function openStage() {
  const { stage } = roomOverlay;
  return stage?.root.isConnected && stage.data.room ? stage : null;
}
export const openPage = () => location.pathname.split('/').filter(Boolean).at(-1) ?? 'home';
// { of: the sharing key once its result waits for a guess, open: whether it still waits, answers }
export const pageQuestion = () => openStage()?.data.room.asked ?? null;
// Whether the page asks what the room asks.
export const isAsked = ({ question }) => Boolean(question && pageQuestion()?.of === question.sharing_key);
