// The keys and buttons of Undo and Redo. Python keeps both stacks and sends their sizes; the buttons are in the
// toolbar, outside the stage.
import { make, makeButton, place } from './elements.js';
import { areSteps } from './outbox.js';
import { globals } from './page_globals.js';

const BACK = -1,
  ON = 1,
  WAYS = { undo: BACK, redo: ON };
const SIGNS = {
  undo: 'M7.5 4 3.5 8l4 4M4 8h8a4.5 4.5 0 0 1 0 9H8',
  redo: 'M12.5 4l4 4-4 4M16 8H8a4.5 4.5 0 0 0 0 9h4',
};
const open = new Map(); // the stage of each page in sight, and how many steps it can go
const shown = new Map(); // what to do for the buttons of a page once that has changed

export function followTurns(stage, page, [back, on]) {
  open.set(page, { stage, back, on });
  shown.get(page)?.();
}

export function forgetTurns(stage) {
  for (const [page, { stage: other }] of open) if (other === stage) open.delete(page);
}

function can(there, way) {
  if (!there || way === ON) return Boolean(there?.on);
  const { back, stage } = there;
  return Boolean(back || stage.held || areSteps(stage.unacknowledged.map(([, event]) => event)));
}

// Where a text is being written, its field undoes by itself. A list that nobody has open is none.
function writes(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element.isContentEditable || element.tagName === 'TEXTAREA') return true;
  if (element.tagName !== 'INPUT' || /^(range|radio|checkbox|button)$/.test(element.type)) return false;
  return element.getAttribute('role') !== 'combobox' || element.getAttribute('aria-expanded') === 'true';
}

// The letter of a shortcut. Where a layout has no Latin letters, it is the one that others have on the same key, also
// where that key writes a sign with Shift ("~" in Arabic).
function letterOf({ key, code, shiftKey }) {
  const isForeign = !/\p{Script=Latin}/u.test(key) && (shiftKey || key > '\x7f');
  return (isForeign ? code.replace('Key', '') : key).toLowerCase();
}

window.addEventListener('keydown', event => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
  const key = letterOf(event),
    way = key === 'z' ? (event.shiftKey ? ON : BACK) : key === 'y' && !event.shiftKey ? ON : 0,
    there = [...open.values()].find(({ stage }) => stage.root.isConnected);
  if (!way || !there || writes(event.composedPath()[0])) return;
  event.preventDefault();
  if (can(there, way)) there.stage.ask({ turn: way });
});

// The buttons of a page. data: { of: the page, undo, redo: { text, keys: the text with the keys that do the same } }
export function showTurns({ parentElement, data }) {
  const { of, ...words } = JSON.parse(data);
  if (!parentElement.querySelector('.turns')) {
    make(null, 'style', { text: globals.styles[''] }, parentElement);
    const box = make(null, 'div', { class: 'turns' }, parentElement);
    parentElement.getRootNode().host?.toggleAttribute('data-drawn', true);
    for (const [name, way] of Object.entries(WAYS)) {
      const { text, keys } = words[name];
      const button = makeButton(box, { 'data-turn': name, 'aria-label': text, title: keys }, () => {
        const there = open.get(of);
        if (can(there, way)) there.stage.ask({ turn: way });
      });
      const sign = make('svg', 'svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, button);
      make('svg', 'path', { d: SIGNS[name] }, sign);
    }
  }
  const tell = () => {
    for (const button of parentElement.querySelectorAll('[data-turn]'))
      place(button, { 'aria-disabled': !can(open.get(of), WAYS[button.dataset.turn]) });
  };
  shown.set(of, tell);
  tell();
  return () => {
    if (shown.get(of) === tell) shown.delete(of);
  };
}
