// The clock of play for what goes on by whole steps: one every so many ms, as long as it is playing.
export function runSteps(pause, isPlaying, goOn) {
  let next = performance.now() + pause;
  const turn = now => {
    if (!isPlaying()) return;
    if (now >= next) {
      next = now + pause;
      goOn();
    }
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
}
