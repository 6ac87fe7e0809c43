// What a live classroom shows on the stage (see classroom/): the leader's pose instead of the reader's own, and faintly
// the vectors that the others have moved. The page's own state stays as it is, so both can be removed at any time.
import { calculateAll } from './calculation.js';
import { currentPose, startTransition } from './transition.js';

const AT_ONCE = 5; // ms of a frame for what the hands of others come to
const TOLD_APART = 0.005; // what moves by less than that stays where it was

export const roomOverlay = { stage: null, hands: new Map() };

// The stage of the page that is open, once its page knows of a room; `roomOverlay.met` is told of it. Streamlit may put
// another beside it for a moment, where the page's elements change places: the newest that is still there counts.
const attached = new Set();
export function attach(stage) {
  if (!stage.data.room) return;
  attached.delete(stage);
  attached.add(stage);
  roomOverlay.stage = stage;
  roomOverlay.met?.(stage);
}

export function detach(stage) {
  attached.delete(stage);
  if (roomOverlay.stage !== stage) return;
  roomOverlay.stage = [...attached].at(-1) ?? null;
  roomOverlay.stage?.requestPaint(); // what the room has said meanwhile, the other was told
  if (roomOverlay.stage) roomOverlay.met?.(roomOverlay.stage);
}

// Shows another pose instead of the reader's own, which stays as it is; null gives the reader's own back.
export function showSharedPose(stage, pose) {
  const otherPose = pose && fitting(stage, pose);
  if (JSON.stringify(otherPose) === JSON.stringify(stage.otherPose ?? null)) return;
  const shown = currentPose(stage);
  stage.otherPose = otherPose;
  startTransition(stage, shown);
  stage.requestPaint();
}

// What of a pose this page can show: null where it would come to nothing.
function fitting(stage, pose) {
  const fits = ([name, value]) => name in stage.pose && Array.isArray(value) === Array.isArray(stage.pose[name]),
    otherPose = Object.fromEntries(Object.entries(pose).filter(fits));
  return tryCalculate(stage, { ...stage.pose, ...otherPose }) ? otherPose : null;
}

function tryCalculate(stage, pose) {
  try {
    return calculateAll(stage, pose);
  } catch {
    return null;
  }
}

// What a hand has moved since the page was begun: single numbers, and of matrices the rows by their place.
export function moved(stage) {
  const { begun } = stage.data.room,
    found = {};
  for (const [name, before] of Object.entries(begun)) {
    const now = stage.pose[name];
    if (!Array.isArray(now)) {
      if (now !== before) found[name] = now;
      continue;
    }
    const rows = now.map((row, i) => [i, row]).filter(([i, row]) => String(row) !== String(before[i]));
    if (rows.length) found[name] = Object.fromEntries(rows);
  }
  return found;
}

function withMoved(pose, numbers) {
  const own = { ...pose };
  for (const [name, value] of Object.entries(numbers)) {
    if (!(name in own)) continue;
    if (!Array.isArray(own[name])) own[name] = value;
    else own[name] = own[name].map((row, i) => (value[i]?.length === row.length ? value[i] : row));
  }
  return own;
}

// The hands of the others with this sharing key, each with all that its numbers come to; with them, what the page as
// it was begun comes to. They are worked out a few at every frame, and again where another word or measure is chosen.
const calculatedHands = new WeakMap();
export function others(stage) {
  const { room } = stage.data;
  if (!room || !roomOverlay.hands.size) return null;
  const chosen = Object.fromEntries(Object.entries(stage.pose).filter(([name]) => !(name in room.begun))),
    about = JSON.stringify([room.sharing_key, chosen]);
  let kept = calculatedHands.get(stage);
  if (kept?.about !== about) {
    const start = tryCalculate(stage, { ...stage.pose, ...room.begun });
    kept = { about, start, scopes: new Map(), version: 0 };
    calculatedHands.set(stage, kept);
  }
  if (!kept.start) return null;
  const until = performance.now() + AT_ONCE;
  for (const number of kept.scopes.keys()) if (!roomOverlay.hands.has(number)) kept.scopes.delete(number);
  for (const [number, { sharing_key, numbers }] of roomOverlay.hands) {
    if (sharing_key !== room.sharing_key) {
      kept.scopes.delete(number);
      continue;
    }
    if (kept.scopes.get(number)?.numbers === numbers) continue;
    if (performance.now() > until) {
      stage.requestPaint();
      break;
    }
    const scope = tryCalculate(stage, withMoved({ ...stage.pose, ...room.begun }, numbers));
    kept.scopes.set(number, { numbers, scope });
    kept.version += 1;
  }
  return kept;
}

// Whether a vector lies elsewhere than at the start.
export const apart = (vector, start) => vector.some((x, k) => Math.abs(x - (start?.[k] ?? 0)) > TOLD_APART);
