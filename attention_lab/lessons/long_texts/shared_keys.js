// Query heads in groups that share a KV head, with the edge of the first group under the hand; and the cache that
// follows: a block for each KV head, poured into frames as large as the memory.
import { find } from '../../figure/browser/calculation.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import {
  badge,
  followWidth,
  make,
  makePicture,
  place,
  pointIn,
  projected,
  unitFor,
} from '../../figure/browser/elements.js';
import { filled, formatBytes, forms, show } from '../../figure/browser/number_format.js';
import { facts, nearest } from './window.js';

const GAP = 5, // px between two frames
  SHAPE = 0.7; // of a frame's width, about its height

// spec: { title, badge, kv_heads, model: in the pose, models, kv, per_kv_head: paths, memory (bytes), longest (tokens),
//         most (heads), words }
export function shared_keys(host, spec, stage) {
  const box = make(null, 'figure', { class: 'shared-keys' }, host),
    paintBadge = badge(box, spec.badge),
    { words } = spec;
  const svg = makePicture(box, spec.title);
  const shape = (tag, kind) => make('svg', tag, { class: kind }, svg),
    heads = Object.fromEntries(['line', 'query', 'key', 'value'].map(kind => [kind, shape('path', kind)])),
    [cachedKeys, cachedValues, others, frame] = ['key', 'value', 'others', 'frame'].map(kind => shape('path', kind)),
    [knob, hit] = ['knob', 'hit'].map(kind => shape('rect', kind)),
    labels = ['queries', 'keys', 'frame', 'cached_keys', 'cached_values'].map(name => shape('text', name));
  let at = null;
  const handle = groupHandle(svg, spec, stage, () => at);
  makeDraggable(hit, stage, handle);

  followWidth(box, room => {
    at = { room, u: unitFor(0.75), model: null };
    stage.requestPaint();
  });
  return scope => {
    if (!at) return;
    const model = find(scope, spec.models)[scope[spec.model]],
      kvHeads = find(scope, spec.kv);
    if (at.model !== scope[spec.model]) {
      at = { ...layOut(at, model, spec), model: scope[spec.model] };
      place(svg, { viewBox: `0 0 ${at.room} ${at.height.toFixed(1)}` });
      svg.style.height = `${at.height.toFixed(1)}px`;
      others.setAttribute('d', at.frames.slice(1).map(framePath(at)).join(''));
      frame.setAttribute('d', framePath(at)(at.frames[0]));
      const beside = 56 * at.u,
        above = at.top - 8 * at.u;
      const places = [
        [0, 12 * at.u],
        [0, at.keys + 32 * at.u],
        [0, above],
        [at.room - beside, above],
        [at.room, above],
      ];
      labels.forEach((label, k) =>
        place(label, { x: places[k][0], y: places[k][1], 'text-anchor': k < 3 ? 'start' : 'end' }),
      );
    }
    drawGroups(heads, at, model.num_heads, kvHeads);
    const half = stage.resultsHidden ? 0 : find(scope, spec.per_kv_head) / 2 / spec.memory; // of a frame: a head's keys
    cachedKeys.setAttribute('d', poured(at, half, 0, kvHeads));
    cachedValues.setAttribute('d', poured(at, half, 1, kvHeads));
    const edge = at.left + (model.num_heads / kvHeads) * at.pitch;
    place(knob, { x: edge - 4, y: at.queries - 10 * at.u, width: 8, height: 32 * at.u, rx: 4 });
    place(hit, { x: edge - 22, y: at.queries - 18 * at.u, width: 44, height: 48 * at.u });
    const counts = { queries: model.num_heads, keys: kvHeads };
    for (const label of labels) {
      const name = label.getAttribute('class');
      label.textContent = filled(words[name], { n: forms.whole(counts[name] ?? 0), memory: formatBytes(spec.memory) });
    }
    describe(hit, handle);
    paintBadge(stage);
  };
}

// Where heads and frames are: as many frames as the longest text fills if no keys are shared.
function layOut({ room, u }, { num_heads, own }, spec) {
  const left = 14, // so that the edge can be held at either end
    pitch = (room - 2 * left) / num_heads,
    queries = 34 * u,
    keys = queries + 58 * u,
    top = keys + 80 * u,
    tall = (projected() ? 0.2 : 0.38) * room,
    count = Math.ceil((own * spec.longest) / spec.memory);
  const measure = columns => {
      const rows = Math.ceil(count / columns),
        width = (room - (columns - 1) * GAP) / columns,
        height = (tall - (rows - 1) * GAP) / rows;
      return { columns, width, height, far: Math.abs(Math.log(height / width / SHAPE)) };
    },
    { columns, width, height } = Array.from({ length: count }, (_, n) => measure(n + 1)).reduce((a, b) =>
      b.far < a.far ? b : a,
    );
  const frames = Array.from({ length: count }, (_, k) => [
      (k % columns) * (width + GAP),
      top + Math.floor(k / columns) * (height + GAP),
    ]),
    below = top + tall + 2;
  return { room, u, left, pitch, queries, keys, top, width, tall: height, frames, height: below };
}

const framePath =
  at =>
  ([x, y]) =>
    rectangle(x, y, at.width, at.tall);
const rectangle = (x, y, w, h) =>
  `M${x.toFixed(2)} ${y.toFixed(2)}h${w.toFixed(2)}v${h.toFixed(2)}h${(-w).toFixed(2)}Z`;

// Every query head as a dot, every KV head as a pair of blocks below the middle of its group, and who shares it.
function drawGroups(drawn, at, heads, kvHeads) {
  const { left, pitch, u } = at,
    x = head => left + (head + 0.5) * pitch,
    r = Math.min(5 * u, 0.38 * pitch),
    size = Math.min(11 * u, 0.42 * pitch * (heads / kvHeads)),
    group = heads / kvHeads,
    middles = Array.from({ length: kvHeads }, (_, g) => x(g * group + (group - 1) / 2)),
    all = Array.from({ length: heads }, (_, head) => head);
  const pieces = {
    query: all.map(head => `M${x(head) - r} ${at.queries}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`),
    line: all.map(head => `M${x(head)} ${at.queries + r}L${middles[Math.floor(head / group)]} ${at.keys}`),
    key: middles.map(m => rectangle(m - size, at.keys, size, 14 * u)),
    value: middles.map(m => rectangle(m, at.keys, size, 14 * u)),
  };
  for (const kind in pieces) drawn[kind].setAttribute('d', pieces[kind].join(''));
}

// The keys (`which` 0) or values (1) of all KV heads, `half` a frame each, frame after frame.
function poured(at, half, which, kvHeads) {
  const pieces = [];
  for (let head = 0; half && head < kvHeads; head++) {
    const end = (2 * head + which + 1) * half;
    for (let from = end - half; from < end - 1e-9; ) {
      const k = Math.floor(from + 1e-9),
        to = Math.min(end, k + 1),
        [x, y] = at.frames[k];
      pieces.push(rectangle(x + (from - k) * at.width, y, (to - from) * at.width, at.tall));
      from = to;
    }
  }
  return pieces.join('');
}

// The edge of the first group as a handle: it stops where all groups are equally large. A key goes to the next stop.
function groupHandle(svg, spec, stage, at) {
  const model = () => find(stage.scope, spec.models)[stage.pose[spec.model]],
    group = () => model().num_heads / find(stage.scope, spec.kv);
  return {
    name: spec.words.handle,
    axes: [spec.words.group],
    ranges: [[1, spec.most]],
    step: 1,
    read: () => [group()],
    at: event => [Math.max(1, (pointIn(svg, event).x - at().left) / at().pitch)],
    move: ([wanted]) => {
      const { divisors, num_heads, num_kv_heads } = model(),
        next = wanted > group() ? divisors.find(n => n >= wanted) : divisors.findLast(n => n <= wanted),
        stop = stage.grabbed ? divisors[nearest(divisors, wanted)] : (next ?? num_heads),
        kvHeads = num_heads / stop;
      stage.pose[spec.kv_heads] = kvHeads === num_kv_heads ? 0 : kvHeads; // 0: as published
    },
  };
}

// spec: { model: in the pose, models, kv, cache, per_token, group: paths, memory (bytes), words }
export function cache_size(host, spec, stage) {
  const box = make(null, 'div', { class: 'cache-size' }, host),
    { words } = spec;
  const lines = {
    cache: [words.cache, '', 'cost'],
    frames: ['=', words.frames],
    token: [words.token, ''],
    group: [words.group, ''],
    parameters: [words.parameters, words.parameters_more],
  };
  const numbers = facts(box, lines, ''),
    kind = box.querySelector('.why');
  kind.dataset.spoken = '';
  return scope => {
    const { num_heads, parameters } = find(scope, spec.models)[scope[spec.model]],
      kvHeads = find(scope, spec.kv),
      hidden = stage.resultsHidden,
      cache = find(scope, spec.cache);
    show(numbers.cache, cache, 'cache', { hidden, form: formatBytes });
    show(numbers.frames, cache / spec.memory, 'frames', { hidden });
    show(numbers.token, find(scope, spec.per_token), 'bytes per token', { hidden, form: forms.whole });
    show(numbers.group, find(scope, spec.group), 'query heads per KV head', { form: forms.whole });
    show(numbers.parameters, parameters, 'parameters', { form: formatBytes });
    kind.textContent = words[kvHeads === num_heads ? 'multi_head' : kvHeads === 1 ? 'multi_query' : 'grouped'];
  };
}
