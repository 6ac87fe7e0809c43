// The strength of the head shown, under the hand; and every head of every layer, small: its pattern, what it was
// measured to do, and a button that switches it.
import { find } from '../../figure/browser/calculation.js';
import { make, makeButton, write } from '../../figure/browser/elements.js';
import { filled, localized, formatShare, show } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { setPose } from '../../figure/browser/pose.js';
import { drawPattern, smallPattern } from '../../figure/browser/pattern.js';

const LOUDEST = 1.5, // a head may add more than it has learned to, too
  STRIDE = 0.05, // a key
  MAGNET = 0.06,
  OFF = 0.005, // a strength below which a head counts as off
  EDGE = 4; // % of the slider before its track begins

const along = strength => `${(EDGE + ((100 - 2 * EDGE) * strength) / LOUDEST).toFixed(2)}%`;
const plain = x => localized(String(Number(x.toFixed(2))));

// spec: { title, dimmed, head: names in the pose; heads: [name], texts: { strength, axis, on, off } }
export function head_dimmer(host, spec, stage) {
  const { texts } = spec,
    box = make(null, 'div', { class: 'head-dimmer', role: 'group', 'aria-label': spec.title }, host),
    label = make(null, 'span', { class: 'of-head' }, box),
    svg = make('svg', 'svg', { class: 'dimmer' }, box);
  const track = kind =>
    make('svg', 'line', { class: kind, x1: along(0), y1: '50%', x2: along(LOUDEST), y2: '50%' }, svg);
  track('track');
  const full = track('full');
  make('svg', 'line', { class: 'one', x1: along(1), y1: '15%', x2: along(1), y2: '85%' }, svg);
  const knob = make('svg', 'circle', { class: 'knob', cy: '50%', r: 10 }, svg),
    hit = make('svg', 'circle', { class: 'hit', cy: '50%', r: 16 }, svg),
    number = make(null, 'b', {}, box),
    button = makeButton(box, { class: 'plain small switch' }, () => {
      set(strength() < OFF ? 1 : 0);
      stage.moved = true;
      stage.commit();
    });
  const at = () => {
      const head = stage.pose[spec.head],
        wide = stage.pose[spec.dimmed][0].length;
      return [Math.floor(head / wide), head % wide];
    },
    strength = () => {
      const [layer, h] = at();
      return 1 - stage.pose[spec.dimmed][layer][h];
    },
    set = to => {
      const [layer, h] = at();
      stage.pose[spec.dimmed][layer][h] = Number((1 - to).toFixed(2));
    };
  const handle = {
    get name() {
      return `head ${spec.heads[stage.pose[spec.head]]}`;
    },
    axes: [texts.axis],
    ranges: [[0, LOUDEST]],
    step: STRIDE,
    read: () => [strength()],
    ground: svg,
    at: event => {
      const { left, width } = svg.getBoundingClientRect();
      return [(((event.clientX - left) / width) * 100 - EDGE) * (LOUDEST / (100 - 2 * EDGE))];
    },
    move: ([to]) => set(to),
    pull: ([to]) => {
      const near = [0, 1].find(strength => Math.abs(to - strength) < MAGNET);
      return near === undefined ? null : { values: [near] };
    },
  };
  makeDraggable(hit, stage, handle);
  return scope => {
    const head = spec.heads[scope[spec.head]],
      [layer, h] = at(),
      now = 1 - scope[spec.dimmed][layer][h],
      x = along(Math.min(LOUDEST, Math.max(0, now)));
    for (const circle of [knob, hit]) circle.setAttribute('cx', x);
    full.setAttribute('x2', x);
    if (hit.dataset.handle !== handle.name) hit.dataset.handle = handle.name;
    describe(hit, handle);
    write(label, filled(texts.strength, { head }));
    write(button, now < OFF ? texts.on : texts.off);
    show(number, now, 'strength shown', { form: plain });
  };
}

// spec: { title, dimmed, head: names in the pose; weights: path; turned, layers: [title],
//         heads: [{ name, label, share, mixed: no share is large }], texts: { of_head, switch, on, off } }
export function all_heads(host, spec, stage) {
  const box = make(null, 'div', { class: 'all-heads', role: 'group', 'aria-label': spec.title }, host),
    ofLayer = spec.heads.length / spec.layers.length;
  const cards = [];
  spec.layers.forEach((title, layer) => {
    const part = make(null, 'div', {}, box);
    make(null, 'p', { class: 'layer-name', text: title }, part);
    const row = make(null, 'div', { class: 'layer' }, part);
    for (let h = 0; h < ofLayer; h++) cards.push(card(row, layer, h, spec.heads[layer * ofLayer + h]));
  });

  function card(row, layer, h, { name, label, share: measured, mixed }) {
    const place = layer * ofLayer + h,
      frame = make(null, 'div', { class: 'small-head', 'data-head': name }, row);
    const about = filled(spec.texts.of_head, { head: name, label, share: formatShare(measured) }),
      choose = makeButton(frame, { class: 'choose-head', 'aria-label': about }, () =>
        setPose(stage, { [spec.head]: place }),
      );
    const pattern = smallPattern(choose);
    make(null, 'b', { text: name }, choose);
    const does = make(null, 'span', { class: 'does', text: `${label} ` }, choose);
    make(null, 'i', { text: mixed ? '' : formatShare(measured) }, does);
    const strength = () => 1 - stage.pose[spec.dimmed][layer][h],
      labelOf = filled(spec.texts.switch, { head: name }),
      button = makeButton(frame, { class: 'plain small bare strength', title: labelOf, 'aria-label': labelOf }, () => {
        stage.pose[spec.dimmed][layer][h] = strength() < OFF ? 0 : 1;
        stage.moved = true;
        stage.commit();
      });
    return { frame, choose, pattern, button, said: make(null, 'span', {}, button), name, layer, h };
  }

  const { on, off } = spec.texts,
    written = x => (x < OFF ? off : Math.abs(x - 1) < OFF ? on : plain(x));
  return scope => {
    const patterns = find(scope, spec.weights);
    cards.forEach(({ frame, choose, pattern, button, said, name, layer, h }, k) => {
      const strength = 1 - scope[spec.dimmed][layer][h];
      frame.classList.toggle('shown', k === scope[spec.head]);
      frame.classList.toggle('off', strength < OFF);
      choose.setAttribute('aria-pressed', k === scope[spec.head]);
      button.setAttribute('aria-pressed', strength >= OFF);
      for (const depth of pattern.depths) depth.style.opacity = Math.min(1, 0.25 + 0.75 * strength);
      drawPattern(pattern, stage.resultsHidden ? [] : patterns[k], spec.turned);
      show(said, strength, `strength ${name}`, { form: written });
    });
  };
}
