// A projector's page: letters that are read from afar, pictures as large as the window allows with the whole picture
// in it, and the next and the previous page by key. PageDown and PageUp, which a clicker sends, always turn the page;
// the arrows go to what has the focus, and turn it only where nothing has it.
const CLICKER = { PageDown: 'after', PageUp: 'before' },
  ARROWS = { ArrowRight: 'after', ArrowLeft: 'before' },
  MIRRORED = { ArrowRight: 'before', ArrowLeft: 'after' }; // on a page from right to left
const PLANE = { least: 8, widest: 44 }, // rem: how wide a plane may be
  SMALLEST = 1, // rem: letters that have less elsewhere have as much here
  LETTERS = 18, // px of a rem in a window of 1280 x 720, for which lengths in px are meant
  PHONE = 700, // px: as in presentation.css
  LOOK = 60, // ms
  SENT = 30, // ms within which what was moved has been sent
  TRIES = 8,
  ROUNDS = 3,
  SPARE = 2, // px
  GROWN = 12, // px: a picture that has grown by less is let be
  SHRUNK = 0.08; // of the window's height
const WRITES =
    'input:not([type=range], [type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable]',
  root = document.documentElement;

// Of the window, what a room's bar at its lower edge leaves (see attention_lab/classroom/).
const height = () => innerHeight - (parseFloat(root.style.getPropertyValue('--room-bar')) || 0);

const setPlane = plane => root.style.setProperty('--plane', `${plane.toFixed(2)}rem`),
  called = () => `projected ${location.pathname} ${innerWidth} ${height()}`,
  remembered = name => JSON.parse(sessionStorage.getItem(name) ?? 'null');

const frames = async count => {
  for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame);
};

// The stage of the page that is open, in its first picture or in Streamlit's page: one that Streamlit has not yet taken
// away may still stand beside it.
function stageWithPicture() {
  const name = location.pathname.split('/').filter(Boolean).at(-1);
  for (const host of document.querySelectorAll('#first .figure, [data-testid="stBidiComponentIsolated"]')) {
    const stage = host.shadowRoot?.querySelector('.stage:has([data-pictured])');
    if (stage?.dataset.frames && (stage.dataset.stage === name || (stage.dataset.stage === 'home' && !name)))
      return stage;
  }
  return null;
}

// Where the picture ends, and the first thing to be set in what stands beside it. What only explains may lie below. Or
// where the plane ends `alone`.
function bottom(stage, alone = false) {
  // a stage that Streamlit has just taken away stands in no document
  const { scrollTop } = document.getElementById('first') ?? document.querySelector('[data-testid="stMain"]'),
    lowest = elements => Math.max(0, ...[...elements].map(element => element.getBoundingClientRect().bottom)),
    picture = lowest(stage.querySelectorAll(`[data-pictured]${alone ? ':has(svg.picture)' : ''} > *`));
  if (alone) return picture + scrollTop;
  const beside = [...stage.children].filter(column => column.getBoundingClientRect().top < picture - 1),
    set = beside.map(column => column.querySelector('.part:not([data-pictured]) input')).filter(Boolean);
  return Math.max(picture, lowest(set.map(input => input.closest('.options, .slider') ?? input))) + scrollTop;
}

// The widest plane with which the whole picture fits, found in one go, in few tries of which nothing is seen: where the
// picture ends grows about evenly. What does not fit even so is left out by the lessons' style sheets: nothing shrinks.
// Where something else ends below the window whatever the plane, the plane `alone` is fitted.
function widestPlane(stage, alone = false) {
  const room = height() - SPARE;
  const endAt = plane => {
    setPlane(plane);
    for (const element of stage.querySelectorAll('*')) element.followRoom?.();
    stage.paintNow?.();
    return bottom(stage, alone);
  };
  let [low, high] = [PLANE.least, PLANE.widest],
    endHigh = endAt(high);
  if (endHigh <= room) return { plane: high, alone };
  let endLow = endAt(low);
  if (endLow > room && !alone) return widestPlane(stage, true);
  for (let i = 0; i < TRIES && room - endLow > GROWN; i++) {
    // every second try halves: where the widest planes all end at the same place, the line leads nowhere
    const part = i % 2 ? 0.5 : (room - GROWN / 2 - endLow) / (endHigh - endLow),
      plane = low + (high - low) * Math.min(0.92, Math.max(0.08, part)),
      end = endAt(plane);
    if (end <= room) [low, endLow] = [plane, end];
    else [high, endHigh] = [plane, end];
  }
  return { plane: low, alone };
}

// What would be cut by the window's lower edge begins below it.
function keepWhole(stage, on) {
  for (const element of stage.querySelectorAll('.column:not(.pinned) > .part:not([data-pictured]) > *')) {
    element.style.marginTop = '';
    const { top, bottom } = element.getBoundingClientRect();
    if (on && top < height() && bottom > height())
      element.style.marginTop = `${Math.ceil(height() - top + parseFloat(getComputedStyle(element).marginTop))}px`;
  }
}

function present() {
  // What every function below gets as its `show`.
  const show = {
    fitted: null, // { called, stage, low: where the picture ends, once what would be cut begins below the window }
    changed: 0, // looks in a row at which it ended elsewhere
    opened: '',
    held: false,
    busy: false,
    gone: false,
  };
  const hold = ({ buttons }) => Object.assign(show, { held: buttons > 0 });
  const listeners = [
    ['keydown', event => turn(event, CLICKER, at => !at.matches?.(WRITES)), true], // before what has the focus hears it
    ['keydown', event => turn(event, getComputedStyle(root).direction === 'rtl' ? MIRRORED : ARROWS, isNobody), false],
    ...['pointerdown', 'pointermove', 'pointerup', 'pointercancel'].map(type => [type, hold, true]),
  ];
  const timer = setInterval(look, LOOK, show);
  reopen(show);
  look(show);
  for (const listener of listeners) window.addEventListener(...listener);
  return () => {
    show.gone = true;
    clearInterval(timer);
    for (const listener of listeners) window.removeEventListener(...listener);
    show.fitted?.stage.removeAttribute('data-projected');
    for (const name of ['--smallest', '--larger', '--plane']) root.style.removeProperty(name);
    delete root.dataset.projected;
    root.removeAttribute('data-known');
  };
}

async function fit(show, stage) {
  show.busy = true;
  if (root.dataset.projected) root.toggleAttribute('data-known', true); // it is seen while it is fitted anew
  delete root.dataset.projected;
  const name = called(),
    here = () => !show.gone && stage.isConnected && called() === name;
  await document.fonts?.ready;
  const known = remembered(name);
  if (known) {
    setPlane(known.plane); // a stage that has just taken another's place is seen, and not all of it is painted yet
    await frames(3);
  }
  const asBefore = known && bottom(stage) <= height() - SPARE && Math.abs(bottom(stage) - known.low) <= GROWN;
  let plane = known?.plane,
    alone = false;
  const fits = () => bottom(stage, alone) <= height() - SPARE;
  keepWhole(stage, false);
  for (let round = 0; round < ROUNDS && here(); round++) {
    if (round || !asBefore) ({ plane, alone } = widestPlane(stage));
    setPlane(plane);
    await frames(3); // what follows its room only a frame later
    if (fits()) break;
  }
  while (here() && plane > PLANE.least && !fits()) {
    plane *= 0.97;
    setPlane(plane);
    await frames(3);
  }
  if (here()) {
    const low = bottom(stage);
    keepWhole(stage, true);
    sessionStorage.setItem(name, JSON.stringify({ plane, low }));
    show.fitted = { called: name, stage, low: bottom(stage) };
    root.dataset.projected = location.pathname; // type has found its size here
  }
  show.changed = 0;
  show.busy = false;
}

// At a page's first frame: the size that fitted here before, at once; else nothing is shown until it is found.
function reopen(show) {
  if (show.gone) return;
  requestAnimationFrame(() => reopen(show));
  const name = called();
  if (name === show.opened || innerWidth < PHONE) return;
  show.opened = name;
  const known = remembered(name);
  if (known) setPlane(known.plane);
  delete root.dataset.projected;
  root.toggleAttribute('data-known', Boolean(known));
}

function look(show) {
  if (show.busy) return;
  const { fitted } = show,
    stage = stageWithPicture();
  if (innerWidth < PHONE) {
    setPlane(PLANE.widest);
    for (const property of ['--smallest', '--larger']) root.style.removeProperty(property);
    for (const each of [fitted?.stage, stage]) each?.removeAttribute('data-projected');
    show.fitted = null;
    return;
  }
  root.style.setProperty('--smallest', `${SMALLEST}rem`);
  root.style.setProperty('--larger', (parseFloat(getComputedStyle(root).fontSize) / LETTERS).toFixed(3));
  if (!stage) return;
  const name = called();
  stage.dataset.projected = '';
  if (fitted?.called !== name || fitted.stage !== stage) {
    fit(show, stage);
    return;
  }
  const low = bottom(stage),
    over = low > height() && low > fitted.low + GROWN,
    under = low < fitted.low - SHRUNK * height();
  show.changed = !show.held && (over || under) ? show.changed + 1 : 0;
  if (show.changed < 5) return;
  sessionStorage.removeItem(name);
  fit(show, stage);
}

function turn(event, ways, free) {
  const way = ways[event.key];
  if (!way || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const asked = [...document.querySelectorAll('[role="dialog"]')].some(dialog => dialog.checkVisibility());
  if (asked || !free(event.composedPath()[0])) return;
  event.preventDefault();
  event.stopPropagation(); // it is no one else's
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  focused?.blur(); // what keys have moved is let go of, and sent, before the page is turned, as with a click
  setTimeout(() => document.querySelector(`.st-key-${way} a`)?.click(), SENT);
}

const isNobody = at =>
  at === document.body || at === root || at.matches?.('[data-testid="stMain"], .st-key-projector a');

// A page that is opened so is fitted from its first picture on, and Streamlit's component goes on with that.
const begin = () => {
  globalThis.stopPresenting ??= present();
};
if (document.querySelector('#first.present')) begin();

export default () => {
  begin();
  return () => {
    globalThis.stopPresenting?.();
    globalThis.stopPresenting = null;
    document.getElementById('first-presentation')?.remove(); // by now Streamlit has brought the same style
  };
};
