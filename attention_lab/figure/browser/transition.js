// Animates the pose when a preset, Undo, Reset or typed numbers change it, so that you see what moved where. A drag
// ends the animation, and with reduced motion there is none.
import { prefersReducedMotion } from './smoothing.js';

const WAY = 450; // ms

// Whether there is a way from one value to another: rows of the same lengths, or two numbers.
export const alike = (a, b) =>
  Array.isArray(b)
    ? a?.length === b.length && b.length > 0 && a.every((row, i) => row.length === b[i].length)
    : Number.isFinite(a) && Number.isFinite(b);

// The value after a part of the way. Positive numbers go by the same factor in the same time.
const ratio = (a, b, part) => (a > 0 && b > 0 ? a * (b / a) ** part : a + part * (b - a));
export const between = (a, b, part) =>
  Array.isArray(b) ? b.map((row, i) => row.map((x, k) => a[i][k] + part * (x - a[i][k]))) : ratio(a, b, part);

// The part of the way at a time since it began, slow at both ends.
export function eased(since, whole) {
  const part = Math.min(1, (performance.now() - since) / whole);
  return part < 0.5 ? 2 * part * part : 1 - 2 * (1 - part) ** 2;
}

// The pose that is to be shown: the page's own, or another that is shown instead (see room_overlay.js).
const aim = stage => (stage.otherPose ? { ...stage.pose, ...stage.otherPose } : stage.pose);

// What was shown sets out for the pose of now.
export function startTransition(stage, shown) {
  const pose = aim(stage),
    travels = name => alike(shown[name], pose[name]) && String(shown[name]) !== String(pose[name]),
    names = stage.data.animated.filter(travels);
  stage.transition = names.length && !prefersReducedMotion() ? { names, shown, since: performance.now() } : null;
  stage.root.toggleAttribute('data-travels', stage.transition !== null);
}

// The pose as it is to be drawn now: on its way, or there.
export function currentPose(stage) {
  const pose = aim(stage);
  if (!stage.transition) return pose;
  const { names, shown, since } = stage.transition,
    part = eased(since, WAY);
  if (stage.held || part === 1 || names.some(name => !alike(shown[name], pose[name]))) {
    stage.transition = null;
    stage.root.removeAttribute('data-travels');
    return pose;
  }
  stage.requestPaint();
  const moved = names.map(name => [name, between(shown[name], pose[name], part)]);
  return { ...pose, ...Object.fromEntries(moved) };
}
