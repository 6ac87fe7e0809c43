// The stage: what follows the hand. It holds the pose (all that a hand can change), runs the page's
// calculation at every frame, paints the parts, and tells Python on release. Python is the truth: whatever
// it sends under a new epoch (reset, example, typed values) replaces the pose; an older echo never does.
import { calculated, find } from './calculation.js';
import { attach, detach } from './peers.js';
import { make, with_one_rem } from './elements.js';
import { spell } from './figures.js';
import { draw, parts } from './registry.js';
import { plane } from './plane.js';
import { formula } from './parts.js';
import { goals } from './goals.js';
import { sentence } from './sentence.js';
import { options, slider } from './slider.js';
import { heatmap } from './heatmap.js';
import { arcs } from './arcs.js';
import { presets } from './presets.js';
import { open_terms } from './terms.js';
import { told } from './told.js';
import { anew } from './anew.js';
import { measured } from './measured.js';
import { cosines } from './senses.js';
import { forget, show_tip } from './tip.js';
import { show_taps, tap } from './taps.js';
import { speak, speaking } from './spoken.js';
import { copy_link, print_page, save_picture } from './keep.js';
import { link_kin } from './kin.js';
import { follow_turns, forget_turns } from './turns.js';
import { carried } from './carried.js';
import { mark_for_paper } from './print.js';
import { mend_root_links } from './root_links.js';
import { on_its_way, set_out } from './travel.js';

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
  remark,
  heatmap,
  presets,
  told,
  anew,
  measured,
  cosines,
  copy_link,
  print_page,
  save_picture,
});
const stages = new WeakMap(); // one stage per mounted component
// When two runs end at the same moment, Streamlit may take the stage away and put it back. What a hand had made
// and Python had not heard of yet waits here, by page.
const left = new Map(),
  WAITS = 5000; // ms
function leave(stage) {
  const { data, pending, epoch, seq, completed_goals, outline } = stage;
  if (pending.length)
    left.set(data.page, { until: performance.now() + WAITS, outline, kept: { pending, epoch, seq, completed_goals } });
}
function take_up(stage, page) {
  const { until = 0, outline, kept } = left.get(page) ?? {};
  left.delete(page);
  if (performance.now() < until) {
    Object.assign(stage, kept);
    return outline;
  }
}

// The address holds the pose too, written here at once, so that nothing is lost while the server is away.
const numeral = x => String(x);
function encode(stage, name) {
  const tokens = stage.data.address[name],
    value = stage.pose[name];
  if (Array.isArray(tokens)) return tokens[value];
  return Array.isArray(value) ? value.map(row => row.map(numeral).join('_')).join('__') : numeral(value);
}
function write_address(stage, names) {
  const url = new URL(location.href);
  for (const name of names)
    if (name in stage.data.address) {
      const text = encode(stage, name);
      if (text) url.searchParams.set(name, text);
      else url.searchParams.delete(name); // no rows: as if never given
    }
  if (url.href !== location.href) history.replaceState(history.state, '', url);
}

// Streamlit adds an entry to the browser's history for every change of the address that Python makes. Such a
// change stays on the page, so it replaces the entry instead; going to another page still adds one.
function keep_history_short() {
  if (history.pushState.short) return;
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) =>
    url !== undefined && new URL(url, location.href).pathname === location.pathname
      ? history.replaceState(state, title, url)
      : push(state, title, url);
  history.pushState.short = true;
}

const copy = value => (Array.isArray(value) ? value.map(copy) : value);
const copies = pose => Object.fromEntries(Object.entries(pose).map(([name, value]) => [name, copy(value)]));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Where Python could not tell a number among others, it sends null: NaN again, with which nothing is computed.
const numbered = given =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Array.isArray(value) ? known(value) : value]));
const known = row => row.map(x => (Array.isArray(x) ? known(x) : (x ?? NaN)));

// What a hand has changed, row by row, so that it can be done again on top of what Python has changed meanwhile.
function changes(before, now) {
  const found = [];
  for (const name in now) {
    const was = before[name],
      is = now[name];
    if (same(was, is)) continue;
    if (Array.isArray(is) && Array.isArray(was) && is.length === was.length)
      is.forEach((row, i) => {
        if (!same(row, was[i])) found.push([name, i, copy(row)]);
      });
    else found.push([name, null, copy(is)]);
  }
  return found;
}
// The fields that Python has not heard of.
const unheard = stage => [...new Set(stage.pending.flatMap(commit => commit.changes.map(([name]) => name)))];
// Does a commit again. Rows of a field that is empty until a hand changes it belong to all that the commit held.
function redo(pose, commit) {
  for (const [name, i, value] of commit.changes) {
    if (i === null) {
      if (Array.isArray(value) === Array.isArray(pose[name])) pose[name] = copy(value);
    } else if (pose[name]?.length === 0) Object.assign(pose, copies(commit.pose));
    else if (pose[name]?.[i]?.length === value.length) pose[name][i] = copy(value);
  }
}

function create(root) {
  const stage = {
    root,
    pose: {},
    sent: {},
    pending: [],
    scope: {},
    held: null,
    grabbed: null, // by a pointer, which can give it back
    late: null, // what Python has told, where it would take away what is under a hand
    untold: false, // whether Python is yet to be told something, once it has answered a wish
    again: null, // what makes once more, on another pose, all that is under a hand, and `by` which it is held
    travel: null, // from where to where the pose is on its way
    felt: null, // the magnet that holds what is under a pointer
    chosen: null, // the handle that was tapped (see taps.js)
    taken: false, // whether the last press was on a handle
    heard: new WeakMap(), // of each element whose text is spoken, what was said last
    speaking: speaking(root.parentNode),
    commands: [], // numbered, those that Python has not answered: ways to go in what was made, other examples
    asked: 0,
    frame: 0,
    seq: 0,
    epoch: null,
    completed_goals: new Set(),
    open_goal: null, // the goal that was last shown while it was not met
    reported: new Set(),
    changed: new Set(),
    paints: [],
    frames: 0,
  };
  root.addEventListener('pointerover', event => {
    // a number tells all its digits to a mouse that rests on it
    const number = event.target.closest?.('[data-value]');
    if (number instanceof HTMLElement) number.title = number.dataset.exact ?? '';
  });
  root.addEventListener(
    'pointerdown',
    () => {
      stage.taken = false;
    },
    { capture: true },
  );
  root.addEventListener('click', event => tap(stage, event));
  link_kin(stage);
  stage.touch = () => {
    stage.frame ||= requestAnimationFrame(() => {
      stage.frame = 0;
      attempt(stage, () => paint(stage));
    });
  };
  stage.root.paint_now = () => {
    if (!stage.frame) return;
    cancelAnimationFrame(stage.frame);
    stage.frame = 0;
    attempt(stage, () => paint(stage));
  };
  stage.commit = () => {
    for (const name in stage.pose) if (!same(stage.pose[name], stage.sent[name])) stage.changed.add(name);
    if (stage.changed.size) {
      write_address(stage, stage.changed);
      stage.changed.clear();
      const changed = changes(stage.sent, stage.pose);
      stage.sent = copies(stage.pose);
      stage.pending.push({ seq: stage.seq + 1, changes: changed, pose: stage.sent });
      stage.untold = true;
    }
    // told together with a wish that was made before it, it would be what that wish undoes
    if (stage.untold && !stage.commands.length) tell(stage);
    catch_up(stage);
    stage.touch();
  };
  // What is under a hand goes back to where it was when it was taken: all that was let go of, Python was sent.
  stage.give_back = () => {
    stage.held = stage.grabbed = stage.again = stage.felt = null;
    stage.pose = copies(stage.sent);
    for (const commit of stage.pending) redo(stage.pose, commit);
    stage.touch();
    catch_up(stage);
  };
  // One step back (-1) or on (1) in what was made on the page, or another example. A hand must have let go.
  stage.ask = wish => {
    if (stage.grabbed) return;
    stage.held = stage.again = null;
    stage.commit();
    stage.asked += 1;
    stage.commands.push([stage.asked, wish]);
    tell(stage);
  };
  return stage;
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
    stage.root.replaceChildren(make(null, 'p', { text: stage.undrawn }));
  }
}

function tell(stage) {
  stage.untold = false;
  stage.seq += 1;
  stage.reported_goals = stage.completed_goals.size;
  const moved = unheard(stage),
    values = Object.fromEntries(moved.map(name => [name, stage.sent[name]]));
  stage.send({
    ...values,
    seq: stage.seq,
    epoch: stage.epoch,
    address: location.search,
    completed_goals: [...stage.completed_goals],
    moved,
    commands: stage.commands,
  });
}

function paint(stage) {
  stage.scope = calculated(stage, on_its_way(stage));
  stage.told = '';
  forget(stage);
  with_one_rem(() => {
    for (const put of stage.paints) put(stage.scope);
  });
  show_tip(stage);
  show_taps(stage);
  speak(stage);
  show_first_move(stage);
  if (stage.completed_goals.size > stage.reported_goals && !stage.held) tell(stage); // only the browser can see it met
  stage.frames += 1;
  stage.root.dataset.frames = stage.frames;
}

// A calm ring around what to move first, until anything was moved.
function show_first_move(stage) {
  const { first } = stage.data,
    cue =
      first && !stage.seq && !stage.held && !stage.moved
        ? `[data-handle="${CSS.escape(first)}"], [data-cell="${CSS.escape(first)}"]`
        : null;
  if (stage.held) stage.moved = true;
  const ringed = stage.root.querySelector('.cue'),
    wanted = cue && stage.root.querySelector(cue);
  if (ringed === wanted) return;
  ringed?.classList.remove('cue');
  wanted?.classList.add('cue');
}

// A column's share of the width, and what it needs: on a projector that grows with the letters.
const flex_of = ({ share, least }) => `${share} 1 calc(${least}px * var(--larger, 1))`;

// Parts beside one another inside a column; on a narrow screen below one another.
function beside(host, spec, stage) {
  const box = make(null, 'div', { class: 'beside' }, host),
    paints = [];
  for (const column of spec.columns) {
    const inner = make(null, 'div', { class: 'column' }, box);
    inner.style.flex = flex_of(column);
    for (const part of column.parts) paints.push(draw(inner, part, stage));
  }
  return scope => paints.forEach(paint => paint(scope));
}

function remark(host, spec) {
  make(null, 'p', { class: 'remark', text: spec.text }, host);
  return () => {};
}

function heading(host, spec) {
  const box = make(null, 'h3', { class: 'heading' }, host);
  return scope => {
    const text = spell([].concat(spec.text), path => find(scope, path));
    if (box.textContent !== text) box.textContent = text;
  };
}

// Columns and a slot for each part. A part is drawn anew only if its own description changed: the others
// keep their elements, and with them the focus of a keyboard.
function lay_out(stage) {
  stage.root.replaceChildren(
    ...stage.data.columns.map(column => {
      const box = make(null, 'div', { class: column.pinned ? 'column pinned' : 'column' });
      box.style.flex = column.pinned ? '1 1 100%' : flex_of(column);
      if (column.turn) box.style.setProperty('--turn', column.turn);
      return box;
    }),
  );
  stage.slots = stage.data.columns.flatMap((column, i) =>
    column.parts.map(() => ({ host: make(null, 'div', { class: 'part' }, stage.root.children[i]) })),
  );
}

function build(stage) {
  stage.scope = calculated(stage);
  stage.data.columns
    .flatMap(column => column.parts)
    .forEach((spec, i) => {
      const slot = stage.slots[i],
        drawn = JSON.stringify(spec);
      if (slot.drawn === drawn) return;
      slot.host.replaceChildren();
      slot.host.toggleAttribute('data-pictured', spec.pictured === true);
      slot.paint = draw(slot.host, spec, stage);
      slot.drawn = drawn;
    });
  // where the lesson names no part as the page's picture, it is the first that draws
  if (!stage.slots.some(({ host }) => host.hasAttribute('data-pictured')))
    stage.slots.find(({ host }) => host.querySelector('svg'))?.host.setAttribute('data-pictured', '');
  // Goals come last, since other parts may have counted something for them.
  const late = stage.data.columns.flatMap(column => column.parts.map(() => column.pinned === true)),
    painted = last => stage.slots.filter((_, i) => late[i] === last).map(slot => slot.paint);
  stage.paints = [...painted(false), ...painted(true)];
}

// What is drawn anew may be of another height for a moment, and the browser then scrolls the page by it. What has the
// focus, and so the hand, stays where it was.
function hold_still(stage, redraw) {
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

// The address is to say what Python holds. One that somebody came by stays as it is, unless Streamlit has emptied it.
// What says how a page is embedded in another is Streamlit's.
const EMBEDDING = ['embed', 'embed_options'];
function mend_address({ root, data: { arrived, search }, pending, held }) {
  if (search === null || pending.length || held || !root.isConnected) return;
  const all = [...new URLSearchParams(location.search)],
    of_page = all.filter(([name]) => !EMBEDDING.includes(name)),
    embedding = all.filter(([name]) => EMBEDDING.includes(name));
  if ((arrived && of_page.length) || same(of_page, [...new URLSearchParams(search)])) return;
  const text = [String(new URLSearchParams(embedding)), search].filter(Boolean).join('&');
  history.replaceState(history.state, '', location.pathname + (text && `?${text}`));
}

// What, once it is another, has all parts drawn anew.
const outline_of = ({ columns, given }) =>
  JSON.stringify(columns.map(column => [column.share, column.least, column.parts.map(part => part.kind)])) +
  JSON.stringify(given.words ?? null);

// How what is under a hand can be put there again.
const made_again = ({ held, again }) => (held && again?.by === held ? again.put : null);

// Whether what is told would take away what is under a hand: by another pose, where the hand cannot put it there
// `again`, or since the part in which a pointer holds it, or a button moves it, would be drawn anew.
function takes_away(stage, { page, epoch, columns, given }) {
  const { held, grabbed, slots } = stage;
  const under_hand = held === grabbed || held?.matches('button');
  if (!held || !(under_hand || held.matches('input')) || page !== stage.data.page) return false;
  if (!made_again(stage) && epoch !== stage.epoch) return true;
  const i = under_hand ? (slots?.findIndex(({ host }) => host.contains(held)) ?? -1) : -1;
  if (i < 0) return false;
  const part = columns.flatMap(column => column.parts)[i];
  return outline_of({ columns, given }) !== stage.outline || JSON.stringify(part) !== slots[i].drawn;
}

// The hand has let go: what Python has told meanwhile is shown now.
function catch_up(stage) {
  const { late } = stage;
  if (!late || stage.held) return;
  stage.late = null;
  attempt(stage, () => apply(stage, ...late));
}

function apply(stage, data, outline_before) {
  const { pose, epoch, seq, turns, ...frame } = data,
    shown = on_its_way(stage);
  const outline = outline_of(frame);
  const drawn = outline + JSON.stringify(frame.columns),
    renewed = epoch !== stage.epoch,
    rebuilt = outline !== stage.outline || !stage.slots,
    other = outline !== outline_before;
  if (other) {
    stage.held = stage.again = null;
    stage.completed_goals.clear();
    stage.open_goal = null;
  }
  stage.data = { ...frame, given: numbered(frame.given) };
  stage.pending = other ? [] : stage.pending.filter(commit => commit.seq > seq);
  if (renewed || rebuilt || (seq >= stage.seq && !stage.held)) {
    stage.pose = copies(pose);
    stage.sent = copies(pose);
    for (const commit of stage.pending) redo(stage.pose, commit);
    const put_again = made_again(stage);
    if (put_again) {
      // what is under a hand stays there, whatever else has changed
      stage.scope = calculated(stage);
      put_again();
    } else if (renewed) stage.held = null;
  }
  stage.epoch = epoch;
  stage.seq = Math.max(stage.seq, seq);
  if (turns) {
    const [answered] = turns;
    stage.commands = stage.commands.filter(([number]) => number > answered);
    stage.asked = Math.max(stage.asked, answered);
    follow_turns(stage, frame.page, turns);
  }
  stage.veil = frame.veil;
  if (rebuilt || stage.held) stage.travel = null;
  else if (renewed) set_out(stage, shown);
  for (const name of frame.completed_goals ?? []) stage.completed_goals.add(name);
  stage.reported_goals = Math.max(
    stage.reported_goals ?? 0,
    [...stage.completed_goals].filter(name => frame.completed_goals?.includes(name)).length,
  );
  stage.root.dataset.stage = frame.page;
  stage.root.setAttribute('role', Object.keys(pose).length ? 'region' : 'group'); // one landmark a page
  stage.root.setAttribute('aria-label', frame.title);
  stage.root.classList.toggle('veiled', frame.veil);
  if (rebuilt) {
    stage.outline = outline;
    lay_out(stage);
  }
  if (drawn !== stage.drawn) {
    stage.drawn = drawn;
    hold_still(stage, () => {
      build(stage);
      paint(stage);
    });
  } else paint(stage);
  if (renewed && stage.pending.length && !stage.held) {
    stage.pending = [];
    stage.commit();
  } // Python heard nothing of it under the old epoch
  else if (stage.untold && !stage.commands.length && !stage.held) tell(stage);
  if (stage.pending.length) write_address(stage, unheard(stage));
  attach(stage);
  clearTimeout(stage.mending);
  mend_address(stage);
  stage.mending = setTimeout(mend_address, 300, stage); // after a restart Streamlit empties it once more, later
}

export function show_stage({ parentElement, data: told, setStateValue, setTriggerValue }, style, undrawn) {
  let stage = stages.get(parentElement),
    outline_before = stage?.outline;
  const found = Boolean(stage);
  if (!found) {
    parentElement.querySelector('style') ?? make(null, 'style', { text: style }, parentElement);
    stage = create(make(null, 'div', { class: 'stage' }, parentElement));
    stages.set(parentElement, stage);
    keep_history_short();
    open_terms();
    mark_for_paper();
    mend_root_links();
  }
  stage.send = pose => setStateValue('pose', pose);
  stage.undrawn = undrawn;
  stage.report = fault => {
    // what went wrong in the page's own code: once each, told to whoever started the app
    if (stage.reported.has(fault.message)) return;
    stage.reported.add(fault.message);
    setTriggerValue('fault', fault.message);
  };
  stage.open = page => setTriggerValue('page_link', page);
  attempt(stage, () => {
    const data = JSON.parse(told);
    for (const [name, what] of Object.entries(data.carried ?? {})) data.given[name] = carried(what);
    if (!found) outline_before = take_up(stage, data.page);
    stage.late = takes_away(stage, data) ? [data, outline_before] : null;
    if (!stage.late) apply(stage, data, outline_before);
  });
  parentElement.getRootNode().host?.toggleAttribute('data-drawn', true); // its room need be held open no longer
  return () => {
    leave(stage);
    cancelAnimationFrame(stage.frame);
    clearTimeout(stage.mending);
    stages.delete(parentElement);
    forget_turns(stage);
    detach(stage);
    stage.root.remove();
    stage.speaking.remove();
  };
}
