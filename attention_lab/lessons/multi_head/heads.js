// Several heads on one sentence: their patterns side by side, each with a switch; what each adds to the chosen
// word; and the two ways to join them. Which heads are on is one row of ones and zeros in the pose.
import { find } from '../../figure/browser/calculation.js';
import { direction } from '../../figure/browser/direction.js';
import { make, makeButton, place, write } from '../../figure/browser/elements.js';
import { formatNumber, filled, show } from '../../figure/browser/number_format.js';
import { drawPattern, smallPattern } from '../../figure/browser/pattern.js';
import { setPose } from '../../figure/browser/pose.js';
import { draw } from '../../figure/browser/registry.js';

// Three decimals at most: small cells, and next to nothing is not nothing.
const inHeadCell = x =>
  !Number.isFinite(x) || x === 0
    ? formatNumber(x)
    : Math.abs(x) < 1e-12
      ? '0'
      : Math.abs(x) < 0.005
        ? '≈ 0'
        : formatNumber(Number(x.toFixed(2)));

const isOn = (scope, of, k) => !of || (find(scope, of)?.[0]?.[k] ?? 1) > 0.5;

// Returns what switches a head on or off.
const switching = (of, k, stage) => () =>
  setPose(stage, { [of]: [stage.pose[of][0].map((on, h) => (h === k ? Number(on <= 0.5) : on))] });

function paintCell(cell, x, what, full, hidden = false) {
  show(cell, x, what, { hidden, form: inHeadCell });
  const part = hidden || !Number.isFinite(x) ? 0 : 75 * Math.min(1, Math.abs(x) / full);
  cell.style.setProperty('--part', `${part.toFixed(0)}%`);
  cell.classList.toggle('negative', x < 0);
  cell.classList.toggle('nil', !hidden && Math.abs(x) < 1e-12);
}

// A head's pattern without words and numbers: it tells the heads apart. The chosen word's row has a frame.
function miniature(host, map, stage) {
  const words = find(stage.scope, map.rows),
    [wide, high] = map.turned ? [1, words.length] : [words.length, 1],
    small = smallPattern(host),
    frame = make('svg', 'rect', { class: 'frame', width: wide, height: high }, small.svg);
  if (direction(words) === 'rtl') small.svg.classList.add('mirrored');
  return scope => {
    drawPattern(small, stage.resultsHidden ? words.map(() => []) : find(scope, map.of), map.turned);
    place(frame, { [map.turned ? 'x' : 'y']: Math.min(scope.word, words.length - 1) });
  };
}

// A head's name chooses it for the arcs; its pattern appears when all are asked for.
// spec: { of: the pose's row of ones and zeros, title, cards: [{ name, label, question, map: a heatmap }],
//         texts: { show, hide, lens } }
export function heads(host, spec, stage) {
  const box = make(null, 'div', { class: 'heads', role: 'group', 'aria-label': spec.title }, host);
  const cards = spec.cards.map((card, k) => {
    const figureOf = make(null, 'div', { class: 'head-card', 'data-head': card.name }, box);
    const line = make(null, 'div', { class: 'head-line' }, figureOf),
      title = filled(spec.texts.lens, { head: card.label }),
      spoken = { 'aria-label': title, 'aria-description': card.question },
      name = makeButton(line, { class: 'head-choice', title, ...spoken }, () => {
        stage.looked_at = k;
        stage.requestPaint();
      });
    const paintSmall = miniature(name, card.map, stage);
    const called = make(null, 'span', { class: 'head-title' }, name);
    make(null, 'span', { class: 'head-number', text: String(k + 1) }, called);
    make(null, 'span', { class: 'head-name', text: card.label }, called);
    make(null, 'span', { class: 'head-question', text: card.question }, name);
    const about = { role: 'switch', 'aria-label': card.label, 'data-switch': card.name, 'data-cell': `head ${k + 1}` },
      button = makeButton(line, { class: 'head-switch', ...about }, switching(spec.of, k, stage));
    make(null, 'span', { class: 'head-track', 'aria-hidden': 'true' }, button);
    const pattern = make(null, 'div', { class: 'head-pattern' }, figureOf);
    return { figureOf, name, button, paintSmall, paint: draw(pattern, card.map, stage) };
  });
  const more = makeButton(host, { class: 'plain small more-patterns' }, () => {
    showPatterns(!stage.openFolds.has(spec.title));
    stage.requestPaint();
  });
  const showPatterns = shown => {
    stage.openFolds[shown ? 'add' : 'delete'](spec.title);
    box.classList.toggle('with-patterns', shown);
    more.textContent = spec.texts[shown ? 'hide' : 'show'];
    more.setAttribute('aria-expanded', shown);
  };
  showPatterns(stage.openFolds.has(spec.title));
  return scope =>
    cards.forEach(({ figureOf, name, button, paintSmall, paint }, k) => {
      const on = isOn(scope, spec.of, k),
        isShown = k === stage.looked_at;
      figureOf.classList.toggle('looked-at', isShown);
      name.setAttribute('aria-pressed', isShown);
      figureOf.classList.toggle('off', !on);
      button.setAttribute('aria-checked', on);
      paintSmall(scope);
      paint(scope);
    });
}

// The chosen word's vector as it grows, feature by feature: x + Δx of each head = the new vector.
// spec: { title, axes, names, full: where colour is, of: the row of switches, if any,
//         columns: [{ of: a matrix, label, what, sign, role, result, head: its number if it can be switched, name }],
//         arcs: [[from, to, text]] over the columns, told: { off, missing, missing_one, whole } where `of` is given }
export function addends(host, spec, stage) {
  const isFlow = spec.arcs.length > 0,
    box = make(null, 'div', { class: isFlow ? 'addends flow' : 'addends' }, host);
  if (isFlow) make(null, 'p', { class: 'caption', text: spec.title }, box);
  const scroll = make(null, 'div', { class: 'scroll', tabindex: '-1' }, box);
  const above = isFlow ? make('svg', 'svg', { class: 'arcs', 'aria-hidden': 'true' }, scroll) : null,
    table = make(null, 'table', {}, scroll);
  if (above) table.setAttribute('aria-label', spec.title);
  else make(null, 'caption', { text: spec.title }, table);
  const top = make(null, 'tr', {}, make(null, 'thead', {}, table)),
    body = make(null, 'tbody', {}, table);
  make(null, 'td', {}, top);
  const columns = spec.columns.map(column => {
    const cell = make(null, 'th', { scope: 'col', class: column.role ?? '' }, top);
    if (column.sign) make(null, 'span', { class: 'sign', text: column.sign }, cell);
    if (column.head === undefined || column.head === null) {
      make(null, 'span', { text: column.label }, cell);
      return { ...column, cell };
    }
    const about = { class: 'head-number', text: column.label, title: column.name, 'aria-label': column.name };
    return { ...column, cell, button: makeButton(cell, about, switching(spec.of, column.head, stage)) };
  });
  const rows = spec.axes.map((axis, k) => {
    const row = make(null, 'tr', {}, body);
    make(null, 'th', { scope: 'row', text: axis }, row);
    return { axis, k, cells: columns.map(column => make(null, 'td', { class: column.role ?? '' }, row)) };
  });
  if (above)
    new ResizeObserver(() => {
      const { left, width } = table.getBoundingClientRect(),
        middle = c => {
          const r = columns[c].cell.getBoundingClientRect();
          return r.left - left + r.width / 2;
        };
      place(above, { width, height: 40 });
      above.replaceChildren(
        ...spec.arcs.flatMap(([a, b, text]) => {
          const x0 = middle(a),
            x1 = middle(b),
            bend = 9 * Math.sign(x1 - x0);
          return [
            make('svg', 'path', { d: `M${x0} 39 V27 q0 -9 ${bend} -9 H${x1 - bend} q${bend} 0 ${bend} 9 V33` }),
            make('svg', 'path', { class: 'point', d: `M${x1 - 4} 32 h8 l-4 7 Z` }),
            make('svg', 'text', { x: (x0 + x1) / 2, y: 12, text }),
          ];
        }),
      );
    }).observe(table);
  const note = spec.told ? make(null, 'p', { class: 'note', 'data-spoken': '' }, box) : null;
  return scope => {
    const word = scope.word,
      who = find(scope, spec.names)[word];
    columns.forEach(column => {
      const on = column.button ? isOn(scope, spec.of, column.head) : true;
      column.on = on;
      column.cell.classList.toggle('off', !on);
      if (column.button) column.cell.classList.toggle('looked-at', column.head === stage.looked_at);
      column.button?.setAttribute('aria-pressed', on);
    });
    for (const { axis, k, cells } of rows)
      cells.forEach((cell, c) => {
        const { of, what, result, on } = columns[c],
          hidden = Boolean(stage.resultsHidden && result);
        cell.classList.toggle('off', !on);
        paintCell(cell, find(scope, of)?.[word]?.[k], `${what} ${who} ${axis}`, spec.full, hidden);
      });
    if (!note) return;
    const count = columns.filter(column => column.button).length,
      on = columns.filter(column => column.button && column.on).length;
    const text = stage.resultsHidden
      ? ''
      : on === 0
        ? spec.told.off
        : on < count
          ? filled(spec.told[count - on === 1 ? 'missing_one' : 'missing'], { off: count - on, all: count, word: who })
          : spec.told.whole;
    write(note, text);
    note.classList.toggle('alone', on === 0);
  };
}

// Two ways to join: all contexts side by side times one large matrix, or slice by slice. The matrix is drawn as its
// rows, each beside the number that it is multiplied by; a band of rows is one head's slice.
// spec: { title, axes, names, full, of, labels: of each head, joined: the contexts side by side, W: the matrix,
//         first, second: what each way makes, apart, texts: { contexts, first, second, apart, all }, veiled }
export function join(host, spec, stage) {
  const box = make(null, 'div', { class: 'join' }, host),
    scroll = make(null, 'div', { class: 'scroll', tabindex: '-1' }, box);
  const table = make(null, 'table', {}, scroll);
  make(null, 'caption', { text: spec.title }, table);
  const head = make(null, 'thead', {}, table),
    names = make(null, 'tr', {}, head),
    matrix = find(stage.scope, spec.W),
    wide = matrix.length / spec.labels.length;
  make(null, 'td', {}, names);
  make(null, 'th', { scope: 'col', text: spec.texts.contexts }, names);
  spec.axes.forEach(axis =>
    make(null, 'span', { text: axis }, make(null, 'th', { scope: 'col', class: 'upright' }, names)),
  );
  const bands = spec.labels.map((label, h) => {
    const body = make(null, 'tbody', { class: 'band' }, table);
    const rows = [...Array(wide).keys()].map(r => {
      const row = make(null, 'tr', {}, body);
      if (!r) {
        const band = make(null, 'th', { scope: 'rowgroup', rowspan: wide }, row);
        make(null, 'span', { class: 'head-number', text: String(h + 1), title: label }, band);
      }
      const context = make(null, 'td', { class: 'context' }, row);
      const cells = spec.axes.map((_, k) => {
        const cell = make(null, 'td', { class: 'weight' }, row);
        paintCell(cell, matrix[h * wide + r][k], `W_O ${h + 1} ${r + 1} ${k + 1}`, 1.5);
        cell.removeAttribute('data-value');
        cell.removeAttribute('data-exact');
        return cell;
      });
      return { at: h * wide + r, r, context, cells };
    });
    return { body, rows, h, label };
  });
  const foot = make(null, 'tfoot', {}, table);
  const sums = ['first', 'second'].map(way => {
    const row = make(null, 'tr', { class: way }, foot);
    make(null, 'th', { scope: 'row', colspan: 2, text: spec.texts[way] }, row);
    return { way, cells: spec.axes.map(() => make(null, 'td', {}, row)) };
  });
  const verdict = make(null, 'p', { class: 'verdict', 'data-spoken': '' }, box);
  make(null, 'span', { text: `${spec.texts.apart} ` }, verdict);
  const apart = make(null, 'b', {}, verdict),
    all = make(null, 'span', { class: 'all' }, verdict);
  return scope => {
    const word = scope.word,
      who = find(scope, spec.names)[word],
      hidden = Boolean(stage.resultsHidden || spec.veiled),
      joined = find(scope, spec.joined)[word];
    for (const { body, rows, h } of bands) {
      body.classList.toggle('off', !isOn(scope, spec.of, h));
      for (const { at, r, context } of rows)
        paintCell(context, joined[at], `context ${h + 1} ${who} ${r + 1}`, spec.full, stage.resultsHidden);
    }
    for (const { way, cells } of sums)
      cells.forEach((cell, k) =>
        paintCell(cell, find(scope, spec[way])[word][k], `${way} ${who} ${spec.axes[k]}`, spec.full, hidden),
      );
    show(apart, scope[spec.apart], 'largest difference', { hidden });
    write(all, hidden ? '' : ` ${spec.texts.all}`);
  };
}

// Numbers as bars, of which the first `kept` are let through.
// spec: { of, title, kept, what }
export function through(host, spec, stage) {
  const box = make(null, 'figure', { class: 'through' }, host);
  make(null, 'figcaption', { text: spec.title }, box);
  const line = make(null, 'div', { class: 'bars' }, box),
    values = find(stage.scope, spec.of),
    most = Math.max(...values, 1e-300);
  const items = values.map((value, i) => {
    const column = make(null, 'span', { class: `bar-of${i < spec.kept ? ' kept' : ''}` }, line);
    make(null, 'span', { class: 'bar', style: `height:${((3.4 * value) / most).toFixed(3)}rem` }, column);
    return make(null, 'span', { class: 'number' }, column);
  });
  return () => items.forEach((number, i) => show(number, values[i], `${spec.what} ${i + 1}`, { form: inHeadCell }));
}
