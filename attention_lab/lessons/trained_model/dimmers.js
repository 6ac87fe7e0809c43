// Every head of every layer, small: its pattern, what it was measured to do, and a dimmer.
import { find } from '../../figure/browser/calculation.js';
import { make } from '../../figure/browser/elements.js';
import { filled, share, show } from '../../figure/browser/figures.js';
import { describe, hold } from '../../figure/browser/hand.js';
import { draw_pattern, small_pattern } from '../../figure/browser/pattern.js';

const LOUDEST = 1.5, // a head may add more than it has learned to, too
  STRIDE = 0.05, // a key
  MAGNET = 0.06,
  EDGE = 12; // % of a dimmer before its track begins

const percent = strength => `${(EDGE + ((100 - 2 * EDGE) * strength) / LOUDEST).toFixed(2)}%`;

// spec: { title, dimmed, head, word: names in the pose; weights: path; turned, layers: [title],
//         heads: [{ name, label, share, mixed: no share is large }], texts: { strength, of_head, axis, switch } }
export function all_heads(host, spec, stage) {
  const box = make(null, 'div', { class: 'all-heads', role: 'group', 'aria-label': spec.title }, host),
    of_layer = spec.heads.length / spec.layers.length;
  const cards = [];
  spec.layers.forEach((title, layer) => {
    make(null, 'p', { class: 'layer-name', text: title }, box);
    const row = make(null, 'div', { class: 'layer' }, box);
    for (let h = 0; h < of_layer; h++) cards.push(card(row, layer, h, spec.heads[layer * of_layer + h]));
  });

  function card(row, layer, h, { name, label, share: measured, mixed }) {
    const place = layer * of_layer + h,
      frame = make(null, 'div', { class: 'small-head', 'data-head': name }, row);
    const choose = make(null, 'button', { type: 'button', class: 'choose-head' }, frame);
    const pattern = small_pattern(choose),
      told = make(null, 'span', { class: 'does' }, choose);
    make('svg', 'text', { y: '80%', text: name }, make('svg', 'svg', { class: 'head-name' }, told));
    make(null, 'span', { text: label }, told);
    make(null, 'i', { text: mixed ? '' : `${Math.round(100 * measured)} %` }, told);
    choose.setAttribute('aria-label', filled(spec.texts.of_head, { head: name, label, share: share(measured) }));
    choose.addEventListener('click', () => {
      stage.pose[spec.head] = place;
      stage.touch();
      stage.commit();
    });
    const line = make(null, 'div', { class: 'dimming' }, frame);
    const svg = make('svg', 'svg', { class: 'dimmer' }, line);
    const track = kind =>
      make('svg', 'line', { class: kind, x1: percent(0), y1: '50%', x2: percent(LOUDEST), y2: '50%' }, svg);
    track('track');
    const full = track('full');
    make('svg', 'line', { class: 'one', x1: percent(1), y1: '22%', x2: percent(1), y2: '78%' }, svg);
    const knob = make('svg', 'circle', { class: 'knob', cy: '50%', r: 8 }, svg),
      hit = make('svg', 'circle', { class: 'hit', cy: '50%', r: 14 }, svg);
    const strength = () => 1 - stage.pose[spec.dimmed][layer][h],
      set = to => {
        stage.pose[spec.dimmed][layer][h] = Number((1 - to).toFixed(2));
      };
    const grip = {
      name: `head ${name}`,
      axes: [spec.texts.axis],
      ranges: [[0, LOUDEST]],
      step: STRIDE,
      read: () => [strength()],
      ground: svg,
      at: event => {
        const { left, width } = svg.getBoundingClientRect();
        return [(((event.clientX - left) / width) * 100 - EDGE) * (LOUDEST / (100 - 2 * EDGE))];
      },
      move: ([to]) => set(to),
      pull: ([to]) => (Math.abs(to - 1) < MAGNET ? { values: [1] } : null),
    };
    hold(hit, stage, grip);
    const number = make(
      null,
      'button',
      { type: 'button', class: 'strength', title: filled(spec.texts.switch, { head: name }) },
      line,
    );
    const said = make(null, 'span', {}, number);
    number.addEventListener('click', () => {
      set(strength() > 0.5 ? 0 : 1);
      stage.moved = true;
      stage.touch();
      stage.commit();
    });
    return { frame, choose, pattern, knob, hit, full, grip, said, name, layer, h };
  }

  return scope => {
    const patterns = find(scope, spec.weights);
    cards.forEach(({ frame, choose, pattern, knob, hit, full, grip, said, name, layer, h }, k) => {
      const strength = 1 - scope[spec.dimmed][layer][h],
        at = percent(Math.min(LOUDEST, Math.max(0, strength)));
      frame.classList.toggle('shown', k === scope[spec.head]);
      frame.classList.toggle('off', strength < 0.005);
      choose.setAttribute('aria-pressed', k === scope[spec.head]);
      pattern.svg.style.opacity = stage.veil ? 0 : Math.min(1, 0.25 + 0.75 * strength);
      draw_pattern(pattern, stage.veil ? [] : patterns[k], spec.turned);
      for (const circle of [knob, hit]) circle.setAttribute('cx', at);
      full.setAttribute('x2', at);
      describe(hit, grip);
      show(said, strength, `strength ${name}`, { form: x => String(Number(x.toFixed(2))) });
    });
  };
}
