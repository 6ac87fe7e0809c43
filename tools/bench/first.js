// Beside first.py: when Streamlit's own controls can be clicked, and what was sent until a moment.
window.bench_first = (() => {
  const CONTROLS = '[data-testid="stMain"] :is(.st-key-tools, [data-testid="stSlider"])';
  const all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const STAGES = '#first .figure, #figure, [data-testid="stBidiComponentIsolated"]';
  let controls = null,
    drawn = null;
  const look = () => {
    const found = document.querySelector(CONTROLS),
      inside = found?.querySelector('button, input, [role="slider"]');
    if (inside?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) controls ??= performance.now();
    if ([...document.querySelectorAll(STAGES)].some(host => host.shadowRoot?.querySelector('[data-handle]')))
      drawn ??= performance.now();
    if (!controls || !drawn) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  return {
    controls: () => controls,
    drawn: () => drawn,
    // The middle of the first handle that nothing lies upon, and whether it is pressed, not dragged; null where there
    // is none yet.
    handle: selector => {
      const seen = all(document).filter(e => e.matches(selector) && e.ariaPressed !== 'true');
      for (const e of seen) {
        const { x, y, width, height } = e.getBoundingClientRect(),
          middle = [x + width / 2, y + height / 2];
        if (!width || middle[1] > innerHeight) continue;
        let top = document.elementFromPoint(...middle);
        while (top?.shadowRoot) top = top.shadowRoot.elementFromPoint(...middle);
        if (top === e || e.contains(top)) return { middle, pressed: e.matches('button') };
      }
      return null;
    },
    // All that handles and live numbers say.
    said: selector =>
      JSON.stringify(
        all(document)
          .filter(e => e.matches(selector) || e.matches('[data-exact]'))
          .map(e => [e.getAttribute('aria-valuetext'), e.getAttribute('aria-valuenow'), e.value, e.dataset.exact]),
      ),
    // What was asked for and sent until a figure was drawn, or by a moment at the latest.
    sent: latest => {
      const moment = Math.min(latest, drawn ?? latest);
      const [page] = performance.getEntriesByType('navigation'),
        come = [page, ...performance.getEntriesByType('resource')].filter(
          ({ responseEnd }) => responseEnd && responseEnd <= moment,
        );
      return { requests: come.length, bytes: come.reduce((sum, { transferSize }) => sum + transferSize, 0) };
    },
  };
})();
