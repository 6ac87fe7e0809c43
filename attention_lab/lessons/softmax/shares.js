// What becomes of shares: a ring, how undecided they are, the mixture that they make.
import { find } from '../../figure/browser/calculation.js';
import { classes, make, place, putClass, write } from '../../figure/browser/elements.js';
import { formatNumber, formatShare, show, spell } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { shortened } from '../../figure/browser/typed_text.js';

// Shares as parts of a ring. Words are written beside their parts where there is room.
// spec: { title, of, names, focus, other, inside: path of the number in the middle, what, unit }
export function ring(host, spec, stage) {
  const WIDE = 260,
    TALL = 176,
    OUT = 66,
    IN = 44,
    x0 = WIDE / 2,
    y0 = TALL / 2;
  const box = make(null, 'figure', { class: 'ring' }, host);
  const svg = make('svg', 'svg', { viewBox: `0 0 ${WIDE} ${TALL}`, role: 'img', 'aria-label': spec.title }, box);
  make('svg', 'circle', { class: 'track', cx: x0, cy: y0, r: (OUT + IN) / 2, 'stroke-width': OUT - IN }, svg);
  const names = find(stage.scope, spec.names);
  const partsOf = names.map((name, j) => {
    const part = make('svg', 'path', { class: 'piece' }, svg),
      label = make('svg', 'text', { class: 'label', text: shortened(name, 9) }, svg);
    part.addEventListener('click', () => setPose(stage, { [spec.other]: j }));
    return { part, label };
  });
  const number = make('svg', 'text', { class: 'inside', x: x0, y: y0 + 4 }, svg);
  make('svg', 'text', { class: 'unit', x: x0, y: y0 + 22, text: spec.unit }, svg);
  const on = (turn, r) => {
    const a = 2 * Math.PI * turn;
    return [x0 + r * Math.sin(a), y0 - r * Math.cos(a)];
  };
  const piece = (from, to) => {
    const whole = to - from > 0.9999,
      end = whole ? from + 0.9999 : to,
      large = end - from > 0.5 ? 1 : 0;
    const [a, b, c, d] = [on(from, OUT), on(end, OUT), on(end, IN), on(from, IN)].map(p =>
      p.map(v => v.toFixed(2)).join(' '),
    );
    return `M${a} A${OUT} ${OUT} 0 ${large} 1 ${b} L${c} A${IN} ${IN} 0 ${large} 0 ${d} Z`;
  };
  return scope => {
    const weights = find(scope, spec.of)[0],
      taken = [];
    let from = 0;
    partsOf.forEach(({ part, label }, j) => {
      const w = stage.resultsHidden ? 0 : weights[j],
        to = from + w,
        drawn = w > 1e-4;
      part.setAttribute('d', drawn ? piece(from, to) : '');
      putClass(part, classes('piece', j === scope[spec.other] && 'other', j === scope[spec.focus] && 'focus'));
      const [x, y] = on((from + to) / 2, OUT + 9),
        side = x < x0 - 12 ? 'end' : x > x0 + 12 ? 'start' : 'middle';
      const clear = drawn && w > 0.035 && !taken.some(([tx, ty]) => Math.abs(ty - y) < 14 && tx < x0 === x < x0);
      label.style.display = clear ? '' : 'none';
      if (clear) {
        taken.push([x, y]);
        place(label, { x: x.toFixed(1), y: (y + 5 + (side === 'middle' ? (y < y0 ? -3 : 5) : 0)).toFixed(1) });
        label.style.textAnchor = side;
        label.classList.toggle('focus', j === scope[spec.focus]);
      }
      from = to;
    });
    const what = spell(spec.what, p => find(scope, p));
    show(number, find(scope, spec.inside), what, { hidden: stage.resultsHidden });
  };
}

// A number between its bounds. spec: { label, of, low: { of, what, text }, high, counted, nothing: a sentence for the
// case that there is nothing to measure, told where `counted` leads to no finite number }
export function bounds(host, spec, stage) {
  const box = make(null, 'div', { class: 'bounds' }, host);
  const line = make(null, 'div', { class: 'line' }, box);
  make(null, 'span', { text: spec.label }, line);
  const track = make(null, 'div', { class: 'track', role: 'meter', 'aria-label': spec.label }, box),
    fill = make(null, 'div', { class: 'fill' }, track),
    mark = make(null, 'div', { class: 'mark' }, track);
  const ends = make(null, 'div', { class: 'ends' }, box);
  const numbers = [spec.low, spec.high].map(({ text }) => {
    const end = make(null, 'span', {}, ends);
    make(null, 'span', { class: 'meaning', text }, end);
    return make(null, 'b', {}, end);
  });
  const note = make(null, 'p', { class: 'nothing', 'data-spoken': '' }, box);
  return scope => {
    const value = find(scope, spec.of),
      [least, most] = [spec.low, spec.high].map(bound => find(scope, bound.of));
    const part =
      stage.resultsHidden || !(most > least) ? 0 : Math.max(0, Math.min(1, (value - least) / (most - least)));
    fill.style.width = mark.style.left = `${(100 * part).toFixed(2)}%`;
    mark.style.display = stage.resultsHidden ? 'none' : '';
    for (const [name, x] of [
      ['now', stage.resultsHidden ? least : value],
      ['min', least],
      ['max', Math.max(most, least)],
    ])
      track.setAttribute(`aria-value${name}`, formatNumber(x).replace('−', '-'));
    show(numbers[0], least, spec.low.what.join(''));
    show(numbers[1], most, spec.high.what.join(''));
    write(note, find(scope, spec.counted)[0].some(Number.isFinite) ? '' : spec.nothing);
  };
}

// What a mixture is made of: each word's share of its vector, added up column by column.
// spec: { title, head, names, focus, other, of, weights, context, axes, sum, by, suffixes (to the names of live
// numbers, by the choice `by`), moves: { one, many, none, nothing } }
export function mixture(host, spec, stage) {
  const box = make(null, 'div', { class: 'mixture' }, host);
  const told = make(null, 'p', { class: 'told' }, box);
  const scroll = make(null, 'div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': spec.title }, box);
  const table = make(null, 'table', {}, scroll),
    top = make(null, 'tr', {}, make(null, 'thead', {}, table));
  for (const text of [...spec.head, ...spec.axes]) make(null, 'th', { scope: 'col', text }, top);
  const body = make(null, 'tbody', {}, table),
    names = find(stage.scope, spec.names);
  const line = (name, kind) => {
    const row = make(null, 'tr', { class: kind }, body);
    make(null, 'th', { scope: 'row', text: name }, row);
    return { row, share: make(null, 'td', {}, row), cells: spec.axes.map(() => make(null, 'td', {}, row)) };
  };
  const lines = names.map(name => line(name, '')),
    sum = line(spec.sum, 'sum');
  lines.forEach(({ cells }, j) =>
    cells.forEach((cell, k) =>
      cell.addEventListener('pointerenter', () => {
        const factors = [find(stage.scope, spec.weights)[0][j], find(stage.scope, spec.of)[j][k]];
        cell.title = stage.resultsHidden ? '' : factors.map(formatNumber).join(' × '); // how it was made
      }),
    ),
  );
  const spelled = Object.fromEntries(Object.entries(spec.moves).map(([name, text]) => [name, text.split(/\{(\w+)\}/)]));
  let written = null,
    part = null,
    target = null;

  const tell = (word, weights) => {
    const others = weights.map((_, j) => j).filter(j => j !== word && weights[j] > 0);
    const which = weights.some(w => w > 0) ? (['none', 'one'][others.length] ?? 'many') : 'nothing',
      signature = `${which} ${names[word]}`;
    if (written !== signature) {
      told.replaceChildren();
      part = target = null;
      spelled[which].forEach((text, k) => {
        if (!(k % 2)) {
          told.append(text);
          return;
        }
        const element = make(null, text === 'word' || text === 'target' ? 'em' : 'b', {}, told);
        if (text === 'word') element.textContent = names[word];
        else if (text === 'part') part = element;
        else target = element;
      });
      written = signature;
    }
    if (part) show(part, 1 - weights[word], `way ${names[word]}`, { hidden: stage.resultsHidden, form: formatShare });
    if (target) write(target, names[others[0]]);
  };
  return scope => {
    const word = scope[spec.focus],
      weights = find(scope, spec.weights)[0],
      x = find(scope, spec.of),
      context = find(scope, spec.context)[0];
    lines.forEach(({ row, share: cell, cells }, j) => {
      row.classList.toggle('none', !(weights[j] > 0));
      row.classList.toggle('chosen', j === scope[spec.other]);
      show(cell, weights[j], `part ${names[j]}`, { hidden: stage.resultsHidden, form: formatShare });
      cells.forEach((cell, k) =>
        show(cell, weights[j] * x[j][k], `part ${names[j]} ${spec.axes[k]}`, { hidden: stage.resultsHidden }),
      );
    });
    const whole = weights.reduce((all, w) => all + w, 0);
    show(sum.share, whole, 'part of all', { hidden: stage.resultsHidden, form: formatShare });
    sum.cells.forEach((cell, k) =>
      show(cell, context[k], `context ${names[word]} ${spec.axes[k]}${spec.suffixes[scope[spec.by]]}`, {
        hidden: stage.resultsHidden,
      }),
    );
    tell(word, weights);
  };
}
