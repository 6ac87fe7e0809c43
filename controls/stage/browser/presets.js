// Buttons that put parts of the pose where something is to be seen. A number travels there, so that it is seen how.
import { make } from './elements.js';

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
  const buttons = spec.buttons.map(({ text, set }) => {
    const button = make(null, 'button', { type: 'button', class: 'plain', text }, box);
    const numbers = Object.entries(set).filter(
      ([, value]) => typeof value === 'number' && value > 0 && name !== spec.about,
    );
    const arrive = () => {
      stage.held = null;
      for (const [name, value] of Object.entries(set)) put(name)(value);
      stage.touch();
      stage.commit();
    };
    button.addEventListener('click', () => {
      const travelling = numbers.filter(([name]) => stage.pose[name] > 0),
        from = travelling.map(([name]) => stage.pose[name]),
        since = performance.now();
      const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (still || !travelling.length) {
        arrive();
        return;
      }
      stage.held = button;
      const step = () => {
        if (stage.held !== button || !button.isConnected) return; // something else was taken hold of
        const part = Math.min(1, (performance.now() - since) / TRAVEL),
          eased = part < 0.5 ? 2 * part * part : 1 - 2 * (1 - part) ** 2;
        if (part === 1) {
          arrive();
          return;
        }
        travelling.forEach(([name, value], i) => {
          const x = from[i] * (value / from[i]) ** eased;
          put(name)(spec.whole ? Math.round(x) : x);
        });
        stage.touch();
        requestAnimationFrame(step);
      };
      step();
    });
    return { button, set };
  });
  return scope =>
    buttons.forEach(({ button, set }) => {
      const on = Object.entries(set).every(([name, value]) => JSON.stringify(scope[name]) === JSON.stringify(value));
      button.setAttribute('aria-pressed', on);
    });
}
