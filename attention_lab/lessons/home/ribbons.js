// The sentence and what one of its words takes in: from every word a ribbon, as wide as its attention weight, runs down
// to the new vector of the word that is followed. There the ribbons stand side by side, in all always equally wide.
import { find } from '../../figure/browser/calculation.js';
import { direction } from '../../figure/browser/direction.js';
import { STILL } from '../../figure/browser/drag.js';
import { letters, make, makeButton, place, roomIn, write } from '../../figure/browser/elements.js';
import { filled, formatShare, show, spell } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { smoothed } from '../../figure/browser/smoothing.js';
import { applyTint } from '../../figure/browser/tint.js';

const FOOT = 0.24, // of the width: all ribbons together, where they end
  HEIGHT = 0.3, // of the width
  LEAST = 5, // rem
  MOST = 10.5, // rem, of foot and height
  HAIR = 0.6; // px that a ribbon is wide at least

// Whoever drags a word's letters drags its dot in the plane, which takes the pointer over as if it had been grasped.
function letDrag(button, name) {
  button.addEventListener('pointerdown', down => {
    if (down.button) return;
    const until = new AbortController(),
      { signal } = until;
    const take = ({ pointerId, clientX, clientY }) => {
      if (pointerId !== down.pointerId || Math.hypot(clientX - down.clientX, clientY - down.clientY) < STILL) return;
      until.abort();
      const dot = button.getRootNode().querySelector(`[data-handle="${CSS.escape(name)}"]`);
      dot?.dispatchEvent(new PointerEvent('pointerdown', down));
    };
    window.addEventListener('pointermove', take, { signal });
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, () => until.abort(), { signal });
  });
}

// spec: { of: the weights, a row for each word, names, focus: the word that is followed, vectors, values, context,
//         what, head: texts and paths, here }
export function ribbons(host, spec, stage) {
  const box = make(null, 'figure', { class: 'ribbons' }, host),
    head = make(null, 'figcaption', { class: 'head' }, box),
    names = find(stage.scope, spec.names),
    count = names.length;
  const field = make(null, 'div', { class: 'field', dir: direction(names), style: `--count: ${count}` }, box),
    line = make(null, 'div', { class: 'words', role: 'group' }, field),
    svg = make('svg', 'svg', { class: 'bands', 'aria-hidden': 'true' }, field),
    here = make(null, 'p', { class: 'here', dir: 'auto' }, field);
  const words = names.map((name, i) => {
    const button = makeButton(line, { 'data-about': name }, () => setPose(stage, { [spec.focus]: i }));
    make(null, 'span', { class: 'name', text: name }, button);
    const number = make(null, 'span', { class: 'number' }, button);
    letDrag(button, name);
    return { name, button, number, band: make('svg', 'path', { class: 'band', 'data-about': name }, svg) };
  });
  const whole = make('svg', 'rect', { class: 'whole-weight', height: 3, rx: 1.5 }, svg),
    glide = smoothed(stage),
    mirrored = field.dir === 'rtl',
    inOrder = mirrored ? [...words.keys()].reverse() : [...words.keys()];
  const room = roomIn(svg, stage);
  const lay = (focus, weights) => {
    const wide = room(),
      [foot, tall] = [FOOT, HEIGHT].map(part =>
        Math.min(letters(MOST), Math.max(part === HEIGHT ? letters(LEAST) : 0, part * wide)),
      ),
      middle = i => ((mirrored ? count - 1 - i : i) + 0.5) * (wide / count),
      end = tall - 3;
    let at = middle(focus) - foot / 2;
    place(svg, { viewBox: `0 0 ${wide} ${tall.toFixed(1)}`, height: tall.toFixed(1) });
    place(whole, { x: at.toFixed(1), y: end.toFixed(1), width: foot.toFixed(1) });
    for (const i of inOrder) {
      const across = foot * weights[i],
        drawn = Math.max(HAIR, across) / 2,
        ends = [middle(i) - drawn, middle(i) + drawn, at + across / 2 - drawn, at + across / 2 + drawn],
        [a, b, c, d] = ends.map(x => x.toFixed(2)),
        bend = (end / 2).toFixed(1),
        low = end.toFixed(1);
      const path = `M${a} 0 C${a} ${bend} ${c} ${bend} ${c} ${low} L${d} ${low} C${d} ${bend} ${b} ${bend} ${b} 0 Z`;
      words[i].band.setAttribute('d', path);
      at += across;
    }
  };
  return scope => {
    const focus = scope[spec.focus],
      text = spell(spec.head, path => find(scope, path)),
      [weights, vectors, values, context] = [spec.of, spec.vectors, spec.values, spec.context].map(of =>
        find(scope, of),
      ),
      result = filled(spec.here, { word: names[focus] });
    if (head.textContent !== text) {
      head.textContent = text;
      line.setAttribute('aria-label', text);
    }
    write(here, result);
    here.style.gridColumn = String(focus + 1);
    field.classList.toggle('waits', stage.resultsHidden);
    applyTint(here, context[focus]);
    applyTint(whole, context[focus]);
    words.forEach(({ name, button, number, band }, i) => {
      button.setAttribute('aria-pressed', i === focus);
      applyTint(button, vectors[i]);
      applyTint(band, values[i]);
      const what = `${spec.what} ${names[focus]} ${name}`;
      show(number, weights[focus][i], what, { hidden: stage.resultsHidden, form: formatShare });
    });
    const [from, ...shares] = glide([focus, ...weights[focus]]);
    if (room()) lay(from, shares);
  };
}
