// Beside notebook.py: when a page, or a frame in it, shows its first picture; and how many frames a hover gets.
window.notebookBench = (() => {
  const deep = (root, selector) => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll('*')].flatMap(element =>
      element.shadowRoot ? deep(element.shadowRoot, selector) : [],
    ),
  ];
  const isPainted = canvas =>
    canvas.width > 0 &&
    canvas
      .getContext('2d')
      ?.getImageData(0, 0, canvas.width, canvas.height)
      .data.some(part => part > 0);
  const isDrawn = element => (element.localName === 'canvas' ? isPainted(element) : true);
  const top = window.parent === window ? window : window.parent;
  let drawn = null;
  // `selector`: what the picture consists of. All that there is of it must have been drawn.
  const watch = selector => {
    const look = () => {
      const parts = document.documentElement ? deep(document, selector) : [];
      if (!parts.length || !parts.every(isDrawn)) requestAnimationFrame(look);
      else
        requestAnimationFrame(() => {
          top.notebookBench.set(performance.timeOrigin + performance.now());
        });
    };
    requestAnimationFrame(look);
  };
  // The pointer goes to another cell of the pattern at every frame; a picture is new if its sentence is.
  const hover = async seconds => {
    const frame = document.querySelector('iframe'),
      page = frame?.contentDocument ?? document,
      [canvas] = deep(page, '.pattern-canvas canvas[role]'),
      [caption] = deep(page, '.pattern-canvas figcaption'),
      view = page.defaultView,
      next = () => new Promise(view.requestAnimationFrame),
      end = performance.now() + 1000 * seconds;
    let shown = 0,
      fresh = 0,
      said = '';
    canvas.scrollIntoView();
    for (await next(); performance.now() < end; shown++) {
      if (caption.textContent !== said) fresh++;
      said = caption.textContent;
      const { left, top: above, width, height } = canvas.getBoundingClientRect(),
        at = ((shown * 7) % 251) / 251;
      canvas.dispatchEvent(
        new view.PointerEvent('pointermove', {
          bubbles: true,
          composed: true,
          clientX: left + at * width,
          clientY: above + (1 - at / 2) * height - 1,
        }),
      );
      await next();
    }
    return { shown: shown / seconds, drawn: fresh / seconds };
  };
  return {
    watch,
    hover,
    set: time => {
      drawn ??= time - performance.timeOrigin;
    },
    drawn: () => drawn,
  };
})();
