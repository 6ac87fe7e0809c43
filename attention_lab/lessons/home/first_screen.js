// The first screen's own parts: one row of attention weights as bars, the switch that shows every step, and what that
// switch chooses between.
import { find } from '../../figure/browser/calculation.js';
import { make } from '../../figure/browser/elements.js';
import { formatShare, show, spell } from '../../figure/browser/number_format.js';
import { draw } from '../../figure/browser/registry.js';

// spec: { of: the weights, a row for each word, names, focus: the word whose row is shown, what, head: texts and paths,
//         note }
export function row_of_weights(host, spec, stage) {
  const box = make(null, 'figure', { class: 'row-of-weights' }, host),
    head = make(null, 'figcaption', { class: 'head' }, box);
  const bars = find(stage.scope, spec.names).map(name => {
    const line = make(null, 'div', { class: 'weight' }, box);
    make(null, 'span', { class: 'name', text: name }, line);
    const bar = make(null, 'span', { class: 'bar' }, make(null, 'span', { class: 'track' }, line)),
      number = make(null, 'span', { class: 'number' }, line);
    return { name, line, bar, number };
  });
  make(null, 'p', { class: 'note', text: spec.note }, box);
  return scope => {
    const focus = scope[spec.focus],
      word = find(scope, spec.names)[focus],
      weights = find(scope, spec.of)[focus],
      text = spell(spec.head, path => find(scope, path));
    if (head.textContent !== text) head.textContent = text;
    bars.forEach(({ name, line, bar, number }, i) => {
      line.classList.toggle('itself', i === focus);
      bar.style.width = stage.resultsHidden || !Number.isFinite(weights[i]) ? 0 : `${(100 * weights[i]).toFixed(2)}%`;
      show(number, weights[i], `${spec.what} ${word} ${name}`, { hidden: stage.resultsHidden, form: formatShare });
    });
  };
}

// A choice of the pose between off and on. spec: { of, label }
export function turn_on(host, spec, stage) {
  const button = make(null, 'button', { type: 'button', role: 'switch', class: 'turn-on', 'data-turn': spec.of }, host);
  make(null, 'span', { class: 'knob', 'aria-hidden': 'true' }, button);
  make(null, 'span', { text: spec.label }, button);
  button.addEventListener('click', () => {
    stage.pose[spec.of] = 1 - stage.pose[spec.of];
    stage.requestPaint();
    stage.commit();
  });
  return scope => button.setAttribute('aria-checked', scope[spec.of] === 1);
}

// The parts that suit a choice of the pose, drawn once it is made. What they draw may set out from where the plane was
// before, `planeBefore`. spec: { of, choices: for each value its parts }
export function by_choice(host, spec, stage) {
  const box = make(null, 'div', { class: 'by-choice' }, host);
  let drawn = null,
    paints = [];
  return scope => {
    const chosen = scope[spec.of];
    if (chosen !== drawn) {
      box.planeBefore = drawn === null ? null : box.querySelector('svg.picture')?.getBoundingClientRect();
      drawn = chosen;
      box.replaceChildren();
      box.hidden = !spec.choices[chosen].length;
      paints = spec.choices[chosen].map(part => draw(box, part, stage));
    }
    for (const paint of paints) paint(scope);
  };
}
