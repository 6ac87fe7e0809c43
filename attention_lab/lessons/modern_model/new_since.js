// What models have today that the transformer of 2017 did not: a small drawing and a sentence each.
import { make } from '../../figure/browser/elements.js';

const line = (kind, x1, y1, x2, y2) => ['line', { class: kind, x1, y1, x2, y2 }],
  dot = (kind, cx, cy) => ['circle', { class: kind, cx, cy, r: 4 }],
  letter = (x, y, text) => ['text', { x, y, text, 'text-anchor': 'middle' }];
const nine = Array.from({ length: 9 }, (_, h) => 12 + 12 * h),
  turned = k => [60 + 44 * Math.cos(0.2 + 0.5 * k), 62 - 44 * Math.sin(0.2 + 0.5 * k)];
// Each in a field of 120 by 72.
const DRAWINGS = {
  rms: [
    line('axis', 14, 62, 106, 62),
    line('axis', 14, 62, 14, 6),
    line('faint', 14, 62, 74, 12),
    line('bold', 14, 62, 44, 37),
    dot('role-word', 44, 37),
  ],
  rotary: [
    ...[0, 1, 2, 3, 4].map(k => line(k === 4 ? 'bold query' : 'faint query', 60, 62, ...turned(k))),
    ...[0, 1, 2, 3, 4].map(k => dot('role-query', ...turned(k))),
  ],
  grouped: [
    ...nine.map((x, h) => line('axis', x, 16, nine[3 * Math.floor(h / 3) + 1], 52)),
    ...nine.map(x => dot('role-query', x, 16)),
    ...[1, 4, 7].map(h => dot('role-key', nine[h] - 4, 54)),
    ...[1, 4, 7].map(h => dot('role-value', nine[h] + 5, 54)),
  ],
  swiglu: [
    ['path', { class: 'bold', d: 'M8 46 C30 50 40 48 52 18' }],
    letter(66, 40, '×'),
    line('bold', 80, 52, 112, 14),
    line('axis', 6, 44, 54, 44),
    line('axis', 80, 44, 114, 44),
  ],
  decoder: Array.from({ length: 5 }, (_, i) =>
    Array.from({ length: 5 }, (_, j) => [
      'rect',
      { class: j <= i ? 'seen' : 'closed', x: 28 + 13 * j, y: 4 + 13 * i, width: 11, height: 11, rx: 2 },
    ]),
  ).flat(),
};

// spec: { title, cards: [{ of, title, says }] }
export function new_since(host, spec) {
  const box = make(null, 'div', { class: 'new-since', role: 'group', 'aria-label': spec.title }, host);
  for (const { of, title, says } of spec.cards) {
    const card = make(null, 'div', { class: 'card' }, box),
      svg = make('svg', 'svg', { viewBox: '0 0 120 72', 'aria-hidden': 'true' }, card);
    for (const [tag, attributes] of DRAWINGS[of]) make('svg', tag, attributes, svg);
    make(null, 'h3', { text: title }, card);
    make(null, 'p', { text: says }, card);
  }
  return () => {};
}
