// One word in several senses: from the one vector that it has in the table it goes a way of its own in every text.
import { find } from './calculation.js';
import { make, place, putText } from './elements.js';
import { formatNumber, localized, show } from './number_format.js';
import { marks } from './plane.js';

const DOT = 7; // px from a dot's middle to its edge

// spec: { states: the path of (layers + 1, texts, d), at: of (texts, d), sense: the pose's name, axes: of (d, 2) of
//         each word (none where the states are places on the plane already),
//         hints: [[of each text its label] of each word], groups: [[…]] }
marks.senses = (group, spec, stage, plane) => {
  const most = Math.max(...find(stage.scope, spec.hints).map(each => each.length));
  const ways = Array.from({ length: most }, () => ({
    way: make('svg', 'path', { class: 'sense-way' }, group),
    knots: find(stage.scope, spec.states)
      .slice(1)
      .map(() => make('svg', 'circle', { class: 'sense-knot', r: 2.5 }, group)),
    dot: make('svg', 'circle', { class: 'sense-dot', r: 7 }, group),
    label: make('svg', 'text', { class: 'label' }, plane.labels),
  }));
  return scope => {
    const which = scope[spec.sense],
      axes = spec.axes && find(scope, spec.axes)[which],
      states = find(scope, spec.states),
      at = find(scope, spec.at),
      hints = find(scope, spec.hints)[which],
      groups = find(scope, spec.groups)[which];
    const start = states[0],
      spot = (vector, text) =>
        axes ? [0, 1].map(k => vector.reduce((sum, x, d) => sum + (x - start[text][d]) * axes[d][k], 0)) : vector,
      drawn = ([x, y]) => [plane.at.x(x), plane.at.y(y)];
    const seen = new Set();
    ways.forEach(({ way, knots, dot, label }, text) => {
      const there = text < hints.length && !stage.resultsHidden;
      for (const element of [way, dot, label, ...knots]) element.style.display = there ? '' : 'none';
      if (!there) return;
      const tint = `tint-${groups[text]}`,
        points = states.map(state => drawn(spot(state[text], text))),
        [x, y] = drawn(spot(at[text], text));
      way.setAttribute('class', `sense-way ${tint}`);
      way.setAttribute('d', points.map(([a, b], i) => `${i ? 'L' : 'M'}${a.toFixed(1)} ${b.toFixed(1)}`).join(' '));
      knots.forEach((knot, i) => {
        const [cx, cy] = points[i + 1].map(v => v.toFixed(1));
        place(knot, { class: `sense-knot ${tint}`, cx, cy });
      });
      place(dot, { class: `sense-dot ${tint}`, cx: x.toFixed(1), cy: y.toFixed(1) });
      plane.names.keepFree([x - DOT, y - DOT, x + DOT, y + DOT], 1.2);
      putText(label, hints[text]);
      if (seen.has(hints[text])) {
        label.style.display = 'none';
        return;
      }
      seen.add(hints[text]);
      plane.name(label, x, y, 0, 0, `label sense-name ${tint}`, { rank: 5, yields: true });
    });
  };
};

const KINDS = ['same', 'unlike'];
// How alike its vectors are, in the same sense and in different ones.
// spec: { title, sense, rows: [{ name, same, unlike }] (paths), names: [[of the senses] of each word],
//         texts: { layer, same, unlike } }
export function cosines(host, spec, stage) {
  const box = make(null, 'div', { class: 'cosines' }, host),
    legend = make(null, 'p', { class: 'legend' }, box),
    table = make(null, 'table', { 'aria-label': spec.title }, box),
    head = make(null, 'tr', {}, make(null, 'thead', {}, table));
  for (const name of ['layer', ...KINDS]) make(null, 'th', { text: spec.texts[name] }, head);
  const body = make(null, 'tbody', {}, table);
  const rows = spec.rows.map(({ name }) => {
    const row = make(null, 'tr', {}, body);
    make(null, 'th', { text: name, scope: 'row' }, row);
    return KINDS.map(() => make(null, 'td', {}, row));
  });
  let told = -1;
  return scope => {
    const which = scope[spec.sense];
    if (told !== which) {
      told = which;
      legend.replaceChildren();
      spec.names[which].forEach((name, k) => {
        make(null, 'span', { class: `legend-dot tint-${k}`, 'aria-hidden': 'true' }, legend);
        make(null, 'span', { text: `${name} ` }, legend);
      });
    }
    const how = { hidden: stage.resultsHidden, form: rounded };
    rows.forEach((cells, layer) =>
      KINDS.forEach((kind, k) => show(cells[k], find(scope, spec.rows[layer][kind]), `cosine ${kind} ${layer}`, how)),
    );
  };
}
const rounded = x => (Number.isFinite(x) ? localized(x.toFixed(2)) : formatNumber(x));
