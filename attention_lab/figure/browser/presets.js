// Buttons that put parts of the pose where something is to be seen. Numbers and matrices travel there, so that it is
// seen how.
import { balance, make, makeButton } from './elements.js';
import { prefersReducedMotion } from './smoothing.js';
import { alike, between, eased } from './transition.js';
import { isFixed } from './without_python.js';

const TRAVEL = 900; // ms

// spec: { title, shown (its title stands before the buttons), buttons: [{ text, set: { name: value } }],
//         whole (numbers stay whole on their way),
//         about (the number of the button that was pressed last, which does not travel) }
export function presets(host, spec, stage) {
  const box = make(null, 'div', { class: 'presets', role: 'group', 'aria-label': spec.title }, host);
  if (spec.shown) make(null, 'span', { text: spec.title }, box);
  const put = name => value => {
    stage.pose[name] = Array.isArray(value) ? value.map(row => (Array.isArray(row) ? [...row] : row)) : value;
  };
  const possible = spec.buttons.filter(({ set }) => !Object.keys(set).some(isFixed));
  const buttons = possible.map(({ text, set }) => {
    const travels = ([name, value]) => (value > 0 && name !== spec.about) || (Array.isArray(value) && value.length > 1),
      numbers = Object.entries(set).filter(travels);
    const arrive = () => {
      stage.held = stage.again = null;
      for (const [name, value] of Object.entries(set)) put(name)(value);
      stage.commit();
    };
    const button = makeButton(box, { class: 'plain small', text }, () => {
      const { pose } = stage,
        isAlike = ([name, value]) => alike(pose[name], value) && (Array.isArray(value) || pose[name] > 0),
        travelling = numbers.filter(isAlike),
        from = travelling.map(([name]) => structuredClone(stage.pose[name])),
        since = performance.now();
      if (prefersReducedMotion() || !travelling.length) {
        arrive();
        return;
      }
      const go = () => {
        const part = eased(since, TRAVEL);
        travelling.forEach(([name, value], i) => {
          const here = between(from[i], value, part);
          put(name)(spec.whole ? Math.round(here) : here);
        });
        return part;
      };
      const step = () => {
        if (stage.held !== button || !button.isConnected) return; // something else was taken hold of
        if (go() === 1) {
          arrive();
          return;
        }
        stage.requestPaint();
        requestAnimationFrame(step);
      };
      stage.held = button;
      stage.again = { by: button, put: go };
      step();
    });
    return { button, set };
  });
  box.hidden = !possible.length;
  if (!spec.shown) balance(box);
  return scope =>
    buttons.forEach(({ button, set }) => {
      const on = Object.entries(set).every(([name, value]) => JSON.stringify(scope[name]) === JSON.stringify(value));
      button.setAttribute('aria-pressed', on);
    });
}
