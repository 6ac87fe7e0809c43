// Smooths the drawing when numbers jump, so that you see what became of what. During a drag it follows without delay,
// and with reduced motion nothing is smoothed. Text, also for screen readers, never is: it is true at every moment.
const QUICK = 95, // ms: after three of these it is nearly there
  NEAR = 0.002;

export const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// One number on its way: the next that is drawn of it. `now`, { at, time }, is its own, and has no `at` at first.
const ARRIVED = 0.004,
  SLOWNESS = 75; // ms
export function glide(stage, now, goal) {
  const left = goal - (now.at ?? goal),
    time = performance.now(),
    part = Math.exp(-Math.min(100, time - (now.time ?? time - 16)) / SLOWNESS),
    arrives = Math.abs(left) < ARRIVED || prefersReducedMotion();
  Object.assign(now, arrives ? { at: goal, time: undefined } : { at: goal - left * part, time });
  if (!arrives) stage.requestPaint();
  return now.at;
}

// gliding(stage, from)(numbers) → numbers to draw now. `from`: where they begin, if something was drawn before.
export function smoothed(stage, from = null) {
  let now = from,
    time;
  return goal => {
    const underAHand = stage.held?.dataset?.handle !== undefined;
    if (underAHand || now?.length !== goal.length || prefersReducedMotion()) {
      now = [...goal];
      time = undefined;
      return now;
    }
    const at = performance.now(),
      part = 1 - Math.exp(-Math.min(100, at - (time ?? at - 16)) / QUICK);
    let moving = false;
    now = goal.map((x, i) => {
      const left = x - now[i];
      if (!(Math.abs(left) > NEAR)) return x;
      moving = true;
      return now[i] + part * left;
    });
    time = moving ? at : undefined;
    if (moving) stage.requestPaint();
    return now;
  };
}
