import { find } from './calculation.js';
import { make } from './elements.js';
import { draw } from './registry.js';

// A part that is rebuilt when its words change. spec: { of: the path of the words, part }
export function rebuild_on(host, spec, stage) {
  let drawn = null,
    paint = null;
  const box = make(null, 'div', { class: 'rebuild-on' }, host);
  return scope => {
    const words = JSON.stringify(find(scope, spec.of));
    if (words !== drawn) {
      drawn = words;
      box.replaceChildren();
      paint = draw(box, spec.part, stage);
    }
    paint(scope);
  };
}
