// What Python tells a figure: the change as a line of JSON and, where the figure's frame is another one, that as the
// next line, then its arrays as bytes. The newest few frames are kept here, and the newest few arrays among the page's
// globals.
import { untilFree } from './first.js';
import { globals, ready } from './page_globals.js';
import { showStage } from './stage.js';

const FRAMES_HELD = 8,
  ARRAYS_HELD = 6,
  NEWLINE = 10;
const newest = new WeakMap(),
  sent = new WeakMap(),
  frames = new Map(); // by their ids: what is in them never changes

function hold(all, id, value, most) {
  all.delete(id);
  all.set(id, value);
  for (const old of all.keys()) if (all.size > most) all.delete(old);
}

// A line of JSON, and where the next one begins.
function readLine(bytes, begin) {
  const end = bytes.indexOf(NEWLINE, begin),
    line = bytes.subarray(begin, end < 0 ? bytes.length : end);
  return [JSON.parse(new TextDecoder().decode(line)), begin + line.length + 1];
}

// The frame that a message brings, or that it names where the browser has it with all its arrays.
function frameOf(id, bytes, begin) {
  if (begin < bytes.length) {
    let [frame, end] = readLine(bytes, begin);
    for (const array of Object.values(frame.arrays)) {
      hold(globals.arrays, array.id, bytes.slice(end, end + array.size).buffer, ARRAYS_HELD);
      end += array.size;
    }
    hold(frames, id, frame, FRAMES_HELD);
    return frame;
  }
  const frame = frames.get(id);
  return frame && Object.values(frame.arrays).every(array => globals.arrays.has(array.id)) ? frame : null;
}

// Each message to Python begins with the frame that the browser has, which is not sent again. If it lacks one, it asks.
export async function showFigure(component) {
  const turn = Symbol(),
    { parentElement, data: bytes } = component,
    [change, begin] = readLine(bytes, 0),
    id = change.frame, // of a figure without a lesson there is none
    frame = id && frameOf(id, bytes, begin);
  newest.set(parentElement, turn);
  if (id && !frame) {
    component.setStateValue('events', ['', ...(sent.get(parentElement) ?? [])]);
    return () => {};
  }
  const setStateValue = (name, events) => {
    sent.set(parentElement, events);
    component.setStateValue(name, [id, ...events]);
  };
  const data = { ...change, ...frame },
    style = await ready(data.own, data.lang);
  await untilFree(parentElement);
  if (newest.get(parentElement) !== turn) return () => {};
  const leave = showStage({ ...component, data, setStateValue }, style);
  // Streamlit ends a call that it has begun anew meanwhile: the newer one has the same stage.
  return () => newest.get(parentElement) === turn && leave();
}
