// One pointer that holds something, from its press until it lets go, however that comes about.
import { copies, same } from './outbox.js';

// `move(event)` follows the pointer; `end(how, event)` puts what it holds where it belongs: `how` names what the stage
// does. Where the hand is up, or busy with something else, what it has moved stays where it was last seen (`release`:
// one step of Undo). Nobody may say so: then the pointer comes back without its button, or the window has lost the
// focus. The press of a second finger lets go, too, and begins nothing. Where no drag was meant, all goes back
// (`restore`: no step): Escape, a menu that opens (Ctrl+click on a Mac), a finger with which the browser scrolls.
// The way of the last drag stays on the stage's root: a clip shows it again (export/clip).
const MOST_POSES = 2000; // half a minute
export function holdPointer(stage, element, press, { move, end = how => stage[how]() }) {
  const over = new AbortController(),
    { root, outline } = stage,
    poses = [copies(stage.pose)];
  const note = () => poses.length < MOST_POSES && poses.push(copies(stage.pose));
  const stop = (how, event) => {
    over.abort();
    if (!root.isConnected) return; // another page is there
    note();
    end(how, event);
    if (how === 'release' && poses.some(pose => !same(pose, poses[0]))) root.drag = { stage, outline, poses };
  };
  const own = then => event => event.pointerId === press.pointerId && then(event),
    release = event => stop('release', event),
    restore = event => stop('restore', event);
  const listeners = {
    pointermove: own(event => {
      if (!(event.buttons & 1)) return release(event);
      move?.(event);
      note();
    }),
    pointerup: own(release),
    pointercancel: own(restore),
    lostpointercapture: own(event => element.hasPointerCapture(event.pointerId) || release(event)),
    pointerdown(event) {
      if (event.pointerId !== press.pointerId) event.stopPropagation();
      release(event);
    },
    // a finger that rests asks for no menu
    contextmenu: event => (press.pointerType === 'touch' ? event.preventDefault() : restore(event)),
    keydown(event) {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      restore(event);
    },
    blur: event => event.target === window && release(event),
    visibilitychange: event => document.hidden && release(event),
  };
  for (const [type, listener] of Object.entries(listeners))
    window.addEventListener(type, listener, { capture: true, signal: over.signal });
  stage.held = stage.grabbed = element;
  stage.again = null;
  stage.commit(); // what keys have just moved is a step of its own
}
