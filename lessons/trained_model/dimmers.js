// Every head of every layer, small: its pattern, what it was measured to do, and a dimmer. And of the one that is
// shown large, all that was measured.
import { find } from '../../controls/stage/browser/calculation.js';
import { make } from '../../controls/stage/browser/elements.js';
import { filled, share, show } from '../../controls/stage/browser/figures.js';
import { describe, hold } from '../../controls/stage/browser/hand.js';

const LOUDEST = 1.5, // a head may add more than it has learned to, too
  STRIDE = 0.05, // a key
  MAGNET = 0.06,
  EDGE = 12, // % of a dimmer before its track begins
  DEPTHS = [0.06, 0.2, 0.4, 0.6, 0.8, 1], // of a pattern's colour
  LOST = 0.1; // of all answers: so many that it stands out

const percent = strength => `${(EDGE + ((100 - 2 * EDGE) * strength) / LOUDEST).toFixed(2)}%`;

// spec: { title, dimmed, head, word: names in the pose; weights: path; turned, layers: [title],
//         heads: [{ name, label, share, mixed: no share is large }], texts: { strength, of_head, axis, switch } }
export function all_heads(host, spec, stage) {
  const box = make(null, 'section', { class: 'all-heads', 'aria-label': spec.title }, host),
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
    const pattern = make(
        'svg',
        'svg',
        { class: 'pattern', 'aria-hidden': 'true', preserveAspectRatio: 'none' },
        choose,
      ),
      depths = DEPTHS.map(depth => make('svg', 'path', { class: 'weights', 'fill-opacity': depth }, pattern)),
      told = make(null, 'span', { class: 'does' }, choose);
    make('svg', 'text', { y: '80%', text: name }, make('svg', 'svg', { class: 'head-name' }, told));
    make(null, 'span', { text: label }, told);
    make(null, 'i', { text: `${mixed ? '≤ ' : ''}${Math.round(100 * measured)} %` }, told);
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
    return { frame, choose, pattern, depths, knob, hit, full, grip, said, name, layer, h };
  }

  // A pattern in a few depths of one colour, all cells of a depth as one path: every cell of its own would be too many.
  function draw({ pattern, depths }, weights) {
    const n = weights.length,
      cells = DEPTHS.map(() => []);
    pattern.setAttribute('viewBox', `0 0 ${n || 1} ${n || 1}`);
    weights.forEach((row, i) =>
      row.forEach((weight, j) => {
        const depth = DEPTHS.findLastIndex(least => weight >= 0.6 * least);
        if (depth < 0) return;
        const [x, y] = spec.turned ? [i, j] : [j, i];
        cells[depth].push(`M${x} ${y}h.94v.94h-.94z`);
      }),
    );
    depths.forEach((path, k) => {
      path.setAttribute('d', cells[k].join(''));
    });
  }

  return scope => {
    const patterns = find(scope, spec.weights);
    cards.forEach(({ frame, choose, pattern, depths, knob, hit, full, grip, said, name, layer, h }, k) => {
      const strength = 1 - scope[spec.dimmed][layer][h],
        at = percent(Math.min(LOUDEST, Math.max(0, strength)));
      frame.classList.toggle('shown', k === scope[spec.head]);
      frame.classList.toggle('off', strength < 0.005);
      choose.setAttribute('aria-pressed', k === scope[spec.head]);
      pattern.style.opacity = stage.veil ? 0 : Math.min(1, 0.25 + 0.75 * strength);
      draw({ pattern, depths }, stage.veil ? [] : patterns[k]);
      for (const circle of [knob, hit]) circle.setAttribute('cx', at);
      full.setAttribute('x2', at);
      describe(hit, grip);
      show(said, strength, `strength ${name}`, { form: x => String(Number(x.toFixed(2))) });
    });
  };
}

// What the head shown was measured to do, and what breaks without it.
// spec: { title, head: the pose's name, names: of the heads, kinds: [{ name, label }], shares: of each head its share
//         of each kind, own: of each head the kind whose question it had in training, or null,
//         without: { head: of which it was counted, rows: [{ name, label, whole, off }] },
//         texts: { head, own, without, all, off } }
export function measured(host, spec, stage) {
  const box = make(null, 'section', { class: 'measured', 'aria-label': spec.title }, host),
    looks = make(null, 'div', { class: 'looks' }, box),
    breaks = make(null, 'div', { class: 'breaks' }, box);
  const says = make(null, 'p', { class: 'says' }, looks),
    says_without = make(null, 'p', { class: 'says' }, breaks);
  const line = (parent, label) => {
    const row = make(null, 'div', { class: 'kind' }, parent);
    make(null, 'span', { class: 'name', text: label }, row);
    const track = make(null, 'span', { class: 'track' }, row),
      whole = make(null, 'span', { class: 'whole' }, track),
      bar = make(null, 'span', { class: 'bar' }, track);
    return { row, whole, bar, number: make(null, 'span', { class: 'number' }, row) };
  };
  const rows = spec.kinds.map(({ label }) => line(looks, label)),
    counted = spec.without.rows.map(({ label }) => line(breaks, label));
  return scope => {
    const shown = scope[spec.head],
      head = spec.names[shown],
      own = spec.own[shown] ?? null,
      said = filled(own === null ? spec.texts.head : spec.texts.own, { head }),
      broken = filled(spec.texts.without, { head }),
      known = spec.without.head === shown && !stage.veil;
    if (says.textContent !== said) says.textContent = said;
    if (says_without.textContent !== broken) says_without.textContent = broken;
    rows.forEach(({ row, bar, number }, k) => {
      const x = spec.shares[shown][k];
      row.classList.toggle('own', k === own);
      bar.style.width = `${(100 * x).toFixed(1)}%`;
      show(number, x, `measured ${head} ${spec.kinds[k].name}`, { form: share });
    });
    counted.forEach(({ row, whole, bar, number }, k) => {
      const { name, whole: all, off } = spec.without.rows[k];
      row.classList.toggle('breaks-down', known && off < all - LOST);
      whole.style.width = `${(100 * all).toFixed(1)}%`;
      bar.style.width = known ? `${(100 * off).toFixed(1)}%` : 0;
      row.title = known ? `${spec.texts.all} ${share(all)}, ${spec.texts.off} ${share(off)}` : '';
      show(number, off, `without ${head} ${name}`, {
        hidden: known ? false : stage.veil ? true : '…',
        form: x => `${Math.round(100 * x)} %`,
      });
    });
  };
}
