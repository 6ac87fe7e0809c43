// Play, step and scrub through what goes from a first step to a last one: buttons, a range, keys. While it plays, the
// stage is held: an answer from Python does not set it back.
import { makeButton, place } from './elements.js';
import { bindRange, makeRange } from './slider.js';

const SETTLED = 250, // ms without a key before Python hears of it
  ALL = 1e9; // more steps than there are

// words: { play, pause, back, on, slider; first, where a button leads there }
// way: { at: () => the step shown; last: () => the last one; put: step => goes there; scrub: the same through all steps
//        between; go: by => goes so many steps on; run: halt => starts the clock, `halt` ends it; far: how many steps a
//        key goes with Shift }
export function player(buttons, stage, words, way) {
  buttons.dir = 'ltr'; // as players have them in every language: onward is to the right
  const button = (text, sign, act) =>
    makeButton(buttons, { class: 'step-button', 'aria-label': text, title: text, text: sign }, act);
  const first = words.first && button(words.first, '«', () => halt(() => way.put(0))),
    back = button(words.back, '‹', () => halt(() => way.go(-1))),
    play = button(words.play, '▶', () => (playing() ? halt() : start())),
    on = button(words.on, '›', () => halt(() => way.go(1)));
  play.classList.add('main');

  let shown = 0; // the step on the screen
  const playing = () => stage.held === play && play.isConnected;
  function start() {
    if (way.at() >= way.last()) way.put(0);
    shown = way.at();
    stage.held = play;
    stage.again = { by: play, put: () => way.put(shown) }; // what is undone meanwhile does not set it back
    way.run(halt);
    stage.requestPaint();
  }
  function halt(act) {
    if (stage.held === play) stage.held = stage.again = null;
    act?.();
    stage.commit();
  }

  // A range that scrubs; the keys step wherever in `box` the focus is.
  function range(host, box, attributes) {
    const input = makeRange(host, { 'aria-label': words.slider, ...attributes });
    let settling = 0;
    const release = () => stage.held === box && stage.release();
    bindRange(input, stage, { put: way.scrub ?? way.put });
    box.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === ' ' && event.target === input) {
        event.preventDefault();
        play.click();
        return;
      }
      const far = event.shiftKey ? (way.far ?? 1) : 1,
        keys = { ArrowLeft: -far, ArrowRight: far, ArrowDown: -far, ArrowUp: far, Home: -ALL, End: ALL },
        by = keys[event.key];
      if (!by) return;
      event.preventDefault();
      stage.held = box;
      way.go(by);
      clearTimeout(settling);
      settling = setTimeout(release, SETTLED);
    });
    return input;
  }

  // How it stands: at which step, of how many, as a screen reader is told.
  function show(input, at, last, told) {
    shown = at;
    input.max = last;
    if (input.value !== String(at)) input.value = at;
    input.style.setProperty('--part', `${((100 * at) / Math.max(1, last)).toFixed(2)}%`);
    input.setAttribute('aria-valuetext', told);
    const runs = playing();
    if ((play.textContent === '❚❚') !== runs) {
      const title = runs ? words.pause : words.play;
      play.textContent = runs ? '❚❚' : '▶';
      place(play, { 'aria-label': title, title });
    }
    for (const button of [first, back]) button?.setAttribute('aria-disabled', at === 0);
    on.setAttribute('aria-disabled', at >= last);
  }

  return { playing, halt, range, show };
}
