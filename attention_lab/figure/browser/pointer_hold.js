// One pointer that holds something, from its press until it lets go, however that comes about.

// `move(event)` follows the pointer; `end(how, event)` puts what it holds where it belongs: `how` names what the stage
// does. Where the hand is up, or busy with something else, what it has moved stays where it was last seen (`release`:
// one step of Undo). Nobody may say so: then the pointer comes back without its button, or the window has lost the
// focus. The press of a second finger lets go, too, and begins nothing. Where no drag was meant, all goes back
// (`restore`: no step): Escape, a menu that opens (Ctrl+click on a Mac), a finger with which the browser scrolls.
export function holdPointer(stage, element, press, { move, end = how => stage[how]() }) {
  const over = new AbortController();
  const stop = (how, event) => {
    over.abort();
    if (stage.root.isConnected) end(how, event); // else another page is there
  };
  const own = then => event => event.pointerId === press.pointerId && then(event),
    release = event => stop('release', event),
    restore = event => stop('restore', event);
  const listeners = {
    pointermove: own(event => (event.buttons & 1 ? move?.(event) : release(event))),
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
