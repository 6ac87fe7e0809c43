// What Python tells a figure: a line with the change, and where the figure's frame is another one, that as the next
// line; then the sizes of its arrays, and these as bytes. Frames and arrays wait on the shelf, the newest few of each.
import { ready } from './shelf.js';
import { showStage } from './stage.js';

const FRAMES_HELD = 8,
  ARRAYS_HELD = 6,
  NEWLINE = 10;
const newest = new WeakMap(),
  sent = new WeakMap();

const textOf = bytes => new TextDecoder().decode(bytes);
const forget = (kept, most) => {
  for (const old of kept.keys()) if (kept.size > most) kept.delete(old);
};

// The lines that a message begins with, and where they end.
function linesOf(bytes) {
  const lines = [];
  let end = 0;
  while (lines.length < 3 && end < bytes.length) {
    const at = bytes.indexOf(NEWLINE, end),
      stop = at < 0 ? bytes.length : at;
    lines.push(textOf(bytes.subarray(end, stop)));
    end = stop + 1;
  }
  return [lines, end];
}

function storeArrays(arrays, bytes, sizes, from, idLetters) {
  for (const size of sizes.split(' ').map(Number)) {
    const array = bytes.slice(from, from + size),
      id = textOf(array.subarray(0, idLetters));
    arrays.delete(id);
    arrays.set(id, array.slice(idLetters).buffer);
    from += size;
  }
  forget(arrays, ARRAYS_HELD);
}

// Each message to Python begins with the frame that the browser has, which is not sent again. If it lacks one, it asks.
// An array begins with its id, of `idLetters`.
export async function showFigure(component, shelf, idLetters) {
  const turn = Symbol(),
    { parentElement, data: bytes } = component;
  newest.set(parentElement, turn);
  shelf.frames ??= new Map();
  shelf.arrays ??= new Map();
  const { frames, arrays } = shelf,
    [[change, frame, sizes], end] = linesOf(bytes),
    [, own = '', ids = '', lang = ''] = /^{"own":"(\w*)","array_ids":"([\w ]*)","lang":"(\w*)"/.exec(change) ?? [],
    [, id] = /"frame":"(\w+)"/.exec(change) ?? [];
  if (frame) frames.set(id, frame);
  forget(frames, FRAMES_HELD);
  if (sizes) storeArrays(arrays, bytes, sizes, end, idLetters);
  if (id && !frame && !(frames.has(id) && ids.split(' ').every(each => !each || arrays.has(each)))) {
    component.setStateValue('events', ['', ...(sent.get(parentElement) ?? [])]);
    return () => {};
  }
  const setStateValue = (name, events) => {
    sent.set(parentElement, events);
    component.setStateValue(name, [id, ...events]);
  };
  const data = id ? `${change.slice(0, -1)},${frames.get(id)}}` : change;
  const style = await ready(own, lang);
  await shelf.modules.first?.untilFree();
  if (newest.get(parentElement) !== turn) return () => {};
  const leave = showStage({ ...component, data, setStateValue }, style);
  // Streamlit ends a call that it has begun anew meanwhile: the newer one has the same stage.
  return () => newest.get(parentElement) === turn && leave();
}
