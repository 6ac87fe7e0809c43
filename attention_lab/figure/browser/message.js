// What Python tells a figure: a line with the change, and where the figure's frame is another one, that as the next
// line; then the sizes of its arrays, and these as bytes. Frames and arrays wait on the shelf, the newest few of each.
import { show_stage } from './stage.js';

const FRAMES_HELD = 8,
  ARRAYS_HELD = 6,
  NEWLINE = 10;
const newest = new WeakMap(),
  sent = new WeakMap();

const text_of = bytes => new TextDecoder().decode(bytes);
const forget = (kept, most) => {
  for (const old of kept.keys()) if (kept.size > most) kept.delete(old);
};

// The lines that a message begins with, and where they end.
function lines_of(bytes) {
  const lines = [];
  let end = 0;
  while (lines.length < 3 && end < bytes.length) {
    const at = bytes.indexOf(NEWLINE, end),
      stop = at < 0 ? bytes.length : at;
    lines.push(text_of(bytes.subarray(end, stop)));
    end = stop + 1;
  }
  return [lines, end];
}

function keep_arrays(arrays, bytes, sizes, from, id_letters) {
  for (const size of sizes.split(' ').map(Number)) {
    const array = bytes.slice(from, from + size),
      id = text_of(array.subarray(0, id_letters));
    arrays.delete(id);
    arrays.set(id, array.slice(id_letters).buffer);
    from += size;
  }
  forget(arrays, ARRAYS_HELD);
}

// Each message to Python begins with the frame that the browser has, which is not sent again. If it lacks one, it asks.
// An array begins with its id, of `id_letters`.
export async function show_figure(component, shelf, id_letters) {
  const turn = Symbol(),
    { parentElement, data: bytes } = component;
  newest.set(parentElement, turn);
  shelf.frames ??= new Map();
  shelf.arrays ??= new Map();
  const { frames, arrays } = shelf,
    [[change, frame, sizes], end] = lines_of(bytes),
    [, own = '', ids = '', lang = ''] = /^{"own":"(\w*)","array_ids":"([\w ]*)","lang":"(\w*)"/.exec(change) ?? [],
    [, id] = /"frame":"(\w+)"/.exec(change) ?? [];
  if (frame) frames.set(id, frame);
  forget(frames, FRAMES_HELD);
  if (sizes) keep_arrays(arrays, bytes, sizes, end, id_letters);
  if (id && !frame && !(frames.has(id) && ids.split(' ').every(each => !each || arrays.has(each)))) {
    component.setStateValue('events', ['', ...(sent.get(parentElement) ?? [])]);
    return () => {};
  }
  const setStateValue = (name, events) => {
    sent.set(parentElement, events);
    component.setStateValue(name, [id, ...events]);
  };
  const data = id ? `${change.slice(0, -1)},${frames.get(id)}}` : change;
  while (!(own in shelf.styles && shelf.words?.[lang])) await new Promise(wake => shelf.waiting.push(wake));
  await shelf.modules.first?.until_free();
  if (newest.get(parentElement) !== turn) return () => {};
  const style = shelf.styles[''] + (own && shelf.styles[own]);
  return show_stage({ ...component, data, setStateValue }, style, shelf.undrawn);
}
