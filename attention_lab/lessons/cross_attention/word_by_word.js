// A translation word by word: each French word appears with its row of weights, drawn as links to the English words.
// Below, the row in the hand: every weight of it can be dragged, and what comes out follows.
import { find } from '../../figure/browser/calculation.js';
import { direction, pair, runsLeft } from '../../figure/browser/direction.js';
import {
  badge,
  classes,
  make,
  makeBar,
  makeButton,
  place,
  putClass,
  rem,
  roomIn,
  write,
} from '../../figure/browser/elements.js';
import { filled, listed, formatShare, show } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { runSteps } from '../../figure/browser/play_clock.js';
import { player } from '../../figure/browser/player.js';
import { setPose } from '../../figure/browser/pose.js';
import { linkPath } from './links.js';

const A_WORD = 1300, // ms that play gives to a word
  FAINT = 0.02,
  HEAD = 1.5, // rem, all of them
  WORD = 2.125,
  BETWEEN = 8.5,
  ROW = 2.625,
  WIDEST = 13; // px, but a weight

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
    paintBadge = badge(box, spec.badge);
  const row = make(null, 'div', { class: 'keys' }, box);
  const french = scope => [...find(scope, spec.french), spec.end];
  const put = step => {
    stage.pose[spec.step] = Math.max(0, Math.min(french(stage.scope).length - 1, Math.round(step)));
    stage.requestPaint();
  };
  const at = () => find(stage.scope, spec.at);
  const keys = player(row, stage, spec.words, {
    at,
    last: () => french(stage.scope).length - 1,
    put,
    go: by => put(at() + by),
    run: halt =>
      runSteps(A_WORD, keys.playing, () => {
        if (at() >= french(stage.scope).length - 1) halt();
        else put(at() + 1);
      }),
  });
  const range = keys.range(row, box, { 'data-scrubber': spec.step });
  const field = make(null, 'div', { class: 'field' }, box),
    svg = make('svg', 'svg', { 'aria-hidden': 'true' }, field),
    golden = make('svg', 'g', { class: 'gold' }, svg),
    drawn = make('svg', 'g', {}, svg);
  const heads = spec.heads.map((text, k) =>
    make(null, 'span', { class: `head ${k ? 'answers' : 'asks'}`, text }, field),
  );
  const legend = make(null, 'p', { class: 'legend' }, box);
  for (const name of ['link', 'gold', 'astray']) {
    const item = make(null, 'span', { class: name }, legend);
    make(null, 'i', {}, item);
    make(null, 'span', { text: spec.texts[name] }, item);
  }
  const asks = {},
    answers = {},
    roomNow = roomIn(field, stage);
  let laid = '',
    ends = null;
  function layOut(said, english) {
    const room = roomNow(),
      [head, line, between, tallRow] = [HEAD, WORD, BETWEEN, ROW].map(length => length * rem());
    const lines = [
      keyedItems(asks, said, (text, i) => {
        const linked = { 'data-about': text, 'data-as': 'asks' };
        return {
          word: makeButton(field, { class: 'word asks', text, ...linked }, () => setPose(stage, { [spec.step]: i })),
        };
      }),
      keyedItems(answers, english, text => {
        const linked = { 'data-about': text, 'data-as': 'answers' };
        return { word: make(null, 'span', { class: 'word answers', text, ...linked }, field) };
      }),
    ];
    box.classList.remove('upright');
    for (const { word } of lines.flat()) word.style.width = '';
    const of = lines.map(words => Math.max(...words.map(({ word }) => word.scrollWidth + 4))),
      upright = lines.some((words, k) => of[k] + 6 > room / words.length),
      wide = of.map(width => Math.min(width, 0.45 * room)),
      tall = upright ? head + tallRow * Math.max(...lines.map(({ length }) => length)) : 2 * head + 2 * line + between;
    box.classList.toggle('upright', upright);
    field.style.height = `${tall}px`;
    place(svg, { width: room, height: tall, viewBox: `0 0 ${room} ${tall}` });
    heads[1].style.top = upright ? 0 : `${tall - head}px`;
    const backwards = [said, english].map(words => direction(words) === 'rtl');
    ends = lines.map((words, k) =>
      words.map(({ word }, i) => {
        const along = ((i + 0.5) * room) / words.length,
          second = (k === 1) !== runsLeft(box), // the column at the right
          [x, y] = upright
            ? [second ? room - wide[k] : 0, head + (i + 0.5) * tallRow]
            : [backwards[k] ? room - along : along, k ? head + line + between : head];
        word.style.left = `${x.toFixed(1)}px`;
        word.style.top = `${y.toFixed(1)}px`;
        word.style.width = upright ? `${wide[k]}px` : '';
        return upright ? [second ? x - 4 : wide[k] + 4, y] : [x, k ? y - 3 : y + line + 3];
      }),
    );
    golden.replaceChildren();
    drawn.replaceChildren();
    const path = (group, asks) =>
      english.map(other => make('svg', 'path', { 'data-about': `${asks} ${other}` }, group));
    return said.map(word => {
      const group = make('svg', 'g', { class: 'of' }, drawn);
      return { group, gold: make('svg', 'path', {}, golden), paths: path(group, word) };
    });
  }
  const curve = (from, to) => linkPath(from, to, box.classList.contains('upright'));

  let rows = [];
  return scope => {
    if (!roomNow()) return;
    const said = french(scope),
      english = find(scope, spec.english),
      weights = find(scope, spec.weights),
      gold = find(scope, spec.gold),
      step = find(scope, spec.at),
      pale = isOff(find(scope, spec.off), find(scope, spec.head)),
      messageNow = find(scope, spec.said),
      byItself = find(scope, spec.by_itself),
      key = JSON.stringify([said, english, roomNow(), rem()]);
    if (key !== laid) {
      rows = layOut(said, english);
      laid = key;
    }
    box.classList.toggle('pale', pale); // what a head that is off weighs carries nothing
    rows.forEach(({ group, gold: dashed, paths }, i) => {
      const { word } = asks.items[i],
        there = i <= step || !(stage.resultsHidden || keys.playing()), // as it plays, each word comes with its row
        chosen = i === step;
      word.style.visibility = there ? '' : 'hidden';
      word.classList.toggle('lost', messageNow[i] !== byItself[i]);
      word.setAttribute('aria-pressed', chosen);
      putClass(group, chosen ? 'of chosen' : 'of');
      paths.forEach((path, j) => {
        const weight = there && !stage.resultsHidden ? weights[i][j] : 0;
        path.style.display = weight > FAINT ? '' : 'none';
        if (weight <= FAINT) return;
        path.setAttribute('d', curve(ends[0][i], ends[1][j]));
        path.style.strokeWidth = `${(0.8 + WIDEST * weight).toFixed(2)}px`;
        path.style.strokeOpacity = (chosen ? 0.2 + 0.7 * weight : 0.06 + 0.3 * weight).toFixed(3);
        putClass(path, !pale && weight >= spec.link && gold[i] !== undefined && gold[i] !== j ? 'astray' : '');
      });
      const meant = there && !stage.resultsHidden && gold[i] >= 0;
      dashed.style.display = meant ? '' : 'none';
      if (meant) dashed.setAttribute('d', curve(ends[0][i], ends[1][gold[i]]));
    });
    if (rows[step] && drawn.lastChild !== rows[step].group) drawn.appendChild(rows[step].group);
    keys.show(range, step, said.length - 1, said[step]);
    paintBadge(stage);
  };
}

// The row of the French word that is being said: what each English word gets, under the hand.
// spec: { title, bent, chosen (the head): names in the pose; off, at, row, english, french: paths; end, longest:
//         English words, most: rows that a hand may set, texts: { asks, off, axis, again } }
export function row_in_hand(host, spec, stage) {
  const box = make(null, 'div', { class: 'row-in-hand', role: 'group', 'aria-label': spec.title }, host),
    paintBadge = badge(box, spec.badge),
    says = make(null, 'p', { class: 'says' }, box),
    list = make(null, 'div', { class: 'bars' }, box);
  const again = makeButton(box, { class: 'plain small again', text: spec.texts.again }, () =>
    setPose(stage, { [spec.bent]: [] }),
  );
  const at = () => find(stage.scope, spec.at);
  const sameRow = ([step, head]) => step === at() && head === stage.pose[spec.chosen];
  let base = [];
  function bend(j, to) {
    const rest = base.reduce((total, w, k) => total + (k === j ? 0 : w), 0),
      others = Math.max(1, base.length - 1),
      wanted = base.map((w, k) => (k === j ? to : rest > 1e-6 ? (w * (1 - to)) / rest : (1 - to) / others)),
      gets = Array.from({ length: spec.longest }, (_, k) => Math.round(1000 * (wanted[k] ?? 0)));
    const kept = (stage.pose[spec.bent] ?? []).filter(each => !sameRow(each)).slice(1 - spec.most);
    stage.pose[spec.bent] = [...kept, [at(), stage.pose[spec.chosen], ...gets]];
  }
  const hostOf = {};
  const bars = english =>
    keyedItems(hostOf, english, (name, j) => {
      const word = make(null, 'div', { class: 'bar-of' }, list);
      make(null, 'span', { class: 'name', text: name }, word);
      const { track, bar, number } = makeBar(word),
        thumb = make(null, 'span', { class: 'thumb' }, track);
      const handle = {
        name,
        axes: [spec.texts.axis],
        ranges: [[0, 1]],
        step: 0.05,
        start: () => {
          base = [...find(stage.scope, spec.row)];
        },
        read: () => [find(stage.scope, spec.row)[j]],
        ground: track,
        at: event => {
          const { left, width } = track.getBoundingClientRect();
          return [(event.clientX - left) / width];
        },
        move: ([to]) => bend(j, to),
      };
      makeDraggable(thumb, stage, handle);
      return { word, bar, thumb, number, handle, name };
    });

  return scope => {
    const row = find(scope, spec.row),
      said = [...find(scope, spec.french), spec.end],
      word = said[at()],
      off = isOff(find(scope, spec.off), stage.pose[spec.chosen]),
      head = filled(off ? spec.texts.off : spec.texts.asks, { word });
    box.classList.toggle('pale', off);
    write(says, head);
    bars(find(scope, spec.english)).forEach(({ bar, thumb, number, handle, name }, j) => {
      const part = stage.resultsHidden ? 0 : row[j];
      bar.style.width = `${(100 * part).toFixed(1)}%`;
      thumb.style.left = `${(100 * part).toFixed(1)}%`;
      thumb.style.visibility = stage.resultsHidden ? 'hidden' : '';
      thumb.classList.toggle('held', stage.held === thumb);
      show(number, row[j], `weight ${word} ${name}`, { hidden: stage.resultsHidden, form: formatShare });
      describe(thumb, handle);
    });
    again.style.visibility = (stage.pose[spec.bent] ?? []).length ? '' : 'hidden';
    paintBadge(stage);
  };
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
  const UNIT = 26,
    SIDE = 96,
    ABOVE = 74;
  let laid = '',
    cells = [],
    line = null;
  function layOut(said, english) {
    svg.replaceChildren();
    const [down, across] = spec.turned ? [english, said] : [said, english];
    place(svg, { viewBox: `0 0 ${SIDE + UNIT * across.length + 40} ${ABOVE + UNIT * down.length + 4}` });
    svg.style.maxWidth = `${(SIDE + UNIT * across.length + 40) * 1.15}px`;
    const kind = isDown => ((spec.turned ? !isDown : isDown) ? 'asks' : 'answers');
    down.forEach((text, i) =>
      make('svg', 'text', { class: kind(true), x: SIDE - 8, y: ABOVE + UNIT * (i + 0.68), text }, svg),
    );
    across.forEach((text, j) => {
      const [x, y] = [SIDE + UNIT * (j + 0.6), ABOVE - 7];
      make('svg', 'text', { class: `up ${kind(false)}`, x, y, transform: `rotate(-48 ${x} ${y})`, text }, svg);
    });
    line = make('svg', 'rect', { class: 'asking', rx: 4 }, svg);
    return said.map((_, i) =>
      english.map((_, j) => {
        const [x, y] = spec.turned ? [SIDE + UNIT * i, ABOVE + UNIT * j] : [SIDE + UNIT * j, ABOVE + UNIT * i],
          size = { x: x + 1.5, y: y + 1.5, width: UNIT - 3, height: UNIT - 3, rx: 3 };
        make('svg', 'rect', { class: 'ground', ...size }, svg);
        const mark = make('svg', 'rect', { class: 'weight', ...size }, svg),
          frame = make('svg', 'rect', { class: 'frame', ...size }, svg);
        return { mark, frame, title: make('svg', 'title', {}, frame) };
      }),
    );
  }
  return scope => {
    const said = find(scope, spec.french),
      english = find(scope, spec.english),
      weights = find(scope, spec.weights),
      gold = find(scope, spec.gold),
      links = find(scope, spec.links),
      step = find(scope, spec.at),
      off = spec.off !== null && isOff(find(scope, spec.off), spec.head),
      key = JSON.stringify([said, english]);
    if (key !== laid) {
      cells = layOut(said, english);
      laid = key;
    }
    cells.forEach((row, i) => {
      row.forEach(({ mark, frame, title }, j) => {
        const weight = weights[i][j],
          meant = gold[i] === j,
          link = weight >= spec.link;
        mark.style.fillOpacity = stage.resultsHidden ? 0 : weight.toFixed(3);
        const name = classes('frame', meant && 'gold', !stage.resultsHidden && !off && link && !meant && 'astray');
        putClass(frame, name);
        const text = stage.resultsHidden ? '' : `${pair(said[i], english[j])}: ${formatShare(weight)}`;
        if (title.textContent !== text) title.textContent = text;
      });
    });
    const there = step < said.length,
      [long, at] = [UNIT * english.length, UNIT * step];
    line.style.display = there ? '' : 'none';
    if (spec.turned) place(line, { x: SIDE + at, y: ABOVE, width: UNIT, height: long });
    else place(line, { x: SIDE, y: ABOVE + at, width: long, height: UNIT });
    box.classList.toggle('pale', off);
    told.hidden = off;
    write(means, spec.texts[off ? 'off' : 'means']);
    const share = { hidden: stage.resultsHidden, form: String };
    ['right', 'wrong', 'missed'].forEach((kind, k) => show(counts[k], links[k], `${kind} ${spec.name}`, share));
    const strongest = said.map((_, i) => english[weights[i].indexOf(Math.max(...weights[i]))]),
      pairs = listed(said.map((word, i) => pair(word, strongest[i]))),
      label = stage.resultsHidden ? spec.title : `${spec.title}: ${pairs}`;
    if (svg.getAttribute('aria-label') !== label) svg.setAttribute('aria-label', label);
    paintBadge(stage);
  };
}
