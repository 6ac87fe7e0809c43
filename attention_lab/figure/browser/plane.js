// A plane with fixed axes. What lies on it is a list of marks, drawn in their order; each mark reads the
// scope by paths, so one vocabulary serves embeddings, queries and keys, values and positions.
import { find } from './calculation.js';
import { cloud } from './cloud.js';
import { apart } from './direction.js';
import { badge, classes, followPointing, followWidth, make, place, putClass, unitFor } from './elements.js';
import { betweenNumbers, filled, forms, spell, steady } from './number_format.js';
import { hasMoved } from './first_move.js';
import { describe, makeDraggable } from './drag.js';
import { pulled } from './magnets.js';
import { inside, labelPlacer } from './label_placement.js';
import { glide, prefersReducedMotion } from './smoothing.js';
import { applyTint } from './tint.js';
import { showTooltip } from './tooltip.js';
import { isFixed, needsApp } from './without_python.js';

const HIT = 22,
  LEAST_HIT = 12, // 24 px across: the least that a finger finds
  RING = HIT + 3,
  TIP = 7,
  MARGIN = 26,
  GROWING = 600,
  LEAST_NAMED = 40,
  ON_AXIS = 4, // how much a name is rather not written across an axis
  SMALL = { margin: 6, wing: 7, reach: 11, type: 0.84 },
  LARGE = { margin: MARGIN, wing: 10, reach: 15, type: 1 };

function scales(spec, size) {
  const [[left, right], [low, high]] = spec.ranges;
  const { margin: atMost } = spec.small ? SMALL : LARGE,
    unit = unitFor(0.75), // numbers and names at the edge are as large as the page's type
    margin = atMost * unit;
  const across = (size - 2 * margin) / (right - left),
    up = (size - 2 * margin) / (high - low);
  const [first, second] = spec.columns;
  const room = [(0.5 * margin) / across, (0.5 * margin) / up]; // beyond the last line of the grid, before the edge
  return {
    size,
    unit,
    x: v => margin + (v - left) * across,
    y: v => size - margin - (v - low) * up,
    back: (px, py) => [left + (px - margin) / across, low + (size - margin - py) / up],
    pick: vector => [vector?.[first] ?? NaN, vector?.[second] ?? NaN],
    // The part of an arrow that is on the plane, its direction kept; `on` says that it goes on beyond the edge.
    // Null where none of it is there.
    shown: (from, to) => {
      const part = inside(from, to, [left - room[0], low - room[1], right + room[0], high + room[1]]);
      if (!part) return null;
      const at = share => from.map((v, k) => (share === 1 ? to[k] : v + share * (to[k] - v)));
      return { from: at(part[0]), to: at(part[1]), on: part[1] < 1 };
    },
  };
}

const dots = (points, at) => points.map(p => `${at.x(p[0]).toFixed(2)},${at.y(p[1]).toFixed(2)}`).join(' ');

// A vector that a matrix maps: moving it changes the matrix, by the least change that maps its input to the new place.
function mapped(stage, { matrix, inputs }, row) {
  const input = () => find(stage.scope, inputs)[row],
    read = () => {
      const x = input(),
        rows = stage.pose[matrix];
      return rows[0].map((_, k) => rows.reduce((sum, weights, i) => sum + x[i] * weights[k], 0));
    };
  const put = values => {
    const x = input(),
      square = x.reduce((sum, entry) => sum + entry * entry, 0),
      before = read();
    if (!square) return; // zero stays zero, whatever the matrix
    stage.pose[matrix].forEach((weights, i) => {
      for (const k of weights.keys())
        weights[k] = Number((weights[k] + (x[i] * (values[k] - before[k])) / square).toFixed(9));
    });
  };
  return { read, put };
}

// The handle of one row's arrow: a hand writes the row into the pose; a magnet may hold it at the vectors `besideRow`.
function vectorHandle(spec, stage, plane, row, name, besideRow) {
  const held = spec.pushed ?? spec.of,
    from = () => (spec.base ? plane.at.pick(find(stage.scope, spec.base)[row]) : [0, 0]),
    done = spec.moved ? deeds(stage, spec.moved, row) : spec.matrix ? mapped(stage, spec, row) : null;
  return {
    name: spec.handle ? `${spec.handle} ${name}` : name,
    axes: plane.axes,
    ranges: plane.ranges,
    step: 0.1,
    read: () => (done ? done.read() : plane.at.pick(stage.pose[held][row])).map((v, k) => v + from()[k]),
    drawn: values => plane.at.shown([0, 0], values)?.to ?? values,
    at: event => plane.under(event),
    ground: plane.svg,
    move: values => {
      if (done) {
        done.put(values.map((v, k) => Number((v - from()[k]).toFixed(9))));
        return;
      }
      for (const of of [held, ...(spec.also ?? [])])
        plane.columns.forEach((column, k) => {
          stage.pose[of][row][column] = spec.base ? Number((values[k] - from()[k]).toFixed(9)) : values[k];
        });
    },
    pull: values => pulled(values, spec.base || spec.handle ? [] : besideRow(row), plane.at.x(1) - plane.at.x(0)),
    start: () => {
      const places = spec.through ? find(stage.scope, spec.through) : null;
      const here = places ? places.indexOf(row) : row; // of a word that comes again, its first place
      if (here < 0) return; // a word that is not in the sentence
      if (spec.takes) stage.pose[spec.focus] = here;
      else if (spec.other && row !== (places?.[stage.pose[spec.focus]] ?? stage.pose[spec.focus]))
        stage.pose[spec.other] = here;
    },
  };
}

// Rows of a matrix as arrows from the origin. With `handles` they are the hand's: `of` names a pose variable.
// Where they are a table of words, `among` leads to the rows that a sentence uses (the others stand back) and
// `through` from a place in it to a row; words nearer to zero than `little` are named only when asked for, and
// several together by `little_name`.
// The rows of a weight matrix, where it sends the axes, are held as `handle` (W_query …) and drawn as a `form`
// of their own; where one lies on that of the matrix `beside`, its hold shrinks, so that both can be taken.
// `only` names a pose variable: then that row alone is drawn. `aside`: all but the chosen row stand back.
// Rows are named only where they lie apart from those of the matrix `unlike`.
// Where they are computed, `pushed` names the pose variable that a hand adds to the rows of `base`; `takes`: a row that
// is taken hold of becomes the chosen one. `moved` keeps what a hand does by its steps (see `deeds`). `sparse`: a name
// that would lie across others is left away.
function vectors(group, spec, stage, plane) {
  const handles = spec.handles && !isFixed(spec.moved?.by),
    among = spec.among ? new Set(find(stage.scope, spec.among)) : null;
  const order = (find(stage.scope, spec.of) ?? [])
    .map((_, row) => row)
    .sort((a, b) => (among ? among.has(b) - among.has(a) : 0));
  // The vectors that a row can be compared with: the chosen pair's other one; where nothing is chosen, the other rows.
  const besideRow = row => {
    const matrix = stage.pose[spec.of],
      places = spec.through ? find(stage.scope, spec.through) : null,
      chosen = [spec.focus, spec.other].filter(Boolean).map(of => places?.[stage.pose[of]] ?? stage.pose[of]);
    if (matrix[0].length !== 2) return []; // an angle on the picture would be none in truth
    return matrix
      .map((vector, other) => ({ vector, other, name: spec.names ? find(stage.scope, spec.names)[other] : '' }))
      .filter(({ other }) => other !== row && (spec.focus ? chosen.includes(other) : true));
  };
  const rows = order.map(row => {
    const name = spec.names ? find(stage.scope, spec.names)[row] : spec.label;
    const as = { query: 'asks', key: 'answers' }[spec.role ?? spec.form],
      linked = name === undefined ? {} : { 'data-about': name, 'data-as': as };
    const box = make('svg', 'g', { class: `vector ${spec.role ?? 'word'}`, ...linked }, group);
    const line = make('svg', 'line', { class: 'shaft' }, box);
    const head = make('svg', 'path', { class: 'head' }, box);
    const item = { row, name, box, line, head, on: edgeArrow(box, plane.beyond) },
      called = spec.called ? filled(spec.called, { word: name }) : name;
    if (handles || spec.places) item.tip = make('svg', 'circle', { class: 'tip', r: TIP }, box);
    if (handles) {
      item.hit = make('svg', 'circle', { class: 'hit', r: HIT }, box);
      item.handle = vectorHandle(spec, stage, plane, row, name, besideRow);
      makeDraggable(item.hit, stage, item.handle);
      followPointing(item.hit, on => {
        item.asked = on;
        if (spec.little || spec.outside) stage.requestPaint();
      });
    }
    item.label = make(
      'svg',
      'text',
      { class: 'label', text: spec.prefix ? `${spec.prefix} ${name}` : called, ...linked },
      plane.labels,
    );
    return item;
  });
  const together = spec.little_name
    ? make('svg', 'text', { class: 'label', text: spec.little_name }, plane.labels)
    : null;
  // Nothing lies on the vector under a hand. Those around it are moved, as it would lose the hand, and back at the end.
  let raised = null;
  const layOver = held => {
    if (raised?.hit === held) return;
    if (raised) group.append(...rows.slice(rows.indexOf(raised) + 1).map(({ box }) => box));
    raised = rows.find(({ hit }) => held && hit === held) ?? null;
    if (raised) raised.box.before(...rows.filter(item => item !== raised).map(({ box }) => box));
  };
  return scope => {
    const matrix = find(scope, spec.of) ?? [],
      atPlace = place => (spec.through ? find(scope, spec.through)[place] : place),
      chosen = atPlace(scope[spec.focus]),
      second = atPlace(scope[spec.other]);
    const unnamed = [];
    layOver(stage.held);
    for (const item of rows) {
      const absent = spec.only && item.row !== scope[spec.only];
      item.box.style.display = absent ? 'none' : '';
      if (absent) {
        item.label.style.display = 'none';
        if (item.handle) describe(item.hit, item.handle);
        continue;
      }
      const point = plane.at.pick(matrix[item.row]),
        part = plane.at.shown([0, 0], point) ?? { to: point };
      const x = plane.at.x(part.to[0]),
        y = plane.at.y(part.to[1]),
        x0 = plane.at.x(0),
        y0 = plane.at.y(0);
      const length = Math.hypot(x - x0, y - y0),
        back = Math.max(0, 1 - (handles ? TIP : spec.form === 'wide' ? 12 : 0) / (length || 1));
      const focus = spec.focus && item.row === chosen,
        small = !focus && Math.hypot(...point) < (spec.little ?? 0);
      const state = classes(
        focus ? 'focus' : spec.other && item.row === second && 'other',
        ((among && !among.has(item.row)) || (spec.aside && !focus)) && 'quiet',
        small && 'little',
      );
      const outside = part.on && 'outside';
      const kind = classes(`vector ${spec.role ?? 'word'}`, state, spec.places && 'place', spec.form, outside);
      putClass(item.box, kind);
      if (spec.tinted) for (const each of [item.box, item.label]) applyTint(each, point);
      if (spec.takes && focus && group.lastChild !== item.box && !stage.held && !item.hit.matches(':focus'))
        group.appendChild(item.box); // nothing lies on the chosen one
      place(item.line, { x1: x0, y1: y0, x2: x0 + (x - x0) * back, y2: y0 + (y - y0) * back });
      item.head.setAttribute(
        'd',
        item.tip || length < 6 ? '' : arrowhead(x0, y0, x, y, (spec.form === 'wide' ? 1.7 : 1) * plane.form.wing),
      );
      item.on(part.on, [x0, y0], [x, y], item.label.textContent, point);
      if (item.hit && stage.held === item.hit) plane.showPosition(x, y, point);
      if (item.tip) place(item.tip, { cx: x, cy: y });
      const round = item.tip ? (small ? 4 : TIP + (focus ? 4 : 1)) : 4;
      if (length > 1 || item.tip)
        plane.names.keepFree([x - round, y - round, x + round, y + round], item.tip ? 1.6 : 0.5);
      if (item.handle?.name === stage.data.first && !hasMoved(stage))
        plane.names.keepFree([x - RING, y - RING, x + RING, y + RING]); // no name across the ring of the first move
      if (!spec.places || focus) plane.names.line([x0, y0], [x, y], spec.places ? 1 : 3);
      if (item.hit) {
        const beside = spec.beside ? plane.at.pick(find(scope, spec.beside)[item.row]) : [NaN, NaN],
          near = plane.at.shown([0, 0], beside)?.to ?? beside;
        const shared = Math.hypot(plane.at.x(near[0]) - x, plane.at.y(near[1]) - y) < 1.4 * HIT;
        place(item.hit, { cx: x, cy: y, r: small || shared ? LEAST_HIT : state.includes('quiet') ? 0.65 * HIT : HIT });
        describe(item.hit, item.handle);
      }
      if (item.hit && spec.outside && among && !among.has(item.row) && (item.asked || stage.held === item.hit))
        showTooltip(stage, item.hit, filled(spec.outside, { word: item.name }), true);
      const same = spec.unlike ? plane.at.pick(find(scope, spec.unlike)[item.row]) : null;
      const named =
        (!small || item.asked || stage.held === item.hit) &&
        !(
          same &&
          Math.hypot(plane.at.x(same[0]) - plane.at.x(point[0]), plane.at.y(same[1]) - plane.at.y(point[1])) < HIT
        );
      item.label.style.display = named ? '' : 'none';
      if (!named) {
        if (small) unnamed.push([x, y]);
        continue;
      }
      const look = classes(
          'label',
          spec.role ?? 'word',
          state,
          spec.form && `of-${spec.form}`,
          spec.tinted && 'tinted',
        ),
        held = item.asked || stage.held === item.hit;
      plane.name(item.label, x, y, x - x0, y - y0, look, {
        rank: held || focus ? 0 : state.includes('other') ? 1 : state.includes('quiet') ? 4 : 2,
        yields: !focus && !held && !state.includes('other') && !spec.handle,
        tall: spec.called ? 2.2 : 1,
      });
    }
    if (!together) return;
    together.style.display = unnamed.length > 1 ? '' : 'none';
    if (unnamed.length > 1)
      plane.name(
        together,
        Math.min(...unnamed.map(p => p[0])),
        unnamed.reduce((sum, p) => sum + p[1], 0) / unnamed.length,
        -1,
        0,
        'label aside ghost',
        { rank: 5, yields: true },
      );
  };
}

// What a hand has done to one row, step by step: the pose's rows [step, row, right, up] of the variable `by`. To do
// something at a step undoes what was done at later ones.
function deeds(stage, { by, at }, row) {
  const now = () => find(stage.scope, at),
    mine = ([step, of]) => of === row && step === now();
  return {
    read: () => stage.pose[by].find(mine)?.slice(2) ?? [0, 0],
    put: ([right, up]) => {
      const kept = stage.pose[by].filter(deed => deed[0] <= now() && !mine(deed));
      stage.pose[by] = right || up ? [...kept, [now(), row, right, up]] : kept;
    },
  };
}

function arrowhead(x0, y0, x, y, wing = 10) {
  const angle = Math.atan2(y - y0, x - x0),
    open = 0.42;
  const at = turn =>
    `${(x - wing * Math.cos(angle + turn)).toFixed(2)} ${(y - wing * Math.sin(angle + turn)).toFixed(2)}`;
  return `M${at(open)} L${x.toFixed(2)} ${y.toFixed(2)} L${at(-open)} Z`;
}

// An arrow that goes on beyond the edge is shortened there, and bears a mark: two barbs before its end, and in words
// how far it goes.
function edgeArrow(box, words, kind = '') {
  const mark = make('svg', 'path', { class: `beyond ${kind}`, role: 'img' }, box),
    said = make('svg', 'title', {}, mark);
  mark.style.display = 'none';
  return (on, [x0, y0], [x, y], name, values) => {
    mark.style.display = on ? '' : 'none';
    if (!on) return;
    const angle = Math.atan2(y - y0, x - x0),
      [right, down] = [Math.cos(angle), Math.sin(angle)],
      at = (far, aside) =>
        [x - far * right - aside * down, y - far * down + aside * right].map(v => v.toFixed(1)).join(' ');
    mark.setAttribute('d', [15, 22].map(far => `M${at(far + 5, 5)} L${at(far, 0)} L${at(far + 5, -5)}`).join(' '));
    const text = filled(words, { name, values: values.map(steady).join(betweenNumbers()) });
    if (said.textContent === text) return;
    said.textContent = text;
    mark.setAttribute('aria-label', text);
  };
}

// An arrow from one vector to another: static → contextual, x → x + Δx. `from` and `to` lead to vectors or matrices.
// It is drawn where `when` leads to something true; a `result` waits for the reader's guess. It grows as it appears.
// One that is `apart` ends short of its vector, and no name is written across it.
function displacement(group, spec, stage, plane) {
  const items = [],
    kind = `displaced ${spec.role ?? 'context'} ${spec.tone ?? ''}`;
  const grow = count => {
    while (items.length < count)
      items.push({
        line: make('svg', 'line', { class: `shaft ${kind}` }, group),
        head: make('svg', 'path', { class: `head ${kind}` }, group),
        on: edgeArrow(group, plane.beyond, kind),
        label: spec.label ? make('svg', 'text', { class: 'label', text: spec.label }, plane.labels) : null,
      });
  };
  let since = prefersReducedMotion() ? -Infinity : NaN;
  return scope => {
    const shown = (spec.when ? find(scope, spec.when) : true) && !(spec.result && stage.resultsHidden);
    if (since !== -Infinity) since = !shown ? NaN : Number.isNaN(since) ? performance.now() : since;
    const grown = shown ? Math.min(1, (performance.now() - since) / GROWING) : 1,
      eased = 1 - (1 - grown) ** 3;
    if (grown < 1) stage.requestPaint();
    const matrix = value => (Array.isArray(value?.[0]) ? value : [value]);
    const from = spec.from ? matrix(find(scope, spec.from)) : null,
      to = matrix(find(scope, spec.to));
    grow(to.length);
    items.forEach((item, i) => {
      const end = plane.at.pick(to[i] ?? []),
        part = plane.at.shown(from ? plane.at.pick(from[i]) : [0, 0], end) ?? { from: [NaN, NaN], to: [NaN, NaN] };
      const [x0, y0] = [plane.at.x(part.from[0]), plane.at.y(part.from[1])],
        tip = [plane.at.x(part.to[0]), plane.at.y(part.to[1])];
      const short = spec.apart ? Math.max(0, 1 - (1.3 * TIP) / Math.hypot(tip[0] - x0, tip[1] - y0)) : 1;
      const x = x0 + eased * short * (tip[0] - x0),
        y = y0 + eased * short * (tip[1] - y0);
      const drawn = shown && i < to.length && Number.isFinite(x + y) && Math.hypot(x - x0, y - y0) > 3;
      item.line.style.display = item.head.style.display = drawn ? '' : 'none';
      item.on(drawn && part.on && grown === 1, [x0, y0], tip, spec.label ?? '', end);
      if (item.label) item.label.style.display = drawn ? '' : 'none';
      if (!drawn) return;
      const along = [tip[0] - x0, tip[1] - y0],
        kind = classes('label aside', spec.tone);
      plane.names.line([x0, y0], tip, spec.apart ? 4 : 3);
      if (item.label && spec.halfway)
        plane.name(item.label, x0 + along[0] / 2, y0 + along[1] / 2, -along[1], along[0], kind, { rank: 3, gap: 8 });
      else if (item.label) plane.name(item.label, ...tip, ...along, kind, { rank: 3, yields: Boolean(spec.tone) });
      place(item.line, { x1: x0, y1: y0, x2: x, y2: y });
      item.head.setAttribute('d', arrowhead(x0, y0, x, y));
    });
  };
}

// Where both axes count the same: on either side of it one of them leads.
function diagonal(group, _spec, _stage, plane) {
  const line = make('svg', 'line', { class: 'diagonal' }, group),
    [low, high] = plane.ranges[0];
  return () => place(line, { x1: plane.at.x(low), y1: plane.at.y(low), x2: plane.at.x(high), y2: plane.at.y(high) });
}

// How hard each word pulls: lines from one vector to others, as wide as their weights.
function pulls(group, spec, stage, plane) {
  const lines = (find(stage.scope, spec.to) ?? []).map(() => make('svg', 'line', { class: 'pull' }, group));
  return scope => {
    const from = plane.at.pick(find(scope, spec.from)),
      ends = find(scope, spec.to),
      weights = find(scope, spec.weights);
    lines.forEach((line, i) => {
      const part = plane.at.shown(from, plane.at.pick(ends[i])),
        drawn = part && !stage.resultsHidden && weights[i] > 0.004;
      line.style.display = drawn ? '' : 'none';
      if (!drawn) return;
      const [a, b] = [part.from, part.to];
      const endsDrawn = [a, b].map(([x, y]) => [plane.at.x(x), plane.at.y(y)]),
        [[x1, y1], [x2, y2]] = endsDrawn;
      plane.names.line(...endsDrawn, 2);
      place(line, { x1, y1, x2, y2 });
      line.style.strokeWidth = `${(18 * weights[i]).toFixed(2)}px`;
    });
  };
}

// Where a matrix sends the squares of the plane: each line of its grid, and its first square filled.
function grid(group, spec, stage, plane) {
  if (spec.quiet) group.classList.add('quiet-grid', spec.role);
  const square = make('svg', 'polygon', { class: `square ${spec.role ?? ''}` }, group),
    lines = make('svg', 'path', { class: `sent ${spec.role ?? ''}` }, group);
  const { reach } = spec,
    steps = [...Array(2 * reach + 1).keys()].map(k => k - reach);
  return scope => {
    const [first, second] = find(scope, spec.of).map(plane.at.pick);
    const send = (a, b) =>
      [plane.at.x(a * first[0] + b * second[0]).toFixed(1), plane.at.y(a * first[1] + b * second[1]).toFixed(1)].join(
        ' ',
      );
    lines.setAttribute(
      'd',
      steps.map(k => `M${send(k, -reach)} L${send(k, reach)} M${send(-reach, k)} L${send(reach, k)}`).join(' '),
    );
    square.setAttribute('points', [send(0, 0), send(1, 0), send(1, 1), send(0, 1)].join(' '));
    group.classList.toggle('held', Boolean(spec.handle && stage.held?.dataset?.handle?.startsWith(`${spec.handle} `)));
  };
}

// How a sum is made: its terms, rows of `of` times `weights`, laid one after the other from the origin. They are one
// path, or where they are `tinted` a line each, in the colour of what its row points to.
function chain(group, spec, stage, plane) {
  const terms = scope => {
    const weights = find(scope, spec.weights) ?? [];
    let to = [0, 0];
    return (find(scope, spec.of) ?? []).map(plane.at.pick).map((vector, i) => {
      const from = to;
      if (weights[i] && Math.hypot(...vector)) to = from.map((v, k) => v + weights[i] * vector[k]);
      return { vector, ends: [from, to].map(([a, b]) => [plane.at.x(a), plane.at.y(b)]), drawn: to !== from };
    });
  };
  if (!spec.tinted) {
    const path = make('svg', 'path', { class: `chain ${spec.role ?? ''}` }, group),
      point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
    return scope => {
      const [first, ...others] = terms(scope).filter(({ drawn }) => drawn),
        rest = others.map(({ ends }) => ` L${point(ends[1])}`).join('');
      path.setAttribute('d', rest && `M${first.ends.map(point).join(' L')}${rest}`);
    };
  }
  const lines = find(stage.scope, spec.of).map(() => make('svg', 'line', { class: 'chain tinted' }, group));
  return scope =>
    terms(scope).forEach(({ vector, ends }, i) => {
      const [[x1, y1], [x2, y2]] = ends;
      place(lines[i], { x1, y1, x2, y2 });
      applyTint(lines[i], vector);
      lines[i].style.display = stage.resultsHidden ? 'none' : '';
      if (!stage.resultsHidden) plane.names.line(...ends, 2);
    });
}

// A weighted sum in the making: each row of `of` shortened to its weight, laid at the tip of the one before; or, where
// the pose's `apart` says so, all from one point, with the sides of their parallelograms. `fromStart` leads to whether
// it begins at `start` instead of the origin. From one form to the other the arrows glide.
function addition(group, spec, stage, plane) {
  const sides = make('svg', 'path', { class: 'sides' }, group),
    most = 4,
    least = 34;
  const items = find(stage.scope, spec.names).map(name => {
    const box = make('svg', 'g', { class: 'addend', 'data-about': name }, group);
    return {
      name,
      box,
      line: make('svg', 'line', { class: 'shaft' }, box),
      head: make('svg', 'path', { class: 'head' }, box),
      on: edgeArrow(box, plane.beyond),
      label: make('svg', 'text', { class: 'label' }, plane.labels),
    };
  });
  const tailNow = {},
    startNow = {};
  return scope => {
    const weights = find(scope, spec.weights) ?? [],
      values = (find(scope, spec.of) ?? []).map(plane.at.pick),
      start = plane.at.pick(find(scope, spec.start));
    const tail = glide(stage, tailNow, scope[spec.apart] ? 0 : 1),
      fromStart = glide(stage, startNow, find(scope, spec.from_start) ? 1 : 0);
    const moved = ([a, b]) => [fromStart * start[0] + a, fromStart * start[1] + b],
      at = point => (([a, b]) => [plane.at.x(a), plane.at.y(b)])(moved(point)),
      sidesOf = [];
    let sum = [0, 0];
    const drawn = items.map((item, i) => {
      const part = values[i].map(v => weights[i] * v),
        from = sum.map(v => tail * v),
        before = sum;
      sum = [sum[0] + part[0], sum[1] + part[1]];
      const end = moved([from[0] + part[0], from[1] + part[1]]),
        seen = plane.at.shown(moved(from), end),
        [x0, y0] = seen ? [plane.at.x(seen.from[0]), plane.at.y(seen.from[1])] : [NaN, NaN],
        [x1, y1] = seen ? [plane.at.x(seen.to[0]), plane.at.y(seen.to[1])] : [NaN, NaN],
        length = Math.hypot(x1 - x0, y1 - y0),
        shown = !stage.resultsHidden && length > 1.5;
      if (i && !stage.resultsHidden && Math.hypot(...before) && Math.hypot(...part))
        sidesOf.push([before, sum], [part, sum]);
      return { item, i, x0, y0, x1, y1, length, shown, on: seen?.on, end };
    });
    const named = new Set(
      drawn
        .filter(d => d.shown && d.length > least)
        .sort((a, b) => b.length - a.length)
        .slice(0, most),
    );
    for (const d of drawn) {
      const { item, i, x0, y0, x1, y1, length } = d,
        wing = Math.min(14, 0.6 * length),
        back = length > 4 ? 1 - (0.7 * wing) / length : 1;
      const kind = `addend${i === scope[spec.other] ? ' other' : ''}${i === scope[spec.focus] ? ' focus' : ''}`;
      putClass(item.box, kind);
      item.box.style.display = d.shown ? '' : 'none';
      item.label.style.display = named.has(d) ? '' : 'none';
      item.on(d.shown && d.on, [x0, y0], [x1, y1], item.name, d.end);
      if (!d.shown) continue;
      plane.names.line([x0, y0], [x1, y1]);
      place(item.line, { x1: x0, y1: y0, x2: x0 + back * (x1 - x0), y2: y0 + back * (y1 - y0) });
      item.head.setAttribute('d', arrowhead(x0, y0, x1, y1, wing));
      if (!named.has(d)) continue;
      const text = `${forms.weight(weights[i])} ${item.name}`,
        turn = x1 >= x0 ? 1 : -1;
      if (item.label.textContent !== text) item.label.textContent = text;
      const aside = [turn * (y1 - y0), -turn * (x1 - x0)];
      plane.name(item.label, (x0 + x1) / 2, (y0 + y1) / 2, ...aside, 'label addend', { rank: 3, gap: 9 });
    }
    const line = ([a, b]) =>
      `M${at(a)
        .map(v => v.toFixed(1))
        .join(' ')} L${at(b)
        .map(v => v.toFixed(1))
        .join(' ')}`;
    sides.setAttribute('d', sidesOf.map(line).join(' '));
    sides.style.opacity = 1 - tail;
  };
}

// The distance between two points.
function distance(group, spec, stage, plane) {
  const line = make('svg', 'line', { class: `distance ${spec.role ?? ''}` }, group);
  return scope => {
    const [a, b] = spec.between.map(path => plane.at.pick(find(scope, path))),
      drawn = Number.isFinite(a[0] + b[0]) && !(spec.result && stage.resultsHidden);
    line.style.display = drawn ? '' : 'none';
    if (drawn) place(line, { x1: plane.at.x(a[0]), y1: plane.at.y(a[1]), x2: plane.at.x(b[0]), y2: plane.at.y(b[1]) });
  };
}

// The places in the corners of a plane where a legend may stand, the best first: far from every arrow's foot.
function corners(label, { at, ranges: [[left, right], [low, high]] }) {
  const half = label.getComputedTextLength() / 2,
    [aside, up] = [half + 4, 12];
  const [xs, ys] = [
    [at.x(left) + aside, at.x(right) - aside],
    [at.y(low) - up, at.y(high) + up],
  ];
  return [
    { x: xs[1], y: ys[0], dear: 0 },
    { x: xs[0], y: ys[1], dear: 1 },
    { x: xs[0], y: ys[0], dear: 2 },
    { x: xs[1], y: ys[1], dear: 3 },
  ];
}

// The projection of one vector on the line of another, with the right angle at its end. Its name is a legend: beside
// the band it would lie across other arrows.
function projection(group, spec, _stage, plane) {
  const name = spec.label ? make('svg', 'text', { class: 'label' }, plane.labels) : null,
    said = name && make('svg', 'tspan', {}, name);
  said?.before(make('svg', 'tspan', { class: 'swatch', text: '■ ' }));
  const ray = make('svg', 'line', { class: 'ray' }, group),
    drop = make('svg', 'line', { class: 'drop' }, group);
  const shadow = make('svg', 'line', { class: 'shadow' }, group),
    corner = make('svg', 'path', { class: 'corner' }, group);
  return scope => {
    const u = plane.at.pick(find(scope, spec.of)),
      v = plane.at.pick(find(scope, spec.onto));
    const square = v[0] * v[0] + v[1] * v[1],
      t = (u[0] * v[0] + u[1] * v[1]) / square;
    const drawn = Number.isFinite(t);
    group.style.display = drawn ? '' : 'none';
    if (name) name.style.display = drawn ? '' : 'none';
    if (!drawn) return;
    const foot = [t * v[0], t * v[1]],
      ends = plane.ranges.map(([low, high], k) =>
        v[k] ? [low / v[k], high / v[k]].sort((a, b) => a - b) : [-Infinity, Infinity],
      );
    const line = (element, a, b) =>
      place(element, { x1: plane.at.x(a[0]), y1: plane.at.y(a[1]), x2: plane.at.x(b[0]), y2: plane.at.y(b[1]) });
    const near = Math.max(ends[0][0], ends[1][0]),
      far = Math.min(ends[0][1], ends[1][1]); // where the line of `v` leaves the plane
    line(ray, [near * v[0], near * v[1]], [far * v[0], far * v[1]]);
    line(drop, u, foot);
    line(shadow, [0, 0], foot);
    if (name) {
      const text = spell(spec.label, path => find(scope, path));
      if (said.textContent !== text) said.textContent = text;
      const kind = `label aside shadow-name${t < 0 ? ' negative' : ''}`;
      putClass(name, kind);
      const shown = Math.hypot(foot[0], foot[1]) * (plane.at.x(1) - plane.at.x(0)) >= LEAST_NAMED;
      name.style.display = shown ? '' : 'none';
      if (shown) plane.names.want({ label: name, spots: corners(name, plane), rank: 4, small: Boolean(spec.small) });
    }
    shadow.setAttribute('class', t < 0 ? 'shadow negative' : 'shadow');
    const away = Math.hypot(u[0] - foot[0], u[1] - foot[1]),
      side = 9;
    if (away * (plane.at.x(1) - plane.at.x(0)) < 2 * side) {
      corner.setAttribute('d', '');
      return;
    }
    const [fx, fy] = [plane.at.x(foot[0]), plane.at.y(foot[1])];
    const towards = (px, py) => {
      const l = Math.hypot(px - fx, py - fy) || 1;
      return [(side * (px - fx)) / l, (side * (py - fy)) / l];
    };
    const a = towards(plane.at.x(u[0]), plane.at.y(u[1])),
      b = towards(plane.at.x(t < 0 ? foot[0] + v[0] : 0), plane.at.y(t < 0 ? foot[1] + v[1] : 0));
    corner.setAttribute(
      'd',
      `M${fx + a[0]} ${fy + a[1]} L${fx + a[0] + b[0]} ${fy + a[1] + b[1]} L${fx + b[0]} ${fy + b[1]}`,
    );
  };
}

// The angle between two vectors as an arc.
function angle(group, spec, stage, plane) {
  const arc = make('svg', 'path', { class: 'arc' }, group),
    degrees = make('svg', 'text', { class: 'degrees' }, plane.labels);
  return scope => {
    const u = plane.at.pick(find(scope, spec.between[0])),
      v = plane.at.pick(find(scope, spec.between[1]));
    const lengths = Math.hypot(...u) * Math.hypot(...v),
      drawn = lengths > 0;
    group.style.display = degrees.style.display = drawn ? '' : 'none';
    if (!drawn) return;
    const start = Math.atan2(u[1], u[0]);
    let turn = Math.atan2(v[1], v[0]) - start;
    if (turn > Math.PI) turn -= 2 * Math.PI;
    else if (turn < -Math.PI) turn += 2 * Math.PI;
    const radius = 30,
      x0 = plane.at.x(0),
      y0 = plane.at.y(0);
    const on = (a, r) => [x0 + r * Math.cos(a), y0 - r * Math.sin(a)];
    const [a, b] = [on(start, radius), on(start + turn, radius)];
    arc.setAttribute(
      'd',
      `M${x0} ${y0} L${a[0]} ${a[1]} A${radius} ${radius} 0 0 ${turn > 0 ? 0 : 1} ${b[0]} ${b[1]} Z`,
    );
    degrees.textContent = stage.resultsHidden ? '?' : `${Math.round((Math.abs(turn) * 180) / Math.PI)}°`;
    const spots = [20, 32, 44, 56, 72, 88].flatMap(far =>
      [0.5, 0.4, 0.6, 0.25, 0.75, 0.12, 0.88].map((share, k) => {
        const [x, y] = on(start + share * turn, radius + far);
        return { x, y, dear: far / 3 + 0.8 * k };
      }),
    );
    plane.names.want({ label: degrees, spots, rank: 3 });
  };
}

// The hull of a set of points: Andrew's monotone chain. With a `label` its name alone is written, at its longest side.
function hull(group, spec, _stage, plane) {
  const shape = spec.label ? null : make('svg', 'polygon', { class: `hull ${spec.role ?? ''}` }, group);
  const label = spec.label ? make('svg', 'text', { class: 'label aside', text: spec.label }, plane.labels) : null;
  const write = ring => {
    const at = ring.map(p => [plane.at.x(p[0]), plane.at.y(p[1])]),
      middle = [0, 1].map(k => at.reduce((total, p) => total + p[k], 0) / at.length);
    const [[ax, ay], [bx, by]] = at
      .map((p, i) => [p, at[(i + 1) % at.length]])
      .reduce((best, side) =>
        Math.hypot(side[0][0] - side[1][0], side[0][1] - side[1][1]) >
        Math.hypot(best[0][0] - best[1][0], best[0][1] - best[1][1])
          ? side
          : best,
      );
    const x = (ax + bx) / 2,
      y = (ay + by) / 2,
      from = ring.length > 2 ? middle : [plane.at.x(0), plane.at.y(0)],
      shown = Math.hypot(ax - bx, ay - by) > 60;
    label.style.display = shown ? '' : 'none';
    if (shown) plane.name(label, x, y, x - from[0], y - from[1], 'label aside hull-name', { rank: 5, yields: true });
  };
  return scope => {
    const points = (find(scope, spec.of) ?? []).map(plane.at.pick).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    const chain = list =>
      list.reduce((kept, p) => {
        while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), p) <= 0) kept.pop();
        kept.push(p);
        return kept;
      }, []);
    const ring = [...chain(points).slice(0, -1), ...chain([...points].reverse()).slice(0, -1)];
    if (!shape) {
      write(ring.length ? ring : points);
      return;
    }
    shape.classList.toggle('segment', ring.length < 3);
    const corners = (ring.length ? ring : points).map(([x, y]) => [plane.at.x(x), plane.at.y(y)]);
    corners.forEach((corner, k) => plane.names.line(corner, corners[(k + 1) % corners.length], 1));
    shape.setAttribute('points', dots(ring.length ? ring : points, plane.at));
  };
}

// The box of what a text says, without the room above and below its letters.
function letters(text) {
  const { x, y, width, height } = text.getBBox();
  return [x, y + 0.15 * height, x + width, y + 0.85 * height];
}

export const marks = {
  vectors,
  displacement,
  diagonal,
  pulls,
  grid,
  chain,
  addition,
  distance,
  projection,
  angle,
  hull,
};

export function plane(host, spec, stage) {
  const figure = make(null, 'figure', { class: 'plane' }, host);
  const paintBadge = spec.badge ? badge(figure, spec.badge) : null;
  const svg = make(
    'svg',
    'svg',
    {
      role: 'group',
      'aria-label': spec.title,
      class: spec.small ? 'picture small' : 'picture',
      'data-picture': spec.title,
    },
    figure,
  );
  const frame = make('svg', 'g', { class: 'frame', 'aria-hidden': 'true' }, svg);
  const hands = make('svg', 'g', { 'aria-hidden': 'true' }, svg);
  const layers = spec.marks.map(() => make('svg', 'g', {}, svg));
  const labels = make('svg', 'g', { class: 'labels', 'aria-hidden': 'true' }, svg);
  if (spec.caption) make(null, 'figcaption', { class: 'caption', text: spec.caption }, figure);
  if (spec.hint) {
    const lacks = spec.marks.some(({ moved }) => isFixed(moved?.by)) && needsApp('training');
    make(null, 'figcaption', { class: 'hint' }, figure).append(lacks || spec.hint);
  }
  // What every mark gets as its `plane`.
  const surface = {
    ...spec,
    svg,
    labels,
    names: labelPlacer(),
    ticks: [],
    titles: null, // until it has its ground
    axisLines: [],
    at: scales(spec, 560),
    form: spec.small ? SMALL : LARGE,
    under: event => {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return surface.at.back(p.x, p.y);
    },
    // Wants a name beside a point, rather on the side of (dx, dy).
    name: (label, x, y, dx, dy, kind, more) => {
      putClass(label, kind);
      surface.names.want({ label, x, y, dx, dy, gap: surface.form.reach, small: spec.small, ...more });
    },
  };
  const paints = [
    cloud(hands, spec.marks, stage, surface),
    ...spec.marks.map((mark, i) => marks[mark.kind](layers[i], mark, stage, surface)),
  ];

  // Beside what is under the hand: where it is, and what holds it there.
  const felt = make('svg', 'g', { 'aria-hidden': 'true' }, svg),
    ring = make('svg', 'circle', { class: 'felt ring' }, felt),
    corner = make('svg', 'path', { class: 'felt' }, felt),
    coordinates = make('svg', 'text', { class: 'felt-place' }, felt),
    [numbers, free] = ['', 'free'].map(kind => make('svg', 'tspan', { class: kind }, coordinates));
  let told = false;
  surface.showPosition = (x, y, point) => {
    const { kind, name, vector, length } = stage.magnet ?? {},
      right = kind === 'right' || kind === 'both',
      equal = kind === 'equal' || kind === 'both',
      held = right || equal,
      where = point.map(v => steady(v).replace('-', '−')).join(betweenNumbers()),
      by = [right && `⟂ ${name}`, equal && `= |${name}|`].filter(Boolean).join(' '),
      { at } = surface;
    told = true;
    felt.style.display = '';
    numbers.textContent = held ? `${where}  ${by}` : where;
    free.textContent = held && spec.free ? ` · ${spec.free}` : '';
    const half = coordinates.getComputedTextLength() / 2 + 4,
      across = Math.min(at.size - half, Math.max(half, x)),
      above = y > 64 ? y - (stage.finger ? 46 : 24) : y + (stage.finger ? 60 : 36);
    place(coordinates, { x: across.toFixed(1), y: above.toFixed(1) });
    surface.names.keepFree([across - half, above - 14, across + half, above + 5]);
    ring.style.display = equal ? '' : 'none';
    if (equal) place(ring, { cx: at.x(0), cy: at.y(0), r: (length * (at.x(1) - at.x(0))).toFixed(1) });
    corner.style.display = right ? '' : 'none';
    if (right) {
      const side = ([a, b]) => [13 * (a / Math.hypot(a, b)), -13 * (b / Math.hypot(a, b))],
        [[ax, ay], [bx, by_]] = [side(point), side(vector)],
        [ox, oy] = [at.x(0), at.y(0)];
      corner.setAttribute('d', `M${ox + ax} ${oy + ay} L${ox + ax + bx} ${oy + ay + by_} L${ox + bx} ${oy + by_}`);
    }
  };

  function ground() {
    // axes, grid and numbers: drawn anew only when the size changes
    surface.ticks = [];
    const { at } = surface,
      [[left, right], [low, high]] = spec.ranges;
    svg.setAttribute('viewBox', `0 0 ${at.size} ${at.size}`);
    frame.replaceChildren();
    const line = (x1, y1, x2, y2, kind) => make('svg', 'line', { x1, y1, x2, y2, class: kind }, frame);
    const number = told => surface.ticks.push(make('svg', 'text', { class: 'tick', ...told }, frame));
    const unit = at.x(1) - at.x(0),
      every = [1, 2, 5, 10, 20].find(n => n * unit >= 27 * at.unit) ?? 50,
      lined = unit < 9 ? every : 1;
    for (let v = Math.ceil(left); v <= right; v++) {
      if (v % lined === 0) line(at.x(v), at.y(low), at.x(v), at.y(high), v ? 'grid-line' : 'axis');
      if (v && !spec.small && v % every === 0)
        number({ x: at.x(v), y: at.y(0) + 14 * at.unit, 'text-anchor': 'middle', text: String(v).replace('-', '−') });
    }
    for (let v = Math.ceil(low); v <= high; v++) {
      if (v % lined === 0) line(at.x(left), at.y(v), at.x(right), at.y(v), v ? 'grid-line' : 'axis');
      if (v && !spec.small && v % every === 0)
        number({ x: at.x(0) - 7, y: at.y(v) + 4 * at.unit, 'text-anchor': 'end', text: String(v).replace('-', '−') });
    }
    if (spec.meanings) {
      // the axes' names are those of colours, too
      line(at.x(0), at.y(0), at.x(right), at.y(0), `axis of-${spec.axes[0]}`);
      line(at.x(0), at.y(0), at.x(0), at.y(high), `axis of-${spec.axes[1]}`);
    }
    // An axis's title goes to the other side of its axis, or further in, where a handle lies on it.
    const title = (text, spots, axis) => {
      const kind = classes('title', spec.meanings && `of-${axis}`),
        label = make('svg', 'text', { class: kind, 'text-anchor': 'middle', text }, frame),
        half = label.getComputedTextLength() / 2;
      return { label, spots: spots(half), rank: -1, small: spec.small };
    };
    const end = at.x(right) + (spec.small ? 0 : 8),
      [below, above, beside] = (spec.small ? [12, -12, 6] : [27, -14, 0]).map(v => v * at.unit);
    surface.titles = spec.axes[0]
      ? [
          title(
            `${apart(spec.axes[0])} →`,
            half =>
              [0, 56].flatMap(back =>
                [below, above, RING + 16].map((y, k) => ({
                  x: end - half - back,
                  y: at.y(0) + y,
                  dear: 3 * k + back / 16,
                })),
              ),
            spec.axes[0],
          ),
          title(
            `↑ ${spec.axes[1]}`,
            half =>
              [0, 24].flatMap(down =>
                [1, -1].map((side, k) => ({
                  x: at.x(0) + side * (8 + half),
                  y: at.y(high) + beside + down * at.unit,
                  dear: 3 * k + down / 6,
                })),
              ),
            spec.axes[1],
          ),
        ]
      : [];
    surface.axisLines = [
      [
        [at.x(left), at.y(0)],
        [at.x(right), at.y(0)],
      ],
      [
        [at.x(0), at.y(low)],
        [at.x(0), at.y(high)],
      ],
    ];
    surface.ticks = surface.ticks.map(tick => [tick, letters(tick)]);
  }
  // Where dots lie close to one another or below an arrow, the nearest is taken, whichever was drawn last.
  svg.addEventListener(
    'pointerdown',
    event => {
      if (!event.isTrusted) return;
      const away = hit => {
        const { x, y, width, height } = hit.getBoundingClientRect();
        return Math.hypot(event.clientX - x - width / 2, event.clientY - y - height / 2);
      };
      const taken = event.target.matches('.hit') ? event.target : null,
        reach = hit => hit === taken || away(hit) < hit.getBoundingClientRect().width / 2,
        hits = [...svg.querySelectorAll('circle.hit')].filter(hit => hit.checkVisibility() && reach(hit)),
        nearest = hits.reduce((best, hit) => (best && away(hit) >= away(best) - 0.5 ? best : hit), taken);
      if (!nearest || nearest === taken) return;
      event.stopPropagation();
      event.preventDefault();
      nearest.dispatchEvent(new PointerEvent(event.type, event));
    },
    { capture: true },
  );
  followWidth(svg, size => {
    surface.at = scales(spec, size);
    ground();
    stage.requestPaint();
  });
  return scope => {
    if (!surface.titles) ground(); // it has no width yet
    surface.names.clear();
    for (const title of surface.titles) surface.names.want(title);
    for (const axis of surface.axisLines) surface.names.line(...axis, ON_AXIS);
    for (const tick of surface.ticks) surface.names.giveWay(...tick);
    told = false;
    for (const paint of paints) paint(scope);
    if (!told) felt.style.display = 'none';
    surface.names.place([surface.at.size, surface.at.size]);
    paintBadge?.(stage);
  };
}
