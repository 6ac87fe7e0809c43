// Single taps instead of a drag. A handle that is tapped is chosen: arrow buttons stand beside it, each a key of the
// handle, and a tap in its picture puts it there. Beside a cell that is smaller than a fingertip they lead to its
// neighbours.
import { make, makeButton } from './elements.js';
import { wordsOfPage } from './language.js';

const GAP = 10, // px between the buttons and the handle, and to the edges of the window
  FINGERTIP = 24, // px
  KNOB = 14; // px around a handle's middle that the buttons leave free
const ARROWS = [
  ['up', 'ArrowUp', '↑'],
  ['left', 'ArrowLeft', '←'],
  ['down', 'ArrowDown', '↓'],
  ['right', 'ArrowRight', '→'],
];
const ways = new WeakMap(); // of each handle: its arrows, its ground (where a tap puts it), put(event)

// handle: { axes: how many; ground: an element, if any; put: puts the handle under a pointer }
export function offerTaps(element, handle) {
  ways.set(element, handle);
}

// A cell of a picture from which the arrow keys lead to the next one, and which Enter chooses.
export function offerSteps(stage, cell) {
  ways.set(cell, { axes: 2, steps: true });
  cell.addEventListener('click', event => {
    const { width, height } = cell.getBoundingClientRect();
    if (event.isTrusted && Math.min(width, height) < FINGERTIP) chooseHandle(stage, cell);
  });
}

export function chooseHandle(stage, element) {
  const again = stage.chosen?.element === element;
  forgetChosen(stage);
  if (again) return;
  const leave = event => {
    if (!event.composedPath().includes(stage.root)) forgetChosen(stage);
  };
  stage.chosen = { element, name: element.dataset.handle, leave };
  window.addEventListener('pointerdown', leave, { capture: true });
  stage.requestPaint();
}

export function forgetChosen(stage) {
  if (!stage.chosen) return;
  window.removeEventListener('pointerdown', stage.chosen.leave, { capture: true });
  stage.chosen = null;
  stage.requestPaint();
}

// A tap on what is no control: in the chosen handle's picture it puts the handle there.
const CONTROLS = '[data-handle], [tabindex], a, button, input, select, textarea, summary, .taps';
export function onTap(stage, event) {
  if (stage.taken) return; // the click that ends a press on a handle
  const element = event.target.closest(CONTROLS) ? null : chosenHandle(stage),
    { ground, put } = ways.get(element) ?? {};
  if (!element) return;
  if (ground?.contains(event.target)) {
    stage.chosen.at = null;
    put(event);
  } else forgetChosen(stage);
}

// A part that is drawn again has another element for the same handle.
function chosenHandle(stage) {
  const { chosen } = stage;
  if (!chosen) return null;
  if (!chosen.element.isConnected && chosen.name)
    chosen.element = stage.root.querySelector(`[data-handle="${CSS.escape(chosen.name)}"]`) ?? chosen.element;
  return chosen.element.checkVisibility() ? chosen.element : null;
}

function makePad(stage) {
  const taps = wordsOfPage().taps ?? {},
    pad = make(null, 'div', { class: 'taps', role: 'group' });
  pad.addEventListener('pointerdown', event => event.preventDefault()); // the handle keeps the focus, and its keys
  for (const [way, key, sign] of ARROWS)
    makeButton(pad, { class: way, tabindex: '-1', 'aria-label': taps[way], text: sign }, () => {
      const element = chosenHandle(stage);
      if (!element) return;
      press(element, key);
      if (ways.get(element).steps) step(stage, element);
    });
  make(null, 'span', { class: 'place', text: taps.place }, pad);
  return pad;
}

const press = (element, key) => element.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));

// The arrow has given the focus to another cell: that one is chosen now.
function step(stage, from) {
  const cell = stage.root.getRootNode().activeElement;
  if (cell === from || !ways.get(cell)?.steps) return;
  press(cell, 'Enter');
  stage.chosen.element = cell;
}

// After the parts are painted. The buttons stay where they are while the handle moves, until it comes below them.
export function showTaps(stage) {
  const element = stage.otherPose || stage.grabbed ? null : chosenHandle(stage),
    marked = stage.root.querySelector('[data-chosen]');
  if (marked !== element) marked?.removeAttribute('data-chosen');
  if (!element && !stage.pad) return;
  stage.pad ??= makePad(stage);
  const { pad, chosen } = stage;
  pad.hidden = !element;
  if (!element) return;
  element.setAttribute('data-chosen', '');
  if (!pad.isConnected) stage.root.appendChild(pad);
  const { axes, ground } = ways.get(element),
    upright = element.getAttribute('aria-orientation') === 'vertical';
  pad.setAttribute('aria-label', chosen.name ?? element.getAttribute('aria-label'));
  pad.classList.toggle('across', axes === 1 && !upright);
  pad.classList.toggle('upright', axes === 1 && upright);
  pad.classList.toggle('anywhere', Boolean(ground));
  const page = stage.root.getBoundingClientRect();
  if (!chosen.at || liesOn(pad.getBoundingClientRect(), middleOf(element))) {
    const others = [...stage.root.querySelectorAll('[data-handle]')].filter(other => other !== element);
    chosen.at = beside(pad.getBoundingClientRect(), middleOf(element), page, others.map(middleOf), chosen.at?.side);
  }
  pad.style.left = `${(page.left + chosen.at.x).toFixed(1)}px`;
  pad.style.top = `${(page.top + chosen.at.y).toFixed(1)}px`;
}

function middleOf(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

const liesOn = ({ left, top, right, bottom }, [x, y]) =>
  x > left - KNOB && x < right + KNOB && y > top - KNOB && y < bottom + KNOB;

// Above the handle, below it or at its side: where the window has room, the buttons are not now, and they hide the
// fewest other handles.
function beside({ width, height }, [x, y], page, others, now) {
  const far = KNOB + GAP + 8,
    wide = document.documentElement.clientWidth,
    within = (v, size, room) => Math.max(GAP, Math.min(v, room - size - GAP)),
    across = within(x - width / 2, width, wide),
    along = within(y - height / 2, height, innerHeight);
  const sides = [
    { side: 'above', left: across, top: y - far - height },
    { side: 'below', left: across, top: y + far },
    { side: 'after', left: x + far, top: along },
    { side: 'before', left: x - far - width, top: along },
  ].map(({ side, left, top }) => {
    const box = { left, top, right: left + width, bottom: top + height },
      seen = left >= GAP && top >= GAP && box.right <= wide - GAP && box.bottom <= innerHeight - GAP,
      hidden = others.filter(other => liesOn(box, other)).length;
    return { side, left, top, cost: hidden + (seen ? 0 : 1000) + (side === now ? 100 : 0) };
  });
  const { side, left, top } = sides.reduce((best, each) => (each.cost < best.cost ? each : best));
  return { side, x: left - page.left, y: top - page.top };
}
