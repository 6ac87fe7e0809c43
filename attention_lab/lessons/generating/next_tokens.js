// What may come next: the adjusted probabilities end to end, with the draw that chooses among them under the hand, and
// the likeliest tokens as bars.
import { find } from '../../figure/browser/calculation.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { badge, letters, make, roomIn, write } from '../../figure/browser/elements.js';
import { filled, formatShare, show } from '../../figure/browser/number_format.js';

const ROWS = 6, // tokens with a bar
  PARTS = 20, // tokens that have a part of their own in the stack
  LETTER = 0.52, // of a letter's height
  LAST = 0.99; // a draw by hand

// The handle of the draw on the stack of probabilities. Returns what paints it.
function makeDraw(stack, axis, name, stage) {
  const thumb = make(null, 'span', { class: 'thumb' }, stack),
    handle = {
      name: 'draw',
      axes: [axis],
      ranges: [[0, LAST]],
      step: 0.01,
      ground: stack,
      read: () => [stage.pose[name]],
      at: event => {
        const { left, width } = stack.getBoundingClientRect();
        return [(event.clientX - left) / width];
      },
      move: ([to]) => {
        stage.pose[name] = to;
      },
    };
  make(null, 'i', {}, thumb);
  makeDraggable(thumb, stage, handle);
  return draw => {
    thumb.style.insetInlineStart = `${(100 * draw).toFixed(2)}%`;
    thumb.classList.toggle('held', stage.held === thumb);
    describe(thumb, handle);
  };
}

// spec: { title, adjusted, order, next, vocabulary: paths; texts: { says, over, axis, own, rest } }; where
//         one is drawn, draw: a name in the pose, and own (the model's own probabilities): path; where the text is
//         there, left (the number of tokens to come): path
export function next_tokens(host, spec, stage) {
  const { texts } = spec,
    box = make(null, 'div', { class: 'next-tokens', role: 'group', 'aria-label': spec.title }, host),
    head = make(null, 'div', { class: 'head' }, box),
    says = make(null, 'p', { class: 'says', 'data-spoken': '' }, head),
    drawn = spec.draw && make(null, 'b', {}, make(null, 'p', { text: `${texts.axis} ` }, head)),
    stack = make(null, 'div', { class: 'stack', dir: 'ltr', translate: 'no' }, box),
    parts = Array.from({ length: PARTS + 1 }, () => make(null, 'span', { class: 'segment' }, stack)),
    paintDraw = spec.draw && makeDraw(stack, texts.axis, spec.draw, stage);
  stack.classList.toggle('drawn', Boolean(spec.draw));
  const rows = Array.from({ length: spec.draw ? ROWS : ROWS + 1 }, () => {
    const row = make(null, 'div', { class: 'of-token' }, box),
      name = make(null, 'span', { class: 'name', translate: 'no' }, row),
      track = make(null, 'span', { class: 'track', dir: 'ltr' }, row);
    return {
      row,
      name,
      bar: make(null, 'span', { class: 'bar' }, track),
      own: spec.own && make(null, 'span', { class: 'own' }, track),
      number: make(null, 'span', { class: 'number' }, row),
    };
  });
  if (spec.own) make(null, 'p', { class: 'own-says', text: texts.own }, box);
  const paintBadge = badge(box, spec.badge),
    room = roomIn(stack, stage);
  return scope => {
    const [adjusted] = find(scope, spec.adjusted),
      own = find(scope, spec.own),
      order = find(scope, spec.order),
      next = find(scope, spec.next),
      vocabulary = find(scope, spec.vocabulary),
      hidden = stage.resultsHidden,
      isOver = find(scope, spec.left) <= 0,
      first = order.slice(0, PARTS),
      without = tokens => Math.max(0, 1 - tokens.reduce((sum, token) => sum + adjusted[token], 0));
    box.classList.toggle('over', isOver);
    write(says, isOver ? texts.over : filled(texts.says, { word: hidden ? '?' : vocabulary[next] }));
    parts.forEach((part, k) => {
      const token = first[k],
        size = hidden ? 0 : k < PARTS ? adjusted[token] : without(first),
        name = k < PARTS ? vocabulary[token] : texts.rest,
        fits = name.length * LETTER * letters(0.75) + 6 < size * room();
      part.style.width = `${(100 * size).toFixed(3)}%`;
      part.classList.toggle('chosen', token === next || (k === PARTS && !first.includes(next)));
      write(part, fits ? name : '');
      const title = `${name} ${formatShare(size)}`;
      if (part.title !== title) part.title = title;
    });
    if (spec.draw) {
      show(drawn, scope[spec.draw], 'draw');
      paintDraw(scope[spec.draw]);
    }
    const shown = order.slice(0, ROWS);
    if (!shown.includes(next)) shown[ROWS - 1] = next; // the one that will be written has a row
    rows.forEach(({ row, name, bar, own: mark, number }, k) => {
      const token = shown[k],
        word = k < ROWS ? vocabulary[token] : texts.rest,
        size = k < ROWS ? adjusted[token] : without(shown);
      row.classList.toggle('chosen', token === next && !hidden);
      write(name, hidden ? '?' : word);
      bar.style.width = `${hidden ? 0 : (100 * size).toFixed(2)}%`;
      if (mark) {
        mark.style.visibility = hidden ? 'hidden' : '';
        mark.style.insetInlineStart = `${hidden ? 0 : (100 * own[token]).toFixed(2)}%`;
      }
      show(number, size, `next ${word}`, { hidden, form: formatShare });
    });
    paintBadge(stage);
  };
}
