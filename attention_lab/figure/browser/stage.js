// The stage: what follows the hand. It holds the pose (all that a hand can change), runs the page's
// calculation at every frame, paints the parts, and sends Python what was done on release. What Python has not
// acknowledged yet goes with every message, in its order; an answer is the truth at its version, and what came later
// is done again on top of it.
import { createLazyCalculation, find } from './calculation.js';
import {
  adoptLink,
  goTo,
  storeEarlyMoves,
  earlyMoves,
  load,
  settings,
  unwatch,
  watch,
  writeFields,
} from './address.js';
import { attach, detach } from './room_overlay.js';
import { make, measureTogether, putText, remark, withOneRem } from './elements.js';
import { setLanguage, wordsOfPage } from './language.js';
import { spell } from './number_format.js';
import { draw, parts } from './registry.js';
import { plane } from './plane.js';
import { formula } from './formula.js';
import { goals, holds } from './goals.js';
import { sentence } from './sentence.js';
import { options, slider } from './slider.js';
import { heatmap } from './heatmap.js';
import { tally } from './tally.js';
import { arcs } from './arcs.js';
import { presets } from './presets.js';
import { openTerms } from './terms.js';
import { explanation } from './explanation.js';
import { rebuild_on } from './rebuild_on.js';
import { measured } from './head_metrics.js';
import { cosines } from './senses.js';
import { clearTooltip, paintTooltip } from './tooltip.js';
import { showTaps, onTap } from './tap_controls.js';
import { announce, createLiveRegion } from './live_region.js';
import { copy_link, print_page, save_picture } from './export_image.js';
import { linkedHighlight } from './linked_highlight.js';
import { followTurns, forgetTurns } from './undo_redo.js';
import { unpackArrays } from './binary_arrays.js';
import { markForPaper } from './print.js';
import { mendRootLinks } from './root_links.js';
import { compacted, copies, difference, isTooLong, makeMove, opens, same } from './outbox.js';
import { currentPose, startTransition } from './transition.js';
import { first, adoptFirstStage } from './first.js';
import { highlightFirstMove } from './first_move.js';
import { rememberGoals } from './remembered_goals.js';

Object.assign(parts, {
  plane,
  formula,
  goals,
  sentence,
  arcs,
  slider,
  options,
  beside,
  heading,
  remark: (host, { text }) => remark(host, text),
  heatmap,
  tally,
  presets,
  explanation,
  rebuild_on,
  measured,
  cosines,
  copy_link,
  print_page,
  save_picture,
});
const stages = new WeakMap(); // one stage per mounted component
// When two runs end at the same moment, Streamlit may take the stage away and put it back. What a hand had made
// and Python had not acknowledged yet waits here, by page.
const left = new Map(),
  WAITS = 5000; // ms
function leave(stage) {
  const { data, unacknowledged, number, completed_goals, outline } = stage;
  if (unacknowledged.length)
    left.set(data.page, {
      until: performance.now() + WAITS,
      outline,
      kept: { unacknowledged, number, completed_goals, unsent: true },
    });
}
function restoreLeft(stage, page) {
  const { until = 0, outline, kept } = left.get(page) ?? {};
  left.delete(page);
  if (performance.now() < until) {
    Object.assign(stage, kept);
    return outline;
  }
}

// The URL holds the pose, too, written at once, so that nothing is lost while the server is away.
const numeral = x => String(x);
export function encode(tokens, value) {
  if (Array.isArray(tokens)) return tokens[value];
  return Array.isArray(value) ? value.map(row => row.map(numeral).join('_')).join('__') : numeral(value);
}
function writeAddress(stage, names) {
  if (stage.early) return; // Python has yet to read the URL, and then hears of what was moved
  const written = names.filter(name => name in stage.data.address);
  const textOf = name => encode(stage.data.address[name], stage.committed[name]);
  writeFields(Object.fromEntries(written.map(name => [name, textOf(name)])));
}

// Where Python could not tell a number among others, it sends null: NaN again, with which nothing is computed.
export const numbered = constants =>
  Object.fromEntries(
    Object.entries(constants).map(([name, value]) => [name, Array.isArray(value) ? withNaN(value) : value]),
  );
const withNaN = row => row.map(x => (Array.isArray(x) ? withNaN(x) : (x ?? NaN)));

// The fields that a hand has moved and Python has not acknowledged.
const movedFields = stage => [...new Set(stage.unacknowledged.flatMap(([, { move = {} }]) => Object.keys(move)))];
// The pose as Python will have it once it knows of all.
function withUnacknowledged(pose, unacknowledged) {
  const all = copies(pose);
  for (const [, event] of unacknowledged) makeMove(all, event);
  return all;
}

const ENDS = ['pointermove', 'pointerup', 'pointercancel']; // where no button is down

function create(root) {
  const stage = {
    root,
    pose: {},
    committed: {}, // the pose without what is under a hand
    acknowledged: {}, // the pose that Python has sent
    unacknowledged: [], // [number, event], in the order in which they happened since
    unsent: false, // whether some of these wait until another example is there
    early: false, // whether it is the first picture, which Python does not know yet (see first.js)
    version: 0, // the number of the last event that Python has applied
    number: 0, // that of the last one here
    undoSteps: 0, // of Undo
    asOpened: false, // whether Python's page is still as its link has opened it
    renewals: 0, // how often Python has changed the pose
    scope: {},
    computeScope: createLazyCalculation(),
    pressed: false, // whether a pointer is down on it
    held: null,
    grabbed: null, // by a pointer, which can give it back
    pendingAnswer: null, // an answer of Python's, where it would take away what is under a hand
    again: null, // what makes once more, on another pose, all that is under a hand, and `by` which it is held
    transition: null, // from where to where the pose is on its way
    magnet: null, // the magnet that holds what is under a pointer
    chosen: null, // the handle that was tapped (see tap_controls.js)
    taken: false, // whether the last press was on a handle
    announced: new WeakMap(), // of each element whose text is spoken, what was said last
    speaking: createLiveRegion(root.parentNode),
    frame: 0,
    completed_goals: new Set(),
    reportedGoals: new Set(), // those that Python knows or is being sent
    openGoal: null, // the goal that was last shown while it was not met
    reported: new Set(),
    openFolds: new Set(), // by their titles
    looked_at: 0, // which of several heads the arcs show
    data: null, // what Python has sent, without the pose
    outline: null, // what, once it is another, has all parts drawn anew
    drawn: null, // the columns that are drawn, as text
    slots: null, // for each part { host, drawn, paint }
    paints: [], // what each part does at every frame, goals last
    resultsHidden: false, // until the reader has answered a question
    moved: false, // whether a hand has moved anything here
    finger: false, // whether it is a finger
    explanation: '', // of what the pointer is on, as the part `explanation` shows it
    otherPose: null, // what a leader shows in the place of the reader's own pose (see room_overlay.js)
    frames: 0,
  };
  listen(stage);
  linkedHighlight(stage);
  giveCommands(stage);
  return stage;
}

// What the stage hears of the pointer, and of what is in sight.
function listen(stage) {
  const { root } = stage;
  root.addEventListener('pointerover', event => {
    // a number tells all its digits to a mouse that rests on it
    const number = event.target.closest?.('[data-value]');
    if (number instanceof HTMLElement) number.title = number.dataset.exact ?? '';
  });
  const press = () => Object.assign(stage, { taken: false, pressed: true });
  root.addEventListener('pointerdown', press, { capture: true });
  stage.onRelease = ({ buttons }) => {
    if (!stage.pressed || buttons) return;
    stage.requestPaint(); // what was out of sight
    stage.pressed = false;
    requestAnimationFrame(() => applyLate(stage)); // once the click has come
  };
  for (const end of ENDS) window.addEventListener(end, stage.onRelease, { capture: true });
  const onSight = entries => {
    // what has no room now may be about to take some
    for (const { target, isIntersecting, boundingClientRect: box } of entries)
      target.toggleAttribute('data-away', !isIntersecting && box.height > 0);
    if (stage.pressed) stage.requestPaint();
  };
  stage.sight = new IntersectionObserver(onSight, { rootMargin: '100px' });
  root.addEventListener('click', event => onTap(stage, event));
}

// What its parts and others can have it do.
function giveCommands(stage) {
  stage.requestPaint = () => {
    stage.frame ||= requestAnimationFrame(() => attempt(stage, () => paint(stage)));
  };
  // in a font that is on its way, names are of another width
  if (document.fonts?.status === 'loading') document.fonts.ready.then(stage.requestPaint);
  stage.root.paintNow = () => {
    if (stage.frame) attempt(stage, () => paint(stage));
  };
  stage.commit = () => {
    const { move, rows } = difference(stage.committed, stage.pose),
      names = Object.keys(move);
    if (names.length) {
      stage.committed = copies(stage.pose);
      writeAddress(stage, names);
      send(stage, { move, rows, goals: newGoals(stage) });
      if (stage.early) storeEarlyMoves(stage.unacknowledged);
    }
    applyLate(stage);
    stage.requestPaint();
  };
  // What is under a hand stays where it is, and is sent.
  stage.release = () => {
    stage.held = stage.grabbed = stage.again = stage.magnet = null;
    stage.commit();
  };
  // What is under a hand goes back to where it was when it was taken.
  stage.restore = () => {
    stage.pose = copies(stage.committed);
    stage.release();
  };
  // A command: one step back or on in what was made on the page, another example, a link. A hand must have let go.
  stage.ask = command => {
    if (stage.grabbed) return;
    stage.held = stage.again = null;
    stage.commit();
    send(stage, command);
  };
  // The server is away: the URL keeps what was moved.
  stage.writeMoves = () => {
    stage.early = false;
    writeAddress(stage, movedFields(stage));
    storeEarlyMoves([]);
  };
  stage.openLink = (search, asked = null) => send(stage, { link: search, asked });
}

// Draw or, where that fails, say so in a sentence, never a trace; the console has the trace.
function attempt(stage, act) {
  try {
    act();
  } catch (error) {
    console.error(error);
    stage.report(error);
    stage.drawn = stage.slots = null;
    stage.paints = [];
    stage.root.replaceChildren(make(null, 'p', { text: error.sentence ?? wordsOfPage().undrawn }));
  }
}

function newGoals(stage) {
  const found = [...stage.completed_goals].filter(goal => !stage.reportedGoals.has(goal));
  for (const goal of found) stage.reportedGoals.add(goal);
  if (found.length) rememberGoals(stage.data, found);
  return found;
}

const numberedFrom = (stage, events) => events.map(event => [++stage.number, event]);
function append(stage, event) {
  const { unacknowledged, acknowledged } = stage;
  unacknowledged.push(...numberedFrom(stage, [event]));
  const begin = unacknowledged.findLastIndex(([, each]) => opens(each)) + 1,
    since = unacknowledged.slice(begin).map(([, each]) => each);
  if (!isTooLong(since)) return;
  stage.unacknowledged = [...unacknowledged.slice(0, begin), ...numberedFrom(stage, compacted(since, acknowledged))];
}
// A server that has restarted cannot take back what the one before did.
function retellToNewServer(stage) {
  const events = stage.unacknowledged.map(([, event]) => event),
    opening = events.findIndex(opens),
    end = opening < 0 ? events.length : opening,
    known = events.slice(0, end);
  if (!known.some(({ turn }) => turn)) return;
  const retold = compacted(known, stage.acknowledged, { hasRestarted: true });
  stage.unacknowledged = numberedFrom(stage, [...retold, ...events.slice(end)]);
}
// All that Python has not acknowledged, since of several messages only the newest may arrive. What is moved before
// another example has come waits for it, and is forgotten if the words are others then.
function send(stage, event) {
  if (event) append(stage, event);
  const { unacknowledged } = stage,
    end = unacknowledged.findIndex(([, event]) => opens(event)) + 1;
  stage.unsent = end > 0 && end < unacknowledged.length;
  stage.send(end ? unacknowledged.slice(0, end) : [...unacknowledged]);
}

function paint(stage) {
  cancelAnimationFrame(stage.frame); // that of what was asked for until now
  stage.frame = 0;
  if (stage.held) stage.moved = true;
  stage.scope = stage.computeScope(stage, currentPose(stage));
  stage.explanation = '';
  clearTooltip(stage);
  withOneRem(() => {
    for (const put of stage.paints) put(stage.scope);
  });
  paintTooltip(stage);
  showTaps(stage);
  if (stage.frames) announce(stage);
  else requestAnimationFrame(() => announce(stage)); // what is there from the first is heard once it is laid out
  highlightFirstMove(stage);
  const goals = stage.held ? [] : newGoals(stage); // only the browser can see them met
  if (goals.length) send(stage, { goals });
  stage.frames += 1;
  stage.root.dataset.frames = stage.frames;
}

// A column's share of the width, and what it needs: on a projector that grows with the letters.
const flexOf = ({ share, least }) => `${share} 1 calc(${least}px * var(--larger, 1))`;

// Parts beside one another inside a column; on a narrow screen below one another. With a title they are folded.
function beside(host, spec, stage) {
  const fold = spec.title ? folded(host, spec, stage) : null,
    box = make(null, 'div', { class: 'beside' }, fold?.details ?? host),
    paints = [];
  for (const column of spec.columns) {
    const inner = make(null, 'div', { class: 'column' }, box);
    inner.style.flex = flexOf(column);
    for (const part of column.parts) paints.push(draw(inner, part, stage));
  }
  return scope => {
    fold?.follow(scope);
    if (fold && !fold.details.open && spares(stage)) return; // until the hand lets go
    for (const paint of paints) paint(scope);
  };
}

// A fold. It stays open when its part is drawn again, and opens by itself for a goal that needs what is in it.
function folded(host, spec, stage) {
  const details = make(null, 'details', { class: 'fold' }, host);
  make(null, 'summary', { text: spec.title }, details);
  details.open = spec.opened || stage.openFolds.has(spec.title);
  details.addEventListener('toggle', () => {
    stage.openFolds[details.open ? 'add' : 'delete'](spec.title);
    stage.requestPaint();
  });
  let goal = null,
    dueBefore = false;
  const follow = scope => {
    const due = Boolean(spec.opened_by) && holds(spec.opened_by, find(scope, spec.opened_by.path));
    if ((scope.goal !== goal && spec.goals.includes(scope.goal)) || (due && !dueBefore)) details.open = true;
    [goal, dueBefore] = [scope.goal, due];
  };
  return { details, follow };
}

function heading(host, spec) {
  const box = make(null, 'h2', { class: 'heading' }, host);
  return scope => {
    const text = spell([].concat(spec.text), path => find(scope, path));
    putText(box, text);
  };
}

// Columns and a slot for each part. A part is drawn anew only if its own description changed: the others
// keep their elements, and with them the focus of a keyboard.
function layOut(stage) {
  stage.root.replaceChildren();
  stage.slots = stage.data.columns.flatMap(column => {
    const box = make(null, 'div', { class: column.pinned ? 'column pinned' : 'column' }, stage.root);
    box.style.flex = column.pinned ? '1 1 100%' : flexOf(column);
    if (column.turn) box.style.setProperty('--turn', column.turn);
    return column.parts.map(() => ({ host: make(null, 'div', { class: 'part' }, box) }));
  });
}

// Where a model was sent along, much is calculated: what is out of sight follows a hand only once it lets go.
const spares = stage => stage.pressed && Object.keys(stage.data.arrays ?? {}).length > 0;
const inSight = stage => slot => scope => {
  const isAway = ({ children }) => [...children].every(child => child.hasAttribute('data-away'));
  if (!spares(stage) || !isAway(slot.host)) slot.paint(scope);
};

function build(stage) {
  stage.scope = stage.computeScope(stage);
  const drawPart = (spec, i) => {
    const slot = stage.slots[i],
      drawn = JSON.stringify(spec);
    if (slot.drawn === drawn) return;
    slot.host.replaceChildren();
    slot.host.toggleAttribute('data-pictured', spec.pictured === true);
    slot.paint = draw(slot.host, spec, stage);
    slot.drawn = drawn;
  };
  withOneRem(() => measureTogether(() => stage.data.columns.flatMap(column => column.parts).forEach(drawPart)));
  stage.sight.disconnect();
  for (const { host } of stage.slots) for (const child of host.children) stage.sight.observe(child);
  // where the lesson names no part as the page's picture, it is the first that draws
  if (!stage.slots.some(({ host }) => host.hasAttribute('data-pictured')))
    stage.slots.find(({ host }) => host.querySelector('svg'))?.host.setAttribute('data-pictured', '');
  // Goals come last, since other parts may have counted something for them.
  const pinned = stage.data.columns.flatMap(column => column.parts.map(() => column.pinned === true)),
    painted = last => stage.slots.filter((_, i) => pinned[i] === last).map(inSight(stage));
  stage.paints = [...painted(false), ...painted(true)];
}

// What is drawn anew may be of another height for a moment, and the browser then scrolls the page by it. What has the
// focus, and so the hand, stays where it was.
function holdStill(stage, redraw) {
  const part = stage.root.getRootNode().activeElement?.closest?.('.part'),
    main = document.querySelector('[data-testid="stMain"]'),
    top = () => part?.firstElementChild?.getBoundingClientRect().top ?? 0,
    before = top();
  redraw();
  if (!part || !main) return;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (part.isConnected && !stage.held) main.scrollTop += top() - before;
    }),
  );
}

// What, once it is another, has all parts drawn anew.
const outlineOf = ({ columns, constants }) =>
  JSON.stringify(columns.map(column => [column.share, column.least, column.parts.map(part => part.kind)])) +
  JSON.stringify(constants.words ?? null);

// What Python has not acknowledged with a version.
const laterThan = ({ unacknowledged }, version) => unacknowledged.filter(([number]) => number > version);

// How what is under a hand can be put there again.
const replayHeld = ({ held, again }) => (held && again?.by === held ? again.put : null);

// Whether an answer would take away what is under a hand: by another pose, where the hand cannot put it there `again`,
// or since the part in which a pointer holds it, or a button moves it, would be drawn anew. From under a pointer that
// presses, any part drawn anew may move what is pressed, and no click would come.
function wouldDisturb(stage, { page, version, pose, columns, constants }) {
  const { held, grabbed, slots } = stage;
  if (page !== stage.data?.page) return false;
  if (stage.pressed && !held && outlineOf({ columns, constants }) + JSON.stringify(columns) !== stage.drawn)
    return true;
  const underHand = held === grabbed || held?.matches('button');
  if (!held || !(underHand || held.matches('input'))) return false;
  const later = laterThan(stage, version);
  if (!replayHeld(stage) && !same(withUnacknowledged(pose, later), stage.committed)) return true;
  const i = underHand ? (slots?.findIndex(({ host }) => host.contains(held)) ?? -1) : -1;
  if (i < 0) return false;
  const part = columns.flatMap(column => column.parts)[i];
  return outlineOf({ columns, constants }) !== stage.outline || JSON.stringify(part) !== slots[i].drawn;
}

// The hand has let go: what Python has answered meanwhile is shown now.
function applyLate(stage) {
  const { pendingAnswer } = stage;
  if (!pendingAnswer || stage.held || stage.pressed) return;
  stage.pendingAnswer = null;
  attempt(stage, () => apply(stage, ...pendingAnswer));
}

function apply(stage, data, outlineBefore, arrives = !stage.data) {
  const { pose, version, turns, search, as_opened, ...frame } = data,
    restarted = version < stage.version, // a session that knows nothing of what the one before has acknowledged
    shown = stage.data ? currentPose(stage) : pose;
  const outline = outlineOf(frame);
  const drawn = outline + JSON.stringify(frame.columns),
    rebuilt = outline !== stage.outline || !stage.slots,
    other = outline !== outlineBefore;
  const elsewhere = other || (stage.data && stage.data.subject !== frame.subject),
    isLinked = stage.unacknowledged.some(([number, { link }]) => number <= version && link !== undefined);
  if (other) stage.held = stage.again = null;
  if (elsewhere) stage.completed_goals.clear();
  if (elsewhere || isLinked) stage.openGoal = null; // what a link meets was not reached by the reader
  stage.data = { ...frame, constants: numbered(frame.constants) };
  stage.unacknowledged = other && !restarted ? [] : laterThan(stage, version);
  if (restarted) retellToNewServer(stage);
  stage.acknowledged = pose;
  const committed = withUnacknowledged(pose, stage.unacknowledged),
    renewed = !same(committed, stage.committed);
  stage.committed = committed;
  if (renewed) stage.renewals += 1;
  if (!stage.held || renewed || rebuilt) {
    stage.pose = copies(committed);
    const putAgain = replayHeld(stage);
    if (putAgain) {
      // what is under a hand stays there, whatever else has changed
      stage.scope = stage.computeScope(stage);
      putAgain();
    } else if (renewed) stage.held = null;
  }
  stage.version = version;
  stage.number = Math.max(stage.number, version);
  stage.undoSteps = turns?.[0] ?? 0;
  stage.asOpened = as_opened;
  if (turns) followTurns(stage, frame.page, turns);
  stage.resultsHidden = frame.results_hidden;
  if (rebuilt || stage.held) stage.transition = null;
  else if (renewed) startTransition(stage, shown);
  const known = frame.completed_goals ?? [],
    underWay = stage.unacknowledged.flatMap(([, { goals = [] }]) => goals);
  for (const name of restarted ? [] : stage.reportedGoals) // Python has forgotten them: everything was reset
    if (![...known, ...underWay].includes(name)) stage.completed_goals.delete(name);
  for (const name of known) stage.completed_goals.add(name);
  stage.reportedGoals = new Set([...known, ...underWay]);
  stage.root.dataset.stage = frame.page;
  stage.root.setAttribute('role', Object.keys(pose).length ? 'region' : 'group'); // one landmark a page
  stage.root.setAttribute('aria-label', frame.title);
  stage.root.classList.toggle('veiled', frame.results_hidden);
  if (rebuilt) {
    stage.outline = outline;
    layOut(stage);
  }
  if (drawn !== stage.drawn) {
    stage.drawn = drawn;
    holdStill(stage, () => {
      build(stage);
      paint(stage);
    });
  } else paint(stage);
  attach(stage);
  if (search !== null && !stage.early) reconcileAddress(stage, search, { arrives: arrives && as_opened, restarted });
  if (stage.unsent && stage.unacknowledged.length) send(stage);
  else stage.unsent = false;
}

// The URL holds what the page does; a session that has begun anew takes over what the URL holds.
function reconcileAddress(stage, search, { arrives, restarted }) {
  watch(stage.openLink);
  if (restarted && !same(settings(search), settings(location.search))) {
    const later = stage.unacknowledged;
    stage.unacknowledged = [];
    append(stage, { link: location.search, asked: null });
    for (const [, event] of later) append(stage, event);
    stage.unsent = true;
  } else if (stage.unacknowledged.length) writeAddress(stage, movedFields(stage));
  else adoptLink(search, arrives);
}

export function showStage(component, style) {
  const { parentElement, data: payload, early, setStateValue, setTriggerValue } = component,
    openPage = component.openPage ?? (early ? load : goTo);
  let stage = stages.get(parentElement),
    arrives = false;
  const found = Boolean(stage);
  if (!found) {
    parentElement.querySelector('style') ?? make(null, 'style', { text: style }, parentElement);
    stage = early ? null : adoptFirstStage(parentElement, payload);
    arrives = Boolean(stage);
    stage ??= create(make(null, 'div', { class: 'stage' }, parentElement));
    stages.set(parentElement, stage);
    openTerms();
    markForPaper();
    mendRootLinks();
  }
  if (arrives) {
    stage.unsent = true;
    storeEarlyMoves([]);
  }
  stage.early = Boolean(early);
  stage.send = events => setStateValue('events', events);
  stage.report = fault => {
    // what went wrong in the page's own code: once each, to whoever started the app
    if (stage.reported.has(fault.message)) return;
    stage.reported.add(fault.message);
    setTriggerValue('fault', fault.message);
  };
  stage.open = openPage;
  stage.hrefOf = component.hrefOf ?? (page => page);
  let outlineBefore = stage.outline;
  attempt(stage, () => {
    const data = { ...payload, constants: { ...payload.constants } },
      { version } = globalThis.attention_lab;
    setLanguage(data);
    const { outdated } = wordsOfPage();
    if (data.library && data.library !== version) throw Object.assign(new Error(outdated), { sentence: outdated });
    for (const [name, what] of Object.entries(data.arrays ?? {})) data.constants[name] = unpackArrays(what);
    if (!found && !arrives) outlineBefore = restoreLeft(stage, data.page);
    stage.pendingAnswer = wouldDisturb(stage, data) ? [data, outlineBefore] : null;
    if (!stage.pendingAnswer) apply(stage, data, outlineBefore, arrives || undefined);
  });
  if (early && stage.slots) {
    first.stage = stage;
    const kept = earlyMoves();
    for (const [, event] of kept) makeMove(stage.pose, event);
    if (kept.length) stage.commit();
  }
  parentElement.getRootNode().host?.toggleAttribute('data-drawn', true); // its room need be held open no longer
  return () => {
    leave(stage);
    cancelAnimationFrame(stage.frame);
    unwatch(stage.openLink);
    stages.delete(parentElement);
    for (const end of ENDS) window.removeEventListener(end, stage.onRelease, { capture: true });
    stage.sight.disconnect();
    forgetTurns(stage);
    detach(stage);
    stage.root.remove();
    stage.speaking.remove();
  };
}
