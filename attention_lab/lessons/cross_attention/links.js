// Two lines of words, and between them who looks at whom: a link for every pair, as strong as its weight. The words
// that ask are chosen by a click. Those that answer are under the hand: they can change places. Where two lines side by
// side are too narrow for the words, they stand as two columns.
import { find } from '../../figure/browser/calculation.js';
import { direction, pair, runsLeft } from '../../figure/browser/direction.js';
import {
  badge,
  followPointing,
  followWidth,
  make,
  makeButton,
  place,
  putClass,
  rem,
  write,
} from '../../figure/browser/elements.js';
import { listed, formatShare, show } from '../../figure/browser/number_format.js';
import { describe } from '../../figure/browser/drag.js';
import { setPose } from '../../figure/browser/pose.js';
import { inOrder, sortable } from '../../figure/browser/sortable.js';

const HEAD = 1.5, // rem
  WORD = 2.125, // rem: as in links.css
  NUMBER = 1.375, // rem: as in links.css
  BETWEEN = 10.5, // rem
  ROW = 2.625, // rem
  SHARE = 3.25, // rem beside a word
  FAINT = 0.003,
  WIDEST = 15; // px, but a weight

// The way of a link between two words: in two lines, or where these are `upright` in two columns.
export function linkPath([x0, y0], [x1, y1], upright) {
  const point = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`,
    [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2],
    bends = upright ? `${point(x, y0)} ${point(x, y1)}` : `${point(x0, y)} ${point(x1, y)}`;
  return `M${point(x0, y0)} C${bends} ${point(x1, y1)}`;
}

// spec: { title, asks, answers: names as given, heads: [over the one line, over the other], weights, strongest, lost,
//         crossings, masked: paths (in the order of the hand), order: the pose's own order (none: the words stay),
//         said, stands, focus, what, texts: { crossings, lost, kept } }
export function links(host, spec, stage) {
  const box = make(null, 'div', { class: 'links', role: 'group', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge);
  const field = make(null, 'div', { class: 'field' }, box),
    svg = make('svg', 'svg', { 'aria-hidden': 'true' }, field),
    ghosts = make('svg', 'g', { class: 'ghosts' }, svg);
  const heads = spec.heads.map((text, k) =>
    make(null, 'span', { class: `head ${k ? 'answers' : 'asks'}`, text }, field),
  );
  const tiles = spec.order ? sortable(stage, spec, spec.answers.length) : null;
  const backwards = [spec.asks, spec.answers].map(words => direction(words) === 'rtl'), // as each line of words runs
    mirrored = runsLeft(box); // as the two columns stand
  let room = 0,
    upright = false,
    lit = null;

  const asking = spec.asks.map((name, i) => {
    const linked = { 'data-about': name, 'data-as': 'asks' },
      choose = () => setPose(stage, { [spec.focus]: i }),
      word = makeButton(field, { class: 'word asks', text: name, ...linked }, choose),
      group = make('svg', 'g', { class: 'of' }, svg);
    return {
      name,
      word,
      group,
      paths: spec.answers.map(other => make('svg', 'path', { 'data-about': `${name} ${other}` }, group)),
      ghost: make('svg', 'path', {}, ghosts),
    };
  });
  const answering = spec.answers.map((name, w) => {
    const line = make(null, 'div', { class: 'answer' }, field),
      linked = { 'data-about': name, 'data-as': 'answers' },
      word = make(null, 'span', { class: `word answers${tiles ? ' tile' : ''}`, text: name, ...linked }, line);
    const number = make(null, 'span', { class: 'number' }, line);
    followPointing(word, on => {
      lit = on ? w : null;
      stage.requestPaint();
    });
    const handle = tiles?.handle(
      word,
      w,
      name,
      event => {
        const area = field.getBoundingClientRect();
        return upright
          ? (event.clientY - area.top - HEAD * rem()) / (ROW * rem())
          : ((backwards[1] ? area.right - event.clientX : event.clientX - area.left) * spec.answers.length) /
              area.width;
      },
      () => backwards[1] && !upright,
    );
    return { name, w, line, word, number, handle };
  });
  const told = make(null, 'p', { class: 'told', 'data-spoken': '' }, box);
  make(null, 'span', { text: `${spec.texts.crossings} ` }, told);
  const crossed = make(null, 'b', {}, told),
    said = make(null, 'span', { class: 'said' }, told);

  // Where everything stands: in two lines if every word has room for itself, else in two columns.
  let wide = [0, 0],
    at = null;
  function layOut() {
    const [head, line, number, between, row, beside] = [HEAD, WORD, NUMBER, BETWEEN, ROW, SHARE].map(
      length => length * rem(),
    );
    box.classList.remove('upright');
    for (const { word } of [...asking, ...answering]) word.style.width = '';
    const of = [asking, answering].map(words => Math.max(...words.map(({ word }) => word.scrollWidth + 4)));
    upright = [asking, answering].some((words, k) => of[k] + 8 > room / words.length);
    wide = of.map(width => Math.min(width, 0.42 * room));
    box.classList.toggle('upright', upright);
    if (tiles)
      for (const { word } of answering) word.setAttribute('aria-orientation', upright ? 'vertical' : 'horizontal');
    const tall = upright
      ? head + row * Math.max(asking.length, answering.length)
      : head + 2 * line + between + number + head;
    field.style.height = `${tall}px`;
    place(svg, { width: room, height: tall, viewBox: `0 0 ${room} ${tall}` });
    at = (k, place_, count) => {
      if (!upright) {
        const along = ((place_ + 0.5) * room) / count,
          x = backwards[k] ? room - along : along;
        return { x, y: k ? head + line + between : head, end: [x, k ? head + line + between - 3 : head + line + 3] };
      }
      const y = head + (place_ + 0.5) * row,
        [x, end] = k ? [room - wide[1] - beside, room - wide[1] - beside - 4] : [0, wide[0] + 4];
      return mirrored ? { x: k ? 0 : room - wide[0], y, end: [room - end, y] } : { x, y, end: [end, y] };
    };
    asking.forEach(({ word }, i) => {
      const { x, y } = at(0, i, asking.length);
      word.style.left = `${x.toFixed(1)}px`;
      word.style.top = `${y}px`;
      word.style.width = upright ? `${wide[0]}px` : '';
    });
    answering.forEach(({ word }) => {
      word.style.width = upright ? `${wide[1]}px` : '';
    });
    heads[1].style.top = upright ? 0 : `${tall - head}px`;
  }

  followWidth(field, wide => {
    room = wide;
    layOut();
    stage.requestPaint();
  });

  return scope => {
    if (!at) return;
    const paths = [spec.weights, spec.strongest, spec.lost, spec.stands, spec.said],
      [weights, strongest, lost, stands, order] = paths.map(path => find(scope, path)),
      hidden = stage.resultsHidden;
    const focus = scope[spec.focus],
      ends = answering.map(({ line, word, w }) => {
        const glided = tiles ? tiles.glide(word, w, stands[w]) : stands[w],
          { x, y, end } = at(1, glided, answering.length);
        line.style.left = `${x.toFixed(1)}px`;
        line.style.top = `${y.toFixed(1)}px`;
        return end;
      });
    const uppermost = asking[focus].group; // the chosen word's links lie on top
    if (svg.lastChild !== uppermost) svg.appendChild(uppermost);
    asking.forEach(({ word, group, paths, ghost }, i) => {
      const { end } = at(0, i, asking.length),
        chosen = i === focus;
      word.setAttribute('aria-pressed', chosen);
      word.classList.toggle('lost', !hidden && Boolean(lost[i]));
      putClass(group, chosen ? 'of chosen' : 'of');
      paths.forEach((path, w) => {
        const weight = hidden ? 0 : weights[i][stands[w]],
          drawn = weight > FAINT;
        path.style.display = drawn ? '' : 'none';
        if (!drawn) return;
        path.setAttribute('d', linkPath(end, ends[w], upright));
        path.style.strokeWidth = `${(0.8 + WIDEST * weight).toFixed(2)}px`;
        const [least, more] = w === lit ? [0.25, 0.7] : chosen ? [0.12, 0.8] : [0.05, 0.17];
        path.style.strokeOpacity = (least + more * weight).toFixed(3);
        putClass(path, w === lit ? 'lit' : '');
      });
      const gone = !hidden && lost[i];
      ghost.style.display = gone ? '' : 'none';
      if (gone) ghost.setAttribute('d', linkPath(end, ends[order[strongest[i]]], upright));
    });
    answering.forEach(({ name, w, word, number, handle }) => {
      const weight = weights[focus][stands[w]];
      show(number, weight, `${spec.what} ${spec.asks[focus]} ${name}`, { hidden, form: formatShare });
      number.classList.toggle('nil', hidden || weight < 0.0005);
      word.classList.toggle('held', stage.held === word);
      if (handle) describe(word, handle);
    });
    if (tiles) inOrder(answering.map(({ line, w }) => [line, stands[w]]));
    show(crossed, find(scope, spec.crossings), 'crossings', { hidden });
    const gone = asking.map((_, i) => i).filter(i => lost[i]),
      missing = listed(gone.map(i => pair(spec.asks[i], spec.answers[order[strongest[i]]]))),
      kept = find(scope, spec.masked) ? spec.texts.kept : '';
    write(said, hidden ? '' : gone.length ? `${spec.texts.lost} ${missing}` : kept);
    said.classList.toggle('gone', gone.length > 0);
    paintBadge(stage);
  };
}
