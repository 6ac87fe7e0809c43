// Two lines of words, and between them who looks at whom: a link for every pair, as strong as its weight. The words
// that ask are chosen by a click. Those that answer are under the hand: they can change places. Where two lines side by
// side are too narrow for the words, they stand as two columns.
import { find } from '../../figure/browser/calculation.js';
import { direction, pair } from '../../figure/browser/direction.js';
import {
  badge,
  followPointing,
  followWidth,
  make,
  makeButton,
  putClass,
  rem,
  write,
} from '../../figure/browser/elements.js';
import { listed, formatShare, show } from '../../figure/browser/number_format.js';
import { describe } from '../../figure/browser/drag.js';
import { setPose } from '../../figure/browser/pose.js';
import { inOrder, sortable } from '../../figure/browser/sortable.js';
import { drawLink, fitLines, HEAD, linkPath, makeField, ROW, standAt } from './two_lines.js';

const SIZE = { between: 10.5, number: 1.375, beside: 3.25, gap: 8, most: 0.42 }, // `number` as in links.css
  WEIGHT = { faint: 0.003, widest: 15 }; // widest: px, but a weight

// spec: { title, asks, answers: names as given, heads: [over the one line, over the other], weights, strongest, lost,
//         crossings, masked: paths (in the order of the hand), order: the pose's own order (none: the words stay),
//         said, stands, focus, what, texts: { crossings, lost, kept } }
export function links(host, spec, stage) {
  const box = make(null, 'div', { class: 'links', role: 'group', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge),
    own = makeField(box, spec.heads);
  // What every function below gets as its `lines`.
  const lines = {
    ...own,
    spec,
    stage,
    ghosts: make('svg', 'g', { class: 'ghosts' }, own.svg),
    tiles: spec.order ? sortable(stage, spec, spec.answers.length) : null,
    backwards: [spec.asks, spec.answers].map(words => direction(words) === 'rtl'), // as each line of words runs
    lit: null, // the word that is pointed at, of those that answer
    at: null, // where all stands
  };
  lines.asking = spec.asks.map((name, i) => askingWord(lines, name, i));
  lines.answering = spec.answers.map((name, w) => answeringWord(lines, name, w));
  const paintTold = crossings(lines);
  followWidth(own.field, room => {
    layOut(lines, room);
    stage.requestPaint();
  });
  return scope => {
    if (!lines.at) return;
    const paths = [spec.weights, spec.strongest, spec.lost, spec.stands, spec.said],
      [weights, strongest, lost, stands, order] = paths.map(path => find(scope, path)),
      now = { weights, lost, stands, focus: scope[spec.focus], missed: i => order[strongest[i]] };
    const ends = lines.answering.map(({ line, word, w }) => {
      const spot = lines.at.spot(1, lines.tiles ? lines.tiles.glide(word, w, stands[w]) : stands[w]);
      standAt(line, spot);
      return spot.end;
    });
    paintAsking(lines, now, ends);
    paintAnswering(lines, now);
    paintTold(scope, now);
    paintBadge(stage);
  };
}

function askingWord({ spec, stage, field, svg, ghosts }, name, i) {
  const linked = { 'data-about': name, 'data-as': 'asks' },
    choose = () => setPose(stage, { [spec.focus]: i }),
    word = makeButton(field, { class: 'word asks', text: name, ...linked }, choose),
    group = make('svg', 'g', { class: 'of' }, svg);
  return {
    word,
    group,
    paths: spec.answers.map(other => make('svg', 'path', { 'data-about': `${name} ${other}` }, group)),
    ghost: make('svg', 'path', {}, ghosts), // leads to where the strongest link would have led
  };
}

function answeringWord(lines, name, w) {
  const { stage, field, tiles, backwards } = lines,
    line = make(null, 'div', { class: 'answer' }, field),
    linked = { 'data-about': name, 'data-as': 'answers' },
    word = make(null, 'span', { class: `word answers${tiles ? ' tile' : ''}`, text: name, ...linked }, line),
    number = make(null, 'span', { class: 'number' }, line);
  followPointing(word, on => {
    lines.lit = on ? w : null;
    stage.requestPaint();
  });
  const along = ({ clientX, clientY }) => {
    const { top, left, right, width } = field.getBoundingClientRect();
    if (lines.at?.upright) return (clientY - top - HEAD * rem()) / (ROW * rem());
    return ((backwards[1] ? right - clientX : clientX - left) * lines.spec.answers.length) / width;
  };
  const handle = tiles?.handle(word, w, name, along, () => backwards[1] && !lines.at?.upright);
  return { name, w, line, word, number, handle };
}

// What is said below of the links that cross, or that are lost.
function crossings({ spec, stage, box, asking }) {
  const told = make(null, 'p', { class: 'told', 'data-spoken': '' }, box);
  make(null, 'span', { text: `${spec.texts.crossings} ` }, told);
  const crossed = make(null, 'b', {}, told),
    said = make(null, 'span', { class: 'said' }, told);
  return (scope, { lost, missed }) => {
    const hidden = stage.resultsHidden,
      gone = [...asking.keys()].filter(i => lost[i]),
      missing = listed(gone.map(i => pair(spec.asks[i], spec.answers[missed(i)]))),
      kept = find(scope, spec.masked) ? spec.texts.kept : '';
    show(crossed, find(scope, spec.crossings), 'crossings', { hidden });
    write(said, hidden ? '' : gone.length ? `${spec.texts.lost} ${missing}` : kept);
    said.classList.toggle('gone', gone.length > 0);
  };
}

function layOut(lines, room) {
  const { asking, answering, tiles, backwards } = lines,
    { upright, spot, widthOf } = fitLines(lines, [asking, answering], room, backwards, SIZE);
  lines.at = { upright, spot };
  asking.forEach(({ word }, i) => {
    const { x, y } = spot(0, i);
    word.style.left = `${x.toFixed(1)}px`;
    word.style.top = `${y}px`;
    word.style.width = widthOf(0);
  });
  for (const { word } of answering) {
    if (tiles) word.setAttribute('aria-orientation', upright ? 'vertical' : 'horizontal');
    word.style.width = widthOf(1);
  }
}

function paintAsking({ svg, stage, asking, lit, at }, { weights, lost, stands, focus, missed }, ends) {
  const hidden = stage.resultsHidden,
    uppermost = asking[focus].group; // the chosen word's links lie on top
  if (svg.lastChild !== uppermost) svg.appendChild(uppermost);
  asking.forEach(({ word, group, paths, ghost }, i) => {
    const { end } = at.spot(0, i),
      chosen = i === focus,
      gone = !hidden && Boolean(lost[i]);
    word.setAttribute('aria-pressed', chosen);
    word.classList.toggle('lost', gone);
    putClass(group, chosen ? 'of chosen' : 'of');
    paths.forEach((path, w) => {
      const opacity = w === lit ? [0.25, 0.7] : chosen ? [0.12, 0.8] : [0.05, 0.17],
        look = { ...WEIGHT, opacity, kind: w === lit ? 'lit' : '' };
      drawLink(path, [end, ends[w]], at.upright, hidden ? 0 : weights[i][stands[w]], look);
    });
    ghost.style.display = gone ? '' : 'none';
    if (gone) ghost.setAttribute('d', linkPath(end, ends[missed(i)], at.upright));
  });
}

function paintAnswering({ spec, stage, tiles, answering }, { weights, stands, focus }) {
  const hidden = stage.resultsHidden;
  for (const { name, w, word, number, handle } of answering) {
    const weight = weights[focus][stands[w]];
    show(number, weight, `${spec.what} ${spec.asks[focus]} ${name}`, { hidden, form: formatShare });
    number.classList.toggle('nil', hidden || weight < 0.0005);
    word.classList.toggle('held', stage.held === word);
    if (handle) describe(word, handle);
  }
  if (tiles) inOrder(answering.map(({ line, w }) => [line, stands[w]]));
}
