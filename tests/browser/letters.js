// Every line of letters that is seen: what it says, its box, how large its letters are drawn in pixels of the window,
// whatever scales their picture, and the colour of its ink.
() => {
  const CLIPPED = ['rect(0px, 0px, 0px, 0px)', 'inset(50%)']; // texts for those who hear the page
  const all = (root = document) =>
    [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const parent = e => e.parentElement ?? e.getRootNode().host;
  const remember =
    (compute, seen = new Map()) =>
    key => {
      if (!seen.has(key)) seen.set(key, compute(key));
      return seen.get(key);
    };
  const opacity = remember(e => (e ? opacity(parent(e)) * getComputedStyle(e).opacity : 1)),
    clipped = remember(e => {
      if (!e) return false;
      const { clip, clipPath } = getComputedStyle(e);
      return CLIPPED.includes(clip) || CLIPPED.includes(clipPath) || clipped(parent(e));
    });
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }),
    rgba = remember(colour => {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    });
  const lines = [];
  for (const e of all(document.body)) {
    const texts = [...e.childNodes].filter(node => node.nodeType === Node.TEXT_NODE && /[\p{L}\p{N}]/u.test(node.data));
    if (!texts.length || e.closest('style, script, title, desc, annotation, [aria-disabled=true]') || e.disabled)
      continue;
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || clipped(e)) continue;
    const style = getComputedStyle(e),
      svg = e.closest('svg'),
      [r, g, b, a] = rgba(svg ? style.fill : style.color),
      m = svg && e.getScreenCTM(),
      scale = svg ? Math.sqrt(Math.abs(m.a * m.d - m.b * m.c)) : 1;
    const ink = [r, g, b, a * (svg ? style.fillOpacity : 1) * opacity(e)];
    if (ink[3] < 0.02 || style.fontFamily.includes('Material')) continue;
    const halo = svg && style.stroke !== 'none' && parseFloat(style.strokeWidth) >= 2 ? rgba(style.stroke) : null;
    for (const node of texts) {
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const { left, top, right, bottom, width } of range.getClientRects())
        if (width >= 1 && right > 0)
          lines.push({
            text: node.data.trim().slice(0, 40),
            of: `${e.tagName.toLowerCase()}.${e.getAttribute('class') ?? ''}`,
            in: e.closest('.stage') ? 'stage' : e.closest('[data-testid=stSidebar]') ? 'sidebar' : 'page',
            size: scale * parseFloat(style.fontSize),
            bold: style.fontWeight >= 700,
            box: [left, top, right, bottom],
            ink,
            halo,
          });
    }
  }
  return lines;
};
