// A translation word by word: each French word appears with its row of weights, drawn as links to the English words.
// Below, the row in the hand: every weight of it can be dragged, and what comes out follows.
import { find } from '../../figure/browser/calculation.js';
import { direction, pair } from '../../figure/browser/direction.js';
import {
  badge,
  classes,
  make,
  makeBar,
  makeButton,
  place,
  putClass,
  putText,
  rem,
  roomIn,
  write,
} from '../../figure/browser/elements.js';
import { filled, listed, formatShare, show } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { runSteps } from '../../figure/browser/play_clock.js';
import { player } from '../../figure/browser/player.js';
import { setPose } from '../../figure/browser/pose.js';
import { drawLink, fitLines, linkPath, makeField, standAt } from './two_lines.js';

const A_WORD = 1300, // ms that play gives to a word
  SIZE = { between: 8.5, gap: 6, most: 0.45 },
  WEIGHT = { faint: 0.02, widest: 13 }, // widest: px, but a weight
  UNIT = 26, // of an alignment's picture: a cell, and the room for words beside and above
  SIDE = 96,
  ABOVE = 74;

// Whether a head is off, of those that a sum of 1 and 2 says.
const isOff = (off, head) => Boolean((off >> head) & 1);

const keyedItems = (host, texts, makeOne) => {
  if (host.told === JSON.stringify(texts)) return host.items;
  host.told = JSON.stringify(texts);
  for (const { word } of host.items ?? []) word.remove();
  host.items = texts.map(makeOne);
  return host.items;
};

// spec: { title, heads: [over the French, over the English], step: a name; at, english, french, weights (of the head
//         chosen), off (the heads that are), head (the one chosen), gold, said, byItself: paths; link: a weight
//         from which on a link is one; end: what the end is called, words: of the player, texts: { link, gold,
//         astray } }
export function word_by_word(host, spec, stage) {
  const box = make(null, 'div', { class: 'links learned', role: 'group', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge),
    row = make(null, 'div', { class: 'keys' }, box),
    keys = wordKeys(row, spec, stage),
    range = keys.range(row, box, { 'data-scrubber': spec.step }),
    own = makeField(box, spec.heads);
  // What every function below gets as its `lines`.
  const lines = {
    ...own,
    spec,
    stage,
    keys,
    golden: make('svg', 'g', { class: 'gold' }, own.svg), // the links from a word to what it translates
    drawn: make('svg', 'g', {}, own.svg),
    hosts: [{}, {}], // what keeps the words of each line
    rows: [], // the links of each French word
    at: null, // where all stands
    laid: '', // what, once it is another, has all laid out anew
  };
  const legend = make(null, 'p', { class: 'legend' }, box);
  for (const name of ['link', 'gold', 'astray']) {
    const item = make(null, 'span', { class: name }, legend);
    make(null, 'i', {}, item);
    make(null, 'span', { text: spec.texts[name] }, item);
  }
  const room = roomIn(own.field, stage);
  return scope => {
    if (!room()) return;
    const said = frenchWords(scope, spec),
      english = find(scope, spec.english),
      step = find(scope, spec.at),
      key = JSON.stringify([said, english, room(), rem()]);
    if (key !== lines.laid) {
      layOut(lines, said, english, room());
      lines.laid = key;
    }
    paintRows(lines, scope, step);
    keys.show(range, step, said.length - 1, said[step]);
    paintBadge(stage);
  };
}

const frenchWords = (scope, spec) => [...find(scope, spec.french), spec.end];

function wordKeys(row, spec, stage) {
  const at = () => find(stage.scope, spec.at),
    last = () => frenchWords(stage.scope, spec).length - 1;
  const put = step => {
    stage.pose[spec.step] = Math.max(0, Math.min(last(), Math.round(step)));
    stage.requestPaint();
  };
  const run = halt =>
    runSteps(A_WORD, keys.playing, () => {
      if (at() >= last()) halt();
      else put(at() + 1);
    });
  const keys = player(row, stage, spec.words, { at, last, put, go: by => put(at() + by), run });
  return keys;
}

function layOut(lines, said, english, room) {
  const { spec, stage, field, golden, drawn, hosts } = lines;
  const words = [said, english].map((texts, k) =>
    keyedItems(hosts[k], texts, (text, i) => {
      const as = k ? 'answers' : 'asks',
        about = { class: `word ${as}`, text, 'data-about': text, 'data-as': as },
        choose = () => setPose(stage, { [spec.step]: i });
      return { word: k ? make(null, 'span', about, field) : makeButton(field, about, choose) };
    }),
  );
  const backwards = [said, english].map(words => direction(words) === 'rtl'),
    { upright, spot, widthOf } = fitLines(lines, words, room, backwards, SIZE);
  const ends = words.map((line, k) =>
    line.map(({ word }, i) => {
      standAt(word, spot(k, i));
      word.style.width = widthOf(k);
      return spot(k, i).end;
    }),
  );
  golden.replaceChildren();
  drawn.replaceChildren();
  lines.at = { upright, ends };
  lines.rows = said.map((word, i) => {
    const group = make('svg', 'g', { class: 'of' }, drawn),
      paths = english.map(other => make('svg', 'path', { 'data-about': `${word} ${other}` }, group));
    return { word: words[0][i].word, group, gold: make('svg', 'path', {}, golden), paths };
  });
}

function paintRows({ spec, stage, keys, box, drawn, rows, at: { upright, ends } }, scope, step) {
  const paths = [spec.weights, spec.gold, spec.said, spec.by_itself],
    [weights, gold, messageNow, byItself] = paths.map(path => find(scope, path)),
    hidden = stage.resultsHidden,
    pale = isOff(find(scope, spec.off), find(scope, spec.head));
  box.classList.toggle('pale', pale); // what a head that is off weighs carries nothing
  rows.forEach(({ word, group, gold: dashed, paths }, i) => {
    const there = i <= step || !(hidden || keys.playing()), // as it plays, each word comes with its row
      chosen = i === step;
    word.style.visibility = there ? '' : 'hidden';
    word.classList.toggle('lost', messageNow[i] !== byItself[i]);
    word.setAttribute('aria-pressed', chosen);
    putClass(group, chosen ? 'of chosen' : 'of');
    paths.forEach((path, j) => {
      const weight = there && !hidden ? weights[i][j] : 0,
        astray = !pale && weight >= spec.link && gold[i] !== undefined && gold[i] !== j,
        look = { ...WEIGHT, opacity: chosen ? [0.2, 0.7] : [0.06, 0.3], kind: astray ? 'astray' : '' };
      drawLink(path, [ends[0][i], ends[1][j]], upright, weight, look);
    });
    const meant = there && !hidden && gold[i] >= 0;
    dashed.style.display = meant ? '' : 'none';
    if (meant) dashed.setAttribute('d', linkPath(ends[0][i], ends[1][gold[i]], upright));
  });
  if (rows[step] && drawn.lastChild !== rows[step].group) drawn.appendChild(rows[step].group);
}

// The row of the French word that is being said: what each English word gets, under the hand.
// spec: { title, bent, chosen (the head): names in the pose; off, at, row, english, french: paths; end, longest:
//         English words, most: rows that a hand may set, texts: { asks, off, axis, again } }
export function row_in_hand(host, spec, stage) {
  const box = make(null, 'div', { class: 'row-in-hand', role: 'group', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge),
    says = make(null, 'p', { class: 'says' }, box);
  // What the functions below get as their `bars`; `base` is the row as it was when a hand took hold of it.
  const bars = { spec, stage, list: make(null, 'div', { class: 'bars' }, box), base: [] };
  const straighten = () => setPose(stage, { [spec.bent]: [] }),
    again = makeButton(box, { class: 'plain small again', text: spec.texts.again }, straighten);
  return scope => {
    const row = find(scope, spec.row),
      word = frenchWords(scope, spec)[find(stage.scope, spec.at)],
      off = isOff(find(scope, spec.off), stage.pose[spec.chosen]),
      hidden = stage.resultsHidden;
    box.classList.toggle('pale', off);
    write(says, filled(off ? spec.texts.off : spec.texts.asks, { word }));
    keyedItems(bars, find(scope, spec.english), (name, j) => heldBar(bars, name, j)).forEach((item, j) => {
      const part = `${(100 * (hidden ? 0 : row[j])).toFixed(1)}%`;
      item.bar.style.width = part;
      item.thumb.style.left = part;
      item.thumb.style.visibility = hidden ? 'hidden' : '';
      item.thumb.classList.toggle('held', stage.held === item.thumb);
      show(item.number, row[j], `weight ${word} ${item.handle.name}`, { hidden, form: formatShare });
      describe(item.thumb, item.handle);
    });
    again.style.visibility = (stage.pose[spec.bent] ?? []).length ? '' : 'hidden';
    paintBadge(stage);
  };
}

function heldBar(bars, name, j) {
  const { spec, stage, list } = bars,
    word = make(null, 'div', { class: 'bar-of' }, list);
  make(null, 'span', { class: 'name', text: name }, word);
  const { track, bar, number } = makeBar(word),
    thumb = make(null, 'span', { class: 'thumb' }, track);
  const handle = {
    name,
    axes: [spec.texts.axis],
    ranges: [[0, 1]],
    step: 0.05,
    start: () => {
      bars.base = [...find(stage.scope, spec.row)];
    },
    read: () => [find(stage.scope, spec.row)[j]],
    ground: track,
    at: event => {
      const { left, width } = track.getBoundingClientRect();
      return [(event.clientX - left) / width];
    },
    move: ([to]) => bend(bars, j, to),
  };
  makeDraggable(thumb, stage, handle);
  return { word, bar, thumb, number, handle };
}

// Sets one weight of the row; the others share what is left as they did before.
function bend({ spec, stage, base }, j, to) {
  const { pose } = stage,
    at = find(stage.scope, spec.at),
    rest = base.reduce((total, w, k) => total + (k === j ? 0 : w), 0),
    others = Math.max(1, base.length - 1),
    wanted = base.map((w, k) => (k === j ? to : rest > 1e-6 ? (w * (1 - to)) / rest : (1 - to) / others)),
    gets = Array.from({ length: spec.longest }, (_, k) => Math.round(1000 * (wanted[k] ?? 0)));
  const isOther = ([step, head]) => step !== at || head !== pose[spec.chosen],
    kept = (pose[spec.bent] ?? []).filter(isOther).slice(1 - spec.most);
  pose[spec.bent] = [...kept, [at, pose[spec.chosen], ...gets]];
}

// The likeliest next French words.
// spec: { title, most: how many, shares (of all next words), at, said, byItself: paths; target_vocabulary, end,
//         texts: { head, first, instead } }
export function next_words(host, spec, stage) {
  const box = make(null, 'div', { class: 'next-words', role: 'group', 'aria-label': spec.title }, host),
    head = make(null, 'p', { class: 'says' }, box),
    lines = Array.from({ length: spec.most }, () => {
      const line = make(null, 'div', { class: 'bar-of' }, box);
      return { name: make(null, 'span', { class: 'name' }, line), ...makeBar(line) };
    }),
    instead = make(null, 'p', { class: 'instead', 'data-spoken': '' }, box);
  return scope => {
    const vocabulary = find(scope, spec.target_vocabulary),
      step = find(scope, spec.at),
      said = find(scope, spec.said),
      byItself = find(scope, spec.by_itself),
      called = number => (number === undefined || vocabulary[number].startsWith('<') ? spec.end : vocabulary[number]),
      before = said.slice(0, step).map(called).join(' ');
    write(head, before ? filled(spec.texts.head, { before }) : spec.texts.first);
    const likeliest = find(scope, spec.shares)
      .map((part, number) => [part, number])
      .sort(([a], [b]) => b - a);
    lines.forEach(({ name, bar, number }, k) => {
      const [part, of] = likeliest[k];
      write(name, stage.resultsHidden && k ? '' : called(of));
      bar.style.width = `${stage.resultsHidden ? 0 : (100 * part).toFixed(1)}%`;
      show(number, part, `next ${called(of)}`, { hidden: stage.resultsHidden, form: formatShare });
    });
    const other = !stage.resultsHidden && called(said[step]) !== called(byItself[step]);
    write(instead, other ? filled(spec.texts.instead, { word: called(byItself[step]) }) : '');
  };
}

// French words against English ones, as strong as the weights; what each translates is framed. Links are counted,
// but not of a head that is off.
// spec: { title, name, weights (of one head), gold, links: [right, wrong, missed], french, english, at, off (the heads
//         that are, or none): paths; head: its number; link: a weight from which on a link is one; turned, counts: what
//         the three are called, texts: { means, off }, test: on held-out texts }
export function alignment(host, spec, stage) {
  const box = make(null, 'figure', { class: 'alignment', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge);
  make(null, 'figcaption', { text: spec.title }, box);
  const svg = make('svg', 'svg', { role: 'img' }, box),
    told = make(null, 'p', { class: 'counts', 'data-spoken': '' }, box);
  const counts = spec.counts.map((text, k) => {
    const item = make(null, 'span', { class: ['right', 'astray', 'missed'][k] }, told);
    make(null, 'span', { text: `${text} ` }, item);
    return make(null, 'b', {}, item);
  });
  const means = make(null, 'p', { class: 'means' }, box);
  make(null, 'p', { class: 'test', text: spec.test }, box);
  let laid = '',
    grid = null;
  return scope => {
    const words = [find(scope, spec.french), find(scope, spec.english)],
      links = find(scope, spec.links),
      off = spec.off !== null && isOff(find(scope, spec.off), spec.head),
      key = JSON.stringify(words);
    if (key !== laid) {
      grid = layOutGrid(svg, spec, ...words);
      laid = key;
    }
    paintGrid(grid, spec, scope, stage.resultsHidden, off);
    nameGrid(svg, spec, scope, stage.resultsHidden);
    box.classList.toggle('pale', off);
    told.hidden = off;
    write(means, spec.texts[off ? 'off' : 'means']);
    const share = { hidden: stage.resultsHidden, form: String };
    ['right', 'wrong', 'missed'].forEach((kind, k) => show(counts[k], links[k], `${kind} ${spec.name}`, share));
    paintBadge(stage);
  };
}

// Returns the cells, and the frame around those of the word that is being said.
function layOutGrid(svg, spec, said, english) {
  const [down, across] = spec.turned ? [english, said] : [said, english],
    wide = SIDE + UNIT * across.length + 40,
    kind = isDown => ((spec.turned ? !isDown : isDown) ? 'asks' : 'answers');
  svg.replaceChildren();
  place(svg, { viewBox: `0 0 ${wide} ${ABOVE + UNIT * down.length + 4}` });
  svg.style.maxWidth = `${wide * 1.15}px`;
  down.forEach((text, i) =>
    make('svg', 'text', { class: kind(true), x: SIDE - 8, y: ABOVE + UNIT * (i + 0.68), text }, svg),
  );
  across.forEach((text, j) => {
    const [x, y] = [SIDE + UNIT * (j + 0.6), ABOVE - 7];
    make('svg', 'text', { class: `up ${kind(false)}`, x, y, transform: `rotate(-48 ${x} ${y})`, text }, svg);
  });
  const line = make('svg', 'rect', { class: 'asking', rx: 4 }, svg);
  const cells = said.map((_, i) =>
    english.map((_, j) => {
      const [right, below] = spec.turned ? [i, j] : [j, i],
        [x, y] = [SIDE + UNIT * right + 1.5, ABOVE + UNIT * below + 1.5],
        size = { x, y, width: UNIT - 3, height: UNIT - 3, rx: 3 };
      make('svg', 'rect', { class: 'ground', ...size }, svg);
      const mark = make('svg', 'rect', { class: 'weight', ...size }, svg),
        frame = make('svg', 'rect', { class: 'frame', ...size }, svg);
      return { mark, frame, title: make('svg', 'title', {}, frame) };
    }),
  );
  return { line, cells };
}

function paintGrid({ line, cells }, spec, scope, hidden, off) {
  const paths = [spec.french, spec.english, spec.weights, spec.gold, spec.at],
    [said, english, weights, gold, step] = paths.map(path => find(scope, path));
  cells.forEach((row, i) => {
    row.forEach(({ mark, frame, title }, j) => {
      const weight = weights[i][j],
        meant = gold[i] === j,
        astray = !hidden && !off && weight >= spec.link && !meant;
      mark.style.fillOpacity = hidden ? 0 : weight.toFixed(3);
      putClass(frame, classes('frame', meant && 'gold', astray && 'astray'));
      putText(title, hidden ? '' : `${pair(said[i], english[j])}: ${formatShare(weight)}`);
    });
  });
  const [long, at] = [UNIT * english.length, UNIT * step];
  line.style.display = step < said.length ? '' : 'none';
  if (spec.turned) place(line, { x: SIDE + at, y: ABOVE, width: UNIT, height: long });
  else place(line, { x: SIDE, y: ABOVE + at, width: long, height: UNIT });
}

// Says for a screen reader which English word each French one attends to most.
function nameGrid(svg, spec, scope, hidden) {
  const [said, english, weights] = [spec.french, spec.english, spec.weights].map(path => find(scope, path)),
    strongest = weights.map(row => english[row.indexOf(Math.max(...row))]),
    pairs = listed(said.map((word, i) => pair(word, strongest[i]))),
    label = hidden ? spec.title : `${spec.title}: ${pairs}`;
  if (svg.getAttribute('aria-label') !== label) svg.setAttribute('aria-label', label);
}
