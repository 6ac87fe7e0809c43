// Parts of the bar. Each is made together with what it shows: `bar.updates` run whenever the bar is drawn.
import { make, makeButton, putText } from '../../figure/browser/elements.js';

const DONE = 1500, // ms
  SURE = 4000;

// A button is called by the name of its text. `when` says of an attribute (hidden, disabled) whether the button has it.
export function addButton({ words, updates }, parent, name, act, { kind = '', text = words[name], ...when } = {}) {
  const button = makeButton(parent, { class: `plain small ${kind}`, text, title: words[`${name}_help`] }, act);
  for (const [attribute, holds] of Object.entries(when))
    updates.push(now => button.toggleAttribute(attribute, Boolean(holds(now))));
  return button;
}

// `act` hears whether it is to be pressed.
export function addSwitch(bar, parent, name, act, isPressed) {
  const button = addButton(bar, parent, name, () => act(button.getAttribute('aria-pressed') !== 'true'));
  bar.updates.push(now => button.setAttribute('aria-pressed', Boolean(isPressed(now))));
}

function flash(button, text, usual, ms) {
  button.textContent = text;
  setTimeout(() => putText(button, usual), ms);
}

// What concerns all is done at the second press.
export function addConfirmed(bar, parent, name, asking, act, kind) {
  const { [name]: usual, [asking]: sure } = bar.words;
  const press = () => {
    if (button.textContent !== sure) return flash(button, sure, usual, SURE);
    putText(button, usual);
    act();
  };
  const button = addButton(bar, parent, name, press, { kind });
}

// Says for a moment that it is done.
export function addDone(bar, parent, name, done, act, ms = DONE) {
  const button = addButton(bar, parent, name, async () => {
    await act();
    flash(button, bar.words[done], bar.words[name], ms);
  });
}

export function addCopying(bar, parent, name, text) {
  addDone(bar, parent, name, 'panel/copied', async () => {
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      const field = make(null, 'textarea', { text: text() }, bar.root);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
  });
}
