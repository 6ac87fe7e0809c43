// A number or a choice of the pose under the hand: what follows live where a Streamlit widget would have to wait.
import { find } from './calculation.js';
import { cloudAlong } from './cloud.js';
import { balance, make, putText } from './elements.js';
import { formatNumber, show, spell, steady } from './number_format.js';
import { holdPointer } from './pointer_hold.js';

const FINE = 1000,
  STRIDE = 20,
  PAUSE = 250; // steps of the whole way; steps a key; ms without a key: released

// A range of whole numbers from 0 on.
export const makeRange = (host, attributes) =>
  make(null, 'input', { type: 'range', class: 'range', min: 0, step: 1, ...attributes }, host);

// A range under the hand: `put` takes over its place, `key` moves by keys, if any. Python hears of it on release.
export function bindRange(input, stage, { put, key }) {
  const hand = { pointer: false, gone: false }; // gone: let go of, and still drawn along by the pointer
  let timer = 0;
  const release = () => {
    clearTimeout(timer);
    if (stage.held === input && !hand.pointer) stage.release();
  };
  const move = set => {
    stage.held = input;
    set();
    clearTimeout(timer);
    if (!hand.pointer) timer = setTimeout(release, PAUSE);
    stage.requestPaint();
  };
  input.addEventListener('pointerdown', event => {
    if (event.button) return;
    holdPointer(stage, input, event, {
      end: (how, { type }) => {
        hand.pointer = false;
        hand.gone = type !== 'pointerup';
        if (how === 'restore') stage.restore();
        else setTimeout(release); // a last `input` may come
      },
    });
    hand.pointer = true;
    hand.gone = false;
  });
  input.addEventListener('input', () => {
    if (hand.gone) stage.requestPaint();
    else move(() => put(Number(input.value)));
  });
  input.addEventListener('change', () => {
    hand.gone = false;
  });
  input.addEventListener('blur', release);
  input.addEventListener('keydown', event => {
    hand.gone = false;
    if (event.key === 'Escape' && stage.held === input) {
      clearTimeout(timer);
      stage.restore();
      return;
    }
    const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5 }[event.key];
    if (!way || !key || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(() => key(way, event.shiftKey));
  });
  return hand;
}

// spec: { of, label, axis (its name for a screen reader), low, high, logarithmic, ticks,
//         ends: [words at the left, at the right] }
export function slider(host, spec, stage) {
  const box = make(null, 'div', { class: 'slider' }, host),
    head = make(null, 'div', { class: 'line' }, box);
  const label = make(null, 'span', {}, head);
  const value = make(null, 'b', {}, head);
  const input = makeRange(box, { role: 'slider', max: FINE, 'data-handle': spec.of });
  const hands = make(null, 'div', {}, box),
    marks = make(null, 'div', { class: 'ticks', 'aria-hidden': 'true' }, box);
  const bend = spec.logarithmic ? [Math.log, Math.exp] : [x => x, x => x],
    [low, high] = [spec.low, spec.high].map(bend[0]);
  const where = x => (bend[0](x) - low) / (high - low);
  const exact = part => {
    const x = bend[1](low + part * (high - low));
    return Math.min(spec.high, Math.max(spec.low, Number(x.toPrecision(3))));
  };
  const read = part => spec.ticks.find(tick => Math.abs(where(tick) - part) < 0.012) ?? exact(part);
  for (const tick of spec.ticks)
    make(null, 'span', { text: formatNumber(tick), style: `left:${(100 * where(tick)).toFixed(2)}%` }, marks);
  if (spec.ends) {
    const ends = make(null, 'div', { class: 'ends', 'aria-hidden': 'true' }, box);
    for (const text of spec.ends) make(null, 'span', { text }, ends);
  }
  const follow = cloudAlong(hands, spec.of, where, stage);
  const hand = bindRange(input, stage, {
    put: place => {
      stage.pose[spec.of] = read(place / FINE);
    },
    key: (way, long) => {
      const part = where(stage.pose[spec.of]) + (way * STRIDE * (long ? 5 : 1)) / FINE,
        bounded = Math.min(1, Math.max(0, part));
      const to = read(bounded),
        near = Math.abs(where(to) - where(stage.pose[spec.of])) < 1e-9; // a tick holds no key back
      stage.pose[spec.of] = near ? exact(bounded) : to;
    },
  });
  return scope => {
    follow();
    const text = spell([].concat(spec.label), path => find(scope, path));
    if (label.textContent !== text) {
      label.textContent = text;
      input.setAttribute('aria-label', text);
    }
    const x = find(scope, spec.of),
      at = String(Math.round(FINE * where(x)));
    show(value, x, spec.of);
    if (!hand.pointer && input.value !== at) input.value = at;
    box.style.setProperty('--part', `${(100 * Math.min(1, Math.max(0, where(x)))).toFixed(2)}%`);
    input.setAttribute('aria-valuetext', `${spec.of}: ${spec.axis} ${steady(x)}`);
  };
}

// One of a few: spec: { of, label, options: [text], descriptions (a sentence for each, shown for the chosen one) }
// A lesson's own part adds `press` and `isOn` where some of them can be on together.
export function options(host, spec, stage) {
  const box = make(null, 'fieldset', { class: 'options' }, host);
  make(null, 'legend', { text: spec.label }, box);
  const row = make(null, 'div', { class: 'row joined' }, box),
    group = `options-${spec.of}`,
    { press = choose, isOn = (pose, i) => pose[spec.of] === i } = spec;
  function choose(i) {
    stage.pose[spec.of] = i;
  }
  const buttons = spec.options.map((text, i) => {
    const label = make(null, 'label', {}, row),
      about = { name: group, 'data-option': `${spec.of} ${i}` },
      button = make(null, 'input', { type: spec.press ? 'checkbox' : 'radio', ...about }, label);
    make(null, 'span', { text }, label);
    button.addEventListener('change', () => {
      press(i);
      stage.commit();
    });
    return { label, button };
  });
  balance(row, wraps => row.classList.toggle('wrapped', wraps));
  const description = spec.descriptions ? make(null, 'p', { class: 'description', 'data-spoken': '' }, box) : null;
  return scope => {
    buttons.forEach(({ label, button }, i) => {
      const on = isOn(scope, i);
      if (button.checked !== on) button.checked = on;
      label.classList.toggle('on', on);
    });
    if (description) putText(description, spec.descriptions[scope[spec.of]]);
  };
}
