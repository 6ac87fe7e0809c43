// What lies on what: boxes of texts, badges and handles, through every shadow root. Gives a line for each finding: what
// it is, whose, and where on the page.
(() => {
  const TRIM = 0.2, // of a line's height above and below, where letters seldom reach
    DEEP = 1.5, // px that two boxes may share
    DEEP_ON_HANDLE = 3,
    ALONG = 6, // px that an arrow may run through a name: it touches its edge then
    LABEL = '[data-testid="stWidgetLabel"]:not([data-testid="stCheckbox"] *)', // above a control, not beside it
    BLANK = 4, // px: names that stand nearer to one another than this read as one
    CLIPPED = ['rect(0px, 0px, 0px, 0px)', 'inset(50%)']; // texts for those who hear the page
  const all = (root = document) =>
    [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const ownText = e =>
    [...e.childNodes]
      .filter(n => n.nodeName !== 'title')
      .map(n => n.textContent)
      .join('')
      .trim();
  const brief = e => ownText(e).slice(0, 40);
  const lookedAt = new Map(); // whether an element, or one around it, is clipped away
  const hidden = e => {
    if (!e) return false;
    if (!lookedAt.has(e)) {
      const { clip, clipPath } = getComputedStyle(e);
      const clipped = CLIPPED.includes(clip) || CLIPPED.includes(clipPath);
      lookedAt.set(e, clipped || hidden(e.parentElement ?? e.getRootNode().host));
    }
    return lookedAt.get(e);
  };
  const shown = e => {
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    if (e.getBoundingClientRect().right <= 0) return false; // a sidebar put aside
    if (e.tagName === 'text' && getComputedStyle(e).fillOpacity === '0') return false;
    return !hidden(e);
  };

  // Shapes of four corners: of a rectangle, of a line of letters, of an SVG text as it is turned.
  const rectangle = ({ left, top, right, bottom }) => [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
  const boxOf = e => rectangle(e.getBoundingClientRect());
  const letters = ({ left, top, right, bottom, height }) =>
    rectangle({ left, right, top: top + TRIM * height, bottom: bottom - TRIM * height });
  const turned = text => {
    const { x, y, width, height } = text.getBBox(),
      m = text.getScreenCTM();
    return letters({ left: x, top: y, right: x + width, bottom: y + height, height }).map(([px, py]) => [
      m.a * px + m.c * py + m.e,
      m.b * px + m.d * py + m.f,
    ]);
  };
  // How deep two shapes lie in one another: the least that parts them, along the sides of both.
  const depth = (a, b) => {
    let least = Infinity;
    for (const shape of [a, b])
      for (const k of [0, 1]) {
        const [p, q] = [shape[k], shape[k + 1]],
          length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1,
          axis = [(q[1] - p[1]) / length, (p[0] - q[0]) / length];
        const [u, v] = [a, b].map(each => each.map(c => c[0] * axis[0] + c[1] * axis[1]));
        least = Math.min(least, Math.min(Math.max(...u), Math.max(...v)) - Math.max(Math.min(...u), Math.min(...v)));
        if (least < 0) return least; // they are apart, as most are
      }
    return least;
  };
  const outOf = (shape, { left, top, right, bottom }, slack) =>
    shape.some(([x, y]) => x < left - slack || x > right + slack || y < top - slack || y > bottom + slack);
  const scrolled = document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0;
  const at = shape => {
    const [x, y] = [0, 1].map(k => Math.round(shape.reduce((sum, c) => sum + c[k], 0) / shape.length));
    return `(${x},${y + scrolled})`;
  };

  // How far a line of a picture runs through the letters of a name: a segment against a box that is not turned.
  const runThrough = (line, shape) => {
    const { x1, y1, x2, y2 } = line,
      m = line.getScreenCTM(),
      at = (x, y) => [
        m.a * x.baseVal.value + m.c * y.baseVal.value + m.e,
        m.b * x.baseVal.value + m.d * y.baseVal.value + m.f,
      ];
    const [from, to] = [at(x1, y1), at(x2, y2)];
    let [begin, end] = [0, 1];
    for (const k of [0, 1]) {
      const edges = shape.map(c => c[k]),
        way = to[k] - from[k],
        [low, high] = [Math.min(...edges) + DEEP, Math.max(...edges) - DEEP];
      if (Math.abs(way) < 1e-9) {
        if (from[k] < low || from[k] > high) return 0;
        continue;
      }
      const [first, last] = [(low - from[k]) / way, (high - from[k]) / way].sort((p, q) => p - q);
      begin = Math.max(begin, first);
      end = Math.min(end, last);
    }
    return Math.max(0, end - begin) * Math.hypot(to[0] - from[0], to[1] - from[1]);
  };
  // Two names of one picture, one behind the other with less than a blank between them.
  const runTogether = (a, b) => {
    const [[left, right], [top, bottom]] = [0, 1].map(k => [Math.min, Math.max].map(of => of(...a.map(c => c[k])))),
      [[otherLeft, otherRight], [otherTop, otherBottom]] = [0, 1].map(k =>
        [Math.min, Math.max].map(of => of(...b.map(c => c[k]))),
      );
    const gap = Math.max(otherLeft - right, left - otherRight),
      level = Math.min(bottom, otherBottom) - Math.max(top, otherTop);
    return gap > 0 && gap < BLANK && level > (bottom - top) / 2;
  };

  const scroller = e => {
    for (let up = e.parentElement; up && !up.matches('[data-stage]'); up = up.parentElement)
      if (up instanceof HTMLElement && getComputedStyle(up).overflowX !== 'visible') return up;
    return null;
  };
  // Texts of the page, of which some stand on several lines, and of pictures.
  const textsIn = elements =>
    elements.flatMap(e => {
      if (e.tagName === 'text') return ownText(e) ? [{ e, name: brief(e), shape: turned(e), drawn: true }] : [];
      if (e.closest('svg, math')) return [];
      return [...e.childNodes]
        .filter(n => n.nodeType === Node.TEXT_NODE && n.data.trim())
        .flatMap(node => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return [...range.getClientRects()]
            .filter(box => box.width > 1)
            .map(box => ({ e, name: node.data.trim().slice(0, 40), shape: letters(box) }));
        });
    });
  // Words of a page that stand on two lines for want of room.
  const brokenIn = elements =>
    elements
      .filter(e => !e.closest('svg, math'))
      .flatMap(e => [...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE && /^\s*\p{L}+\s*$/u.test(n.data)))
      .filter(node => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1;
      });
  // Things that stand in one row and begin at different heights.
  const uneven = things => {
    const tops = things.map(e => e.getBoundingClientRect().top);
    return Math.max(...tops) - Math.min(...tops) > 2;
  };
  // The children of a box that wraps, row by row.
  const rowsOf = box => {
    const rows = [];
    for (const child of [...box.children].filter(shown)) {
      const { top, bottom, width, height } = child.getBoundingClientRect();
      if (width < 2 || height < 2) continue;
      if (rows.length && top < rows.at(-1).bottom - 8) rows.at(-1).push(child);
      else rows.push(Object.assign([child], { bottom }));
    }
    return rows;
  };

  // Whether an arrow is more than a trace.
  const seen = line => shown(line) && getComputedStyle(line).strokeOpacity > 0.3;

  function inStage(stage, tell) {
    const inside = [...stage.querySelectorAll('*')].filter(shown),
      edge = stage.getBoundingClientRect();
    const over = e => e.closest('.pinned'); // it lies over the page on purpose
    const texts = textsIn(inside.filter(e => !over(e))).filter(({ e, shape }) => {
      const frame = scroller(e);
      return !frame || depth(shape, boxOf(frame)) > 0; // else scrolled out of sight
    });
    const badges = inside.filter(e => e.matches('.badge')).map(e => ({ e, name: brief(e), shape: boxOf(e) })),
      tips = inside.filter(e => e.matches('.tip, .knob')).map(e => ({ e, shape: boxOf(e) }));
    texts.forEach((a, i) => {
      for (const b of texts.slice(i + 1))
        if (a.e !== b.e && !a.e.contains(b.e) && !b.e.contains(a.e) && depth(a.shape, b.shape) > DEEP)
          tell(`text on text: "${a.name}" and "${b.name}"`, a.shape);
      for (const b of badges)
        if (!b.e.contains(a.e) && depth(a.shape, b.shape) > DEEP) tell(`badge on text: "${a.name}"`, a.shape);
      for (const b of tips)
        if (a.drawn && depth(a.shape, b.shape) > DEEP_ON_HANDLE) tell(`text on a handle: "${a.name}"`, a.shape);
      const svg = a.e.closest('svg'),
        named = e => e.matches('.labels :not(.aside, .addend), .title'), // not what an arrow itself is called
        picture = named(a.e) && svg?.matches('.picture') ? svg : null;
      if (picture) {
        for (const line of picture.querySelectorAll('line.shaft'))
          if (seen(line) && runThrough(line, a.shape) > ALONG) tell(`an arrow through a name: "${a.name}"`, a.shape);
        for (const b of texts.slice(i + 1))
          if (named(b.e) && picture.contains(b.e) && runTogether(a.shape, b.shape))
            tell(`names run together: "${a.name}" and "${b.name}"`, a.shape);
      }
      if (svg && outOf(a.shape, svg.getBoundingClientRect(), getComputedStyle(svg).overflow === 'visible' ? 3 : 1))
        tell(`text outside its picture: "${a.name}"`, a.shape);
      else if (!scroller(a.e) && a.shape.some(([x]) => x < edge.left - 2 || x > edge.right + 2))
        tell(`text outside the stage: "${a.name}"`, a.shape);
    });
    for (const node of brokenIn(inside)) tell(`a word is broken: "${node.data.trim()}"`, boxOf(node.parentElement));
    for (const e of inside.filter(e => e.matches('.goals :is(.task, .why)')))
      if (e.scrollHeight > e.clientHeight + 1) tell(`a goal is cut: "${brief(e)}"`, boxOf(e));
    for (const e of inside.filter(e => e.matches('.beside')))
      for (const row of rowsOf(e)) {
        const headings = row.map(column => column.querySelector(':scope > .heading')).filter(Boolean);
        if (headings.length > 1 && uneven(headings)) tell('headings at different heights', boxOf(e));
      }
    for (const b of badges)
      for (const t of tips) if (depth(b.shape, t.shape) > DEEP) tell('badge on a handle', t.shape);
    // What a field holds may be longer than the field: it is moved along by hand.
    for (const e of inside.filter(e => e instanceof HTMLElement && e.tagName !== 'INPUT' && !over(e))) {
      const { overflowX, flexWrap } = getComputedStyle(e);
      if (overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1)
        tell(
          `cut by ${e.scrollWidth - e.clientWidth}: ${e.className} "${e.textContent.trim().slice(0, 40)}"`,
          boxOf(e),
        );
      const rows = flexWrap === 'wrap' ? rowsOf(e) : [];
      const [last] = rows.at(-1) ?? [];
      // a row of things of its own may stand below a row of others
      const alone = rows.at(-1)?.length === 1 && !['flex', 'grid'].includes(getComputedStyle(last).display);
      if (rows.length > 1 && alone && rows.at(-2).length > 2)
        tell(`alone in its row: "${rows.at(-1)[0].textContent.trim().slice(0, 40)}"`, boxOf(rows.at(-1)[0]));
    }
  }

  function found() {
    const told = [],
      tell = (what, shape) => told.push(`${what} at ${at(shape)}`),
      every = all();
    for (const stage of every.filter(e => e.matches('[data-stage]'))) inStage(stage, tell);
    for (const e of every.filter(e => e.matches('[data-testid="stButtonGroup"] [role="radiogroup"]') && shown(e)))
      if (rowsOf(e).length > 1) tell(`a choice wraps: "${e.textContent.trim().slice(0, 40)}"`, boxOf(e));
      else if (e.scrollWidth > e.clientWidth + 1) tell(`a choice is cut: "${brief(e.lastChild)}"`, boxOf(e));
    for (const e of every.filter(e => e.matches('[class*="st-key-tools"]')))
      for (const row of rowsOf(e)) {
        const labels = row.flatMap(tool => [...tool.querySelectorAll(LABEL)].filter(shown));
        if (labels.length > 1 && uneven(labels)) tell('labels at different heights', boxOf(e));
      }
    for (const e of every.filter(e => e.matches('button p, [data-testid="stWidgetLabel"] p') && shown(e)))
      if (e.scrollWidth > e.clientWidth + 1) tell(`cut: "${brief(e)}"`, boxOf(e));
    for (const chart of every.filter(e => e.matches('.stVegaLiteChart'))) {
      const worded = [...chart.querySelectorAll('text')].filter(t => /[\p{L}\d]/u.test(t.textContent) && shown(t)),
        texts = worded.map(t => ({ name: brief(t), shape: turned(t) }));
      texts.forEach((a, i) => {
        for (const b of texts.slice(i + 1))
          if (depth(a.shape, b.shape) > DEEP) tell(`text on text in a chart: "${a.name}" and "${b.name}"`, a.shape);
        if (outOf(a.shape, chart.getBoundingClientRect(), 1)) tell(`text outside a chart: "${a.name}"`, a.shape);
      });
    }
    for (const e of [document.documentElement, document.querySelector('[data-testid="stMain"]')])
      if (e.scrollWidth > e.clientWidth) told.push(`sideways by ${e.scrollWidth - e.clientWidth}`);
    return told;
  }

  // Pictures follow their room a frame or two later.
  const frame = () => new Promise(requestAnimationFrame);
  return [...Array(5)].reduce(waited => waited.then(frame), Promise.resolve()).then(found);
})();
