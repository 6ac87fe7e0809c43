// A tooltip beside what the pointer is on: above it, where no finger covers it, and within the window. A part asks for
// it at every paint; when none does, it disappears.
import { make, write } from './elements.js';

const GAP = 8; // pixels to the thing, and to the edges

export function showTooltip(stage, element, text, held = false) {
  if (text && (held || !stage.held)) stage.pointedAt = { element, text };
}

// Before the parts are painted, and after.
export const clearTooltip = stage => {
  stage.pointedAt = null;
};
export function paintTooltip(stage) {
  const { pointedAt: at } = stage;
  if (!at && !stage.tip) return;
  if (!stage.tip) {
    stage.tip = make(null, 'div', { class: 'tip-box', 'aria-hidden': 'true' });
    const again = () => {
      if (!stage.root.isConnected) window.removeEventListener('scroll', again, true);
      else if (!stage.tip.hidden) stage.requestPaint();
    };
    window.addEventListener('scroll', again, { capture: true, passive: true });
  }
  const { tip } = stage;
  if (!tip.isConnected) stage.root.appendChild(tip);
  tip.hidden = !at?.element.isConnected;
  if (tip.hidden) return;
  write(tip, at.text);
  const thing = at.element.getBoundingClientRect(),
    page = stage.root.getBoundingClientRect(),
    box = tip.getBoundingClientRect(),
    card = stage.root.querySelector('.goals')?.getBoundingClientRect(),
    edge = Math.max(GAP, card && card.top < thing.top ? card.bottom : 0);
  const above = thing.top - box.height - GAP,
    top = above >= edge ? above : thing.bottom + GAP,
    left = thing.left + thing.width / 2 - box.width / 2,
    near = Math.max(GAP, page.left - GAP), // the menu lies beside the page, and over what reaches into it
    far = Math.min(document.documentElement.clientWidth - GAP, page.right + GAP) - box.width;
  tip.style.top = `${Math.min(top, window.innerHeight - box.height - GAP).toFixed(1)}px`;
  tip.style.left = `${Math.max(near, Math.min(left, far)).toFixed(1)}px`;
}
