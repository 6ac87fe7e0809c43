// Beside tests/browser/harness.js: when pictures change, and how many frames a drag gets.
window.bench = (() => {
  const deep = (selector, root = document) => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll('*')].flatMap(element =>
      element.shadowRoot ? deep(selector, element.shadowRoot) : [],
    ),
  ];
  const changed = new Map(); // a chart → when its drawing first changed since the last `begin`
  let from = 0,
    released = 0;

  new MutationObserver(records => {
    const now = performance.now();
    for (const { target, addedNodes } of records) {
      const element = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
      const chart = element?.closest('.stVegaLiteChart');
      if (!chart || changed.has(chart)) continue;
      if (element.closest('svg') || [...addedNodes].some(node => node.querySelector?.('svg') || node.matches?.('svg')))
        changed.set(chart, now);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  const begin = () => {
    changed.clear();
    from = labRuns.asked.length;
  };
  addEventListener(
    'pointerup',
    () => {
      begin();
      released = performance.now();
    },
    { capture: true },
  );

  // Times from `start`: until every chart that changed had changed, and until the last run's end.
  const since = start => ({
    picture: changed.size ? Math.max(...changed.values()) - start : null,
    run: labRuns.finished.at(-1) - start,
    runs: labRuns.asked.length - from,
  });

  let drag = null,
    pointer = null; // that is down
  addEventListener(
    'pointerdown',
    event => {
      pointer = event.pointerId;
    },
    { capture: true },
  );

  // A hand that moves at every frame, in circles or to and fro. A driver outside of the page waits for each of its
  // moves to be drawn, and so for every second frame where a frame's work takes more than half of one.
  const hand = element => {
    const { x, y, width, height } = element.getBoundingClientRect(),
      { min, max } = element,
      all = { bubbles: true, composed: true };
    return seconds => {
      const [across, down] = [Math.sin(6 * seconds), 1 - Math.cos(6 * seconds)];
      if (element.matches('input')) {
        element.value = (Number(min) + Number(max)) / 2 + 0.4 * across * (max - min);
        element.dispatchEvent(new Event('input', all));
        return;
      }
      const [clientX, clientY] = [x + width / 2 + 40 * across, y + height / 2 + 40 * down];
      element.dispatchEvent(
        new PointerEvent('pointermove', { ...all, clientX, clientY, pointerId: pointer, buttons: 1 }),
      );
    };
  };

  // `element` is a handle that is held.
  const frames = element => {
    const now = performance.now(),
      stage = deep('[data-stage]')[0],
      move = hand(element);
    drag = { start: now, last: now, frames: 0, drawn: 0, longest: 0, dirty: false, on: true };
    drag.observer = new MutationObserver(() => {
      drag.dirty = true;
    });
    drag.observer.observe(stage, { subtree: true, childList: true, attributes: true, characterData: true });
    const frame = time => {
      if (!drag.on) return;
      drag.frames += 1;
      drag.drawn += drag.dirty;
      drag.dirty = false;
      drag.longest = Math.max(drag.longest, time - drag.last);
      drag.last = time;
      move((time - drag.start) / 1000);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  const result = () => {
    drag.on = false;
    drag.observer.disconnect();
    const seconds = (performance.now() - drag.start) / 1000;
    return { shown: drag.frames / seconds, drawn: drag.drawn / seconds, longest: drag.longest };
  };

  return {
    begin,
    change: () => (labRuns.asked.length > from ? since(labRuns.asked[from]) : null),
    release: () => (labRuns.asked.length > from ? since(released) : null),
    idle: quiet => !labRuns.waiting && performance.now() - (labRuns.finished.at(-1) ?? Infinity) > quiet,
    frames,
    result,
  };
})();
