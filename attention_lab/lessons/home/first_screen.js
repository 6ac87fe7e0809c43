// The first screen's button that opens every step, and what it chooses between.
import { onward } from '../../figure/browser/direction.js';
import { make, makeButton } from '../../figure/browser/elements.js';
import { setPose } from '../../figure/browser/pose.js';
import { draw } from '../../figure/browser/registry.js';

// A choice of the pose between closed and open. spec: { of, label }
export function turn_on(host, spec, stage) {
  const button = makeButton(host, { class: 'plain turn-on', 'data-turn': spec.of }, () =>
    setPose(stage, { [spec.of]: 1 - stage.pose[spec.of] }),
  );
  make(null, 'span', { text: spec.label }, button);
  make(null, 'span', { class: 'arrow', 'aria-hidden': 'true', text: onward() }, button);
  return scope => button.setAttribute('aria-expanded', scope[spec.of] === 1);
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
