// What is said of a change to those who hear the page. Parts mark what is worth saying as `data-spoken`; it is said
// once a hand has let go and nothing moves on its way, not at every step between.
import { make } from './elements.js';

export function speaking(host) {
  return make(null, 'p', { class: 'announcement', role: 'status' }, host);
}

// After the parts are painted. What a part says from the first is read with the page, and is not said besides.
export function speak(stage) {
  if (stage.held || stage.travel || stage.lent) return;
  const changed = [...stage.root.querySelectorAll('[data-spoken]')].filter(element => {
    const text = element.checkVisibility() ? element.textContent.trim() : '',
      before = stage.heard.get(element);
    stage.heard.set(element, text);
    return before !== undefined && text !== before;
  });
  if (!changed.length) return;
  stage.speaking.textContent = changed
    .map(element => stage.heard.get(element))
    .filter(Boolean)
    .join(' ');
}
