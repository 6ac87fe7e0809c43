// Two texts that differ in a word: whose vector is another one after which layer, and who brought it there. Every
// word is a column, every state a row; a dot is as large as its vector has moved, an arrow as wide as what attention
// carried. What the last layer brings to any but the last word is pale: the prediction does not depend on it.
import { find } from '../../figure/browser/calculation.js';
import { followPointing, make, makeBar, makeButton, place, rem, roomIn, write } from '../../figure/browser/elements.js';
import { formatNumber, filled, formatShare, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

const LEAST = 0.1, // of the widest arrow: thinner ones are left out
  MOST_DOT = 11, // px
  SAID = 3; // words of what each text is followed by

// Of what differs in the last word's vector, each head's part: what it brought, along the whole difference. Parts of
// all heads and of the word's own beginning make one.
function broughtMost(scope, spec) {
  const [now, earlier] = [find(scope, spec.now), find(scope, spec.earlier)],
    last = now.weights[0].length - 1,
    whole = now.states.at(-1)[last].map((x, k) => x - earlier.states.at(-1)[last][k]),
    squares = whole.reduce((sum, x) => sum + x * x, 0);
  if (squares < 1e-12) return null;
  const along = ({ weights, updates }, h) =>
    weights[h][last].reduce(
      (sum, weight, j) => sum + weight * updates[h][j].reduce((s, x, k) => s + x * whole[k], 0),
      0,
    );
  const parts = spec.heads.map((_, h) => (along(now, h) - along(earlier, h)) / squares),
    head = parts.indexOf(Math.max(...parts)),
    row = now.weights[head][last],
    whom = row.indexOf(Math.max(...row));
  return parts[head] > 0 ? { head, last, part: parts[head], whom, weight: row[whom] } : null;
}

// Draws names, arrows and dots; `tell` has each say what it is when it is pointed at.
function draw(svg, spec, scope, room, tell) {
  const { states, carried } = find(scope, spec.change),
    sentence = find(scope, spec.sentence),
    before = find(scope, spec.sentence_before),
    names = find(scope, spec.words),
    n = sentence.length,
    unit = rem(),
    left = 5.6 * unit,
    pitch = (room - left - unit) / n,
    tilted = pitch < 4.4 * unit,
    top = (tilted ? 5.6 : 2.6) * unit,
    step = 4.2 * unit,
    tall = top + (states.length - 1) * step + 1.4 * unit,
    x = i => left + (i + 0.5) * pitch,
    y = layer => top + layer * step,
    most = Math.max(...states.flat(), 1e-9),
    widest = Math.max(...carried.flat(2), 1e-9);
  svg.replaceChildren();
  place(svg, { viewBox: `0 0 ${room} ${tall.toFixed(1)}`, width: room, height: tall.toFixed(1) });
  spec.states.forEach((name, layer) => {
    make('svg', 'text', { class: 'state-name', x: 0, y: y(layer) + 0.3 * unit, text: name }, svg);
  });
  sentence.forEach((word, i) => {
    const other = before[i] !== word,
      [px, py] = [x(i), top - 1.1 * unit],
      turn = `translate(${px.toFixed(1)} ${py.toFixed(1)}) rotate(-48)`,
      at = tilted ? { transform: turn, 'text-anchor': 'start' } : { x: px, y: py, 'text-anchor': 'middle' };
    make('svg', 'text', { class: other ? 'column-name other' : 'column-name', ...at, text: word }, svg);
    if (!other || tilted) return;
    const was = { class: 'column-name was', text: before[i], x: x(i), y: top - 2.1 * unit };
    make('svg', 'text', { ...was, 'text-anchor': 'middle' }, svg);
  });
  const links = make('svg', 'g', { class: 'links' }, svg);
  carried.forEach((rows, layer) =>
    rows.forEach((row, i) =>
      row.forEach((size, j) => {
        if (size < LEAST * widest) return;
        const part = size / widest,
          [x1, y1, x2, y2] = [x(j), y(layer), x(i), y(layer + 1) - MOST_DOT - 3].map(v => v.toFixed(1)),
          middle = (y(layer) + 0.5 * step).toFixed(1),
          spare = layer === carried.length - 1 && i < n - 1;
        const look = {
          class: spare ? 'carried spare' : 'carried',
          d: `M${x1} ${y1} C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`,
          'stroke-width': (0.8 + 6 * part).toFixed(2),
          'stroke-opacity': ((spare ? 0.3 : 1) * (0.15 + 0.65 * part)).toFixed(2),
        };
        const about = { from: names[j], to: names[i], layer: layer + 1, size: formatNumber(size) };
        tell(make('svg', 'path', look, links), filled(spec.texts.carried, about));
      }),
    ),
  );
  states.forEach((row, layer) =>
    row.forEach((size, i) => {
      const r = size < 1e-9 ? 0 : 2.5 + (MOST_DOT - 2.5) * Math.sqrt(size / most);
      make('svg', 'circle', { class: 'untouched', cx: x(i), cy: y(layer), r: 2 }, svg);
      if (layer && size > 1e-9)
        make('svg', 'line', { class: 'stays', x1: x(i), x2: x(i), y1: y(layer - 1), y2: y(layer) }, links);
      if (!r) return;
      const dot = make('svg', 'circle', { class: 'moved', cx: x(i), cy: y(layer), r: r.toFixed(2) }, svg);
      dot.dataset.value = `moved ${names[i]} ${layer}`;
      dot.dataset.exact = String(size);
      tell(dot, filled(spec.texts.moved, { word: names[i], state: spec.states[layer], size: formatNumber(size) }));
    }),
  );
}

// spec: { title, change, now, earlier, words, sentence, sentence_before, vocabulary, exchanged (paths), heads: [name],
//         head, word: names in the pose,
//         states: [what each state is called],
//         texts: { none, before, after, moved, carried, most, look } }
export function ripple(host, spec, stage) {
  const box = make(null, 'div', { class: 'ripple', role: 'group', 'aria-label': spec.title }, host),
    none = make(null, 'p', { class: 'says', text: spec.texts.none }, box),
    field = make(null, 'div', { class: 'ripple-field' }, box),
    svg = make('svg', 'svg', { role: 'img', 'aria-label': spec.title }, field),
    told = make(null, 'p', { class: 'told', 'data-spoken': '' }, box),
    reason = make(null, 'p', { class: 'reason', 'data-spoken': '' }, box),
    both = make(null, 'div', { class: 'both' }, box);
  const because = make(null, 'span', {}, reason);
  makeButton(reason, { class: 'plain small', text: spec.texts.look }, () =>
    setPose(stage, { [spec.head]: found.head, [spec.word]: found.last }),
  );
  const sides = ['before', 'after'].map(side => {
    const part = make(null, 'div', { class: `side ${side}` }, both);
    make(null, 'p', { class: 'which', text: spec.texts[side] }, part);
    const text = make(null, 'p', { class: 'said' }, part);
    const rows = Array.from({ length: SAID }, () => {
      const row = make(null, 'div', { class: 'next two' }, part),
        word = make(null, 'span', { class: 'name' }, row);
      return { word, ...makeBar(row) };
    });
    return { text, rows, side };
  });
  const room = roomIn(field, stage);
  let pointed = '';
  const tell = (element, text) =>
    followPointing(element, on => {
      pointed = on ? text : '';
      stage.requestPaint();
    });

  let found = null;

  return scope => {
    const exchanged = find(scope, spec.exchanged) > 0,
      hidden = stage.resultsHidden || !exchanged;
    none.style.display = exchanged ? 'none' : '';
    for (const element of [field, both, told, reason]) element.style.display = hidden ? 'none' : '';
    if (hidden) return;
    if (room()) draw(svg, spec, scope, room(), tell);
    write(told, pointed || spec.texts.idle);
    found = broughtMost(scope, spec);
    reason.style.display = found ? '' : 'none';
    if (found) {
      const { head, part, whom, weight } = found,
        [whole, share] = [part, weight].map(formatShare),
        about = { head: spec.heads[head], part: whole, whom: find(scope, spec.words)[whom], share };
      write(because, filled(spec.texts.most, about));
    }
    const vocabulary = find(scope, spec.vocabulary);
    for (const { text, rows, side } of sides) {
      const sentence = find(scope, side === 'before' ? spec.sentence_before : spec.sentence).join(' '),
        shares = find(scope, side === 'before' ? spec.earlier : spec.now).next_word.at(-1);
      write(text, sentence);
      const best = shares.map((_, k) => k).sort((a, b) => shares[b] - shares[a]);
      rows.forEach(({ word, bar, number }, k) => {
        const name = vocabulary[best[k]];
        write(word, name);
        bar.style.width = `${(100 * shares[best[k]]).toFixed(1)}%`;
        show(number, shares[best[k]], `next ${side} ${name}`, { form: formatShare });
      });
    }
  };
}
