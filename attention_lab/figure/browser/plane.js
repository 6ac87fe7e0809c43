// A plane with fixed axes. What lies on it is a list of marks, drawn in their order; each mark reads the
// scope by paths, so one vocabulary serves embeddings, queries and keys, values and positions.
import { find } from './calculation.js';
import { cloud } from './cloud.js';
import { apart } from './direction.js';
import {
  badge,
  classes,
  followPointing,
  followWidth,
  make,
  makePicture,
  place,
  putClass,
  putText,
  unitFor,
} from './elements.js';
import { betweenNumbers, filled, forms, spell, steady } from './number_format.js';
import { hasMoved } from './first_move.js';
import { describe, makeDraggable } from './drag.js';
import { pulled } from './magnets.js';
import { inside, labelPlacer } from './label_placement.js';
import { glide, prefersReducedMotion } from './smoothing.js';
import { applyTint, meaning } from './tint.js';
import { showTooltip } from './tooltip.js';
import { isFixed, needsApp } from './without_python.js';

const HIT = 22,
  LEAST_HIT = 12, // 24 px across: the least that a finger finds
  RING = HIT + 3,
  TIP = 7,
  MARGIN = 26,
  GROWING = 600,
  LEAST_NAMED = 40,
  ON_AXIS = 10, // how much a name is rather not written across an axis
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
  const x = v => margin + (v - left) * across,
    y = v => size - margin - (v - low) * up;
  return {
    size,
    unit,
    one: across, // px
    x,
    y,
    spot: ([a, b]) => [x(a), y(b)],
    back: (px, py) => [left + (px - margin) / across, low + (size - margin - py) / up],
    pick: vector => [vector?.[first] ?? NaN, vector?.[second] ?? NaN],
    // The part of an arrow that is on the plane, its direction kept; `on` says that it goes on beyond the edge.
    // Null where none of it is there.
    shown: (from, to) => {
      const part = inside(from, to, [left - room[0], low - room[1], right + room[0], high + room[1]]);
      if (!part) return null;
      const [begin, end] = part;
      return { from: onWay(from, to, begin), to: end === 1 ? to : onWay(from, to, end), on: end < 1 };
    },
  };
}

// Of points: how one is written in a path, how far apart two are, the middle of several, what lies on the way from one
// to another after a part of it; and a line between two.
const written = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const middleOf = points => [0, 1].map(k => points.reduce((total, p) => total + p[k], 0) / points.length);
const onWay = (from, to, part) => from.map((v, k) => v + part * (to[k] - v));
const stretch = (line, [x1, y1], [x2, y2]) => place(line, { x1, y1, x2, y2 });
const NOWHERE = { from: [NaN, NaN], to: [NaN, NaN] };

// The elements of an arrow; `on` marks one that goes on beyond the edge.
const arrow = (box, plane, kind = '') => ({
  line: make('svg', 'line', { class: classes('shaft', kind) }, box),
  head: make('svg', 'path', { class: classes('head', kind) }, box),
  on: edgeArrow(box, plane.beyond, kind),
});

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

// The handle of one row's arrow: a hand writes the row into the pose; a magnet may hold it at the vectors beside it.
function vectorHandle({ spec, stage, plane }, row, name) {
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
    pull: values => pulled(values, spec.base || spec.handle ? [] : vectorsBeside({ spec, stage }, row), plane.at.one),
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

// Rows of a matrix as arrows from the origin, with the settings of `Vectors` in planes.py. With `handles`
// they are the hand's: `of` names a pose variable.
function vectors(group, spec, stage, plane) {
  const among = spec.among ? new Set(find(stage.scope, spec.among)) : null,
    mark = { group, spec, stage, plane, isAway: row => Boolean(among && !among.has(row)) };
  const order = (find(stage.scope, spec.of) ?? []).map((_, row) => row).sort((a, b) => mark.isAway(a) - mark.isAway(b)),
    items = order.map(row => vectorItem(mark, row));
  const together = spec.little_name
    ? make('svg', 'text', { class: 'label', text: spec.little_name }, plane.labels)
    : null;
  // Nothing lies on the vector under a hand. Those around it are moved, as it would lose the hand, and back at the end.
  let raised = null;
  const layOver = held => {
    if (raised?.hit === held) return;
    if (raised) group.append(...items.slice(items.indexOf(raised) + 1).map(({ box }) => box));
    raised = items.find(({ hit }) => held && hit === held) ?? null;
    if (raised) raised.box.before(...items.filter(item => item !== raised).map(({ box }) => box));
  };
  return scope => {
    const matrix = find(scope, spec.of) ?? [],
      [chosen, second] = [spec.focus, spec.other].map(of => rowAt(spec, scope, scope[of]));
    const unnamed = [];
    layOver(stage.held);
    for (const item of items) {
      const absent = spec.only && item.row !== scope[spec.only];
      item.box.style.display = absent ? 'none' : '';
      if (absent) {
        item.label.style.display = 'none';
        if (item.handle) describe(item.hit, item.handle);
        continue;
      }
      const now = vectorNow(mark, item, plane.at.pick(matrix[item.row]), chosen, second);
      drawVector(mark, item, now);
      if (item.hit) drawHold(mark, item, now, scope);
      if (!nameVector(mark, item, now, scope) && now.small) unnamed.push(now.tip);
    }
    if (!together) return;
    together.style.display = unnamed.length > 1 ? '' : 'none';
    if (unnamed.length < 2) return;
    const [left, middle] = [Math.min(...unnamed.map(p => p[0])), middleOf(unnamed)[1]];
    plane.name(together, left, middle, -1, 0, 'label aside ghost', { rank: 5, yields: true });
  };
}

// The row of a place, where rows are those of a table.
const rowAt = ({ through }, scope, place) => (through ? find(scope, through)[place] : place);

// The vectors that a row can be compared with: the chosen pair's other one; where nothing is chosen, the other rows.
function vectorsBeside({ spec, stage }, row) {
  const matrix = stage.pose[spec.of],
    chosen = [spec.focus, spec.other].filter(Boolean).map(of => rowAt(spec, stage.scope, stage.pose[of]));
  if (matrix[0].length !== 2) return []; // an angle on the picture would be none in truth
  return matrix
    .map((vector, other) => ({ vector, other, name: spec.names ? find(stage.scope, spec.names)[other] : '' }))
    .filter(({ other }) => other !== row && (spec.focus ? chosen.includes(other) : true));
}

// The elements of one row: its arrow or point, its handle and its name.
function vectorItem(mark, row) {
  const { group, spec, stage, plane } = mark,
    name = spec.names ? find(stage.scope, spec.names)[row] : spec.label,
    as = { query: 'asks', key: 'answers' }[spec.role],
    linked = name === undefined ? {} : { 'data-about': name, 'data-as': as },
    called = spec.called ? filled(spec.called, { word: name }) : name,
    isHeld = spec.handles && !isFixed(spec.moved?.by);
  const box = make('svg', 'g', { class: `vector ${spec.role}`, ...linked }, group),
    item = { row, name, box, ...arrow(box, plane) };
  if (isHeld || spec.places) item.tip = make('svg', 'circle', { class: 'tip', r: TIP }, box);
  if (isHeld) {
    item.hit = make('svg', 'circle', { class: 'hit', r: HIT }, box);
    item.handle = vectorHandle(mark, row, name);
    makeDraggable(item.hit, stage, item.handle);
    followPointing(item.hit, on => {
      item.asked = on;
      if (spec.little || spec.outside) stage.requestPaint();
    });
  }
  const text = spec.prefix ? `${spec.prefix} ${name}` : called;
  item.label = make('svg', 'text', { class: 'label', text, ...linked }, plane.labels);
  return item;
}

// Where a row is drawn at this frame, in px, and how it stands out.
function vectorNow({ spec, stage, plane, isAway }, { row, hit, asked }, point, chosen, second) {
  const part = plane.at.shown([0, 0], point) ?? { to: point },
    [tail, tip] = [[0, 0], part.to].map(plane.at.spot),
    focus = spec.focus && row === chosen,
    other = !focus && spec.other && row === second,
    quiet = isAway(row) || (spec.aside && !focus),
    small = !focus && Math.hypot(...point) < (spec.little ?? 0),
    state = classes(focus ? 'focus' : other && 'other', quiet && 'quiet', small && 'little'),
    inHand = asked || stage.held === hit;
  return { point, tail, tip, on: part.on, focus, other, quiet, small, state, inHand };
}

function drawVector({ group, spec, stage, plane }, item, { point, tail, tip, on, focus, small, state }) {
  const [x, y] = tip,
    isWide = spec.form === 'wide',
    length = far(tail, tip),
    part = Math.max(0, 1 - (item.hit ? TIP : isWide ? 12 : 0) / (length || 1));
  const kind = classes(spec.places && 'place', spec.form, meaning(spec, item.row), on && 'outside');
  putClass(item.box, classes(`vector ${spec.role}`, state, kind));
  if (spec.tinted) for (const each of [item.box, item.label]) applyTint(each, point);
  if (spec.takes && focus && group.lastChild !== item.box && !stage.held && !item.hit.matches(':focus'))
    group.appendChild(item.box); // nothing lies on the chosen one
  stretch(item.line, tail, onWay(tail, tip, part));
  const wing = (isWide ? 1.7 : 1) * plane.form.wing;
  item.head.setAttribute('d', item.tip || length < 6 ? '' : arrowhead(tail, tip, wing));
  item.on(on, tail, tip, item.label.textContent, point);
  if (item.hit && stage.held === item.hit) plane.showPosition(x, y, point);
  if (item.tip) place(item.tip, { cx: x, cy: y });
  const keepFree = (reach, weight) => plane.names.keepFree([x - reach, y - reach, x + reach, y + reach], weight);
  if (item.tip) keepFree(small ? 4 : TIP + (focus ? 4 : 1), 1.6);
  else if (length > 1) keepFree(4, 0.5);
  if (item.handle?.name === stage.data.first && !hasMoved(stage)) keepFree(RING); // no name across its ring
  if (!spec.places || focus) plane.names.line(tail, tip, spec.places ? 1 : 3);
}

// What a hand takes hold of: smaller where another lies close by. Why a row is outside, a tooltip says.
function drawHold({ spec, stage, plane, isAway }, { row, name, hit, handle }, { tip, small, quiet, inHand }, scope) {
  const [cx, cy] = tip,
    beside = spec.beside ? plane.at.pick(find(scope, spec.beside)[row]) : [NaN, NaN],
    near = plane.at.shown([0, 0], beside)?.to ?? beside,
    isShared = far(plane.at.spot(near), tip) < 1.4 * HIT;
  place(hit, { cx, cy, r: small || isShared ? LEAST_HIT : quiet ? 0.65 * HIT : HIT });
  describe(hit, handle);
  if (spec.outside && isAway(row) && inHand) showTooltip(stage, hit, filled(spec.outside, { word: name }), true);
}

// Writes a row's name, and returns whether it has one at this frame.
function nameVector({ spec, plane }, { row, label }, now, scope) {
  const { point, tail, tip, focus, other, quiet, small, state, inHand } = now,
    same = spec.unlike ? plane.at.pick(find(scope, spec.unlike)[row]) : null,
    named = (!small || inHand) && !(same && far(plane.at.spot(same), plane.at.spot(point)) < HIT);
  label.style.display = named ? '' : 'none';
  if (!named) return false;
  const colour = spec.tinted ? 'tinted' : meaning(spec, row) && `tinted ${meaning(spec, row)}`,
    kind = classes('label', spec.role, state, spec.form && `of-${spec.form}`, colour);
  plane.name(label, ...tip, tip[0] - tail[0], tip[1] - tail[1], kind, {
    rank: inHand || focus ? 0 : other ? 1 : quiet ? 4 : 2,
    yields: !focus && !inHand && !other && !spec.handle,
    tall: spec.called ? 2.2 : 1,
  });
  return true;
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

function arrowhead([x0, y0], [x, y], wing = 10) {
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
      at = (back, aside) => written([x - back * right - aside * down, y - back * down + aside * right]);
    mark.setAttribute('d', [15, 22].map(back => `M${at(back + 5, 5)} L${at(back, 0)} L${at(back + 5, -5)}`).join(' '));
    const text = filled(words, { name, values: values.map(steady).join(betweenNumbers()) });
    if (said.textContent === text) return;
    said.textContent = text;
    mark.setAttribute('aria-label', text);
  };
}

// An arrow from one vector to another: static → contextual, x → x + Δx. `from` and `to` lead to vectors or matrices.
// It is drawn where `when` leads to something true; a `result` waits for the reader's guess. It grows as it appears.
// One that is `apart` ends short of its vector, and no name is written across it. That of a `head` is named, and not
// pale, while this head is looked at.
function displacement(group, spec, stage, plane) {
  const items = [],
    kind = `displaced ${spec.role ?? 'context'} ${spec.tone ?? ''}`;
  const grow = count => {
    while (items.length < count) {
      const label = spec.label ? make('svg', 'text', { class: 'label', text: spec.label }, plane.labels) : null;
      items.push({ ...arrow(group, plane, kind), label });
    }
  };
  const draw = (item, start, end, shown, grown) => {
    const part = plane.at.shown(start, end) ?? NOWHERE,
      [tail, tip] = [part.from, part.to].map(plane.at.spot),
      way = [tip[0] - tail[0], tip[1] - tail[1]],
      eased = 1 - (1 - grown) ** 3,
      short = spec.apart ? Math.max(0, 1 - (1.3 * TIP) / Math.hypot(...way)) : 1,
      now = onWay(tail, tip, eased * short),
      drawn = shown && far(now, tail) > 3;
    item.line.style.display = item.head.style.display = drawn ? '' : 'none';
    item.on(drawn && part.on && grown === 1, tail, tip, spec.label ?? '', end);
    const isAside = Number.isInteger(spec.head) && spec.head !== stage.looked_at;
    if (item.label) item.label.style.display = drawn && !isAside ? '' : 'none';
    if (!drawn) return;
    for (const mark of [item.line, item.head]) mark.classList.toggle('aside', isAside);
    const look = classes('label aside', spec.tone);
    plane.names.line(tail, tip, spec.apart ? 4 : 3);
    if (item.label && !isAside && spec.halfway)
      plane.name(item.label, ...middleOf([tail, tip]), -way[1], way[0], look, { rank: 3, gap: 8 });
    else if (item.label && !isAside)
      plane.name(item.label, ...tip, ...way, look, { rank: 3, yields: Boolean(spec.tone) });
    stretch(item.line, tail, now);
    item.head.setAttribute('d', arrowhead(tail, now));
  };
  let since = prefersReducedMotion() ? -Infinity : NaN;
  return scope => {
    const shown = (spec.when ? find(scope, spec.when) : true) && !(spec.result && stage.resultsHidden);
    if (since !== -Infinity) since = !shown ? NaN : Number.isNaN(since) ? performance.now() : since;
    const grown = shown ? Math.min(1, (performance.now() - since) / GROWING) : 1;
    if (grown < 1) stage.requestPaint();
    const matrix = value => (Array.isArray(value?.[0]) ? value : [value]);
    const from = spec.from ? matrix(find(scope, spec.from)) : null,
      to = matrix(find(scope, spec.to));
    grow(to.length);
    items.forEach((item, i) => {
      const start = from ? plane.at.pick(from[i]) : [0, 0];
      draw(item, start, plane.at.pick(to[i] ?? []), shown && i < to.length, grown);
    });
  };
}

// Where both axes count the same: on either side of it one of them leads.
function diagonal(group, _spec, _stage, plane) {
  const line = make('svg', 'line', { class: 'diagonal' }, group),
    [low, high] = plane.ranges[0];
  return () => stretch(line, plane.at.spot([low, low]), plane.at.spot([high, high]));
}

// How hard each word pulls: lines from one vector to others, as wide as their weights.
function pulls(group, spec, stage, plane) {
  const kind = classes('pull', spec.tinted && 'tinted'),
    lines = (find(stage.scope, spec.to) ?? []).map(() => make('svg', 'line', { class: kind }, group));
  return scope => {
    const from = plane.at.pick(find(scope, spec.from)),
      ends = find(scope, spec.to),
      weights = find(scope, spec.weights);
    lines.forEach((line, i) => {
      const part = plane.at.shown(from, plane.at.pick(ends[i])),
        drawn = part && !stage.resultsHidden && weights[i] > 0.004;
      line.style.display = drawn ? '' : 'none';
      if (!drawn) return;
      const endsDrawn = [part.from, part.to].map(plane.at.spot);
      plane.names.line(...endsDrawn, 2);
      stretch(line, ...endsDrawn);
      line.style.strokeWidth = `${(18 * weights[i]).toFixed(2)}px`;
      if (spec.tinted) applyTint(line, plane.at.pick(ends[i]));
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
    const send = (a, b) => written(plane.at.spot([0, 1].map(k => a * first[k] + b * second[k])));
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
      return { vector, ends: [from, to].map(plane.at.spot), drawn: to !== from };
    });
  };
  if (!spec.tinted) {
    const path = make('svg', 'path', { class: `chain ${spec.role ?? ''}` }, group);
    return scope => {
      const [first, ...others] = terms(scope).filter(({ drawn }) => drawn),
        rest = others.map(({ ends }) => ` L${written(ends[1])}`).join('');
      path.setAttribute('d', rest && `M${first.ends.map(written).join(' L')}${rest}`);
    };
  }
  const lines = find(stage.scope, spec.of).map(() => make('svg', 'line', { class: 'chain tinted' }, group));
  return scope =>
    terms(scope).forEach(({ vector, ends }, i) => {
      stretch(lines[i], ...ends);
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
  const items = find(stage.scope, spec.names).map((name, i) => {
    const box = make('svg', 'g', { class: 'addend', 'data-about': name }, group);
    return { name, i, box, ...arrow(box, plane), label: make('svg', 'text', { class: 'label' }, plane.labels) };
  });
  const draw = ({ item, tail, tip, length, shown, on, end }, weight, isNamed, scope) => {
    const wing = Math.min(14, 0.6 * length),
      part = length > 4 ? 1 - (0.7 * wing) / length : 1,
      way = [tip[0] - tail[0], tip[1] - tail[1]];
    const [other, focus] = [spec.other, spec.focus].map(of => item.i === scope[of]);
    putClass(item.box, classes('addend', other && 'other', focus && 'focus'));
    item.box.style.display = shown ? '' : 'none';
    item.label.style.display = isNamed ? '' : 'none';
    item.on(shown && on, tail, tip, item.name, end);
    if (!shown) return;
    plane.names.line(tail, tip);
    stretch(item.line, tail, onWay(tail, tip, part));
    item.head.setAttribute('d', arrowhead(tail, tip, wing));
    if (!isNamed) return;
    const turn = way[0] >= 0 ? 1 : -1,
      middle = middleOf([tail, tip]);
    putText(item.label, `${forms.weight(weight)} ${item.name}`);
    plane.name(item.label, ...middle, turn * way[1], -turn * way[0], 'label addend', { rank: 3, gap: 9 });
  };
  const tailNow = {},
    startNow = {};
  return scope => {
    const weights = find(scope, spec.weights) ?? [],
      values = (find(scope, spec.of) ?? []).map(plane.at.pick),
      start = plane.at.pick(find(scope, spec.start));
    const joined = glide(stage, tailNow, scope[spec.apart] ? 0 : 1),
      fromStart = glide(stage, startNow, find(scope, spec.from_start) ? 1 : 0);
    const moved = ([a, b]) => [fromStart * start[0] + a, fromStart * start[1] + b],
      sidesOf = [];
    let sum = [0, 0];
    const drawn = items.map((item, i) => {
      const part = values[i].map(v => weights[i] * v),
        from = sum.map(v => joined * v),
        before = sum;
      sum = [sum[0] + part[0], sum[1] + part[1]];
      const end = moved([from[0] + part[0], from[1] + part[1]]),
        seen = plane.at.shown(moved(from), end) ?? NOWHERE,
        [tail, tip] = [seen.from, seen.to].map(plane.at.spot),
        length = far(tail, tip),
        shown = !stage.resultsHidden && length > 1.5;
      if (i && !stage.resultsHidden && Math.hypot(...before) && Math.hypot(...part))
        sidesOf.push([before, sum], [part, sum]);
      return { item, tail, tip, length, shown, on: seen.on, end };
    });
    const long = drawn.filter(d => d.shown && d.length > least),
      named = new Set(long.sort((a, b) => b.length - a.length).slice(0, most));
    for (const [i, each] of drawn.entries()) draw(each, weights[i], named.has(each), scope);
    const line = ends => `M${ends.map(end => written(plane.at.spot(moved(end)))).join(' L')}`;
    sides.setAttribute('d', sidesOf.map(line).join(' '));
    sides.style.opacity = 1 - joined;
  };
}

// The distance between two points.
function distance(group, spec, stage, plane) {
  const line = make('svg', 'line', { class: `distance ${spec.role ?? ''}` }, group);
  return scope => {
    const [a, b] = spec.between.map(path => plane.at.pick(find(scope, path))),
      drawn = Number.isFinite(a[0] + b[0]) && !(spec.result && stage.resultsHidden);
    line.style.display = drawn ? '' : 'none';
    if (drawn) stretch(line, plane.at.spot(a), plane.at.spot(b));
  };
}

// The places in the corners of a plane where a legend may stand, the best first: far from every arrow's foot.
function corners(label, { at, ranges: [[left, right], [low, high]] }) {
  const half = label.getComputedTextLength() / 2,
    [before, after] = [at.x(left) + half + 4, at.x(right) - half - 4],
    [below, above] = [at.y(low) - 12, at.y(high) + 12];
  return [
    { x: after, y: below, dear: 0 },
    { x: before, y: above, dear: 1 },
    { x: before, y: below, dear: 2 },
    { x: after, y: above, dear: 3 },
  ];
}

// The projection of one vector on the line of another, with the right angle at its end. Its name is a legend: beside
// the band it would lie across other arrows.
function projection(group, spec, _stage, plane) {
  const name = spec.label ? make('svg', 'text', { class: 'label' }, plane.labels) : null,
    said = name && make('svg', 'tspan', {}, name);
  said?.before(make('svg', 'tspan', { class: 'swatch', text: '■ ' }));
  const [ray, drop, shadow] = ['ray', 'drop', 'shadow'].map(kind => make('svg', 'line', { class: kind }, group)),
    corner = make('svg', 'path', { class: 'corner' }, group),
    side = 9;
  const write = (scope, kind) => {
    const text = spell(spec.label, path => find(scope, path));
    putText(said, text);
    putClass(name, classes('label aside shadow-name', kind));
    plane.names.want({ label: name, spots: corners(name, plane), rank: 4, small: Boolean(spec.small) });
  };
  return scope => {
    const u = plane.at.pick(find(scope, spec.of)),
      v = plane.at.pick(find(scope, spec.onto)),
      t = (u[0] * v[0] + u[1] * v[1]) / (v[0] * v[0] + v[1] * v[1]),
      along = share => plane.at.spot([share * v[0], share * v[1]]),
      [origin, tip, foot] = [along(0), plane.at.spot(u), along(t)];
    const drawn = Number.isFinite(t),
      named = drawn && far(origin, foot) >= LEAST_NAMED,
      kind = t < 0 && 'negative';
    group.style.display = drawn ? '' : 'none';
    if (name) name.style.display = named ? '' : 'none';
    if (!drawn) return;
    const ends = plane.ranges.map(([low, high], k) =>
      v[k] ? [low / v[k], high / v[k]].sort((a, b) => a - b) : [-Infinity, Infinity],
    );
    // to where the line of `v` leaves the plane
    stretch(ray, along(Math.max(ends[0][0], ends[1][0])), along(Math.min(ends[0][1], ends[1][1])));
    stretch(drop, tip, foot);
    stretch(shadow, origin, foot);
    if (name && named) write(scope, kind);
    putClass(shadow, classes('shadow', kind));
    const towards = to => to.map((x, k) => (side * (x - foot[k])) / (far(to, foot) || 1)),
      [a, b] = [towards(tip), towards(t < 0 ? along(t + 1) : origin)],
      path = [a, [a[0] + b[0], a[1] + b[1]], b].map(([x, y]) => `${foot[0] + x} ${foot[1] + y}`);
    corner.setAttribute('d', far(tip, foot) < 2 * side ? '' : `M${path.join(' L')}`);
  };
}

// The angle between two vectors as an arc.
function angle(group, spec, stage, plane) {
  const arc = make('svg', 'path', { class: 'arc' }, group),
    degrees = make('svg', 'text', { class: 'degrees' }, plane.labels);
  return scope => {
    const [u, v] = spec.between.map(path => plane.at.pick(find(scope, path))),
      drawn = Math.hypot(...u) * Math.hypot(...v) > 0;
    group.style.display = degrees.style.display = drawn ? '' : 'none';
    if (!drawn) return;
    const start = Math.atan2(u[1], u[0]);
    let turn = Math.atan2(v[1], v[0]) - start;
    if (turn > Math.PI) turn -= 2 * Math.PI;
    else if (turn < -Math.PI) turn += 2 * Math.PI;
    const radius = 30,
      [x0, y0] = plane.at.spot([0, 0]);
    const on = (a, r) => [x0 + r * Math.cos(a), y0 - r * Math.sin(a)];
    const [a, b] = [on(start, radius), on(start + turn, radius)].map(end => end.join(' '));
    arc.setAttribute('d', `M${x0} ${y0} L${a} A${radius} ${radius} 0 0 ${turn > 0 ? 0 : 1} ${b} Z`);
    degrees.textContent = stage.resultsHidden ? '?' : `${Math.round((Math.abs(turn) * 180) / Math.PI)}°`;
    const spots = [20, 32, 44, 56, 72, 88].flatMap(out =>
      [0.5, 0.4, 0.6, 0.25, 0.75, 0.12, 0.88].map((share, k) => {
        const [x, y] = on(start + share * turn, radius + out);
        return { x, y, dear: out / 3 + 0.8 * k };
      }),
    );
    plane.names.want({ label: degrees, spots, rank: 3 });
  };
}

// The hull of a set of points, its corners in turn: Andrew's monotone chain. Of points in a line there are two.
function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]),
    turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const chain = list =>
    list.reduce((kept, p) => {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), p) <= 0) kept.pop();
      kept.push(p);
      return kept;
    }, []);
  const ring = [...chain(sorted).slice(0, -1), ...chain([...sorted].reverse()).slice(0, -1)];
  return ring.length ? ring : sorted;
}

// A hull is drawn; with a `label` its name alone is written, at its longest side.
function hull(group, spec, _stage, plane) {
  const shape = spec.label ? null : make('svg', 'polygon', { class: `hull ${spec.role ?? ''}` }, group);
  const label = spec.label ? make('svg', 'text', { class: 'label aside', text: spec.label }, plane.labels) : null;
  return scope => {
    const corners = hullOf((find(scope, spec.of) ?? []).map(plane.at.pick)).map(plane.at.spot),
      sides = corners.map((corner, k) => [corner, corners[(k + 1) % corners.length]]);
    if (shape) {
      shape.classList.toggle('segment', corners.length < 3);
      for (const side of sides) plane.names.line(...side, 1);
      shape.setAttribute('points', corners.map(corner => corner.map(v => v.toFixed(2)).join(',')).join(' '));
      return;
    }
    const length = ([a, b]) => far(a, b),
      longest = sides.reduce((best, side) => (length(side) > length(best) ? side : best)),
      [x, y] = middleOf(longest),
      from = corners.length > 2 ? middleOf(corners) : plane.at.spot([0, 0]),
      shown = length(longest) > 60;
    label.style.display = shown ? '' : 'none';
    if (shown) plane.name(label, x, y, x - from[0], y - from[1], 'label aside hull-name', { rank: 5, yields: true });
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

// Axes, grid and numbers, drawn anew only when the size changes. Returns the numbers, with the room of each, and the
// axes' titles.
function drawGround(frame, spec, at) {
  const [[left, right], [low, high]] = spec.ranges,
    every = [1, 2, 5, 10, 20].find(n => n * at.one >= 27 * at.unit) ?? 50,
    lined = at.one < 9 ? every : 1,
    ticks = [];
  frame.replaceChildren();
  const line = (from, to, kind) => stretch(make('svg', 'line', { class: kind }, frame), at.spot(from), at.spot(to));
  const number = (v, place) => {
    const tick = make('svg', 'text', { class: 'tick', ...place, text: String(v).replace('-', '−') }, frame);
    ticks.push([tick, letters(tick)]);
  };
  const numbered = v => v && !spec.small && v % every === 0;
  for (let v = Math.ceil(left); v <= right; v++) {
    if (v % lined === 0) line([v, low], [v, high], v ? 'grid-line' : 'axis');
    if (numbered(v)) number(v, { x: at.x(v), y: at.y(0) + 14 * at.unit, 'text-anchor': 'middle' });
  }
  for (let v = Math.ceil(low); v <= high; v++) {
    if (v % lined === 0) line([left, v], [right, v], v ? 'grid-line' : 'axis');
    if (numbered(v)) number(v, { x: at.x(0) - 7, y: at.y(v) + 4 * at.unit, 'text-anchor': 'end' });
  }
  if (spec.meanings) {
    // the axes' names are those of colours, too
    line([0, 0], [right, 0], `axis of-${spec.axes[0]}`);
    line([0, 0], [0, high], `axis of-${spec.axes[1]}`);
  }
  return { ticks, titles: spec.axes[0] ? axisTitles(frame, spec, at) : [] };
}

// The axes' titles. Each goes to the other side of its axis, or further in, where a handle lies on it.
function axisTitles(frame, spec, at) {
  const title = (text, axis, spots) => {
    const kind = classes('title', spec.meanings && `of-${axis}`),
      label = make('svg', 'text', { class: kind, 'text-anchor': 'middle', text }, frame);
    return { label, spots: spots(label.getComputedTextLength() / 2), rank: -1, small: spec.small };
  };
  const [across, up] = spec.axes,
    [, high] = spec.ranges[1],
    end = at.x(spec.ranges[0][1]) + (spec.small ? 0 : 8),
    [below, above, beside] = (spec.small ? [12, -12, 6] : [27, -14, 0]).map(v => v * at.unit),
    ways = [below, above, RING + 16];
  const atEnd = (half, back) => ways.map((y, k) => ({ x: end - half - back, y: at.y(0) + y, dear: 3 * k + back / 16 }));
  const onTop = (half, down) =>
    [1, -1].map((side, k) => ({
      x: at.x(0) + side * (8 + half),
      y: at.y(high) + beside + down * at.unit,
      dear: 3 * k + down / 6,
    }));
  return [
    title(`${apart(across)} →`, across, half => [0, 56].flatMap(back => atEnd(half, back))),
    title(`↑ ${up}`, up, half => [0, 24].flatMap(down => onTop(half, down))),
  ];
}

// Beside what is under the hand: where it is, and what holds it there.
function coordinatesOf(svg, spec, stage, surface) {
  const felt = make('svg', 'g', { 'aria-hidden': 'true' }, svg),
    ring = make('svg', 'circle', { class: 'felt ring' }, felt),
    corner = make('svg', 'path', { class: 'felt' }, felt),
    coordinates = make('svg', 'text', { class: 'felt-place' }, felt),
    [numbers, free] = ['', 'free'].map(kind => make('svg', 'tspan', { class: kind }, coordinates));
  const show = (x, y, point) => {
    const { kind, name, vector, length } = stage.magnet ?? {},
      right = kind === 'right' || kind === 'both',
      equal = kind === 'equal' || kind === 'both',
      held = right || equal,
      where = point.map(v => steady(v).replace('-', '−')).join(betweenNumbers()),
      by = [right && `⟂ ${name}`, equal && `= |${name}|`].filter(Boolean).join(' '),
      { at } = surface,
      [ox, oy] = at.spot([0, 0]);
    felt.style.display = '';
    numbers.textContent = held ? `${where}  ${by}` : where;
    free.textContent = held && spec.free ? ` · ${spec.free}` : '';
    const half = coordinates.getComputedTextLength() / 2 + 4,
      across = Math.min(at.size - half, Math.max(half, x)),
      above = y > 64 ? y - (stage.finger ? 46 : 24) : y + (stage.finger ? 60 : 36);
    place(coordinates, { x: across.toFixed(1), y: above.toFixed(1) });
    surface.names.keepFree([across - half, above - 14, across + half, above + 5]);
    ring.style.display = equal ? '' : 'none';
    if (equal) place(ring, { cx: ox, cy: oy, r: (length * at.one).toFixed(1) });
    corner.style.display = right ? '' : 'none';
    if (!right) return;
    const side = ([a, b]) => [13 * (a / Math.hypot(a, b)), -13 * (b / Math.hypot(a, b))],
      [[ax, ay], [bx, by_]] = [side(point), side(vector)];
    corner.setAttribute('d', `M${ox + ax} ${oy + ay} L${ox + ax + bx} ${oy + ay + by_} L${ox + bx} ${oy + by_}`);
  };
  const hide = () => {
    felt.style.display = 'none';
  };
  return { show, hide };
}

// Where dots lie close to one another or below an arrow, the nearest is taken, whichever was drawn last.
function takeNearest(event) {
  if (!event.isTrusted) return;
  const away = hit => {
    const { x, y, width, height } = hit.getBoundingClientRect();
    return Math.hypot(event.clientX - x - width / 2, event.clientY - y - height / 2);
  };
  const taken = event.target.matches('.hit') ? event.target : null,
    reach = hit => hit === taken || away(hit) < hit.getBoundingClientRect().width / 2,
    hits = [...event.currentTarget.querySelectorAll('circle.hit')].filter(hit => hit.checkVisibility() && reach(hit)),
    nearest = hits.reduce((best, hit) => (best && away(hit) >= away(best) - 0.5 ? best : hit), taken);
  if (!nearest || nearest === taken) return;
  event.stopPropagation();
  event.preventDefault();
  nearest.dispatchEvent(new PointerEvent(event.type, event));
}

export function plane(host, spec, stage) {
  const figure = make(null, 'figure', { class: 'plane' }, host);
  const paintBadge = spec.badge ? badge(figure, spec.badge) : null;
  const svg = makePicture(figure, spec.title);
  if (spec.small) svg.classList.add('small');
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
  const names = labelPlacer(),
    surface = {
      ...spec,
      svg,
      labels,
      names,
      at: scales(spec, 560),
      form: spec.small ? SMALL : LARGE,
      under: event => {
        const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        return surface.at.back(p.x, p.y);
      },
      // Wants a name beside a point, rather on the side of (dx, dy).
      name: (label, x, y, dx, dy, kind, more) => {
        putClass(label, kind);
        names.want({ label, x, y, dx, dy, gap: surface.form.reach, small: spec.small, ...more });
      },
      showPosition: (...where) => {
        told = true;
        coordinates.show(...where);
      },
    };
  const paints = [
      cloud(hands, spec.marks, stage, surface),
      ...spec.marks.map((mark, i) => marks[mark.kind](layers[i], mark, stage, surface)),
    ],
    coordinates = coordinatesOf(svg, spec, stage, surface);
  let told = false, // whether a mark is under the hand at this frame
    ground = null;
  const drawGroundAt = () => {
    const { at } = surface;
    svg.setAttribute('viewBox', `0 0 ${at.size} ${at.size}`);
    ground = drawGround(frame, spec, at);
  };
  svg.addEventListener('pointerdown', takeNearest, { capture: true });
  followWidth(svg, size => {
    surface.at = scales(spec, size);
    drawGroundAt();
    stage.requestPaint();
  });
  return scope => {
    if (!ground) drawGroundAt(); // it has no width yet
    names.clear();
    for (const title of ground.titles) names.want(title);
    const { at, ranges } = surface,
      [across, up] = ranges;
    names.line(...across.map(v => at.spot([v, 0])), ON_AXIS);
    names.line(...up.map(v => at.spot([0, v])), ON_AXIS);
    for (const tick of ground.ticks) names.giveWay(...tick);
    told = false;
    for (const paint of paints) paint(scope);
    if (!told) coordinates.hide();
    names.place([at.size, at.size]);
    paintBadge?.(stage);
  };
}
