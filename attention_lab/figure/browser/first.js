// The first picture: a page's figure in the HTML (attention_lab/widgets/first_picture.py), alive before Streamlit's
// code has run. Once Streamlit's own component is there, it takes over the very same stage: the element, the pose, and
// the events that Python has yet to hear of. While the reader holds anything it waits: what is moved in the document
// loses the pointer that holds it.
import { ready, globals } from './page_globals.js';

export const first = { stage: null, frame: null, destroy: null };

const LATE = 6000, // ms of Streamlit's own code after which the reader is told that the server has not answered,
  TOO_LATE = 30_000, // and ms altogether, with a slow line or without this code
  ABOVE = 10_000, // ms for which what stands above Streamlit's figure is waited for, once that is there
  LOOK = 100, // ms
  IN_VAIN = 1500; // ms for which the figure of a page that has ended without one, or room to scroll, is waited for
const APP = '[data-testid="stApp"]',
  RUN_HAS_ENDED = '[data-testid="stApp"][data-test-script-state="notRunning"]',
  COMING = '[data-testid="stMain"] [data-testid="stSkeleton"]',
  SOMETHING = '[data-testid="stMainBlockContainer"] [data-testid="stElementContainer"] > *';

let pressed = false;
const pause = ms => new Promise(later => setTimeout(later, ms));
const isHeld = () => Boolean(first.stage && (pressed || first.stage.held));

// Waits until the reader has let go of the first picture, where there still is one, and until all that Streamlit shows
// above its component is there, such as the buttons of a question: what comes after the figure would push it down.
export async function untilFree(parentElement) {
  const until = performance.now() + ABOVE,
    component = parentElement.getRootNode().host ?? parentElement,
    isAbove = each => each.compareDocumentPosition(component) & Node.DOCUMENT_POSITION_FOLLOWING,
    comes = () => first.stage && performance.now() < until && [...document.querySelectorAll(COMING)].some(isAbove);
  while (isHeld() || comes()) await pause(LOOK / 4);
}

const bytes = letters => {
  const all = atob(letters),
    found = new Uint8Array(all.length);
  for (let k = 0; k < all.length; k++) found[k] = all.charCodeAt(k);
  return found;
};
const text = id => document.getElementById(id).textContent;

// Draws the first picture, where the page has one that has not been drawn yet.
export async function begin() {
  const frame = document.getElementById('first');
  if (!frame || first.frame) return;
  first.frame = frame;
  try {
    const data = JSON.parse(text('first-payload'));
    watch(frame, data.page);
    await draw(frame, data);
  } catch (error) {
    console.error(error);
    if (!first.stage) remove(frame);
  }
}

async function draw(frame, data) {
  for (const [id, letters] of Object.entries(JSON.parse(text('first-arrays'))))
    globals.arrays.set(id, bytes(letters).buffer);
  const style = await ready(data.own, data.lang);
  if (!frame.isConnected) return;
  const root = frame.querySelector('.figure').attachShadow({ mode: 'open' }),
    parentElement = root.appendChild(document.createElement('div')),
    component = { data, parentElement, early: true, setStateValue() {}, setTriggerValue() {} };
  copyBackground(frame);
  first.destroy = globals.modules.stage.showStage(component, style); // sets first.stage
  if (!first.stage) remove(frame); // it cannot be drawn: as Streamlit's page will say
  dispatchEvent(new Event('first-picture'));
}

// What asks how the page looks (a term's note, a picture that is saved) finds the first picture's ground as the body's.
function copyBackground(frame) {
  const { style } = document.body,
    ground = frame && getComputedStyle(frame);
  style.backgroundColor = ground?.getPropertyValue('--st-background-color') ?? '';
  style.color = ground?.color ?? '';
}

function remove(frame) {
  copyBackground(null);
  frame.remove();
  document.getElementById('first-side')?.remove();
}

const PRESSES = ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'];
const press = ({ buttons }) => {
  pressed = buttons > 0;
};

// Tells the reader when the server is late. Where Streamlit shows another page than this, or this one without a figure,
// or what the first picture is drawn with has not come by then, it goes away.
async function watch(frame, page) {
  const { pathname } = location,
    there = selector => document.querySelector(selector),
    own = `.st-key-${page}-stage`,
    begun = performance.now();
  let asked = Infinity,
    ended = Infinity,
    late = false;
  for (const event of PRESSES) window.addEventListener(event, press, true);
  for (const button of frame.querySelectorAll('.answers button'))
    button.addEventListener('click', () => {
      for (const each of button.parentElement.children) each.setAttribute('aria-pressed', each === button);
    });
  frame.addEventListener('scroll', () => frame.toggleAttribute('data-scrolled', frame.scrollTop > 0));
  while (frame.isConnected) {
    const now = performance.now(),
      isOver = [RUN_HAS_ENDED, SOMETHING].every(there) && !(first.stage && there(own));
    ended = isOver ? Math.min(ended, now) : Infinity;
    if (there(APP)) asked = Math.min(asked, now);
    if (!late && (now - asked > LATE || now - begun > TOO_LATE) && !there(own)) {
      late = true;
      const line = frame.querySelector('.late');
      line.textContent = line.dataset.text;
      first.stage?.writeMoves();
    }
    if (!isHeld() && (location.pathname !== pathname || now - ended > IN_VAIN)) {
      first.stage = null;
      first.destroy?.();
      remove(frame);
    }
    await pause(LOOK);
  }
  for (const event of PRESSES) window.removeEventListener(event, press, true);
}

// Buttons may come after the figure, and can't be clicked until Streamlit is connected.
async function clickOnceThere(selector) {
  for (let waited = 0; waited < TOO_LATE; waited += LOOK) {
    const button = document.querySelector(selector);
    if (button && !button.disabled) {
      button.click();
      return;
    }
    await pause(LOOK);
  }
}

// Takes the stage of the first picture into a component of Streamlit's for the same page, and the reader's place with
// it. Returns null where there is none.
export function adoptFirstStage(parentElement, { page }) {
  const { stage, frame } = first;
  if (!stage || stage.data.page !== page) return null;
  const focused = stage.root.getRootNode().activeElement,
    { scrollTop } = frame,
    answer = frame.querySelector('.answers [aria-pressed="true"]')?.dataset.key;
  for (const element of [stage.root, stage.speaking]) parentElement.append(element);
  first.stage = null;
  for (const animation of stage.root.getAnimations({ subtree: true })) // what has faded in does not do so again
    if (animation.effect.getComputedTiming().endTime < Infinity) animation.finish();
  // its head stays as high, with fewer tools in it, too; for a projector there are none in it
  if (!frame.matches('.present'))
    document.documentElement.style.setProperty('--first-head', `${frame.querySelector('.head').offsetHeight}px`);
  remove(frame);
  focused?.focus({ preventScroll: true });
  if (answer) clickOnceThere(`.st-key-${answer} button`);
  measureAgain(stage.root);
  if (scrollTop) restoreScroll(scrollTop);
  return stage;
}

// Letters have Streamlit's own family now. With 1 px less room for two frames, what has fitted itself to its room does
// so again.
function measureAgain(root) {
  root.style.width = 'calc(100% - 1px)';
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      root.style.width = '';
    }),
  );
}

// The rest of the page, and with it the room to scroll, comes a little later.
function restoreScroll(top) {
  const until = performance.now() + IN_VAIN;
  let own = false;
  const scrolls = () => {
    own = true;
  };
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    window.addEventListener(event, scrolls, { once: true, capture: true, passive: true });
  const again = () => {
    const main = document.querySelector('[data-testid="stMain"]');
    if (own || !main) return;
    main.scrollTop = top;
    if (Math.abs(main.scrollTop - top) > 1 && performance.now() < until) requestAnimationFrame(again);
  };
  again();
}
