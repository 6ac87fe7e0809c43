// Handles that can be dragged. Pointer (mouse, pen, touch) and keyboard both call `handle.move(values)`; the stage
// redraws at the next frame, and sends the change to Python on release.
import { place } from './elements.js';
import { betweenNumbers, plainSteady, steady } from './number_format.js';
import { holdPointer } from './pointer_hold.js';
import { chooseHandle, forgetChosen, offerTaps } from './tap_controls.js';

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
// Home and End: the first axis to its ends. PageUp and PageDown: the last axis by ten steps.
const ENDS = { Home: [0], End: [1] },
  PAGES = { PageUp: [0, 1], PageDown: [0, -1] };
const LONG = 10; // steps of an arrow key with Shift, and of PageUp and PageDown
const SETTLE = 250; // ms without a key before a keyboard move counts as released
export const STILL = 4; // px that a pointer may move and have tapped nevertheless
const BEYOND = 0.1; // of a range: a tap so far beyond its end still means the end

// handle: { name, axes, ranges, step (one, or one for each axis), read() → values,
//           at(event) → values under the pointer, move(values), start?(), end?(): a pointer has let go,
//           pull?(values) → { values, … } where a magnet holds them,
//           mirrored?(): whether its only axis runs to the left,
//           ground: an element on which a tap puts the chosen handle, if any }
export function makeDraggable(element, stage, handle) {
  const limits = handle.ranges;
  const within = values =>
    values.map((v, k) => Math.round(100 * Math.min(limits[k][1], Math.max(limits[k][0], v))) / 100);
  let timer = 0;
  const begin = () => {
    stage.held = element;
    stage.again = null;
    clearTimeout(timer);
    handle.start?.();
  };
  // `exact`: as a magnet placed it. Inside the ranges one holds every pointer, at tenths where nothing else is near.
  const move = (values, exact = false) => {
    const kept = exact ? values : within(values);
    handle.move(kept);
    const put = () => {
      handle.start?.();
      handle.move(kept);
    };
    stage.again = { by: element, put };
  };

  const follow = (event, from) => {
    const values = handle.at(event).map((v, k) => v + from[k]),
      felt = event.altKey ? null : (handle.pull?.(within(values)) ?? null),
      inside = felt?.values.every((v, k) => v >= limits[k][0] && v <= limits[k][1]);
    stage.magnet = inside ? felt : null;
    move(inside ? felt.values : values, inside);
    stage.requestPaint();
  };
  offerTaps(element, {
    axes: handle.axes.length,
    ground: handle.ground,
    put: event => {
      const near = handle.at(event).every((v, k) => {
        const [low, high] = limits[k],
          slack = BEYOND * (high - low);
        return v >= low - slack && v <= high + slack;
      });
      if (!near) return;
      const nowhere = limits.map(() => 0);
      begin();
      follow(event, nowhere);
      stage.release();
    },
  });

  place(element, { tabindex: 0, role: 'slider' });
  element.dataset.handle = handle.name;
  element.addEventListener('pointerdown', event => {
    if (event.button) return;
    element.setPointerCapture(event.pointerId);
    const now = handle.drawn?.(handle.read()) ?? handle.read(), // what lies beyond the edge is taken where it is drawn
      under = handle.at(event),
      // no jump on taking hold
      offset = now.map((v, k) => Math.min(limits[k][1], Math.max(limits[k][0], v)) - under[k]);
    let down = [event.clientX, event.clientY]; // until it moves on
    stage.taken = true;
    holdPointer(stage, element, event, {
      move: event => {
        if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < STILL) return;
        if (down) forgetChosen(stage);
        down = null;
        follow(event, offset);
      },
      end: (how, { type }) => {
        handle.end?.();
        stage[how]();
        if (down && type === 'pointerup') chooseHandle(stage, element);
      },
    });
    begin();
    stage.finger = event.pointerType === 'touch';
    element.focus({ preventScroll: true });
    event.preventDefault();
    stage.requestPaint();
  });
  // in a scrolled page `touch-action` alone lets it pan
  element.addEventListener('touchstart', event => event.preventDefault(), { passive: false });
  const release = () => {
    clearTimeout(timer);
    if (stage.held === element && !stage.grabbed) stage.release();
  };
  element.addEventListener('keydown', event => {
    if (event.key === 'Escape' && stage.held === element) {
      clearTimeout(timer);
      stage.restore();
      return;
    }
    if (event.key === 'Escape') forgetChosen(stage);
    const way = ARROWS[event.key] ?? PAGES[event.key],
      end = ENDS[event.key];
    if (!(way || end) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (stage.grabbed) return;
    stage.root.paintNow(); // where it stands may follow from what the key before, in the same frame, has moved
    begin();
    const stride = k => (handle.step[k] ?? handle.step) * (event.shiftKey || event.key in PAGES ? LONG : 1);
    const right = way && (handle.mirrored?.() ? -way[0] : way[0]),
      along = handle.axes.length === 1 && way ? [right || way[1]] : way;
    move(handle.read().map((v, k) => (end ? (k ? v : limits[0][end[0]]) : v + stride(k) * along[k])));
    stage.requestPaint();
    timer = setTimeout(release, SETTLE);
  });
  element.addEventListener('blur', release);
}

export function describe(element, handle) {
  const values = handle.read();
  const text = `${handle.name}: ${handle.axes.map((axis, k) => `${axis} ${steady(values[k])}`).join(betweenNumbers())}`;
  if (element.getAttribute('aria-valuetext') === text) return;
  const [low, high] = handle.ranges[0],
    [now] = values,
    bounds = { 'aria-valuemin': Math.min(low, now), 'aria-valuemax': Math.max(high, now) };
  place(element, { 'aria-label': handle.name, 'aria-valuetext': text, 'aria-valuenow': plainSteady(now), ...bounds });
}
