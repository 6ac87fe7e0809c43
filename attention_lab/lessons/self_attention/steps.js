// One word's way through the calculation: the graph of its operations with the current box lit, a scrubber, and
// play. A calculation of two layers has the same boxes twice.
import { filled } from '../../figure/browser/number_format.js';
import { fitted, make, place, rem, roomIn, unitFor } from '../../figure/browser/elements.js';
import { runSteps } from '../../figure/browser/play_clock.js';
import { player } from '../../figure/browser/player.js';

const CALM = 2600; // ms that play stays with a step

// The layer shown, of those that `spec.layers` holds for one layer or for two; and how far along the whole way.
export function layerShown(spec, scope) {
  const layers = spec.layers[Math.min(scope.layers, spec.layers.length - 1)];
  const which = layers.length > 1 ? scope.layer : 0;
  return { layers, which, layer: layers[which] };
}

// spec: { title, steps: [{ name, label, sign, text, reads, makes }], layers: [[layer], [layer, layer]],
//         seen: the name of how many steps of a layer were seen of this word,
//         words: { play, pause, back, on, slider, at, reads, makes,
//         and for a layer that adds nothing replaced: { text, sign, reads, makes } } }
export function stepper(host, spec, stage) {
  const box = make(null, 'div', { class: 'stepper', role: 'group', 'aria-label': spec.title }, host),
    { steps, words } = spec;
  const row = make(null, 'div', { class: 'scrub' }, box);
  const svg = make('svg', 'svg', { class: 'way-of-a-word', 'aria-hidden': 'true' }, box);
  const telling = make(null, 'div', { class: 'telling', 'data-spoken': '' }, box);
  const line = make(null, 'p', {}, telling),
    what = make(null, 'b', {}, line),
    text = make(null, 'span', {}, line);
  const made = make(null, 'p', { class: 'made-of' }, telling);
  const [reads, makes] = ['reads', 'makes'].map(kind => {
    const part = make(null, 'span', { class: kind }, made);
    make(null, 'i', { text: words[kind] }, part);
    return make(null, 'span', {}, part);
  });
  const shown = { about: null, steps: new Set() };
  const room = roomIn(box, stage);
  let drawn = null,
    graph = [];

  const count = () => layerShown(spec, stage.pose).layers.length * steps.length;
  const position = pose => layerShown(spec, pose).which * steps.length + pose.step;
  const put = to => {
    const at = Math.max(0, Math.min(count() - 1, to));
    stage.pose.step = at % steps.length;
    if (count() > steps.length) stage.pose.layer = Math.floor(at / steps.length);
    stage.requestPaint();
  };
  // A hand is quicker than the screen.
  const scrub = to => {
    const from = position(stage.pose);
    put(to);
    const at = position(stage.pose);
    for (let i = Math.min(from, at); i <= Math.max(from, at); i++) shown.steps.add(i);
  };
  const keys = player(row, stage, words, {
    at: () => position(stage.pose),
    last: () => count() - 1,
    put,
    scrub,
    go: by => scrub(position(stage.pose) + by),
    run: halt =>
      runSteps(CALM, keys.playing, () => {
        put(position(stage.pose) + 1);
        if (position(stage.pose) >= count() - 1) halt();
      }),
  });
  const range = keys.range(row, row, { 'data-scrubber': 'step', 'data-cell': 'step' });

  function draw(layers) {
    const unit = unitFor(0.75),
      narrow = room() < 34 * rem(),
      left = layers.length > 1 && !narrow ? 58 * unit : 0;
    const pitch = (room() - left) / steps.length,
      wide = pitch - (narrow || unit > 1.2 ? 7 : 15) * unit, // a projector's large letters need the room
      tall = (narrow ? 34 : 46) * unit;
    const arc = 15 * unit,
      level = tall + 2 * arc + (layers.length > 1 ? 14 : 6) * unit,
      height = layers.length * level;
    svg.replaceChildren();
    place(svg, { viewBox: `0 0 ${room()} ${height.toFixed(1)}` });
    svg.style.height = `${height.toFixed(1)}px`;
    const path = (d, kind) => make('svg', 'path', { d, class: `flow ${kind}` }, svg);
    const letter = (text, x, y, kind) => make('svg', 'text', { x, y, class: `flow-letter ${kind}`, text }, svg);
    graph = layers.map((layer, l) => {
      const top = l * level + arc + 3 * unit,
        middle = top + tall / 2,
        bottom = top + tall;
      const x = i => left + i * pitch + (pitch - wide) / 2,
        centre = i => x(i) + wide / 2;
      if (left) make('svg', 'text', { x: 0, y: middle + 4 * unit, class: 'layer-name', text: layer.name }, svg);
      const along = steps
        .slice(1)
        .map((_, i) => path(`M${x(i) + wide} ${middle} H${x(i + 1) - 1}`, i === 0 ? 'query' : ''));
      const bend = arc * 0.45;
      const over = (from, to, y, up, kind) =>
        path(
          `M${centre(from)} ${y} v${up * arc * 0.55} q0 ${up * bend} ${bend} ${up * bend} ` +
            `H${centre(to) - bend} q${bend} 0 ${bend} ${-up * bend} V${y + up}`,
          kind,
        );
      const value = over(0, 5, top, -1, 'value'),
        carried = layer.delta ? over(0, 6, bottom, 1, 'word') : null;
      if (l) {
        // what the layer before made comes in
        const gap = (pitch - wide) / 2,
          from = middle - level,
          between = top - arc - 7 * unit;
        path(
          `M${x(6) + wide} ${from} h${gap * 0.6} V${between} H${x(0) - gap * 0.6} V${middle} H${x(0)}`,
          'word between',
        );
      }
      letter('v', centre(2.5), top - arc + 4 * unit, 'value');
      if (carried) letter('x', centre(3), bottom + arc + 4 * unit, 'word');
      const boxes = steps.map((step, i) => {
        const group = make('svg', 'g', { class: 'operation', 'data-step': step.name }, svg);
        make('svg', 'rect', { x: x(i), y: top, width: wide, height: tall, rx: 7 * unit }, group);
        const sign = i === 6 && !layer.delta ? words.replaced.sign : step.sign;
        // The word stands above its formula; a box too small for words has the formula alone.
        const write = (text, y, kind, size) =>
          make('svg', 'text', { x: centre(i), y, class: kind, 'font-size': size, text }, group);
        const fitting = (text, part) => fitted(part, (1.9 * wide) / text.length);
        if (narrow) write(sign, middle + 4.5 * unit, 'sign', fitting(sign, 0.75));
        else {
          write(step.label, middle - 2 * unit, 'sign', fitting(step.label, 0.875));
          write(sign, middle + 14 * unit, 'operation-name', fitting(sign, 0.75));
        }
        group.addEventListener('click', () => keys.halt(() => put(l * steps.length + i)));
        return group;
      });
      return { boxes, along, value, carried };
    });
  }

  return scope => {
    const { layers, which, layer } = layerShown(spec, scope),
      step = steps[scope.step],
      at = which * steps.length + scope.step;
    const about = [stage.renewals, scope.word, scope.layers].join();
    if (about !== shown.about) {
      shown.about = about;
      shown.steps.clear();
    }
    shown.steps.add(at);
    scope[spec.seen] = shown.steps.size / layers.length; // of the seven steps of a layer

    const signature = JSON.stringify([room(), rem(), layers]);
    if (room() && signature !== drawn) {
      draw(layers);
      drawn = signature;
    }
    graph.forEach(({ boxes, along, value, carried }, l) => {
      const here = at - l * steps.length;
      boxes.forEach((group, i) => {
        group.classList.toggle('lit', i === here);
        group.classList.toggle('done', i < here);
      });
      along.forEach((flow, i) => {
        flow.classList.toggle('lit', i + 1 === here);
        flow.classList.toggle('done', i + 1 < here);
      });
      value.classList.toggle('lit', here === 5);
      value.classList.toggle('done', here > 5);
      carried?.classList.toggle('lit', here === 6);
    });
    const last = layers.length * steps.length - 1;
    keys.show(range, at, last, filled(words.at, { step: at + 1, all: last + 1, name: step.label }));
    const name = `${layers.length > 1 ? `${layer.name} · ` : ''}${scope.step + 1} · ${step.label}`;
    const told = scope.step === 6 && !layer.delta ? words.replaced : step;
    for (const [element, said] of [
      [what, name],
      [text, told.text],
      [reads, told.reads],
      [makes, told.makes],
    ])
      if (element.textContent !== said) element.textContent = said;
  };
}
