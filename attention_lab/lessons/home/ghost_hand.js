// Once, if a reader has done nothing yet and rests, the ghost of a hand moves a word there and back: what it does can
// be done.
// The figure shows a pose that is not the reader's own (`stage.otherPose`): nothing is sent, counted or announced.
import { hasActed, hasMoved, lastStirred } from '../../figure/browser/first_move.js';
import { make } from '../../figure/browser/elements.js';
import { prefersReducedMotion } from '../../figure/browser/smoothing.js';

const IDLE = 2000, // ms
  LASTS = 2600, // ms
  SEEN = 'attention_lab.ghost_hand';
// A hand with one finger stretched out, whose tip is at 0, 0.
const HAND = [
  'M-2.6 2 a2.6 2.6 0 0 1 5.2 0 V11 l7.6 1.7 a4 4 0 0 1 3.2 4.4 l-1.2 7.4 a4 4 0 0 1 -4 3.5',
  'H-1.2 a4 4 0 0 1 -2.9 -1.3 l-7.6 -8.1 a2.2 2.2 0 0 1 2.9 -3.2 L-2.6 18.4 Z',
].join(' ');

let shown = false;
function seen() {
  try {
    return shown || sessionStorage.getItem(SEEN) !== null;
  } catch {
    return shown; // a browser that keeps nothing for this page
  }
}
function remember() {
  shown = true;
  try {
    sessionStorage.setItem(SEEN, '1');
  } catch {}
}

// spec: { handle, of: the pose's matrix, row, by: how far it goes on the first axis, start: the pose in which it may }
export function ghost_hand(_host, spec, stage) {
  const isAsOpened = () =>
    !hasActed() &&
    !hasMoved(stage) &&
    Object.entries(spec.start).every(([name, value]) => String(stage.pose[name]) === String(value));
  if (seen() || prefersReducedMotion()) return () => {};
  let hand = null,
    otherPose = null,
    begun = 0;
  const end = () => {
    hand.remove();
    hand = null;
    if (stage.otherPose !== otherPose) return;
    stage.otherPose = null;
    stage.requestPaint();
  };
  const step = () => {
    const part = (performance.now() - begun) / LASTS;
    if (
      part >= 1 ||
      lastStirred() > begun ||
      stage.otherPose !== otherPose ||
      !stage.root.isConnected ||
      !isAsOpened()
    ) {
      end();
      return;
    }
    const rows = stage.pose[spec.of].map(row => [...row]);
    rows[spec.row][0] += spec.by * Math.sin(Math.PI * part) ** 2;
    stage.otherPose = otherPose = { [spec.of]: rows };
    stage.requestPaint();
    requestAnimationFrame(step);
  };
  const wait = from => {
    if (hasActed() || seen()) return;
    const left = Math.max(from, lastStirred()) + IDLE - performance.now();
    if (left > 0) setTimeout(wait, left, from);
    else begin();
  };
  const begin = () => {
    const held = stage.root.querySelector(`[data-handle="${CSS.escape(spec.handle)}"]`),
      isFree = !stage.otherPose && !stage.data.room && !stage.resultsHidden && !document.hidden;
    if (!held || !isFree || !isAsOpened()) return;
    remember();
    hand = make('svg', 'path', { class: 'ghost-hand', d: HAND, 'aria-hidden': 'true' }, held.ownerSVGElement);
    begun = performance.now();
    step();
  };
  wait(performance.now());
  return () => {
    const held = hand && stage.root.querySelector(`[data-handle="${CSS.escape(spec.handle)}"]`);
    if (held) hand.setAttribute('transform', `translate(${held.getAttribute('cx')} ${held.getAttribute('cy')})`);
  };
}
