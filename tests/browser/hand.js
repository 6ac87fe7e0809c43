// What a hand would find on the page, through every shadow root.
({
  all(root = document) {
    return [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? this.all(e.shadowRoot) : [])]);
  },
  // The innermost element at a point.
  at(x, y, root = document) {
    const found = root.elementFromPoint(x, y);
    return found?.shadowRoot && found.shadowRoot !== root ? (this.at(x, y, found.shadowRoot) ?? found) : found;
  },
  // Whether a stage is drawn.
  drawn() {
    return this.all().some(e => e.dataset.frames > 0);
  },
  // Whether nothing lies upon an element, and it is in sight.
  open(e) {
    const b = e.getBoundingClientRect();
    return b.width && this.at(b.x + b.width / 2, b.y + b.height / 2) === e;
  },
  // Bring an element to where nothing lies upon it.
  show(e) {
    if (!this.open(e)) e.scrollIntoView({ block: 'center', behavior: 'instant' });
  },
  // The names of the handles that can be taken hold of, of those in pictures where there are any; where all are further
  // down, once scrolled there, and where all are in folds, once one is open.
  free() {
    const known = this.all().filter(e => e.matches('input[data-handle], [data-handle][role=slider]')),
      handles = known.filter(e => e.getClientRects().length),
      pictured = handles.filter(e => e.closest('svg')),
      all = pictured.length ? pictured : handles;
    if (!all.length) known[0]?.closest('details')?.setAttribute('open', ''); // all are in folds
    const open = () => all.filter(e => this.open(e)).map(e => e.dataset.handle);
    if (!open().length) all[0]?.scrollIntoView({ block: 'center', behavior: 'instant' });
    return open();
  },
  // Whether something of the picture can be moved or clicked without scrolling.
  touchable() {
    const seen = e => e.getBoundingClientRect().bottom < innerHeight,
      clicked = e => e.matches('.cell, [data-stage] .column:not(.pinned) button') && seen(e);
    return this.all().some(e => clicked(e) || (e.dataset.handle !== undefined && this.open(e)));
  },
  // Every live number by what it is, unrounded.
  live() {
    return Object.fromEntries(
      this.all()
        .filter(e => e.dataset.exact !== undefined)
        .map(e => [e.dataset.value, e.dataset.exact]),
    );
  },
  // The middle of the picture that a handle is part of, or of the line that it slides along.
  middle(handle) {
    const { x, y, width, height } = (handle.closest('svg, .track') ?? handle).getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  },
  // Where to take hold of it.
  hold(handle) {
    const { x, y, width, height } = handle.getBoundingClientRect(),
      slides = handle.matches('input'),
      part = slides ? (handle.value - handle.min) / (handle.max - handle.min) : 1 / 2,
      inset = slides ? height / 2 : 0;
    return [x + inset + part * (width - 2 * inset), y + height / 2];
  },
  // All that a hand moves and nothing hides, each by its name and its number among those of that name.
  movable() {
    const drawn = e => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 0,
      shown = e => drawn(e) && !e.closest('[inert], [aria-hidden=true]'),
      all = this.sliders();
    return all
      .filter(shown)
      .map(e => [this.called(e), all.filter(other => this.called(other) === this.called(e)).indexOf(e)]);
  },
  moved([name, number]) {
    return this.sliders().filter(e => this.called(e) === name)[number] ?? null;
  },
  sliders() {
    return this.all().filter(e => e.matches('input[type=range], [role=slider], .toggle .cell[tabindex="0"]'));
  },
  called: e => e.dataset.handle ?? e.dataset.cell ?? e.getAttribute('aria-label') ?? '',
  // What a slider or a switch says of itself.
  state: e =>
    [e.value, e.getAttribute('aria-valuetext'), e.getAttribute('aria-valuenow'), e.getAttribute('aria-pressed')].join(),
  // A place of the picture in which a handle lies, away from it, where a tap meets no control.
  freePlace(handle) {
    const ground = handle.closest('svg') ?? handle.parentElement,
      { left, top, width, height } = ground.getBoundingClientRect(),
      [x0, y0] = this.hold(handle);
    const parts = [0.3, 0.7, 0.45, 0.6, 0.2, 0.8];
    for (const a of parts)
      for (const b of handle.closest('svg') ? parts : [0.5]) {
        const [x, y] = [left + a * width, top + b * height],
          there = this.at(x, y);
        if (
          there &&
          ground.contains(there) &&
          !there.closest('[data-handle], [tabindex], button') &&
          Math.hypot(x - x0, y - y0) > 30
        )
          return [x, y];
      }
    return null;
  },
  // From now on all that an attribute of an element has been, once a frame, in window.trail.
  follow(element, attribute) {
    window.trail = [];
    const note = () => {
      const now = element.getAttribute(attribute);
      if (now !== window.trail.at(-1)) window.trail.push(now);
      if (element.isConnected) requestAnimationFrame(note);
    };
    note();
  },
});
