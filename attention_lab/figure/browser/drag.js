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
  const drag = { element, stage, handle, timer: 0 }; // what every function below gets; the timer waits for another key
  offerTaps(element, { axes: handle.axes.length, ground: handle.ground, put: event => tap(drag, event) });
  place(element, { tabindex: 0, role: 'slider' });
  element.dataset.handle = handle.name;
  element.addEventListener('pointerdown', event => press(drag, event));
  // in a scrolled page `touch-action` alone lets it pan
  element.addEventListener('touchstart', event => event.preventDefault(), { passive: false });
  element.addEventListener('keydown', event => pressKey(drag, event));
  element.addEventListener('blur', () => release(drag));
}

const bounded = ({ ranges }, v, k) => Math.min(ranges[k][1], Math.max(ranges[k][0], v));
const within = (handle, values) => values.map((v, k) => Math.round(100 * bounded(handle, v, k)) / 100);

function begin(drag) {
  const { element, stage, handle } = drag;
  stage.held = element;
  stage.again = null;
  clearTimeout(drag.timer);
  handle.start?.();
}

// `exact`: as a magnet placed it. Inside the ranges one holds every pointer, at tenths where nothing else is near.
function move({ element, stage, handle }, values, exact = false) {
  const kept = exact ? values : within(handle, values);
  handle.move(kept);
  const put = () => {
    handle.start?.();
    handle.move(kept);
  };
  stage.again = { by: element, put };
  stage.requestPaint();
}

// `offset`: from the pointer to where it has taken the handle.
function follow(drag, event, offset = []) {
  const { stage, handle } = drag,
    values = handle.at(event).map((v, k) => v + (offset[k] ?? 0)),
    felt = event.altKey ? null : (handle.pull?.(within(handle, values)) ?? null),
    inside = felt?.values.every((v, k) => v >= handle.ranges[k][0] && v <= handle.ranges[k][1]);
  stage.magnet = inside ? felt : null;
  move(drag, inside ? felt.values : values, inside);
}

// Puts the chosen handle where the reader has tapped.
function tap(drag, event) {
  const { stage, handle } = drag;
  const isNear = (v, k) => Math.abs(v - bounded(handle, v, k)) <= BEYOND * (handle.ranges[k][1] - handle.ranges[k][0]);
  if (!handle.at(event).every(isNear)) return;
  begin(drag);
  follow(drag, event);
  stage.release();
}

function press(drag, event) {
  const { element, stage, handle } = drag;
  if (event.button) return;
  element.setPointerCapture(event.pointerId);
  const now = handle.drawn?.(handle.read()) ?? handle.read(), // what lies beyond the edge is taken where it is drawn
    under = handle.at(event),
    offset = now.map((v, k) => bounded(handle, v, k) - under[k]); // no jump on taking hold
  let down = [event.clientX, event.clientY]; // until it moves on
  stage.taken = true;
  holdPointer(stage, element, event, {
    move: event => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < STILL) return;
      if (down) forgetChosen(stage);
      down = null;
      follow(drag, event, offset);
    },
    end: (how, { type }) => {
      handle.end?.();
      stage[how]();
      if (down && type === 'pointerup') chooseHandle(stage, element);
    },
  });
  begin(drag);
  stage.finger = event.pointerType === 'touch';
  element.focus({ preventScroll: true });
  event.preventDefault();
  stage.requestPaint();
}

function release({ element, stage, timer }) {
  clearTimeout(timer);
  if (stage.held === element && !stage.grabbed) stage.release();
}

function pressKey(drag, event) {
  const { element, stage, handle } = drag;
  if (event.key === 'Escape' && stage.held === element) {
    clearTimeout(drag.timer);
    stage.restore();
  } else if (event.key === 'Escape') forgetChosen(stage);
  const way = ARROWS[event.key] ?? PAGES[event.key],
    end = ENDS[event.key];
  if (!(way || end) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (stage.grabbed) return;
  stage.root.paintNow(); // where it stands may follow from what the key before, in the same frame, has moved
  begin(drag);
  const stride = k => (handle.step[k] ?? handle.step) * (event.shiftKey || event.key in PAGES ? LONG : 1);
  const right = way && (handle.mirrored?.() ? -way[0] : way[0]),
    along = handle.axes.length === 1 && way ? [right || way[1]] : way;
  const to = handle.read().map((v, k) => (end ? (k ? v : handle.ranges[0][end[0]]) : v + stride(k) * along[k]));
  move(drag, to);
  drag.timer = setTimeout(release, SETTLE, drag);
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
