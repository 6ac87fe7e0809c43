// Once, if a reader has done nothing yet, the ghost of a hand moves a word there and back: what it does can be done.
// The figure shows a pose that is not the reader's own (`stage.lent`), so that nothing is sent, counted or announced.
import { hasMoved } from '../../figure/browser/first_move.js';
import { make } from '../../figure/browser/elements.js';
import { prefersReducedMotion } from '../../figure/browser/smoothing.js';

const IDLE = 2000, // ms
  LASTS = 2600, // ms
  SEEN = 'attention_lab.ghost_hand',
  ENDS = ['pointerdown', 'pointermove', 'touchstart', 'wheel', 'scroll', 'keydown'];
// A hand with one finger stretched out, whose tip is at 0, 0.
const HAND =
  'M-2.6 2 a2.6 2.6 0 0 1 5.2 0 V11 l7.6 1.7 a4 4 0 0 1 3.2 4.4 l-1.2 7.4 a4 4 0 0 1 -4 3.5 H-1.2 a4 4 0 0 1 -2.9 -1.3 l-7.6 -8.1 a2.2 2.2 0 0 1 2.9 -3.2 L-2.6 18.4 Z';

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

// spec: { handle, of: the pose's matrix, row, by: how far it goes along the first axis, start: the pose at which it may }
export function ghost_hand(_host, spec, stage) {
  const isAsOpened = () =>
    !hasMoved(stage) && Object.entries(spec.start).every(([name, value]) => String(stage.pose[name]) === String(value));
  if (seen() || prefersReducedMotion() || navigator.userActivation?.hasBeenActive) return () => {};
  let hand = null,
    lent = null,
    begun = 0;
  const end = () => {
    clearTimeout(timer);
    for (const type of ENDS) window.removeEventListener(type, interrupt, true);
    hand?.remove();
    hand = null;
    if (!lent || stage.lent !== lent) return;
    stage.lent = lent = null;
    stage.requestPaint();
  };
  const interrupt = ({ type, movementX, movementY }) => {
    if (type === 'pointermove' && !movementX && !movementY) return; // the page has moved, and not the pointer
    remember();
    end();
  };
  const step = () => {
    if (!hand) return;
    const part = (performance.now() - begun) / LASTS;
    if (part >= 1 || stage.lent !== lent || !stage.root.isConnected || !isAsOpened()) {
      end();
      return;
    }
    const rows = stage.pose[spec.of].map(row => [...row]);
    rows[spec.row][0] += spec.by * Math.sin(Math.PI * part) ** 2;
    stage.lent = lent = { [spec.of]: rows };
    stage.requestPaint();
    requestAnimationFrame(step);
  };
  const begin = () => {
    const held = stage.root.querySelector(`[data-handle="${CSS.escape(spec.handle)}"]`),
      mayBegin = held && isAsOpened() && !stage.lent && !stage.data.room && !stage.resultsHidden && !document.hidden;
    if (!mayBegin || seen()) {
      end();
      return;
    }
    remember();
    hand = make('svg', 'path', { class: 'ghost-hand', d: HAND, 'aria-hidden': 'true' }, held.ownerSVGElement);
    begun = performance.now();
    step();
  };
  const timer = setTimeout(begin, IDLE);
  for (const type of ENDS) window.addEventListener(type, interrupt, { capture: true, passive: true });
  return () => {
    const held = hand && stage.root.querySelector(`[data-handle="${CSS.escape(spec.handle)}"]`);
    if (held) hand.setAttribute('transform', `translate(${held.getAttribute('cx')} ${held.getAttribute('cy')})`);
  };
}
