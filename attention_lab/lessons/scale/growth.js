// How a pattern grows with its text: the square of one pattern beside the one of the published length, which tiles it.
// Beside it the length of the text under the hand, and below that what grows and what does not.
import { find } from '../../figure/browser/calculation.js';
import { badge, make, makePicture, place, roomIn, write } from '../../figure/browser/elements.js';
import { formatMultiple, forms, show } from '../../figure/browser/number_format.js';
import { size } from './size.js';

const EDGE = 32, // px for the name of the text along the square's edge
  FIRST = 2, // the picture's side is so many published lengths, until the text is longer
  FINEST = 5, // px: closer lines than these are not drawn
  LEAST = 110; // px of a square that has its number written in it

// Lines that tile a square of this side, each cell so large.
function grid(cell, side) {
  const inner = cell < FINEST ? 0 : Math.ceil(side / cell) - 1,
    ends = Array.from({ length: inner }, (_, k) => (k + 1) * cell);
  return [0, ...ends, side].map(x => `M${x} ${EDGE}V${EDGE + side} M0 ${EDGE + x}H${side}`).join('');
}

// spec: { title, badge, touched, words: { text, pattern, parameters, more: of a length and of its cells },
//         context (size), length, grown, cells, parameters: paths, veiled }
export function growth(host, spec, stage) {
  const box = make(null, 'div', { class: 'growth' }, host),
    frame = make(null, 'figure', {}, box),
    tell = badge(frame, spec.badge);
  const svg = makePicture(frame, spec.title);
  svg.setAttribute('role', 'img');
  const wide = roomIn(frame, stage);
  const shape = (tag, kind) => make('svg', tag, { class: kind }, svg),
    room = shape('path', 'room'),
    now = shape('rect', 'now'),
    lines = shape('path', 'tiles'),
    before = shape('rect', 'before'),
    along = shape('path', 'along'),
    [across, cells] = ['across', 'cells'].map(kind => shape('text', kind));
  across.setAttribute('text-anchor', 'start');
  cells.setAttribute('text-anchor', 'middle');
  const beside = make(null, 'div', { class: 'told' }, box);
  const refuse = (_, text) => write(refusal, text);
  const paintSize = size(beside, spec.context, stage, () => {}, refuse),
    refusal = make(null, 'p', { class: 'warning refused', 'data-spoken': '' }, beside.lastChild);
  const line = (kind, label) => {
    const row = make(null, 'p', { class: kind }, beside);
    make(null, 'span', { text: label }, row);
    return [make(null, 'b', {}, row), make(null, 'i', {}, row)];
  };
  const [pattern, squared] = line('grows', spec.words.pattern),
    [parameters, same] = line('stays', spec.words.parameters);
  return scope => {
    paintSize(scope);
    const times = find(scope, spec.length),
      all = wide(),
      unit = all / Math.max(FIRST, times),
      side = Math.max(1.5, unit * times);
    place(svg, { viewBox: `0 0 ${all} ${all + EDGE}` });
    place(now, { x: 0, y: EDGE, width: side.toFixed(1), height: side.toFixed(1) });
    place(before, { x: 0, y: EDGE, width: unit.toFixed(1), height: unit.toFixed(1) });
    room.setAttribute('d', grid(unit, all));
    lines.setAttribute('d', grid(unit, side));
    along.setAttribute('d', `M0 ${EDGE - 6}H${side.toFixed(1)}`);
    for (const element of [now, lines, cells]) element.style.display = spec.veiled ? 'none' : '';
    place(across, { x: 0, y: EDGE - 15 });
    across.textContent = `${spec.words.text} × ${formatMultiple(times)}`;
    place(cells, { x: (side / 2).toFixed(1), y: (EDGE + side / 2 + 10).toFixed(1) });
    cells.textContent = side > LEAST && times !== 1 ? `× ${formatMultiple(find(scope, spec.grown))}` : '';
    show(pattern, find(scope, spec.cells), 'one pattern', { hidden: spec.veiled, form: forms.whole });
    const tokens = forms.whole(find(scope, spec.context.shown));
    squared.textContent = spec.veiled ? '' : `${tokens} × ${tokens}`;
    const whole = { hidden: stage.resultsHidden, form: forms.whole };
    show(parameters, find(scope, spec.parameters), 'attention parameters', whole);
    same.textContent = spec.words.same;
    tell(stage, find(scope, spec.touched) > 0 ? 'yours' : '');
  };
}
