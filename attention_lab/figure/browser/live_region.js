// Announces changes to screen readers. Parts mark the text as `data-spoken`; it is announced once the drag or the
// animation has ended, not at every step.
import { make } from './elements.js';

export function createLiveRegion(host) {
  return make(null, 'p', { class: 'announcement', role: 'status' }, host);
}

// After the parts are painted. What a part says from the first is read with the page, and is not said besides.
export function announce(stage) {
  if (stage.held || stage.transition || stage.otherPose) return;
  const changed = [...stage.root.querySelectorAll('[data-spoken]')].filter(element => {
    const text = element.checkVisibility() ? element.textContent.trim() : '',
      before = stage.announced.get(element);
    stage.announced.set(element, text);
    return before !== undefined && text !== before;
  });
  if (!changed.length) return;
  stage.speaking.textContent = changed
    .map(element => stage.announced.get(element))
    .filter(Boolean)
    .join(' ');
}
