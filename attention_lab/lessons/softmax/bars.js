// Columns of bars, one a word: on top what a hand can pull, below it what follows, word under word.
import { find } from '../../figure/browser/calculation.js';
import {
  badge,
  classes,
  make,
  makeButton,
  makePicture,
  place,
  pointIn,
  projected,
  putClass,
  rem,
  roomIn,
  unitFor,
  write,
} from '../../figure/browser/elements.js';
import { formatNumber, forms, narrowForms, formatPercent, show } from '../../figure/browser/number_format.js';
import { describe, makeDraggable } from '../../figure/browser/drag.js';
import { setPose } from '../../figure/browser/pose.js';
import { shortened } from '../../figure/browser/typed_text.js';

const LEAST = 26,
  ROOMY = 52,
  HEADROOM = 20,
  STEP = 30, // for what leads from one panel to the next
  REACH = 24,
  LONGEST_NAME = 13; // in px where 1 rem is 16
const shownSize = (form, x) => (form === 'power' ? Math.exp(x) : x);

// The first of 2, 4, 8, 20, 40, 80 … at which a scale holds all sizes; what is beyond all numbers is cut off.
function topFor(sizes, least) {
  const most = Math.min(1e300, Math.max(0, ...sizes.filter(Number.isFinite)));
  if (most <= least) return least;
  const unit = 10 ** Math.floor(Math.log10(most / 2));
  return unit * [2, 4, 8, 20].find(top => unit * top >= most);
}

// spec: { title, names, focus, other, asks, panels, hint, undefined, nothing, back, badge }. A panel: { of, title, step
// (what leads to it), raised, sub, range, ticks, height, form, what, result, pull (the pose's own row, empty until a
// bar is pulled), axis, unknown (said of a bar without a number), counted, ghost (drawn as outlines), lines: [{ of,
// head, what, suffix }] (numbers below, the `leading`-th of them in force), compared (the title of a fold: while it is
// closed, only the line in force is shown, and no ghost), asked: { show, hide } (it appears once the button with these
// texts is pressed) }.
export function bars(host, spec, stage) {
  const box = make(null, 'figure', { class: 'bars' }, host);
  const paintBadge = badge(box, spec.badge);
  const scroll = make(null, 'div', { class: 'scroll' }, box);
  const svg = makePicture(scroll, spec.title);
  const layer = kind => make('svg', 'g', { class: kind }, svg);
  const lanes = layer('lanes'),
    frame = layer('frame'),
    body = layer('body'),
    hits = layer('hits');
  const foot = make(null, 'figcaption', {}, box);
  const room = roomIn(box, stage),
    names = find(stage.scope, spec.names),
    pulled = spec.panels.find(panel => panel.pull),
    asked = spec.panels.find(panel => panel.asked),
    subs = new Map(); // what stands below each panel's title
  const back = makeButton(foot, { class: 'plain small back', text: spec.back }, () =>
    setPose(stage, { [pulled.pull]: [] }),
  );
  const between = makeButton(foot, { class: 'plain small back between' }, () => {
    stage.openFolds[isShown(asked) ? 'delete' : 'add'](asked.title);
    stage.requestPaint();
  });
  const hint = make(null, 'span', { class: 'note', 'data-spoken': '' }, foot);
  let at = null,
    shownPanels = spec.panels;

  // What is open now: a panel that waits to be asked for, and the lines of numbers that are compared.
  const isShown = panel => !panel.asked || stage.openFolds.has(panel.title);
  const isCompared = panel => !panel.compared || stage.openFolds.has(panel.compared);
  const linesShown = panel =>
    (panel.lines ?? []).filter((_, k) => isCompared(panel) || k === stage.scope[panel.leading]);
  const stateOf = panel => [isShown(panel), isCompared(panel), stage.scope[panel.leading]],
    layout = () => [room(), rem(), ...spec.panels.map(stateOf)].join();

  const columns = names.map((name, j) => {
    const lane = make('svg', 'rect', { class: 'lane', rx: 6 }, lanes);
    lane.addEventListener('click', () => setPose(stage, { [spec.other]: j }));
    const head = make('svg', 'text', { class: 'label' }, body),
      asks = make('svg', 'text', { class: 'asks', text: spec.asks }, body);
    make('svg', 'title', { text: name }, head);
    head.append(shortened(name, LONGEST_NAME));
    const items = spec.panels.map(panel => {
      const group = make('svg', 'g', { class: `column ${panel.pull ? 'score' : panel.form}` }, body);
      const item = {
        panel,
        group,
        ghost: panel.ghost ? make('svg', 'rect', { class: 'ghost', rx: 3 }, group) : null,
        bar: make('svg', 'rect', { class: 'bar', rx: 3 }, group),
        cut: make('svg', 'path', { class: 'cut' }, group),
        numbers: (panel.lines ?? [panel]).map(line => ({
          line,
          text: make('svg', 'text', { class: 'number' }, group),
        })),
      };
      if (panel.pull) pull(item, panel, name, j, lane);
      return item;
    });
    return { lane, head, asks, items };
  });

  function pull(item, panel, name, j, lane) {
    item.knob = make('svg', 'rect', { class: 'knob', rx: 5 }, item.group);
    item.hit = make('svg', 'rect', { class: 'hit', 'aria-orientation': 'vertical' }, hits);
    const now = () => find(stage.scope, panel.of)[0].map(x => (Number.isFinite(x) ? x : 0));
    item.handle = {
      name,
      axes: [panel.axis],
      ranges: [panel.range],
      step: 0.1,
      read: () => [(stage.pose[panel.pull][0] ?? now())[j]],
      ground: lane,
      at: event => [at.back(panel, pointIn(svg, event).y)],
      move: ([value]) => {
        if (!stage.pose[panel.pull].length) stage.pose[panel.pull] = [now()];
        stage.pose[panel.pull][0][j] = value;
      },
      start: () => {
        stage.pose[spec.other] = j;
      },
    };
    makeDraggable(item.hit, stage, item.handle);
    item.hit.addEventListener('focus', () =>
      item.group.classList.toggle('focused', item.hit.matches(':focus-visible')),
    );
    item.hit.addEventListener('blur', () => item.group.classList.remove('focused'));
  }

  // Where everything stands, for the room there is. Narrow columns have less text; too many of them scroll.
  function layOut(wholeWidth) {
    const u = unitFor(0.75),
      n = names.length,
      gutter = Math.min(92 * u, 0.215 * wholeWidth);
    const widths = names.map(name => 7.8 * u * Math.min(LONGEST_NAME, name.length)),
      wide = Math.max(...widths);
    const least = LEAST * u,
      column = Math.max(least, (wholeWidth - gutter - 2) / n),
      slanted = wide > column - 4;
    const tail = slanted ? Math.max(0, ...widths.map((w, j) => 0.76 * w - (n - j - 0.6) * column)) : 0;
    const pitch = Math.max(least, (wholeWidth - gutter - tail - 2) / n),
      width = gutter + n * pitch + tail + 2;
    let y = (slanted ? 0.62 * wide + 14 * u : 20 * u) + 15 * u;
    const head = y;
    shownPanels = spec.panels.filter(isShown);
    const panels = new Map(
      shownPanels.map(panel => {
        const top = y + (HEADROOM + (panel.step ? STEP : 0)) * u,
          tall = panel.height * (projected() ? (0.58 * rem()) / 16 : u),
          rows = linesShown(panel).length * 20 * u;
        y = top + tall + rows + (panel.lines ? 8 : 10) * u;
        return [panel, { top, tall, bottom: top + tall }];
      }),
    );
    const low = panel => panel.range[0],
      high = panel => at.tops.get(panel) ?? panel.range[1];
    at = {
      laid: layout(),
      u,
      gutter,
      pitch,
      width,
      height: y + 2,
      head,
      slanted,
      panels,
      tops: new Map(),
      tight: pitch < ROOMY * u,
      x: j => gutter + (j + 0.5) * pitch,
      y: (panel, v) => {
        const { bottom, tall } = panels.get(panel),
          inside = Math.min(high(panel), Math.max(low(panel), v));
        return bottom - (tall * (inside - low(panel))) / (high(panel) - low(panel));
      },
      back: (panel, y) => {
        const { bottom, tall } = panels.get(panel);
        return low(panel) + ((bottom - y) / tall) * (high(panel) - low(panel));
      },
    };
    place(svg, { viewBox: `0 0 ${width.toFixed(1)} ${at.height.toFixed(1)}` });
    svg.style.width = `${width.toFixed(1)}px`;
    svg.style.height = `${at.height.toFixed(1)}px`;
    ground();
    columns.forEach((column, j) => {
      const x = at.x(j),
        y = head - 18 * u;
      place(column.lane, { x: x - pitch / 2 + 1, y: 1, width: pitch - 2, height: at.height - 2 });
      column.head.style.textAnchor = slanted ? 'start' : 'middle';
      place(column.head, { x: slanted ? x - 3 : x, y, transform: slanted ? `rotate(-38 ${x} ${y})` : 'rotate(0)' });
      place(column.asks, { x, y: head - 3 * u });
      column.items.forEach(({ panel, numbers, group }) => {
        group.style.display = panels.has(panel) ? '' : 'none';
        if (!panels.has(panel)) return;
        const seen = linesShown(panel);
        numbers.forEach(({ line, text }) => {
          if (line === panel) return;
          const k = seen.indexOf(line);
          text.style.display = k < 0 ? 'none' : '';
          place(text, { x, y: panels.get(panel).bottom + (17 + 20 * Math.max(0, k)) * u });
        });
      });
    });
  }

  function ground() {
    // names of the panels, lines and their numbers
    const { u, gutter, width } = at,
      narrow = gutter < 84 * u,
      text = (attributes, parent = frame) => make('svg', 'text', attributes, parent);
    frame.replaceChildren();
    for (const panel of shownPanels) {
      const { top, bottom } = at.panels.get(panel),
        lifted = panel.sub && narrow ? 14 * u : 0, // there the highest tick is as far left as the text ends
        title = text({ class: 'title', x: 0, y: top - 6 * u - lifted });
      title.append(panel.title);
      if (panel.sub) subs.set(panel, text({ class: 'sub', x: 0, y: top + 9 * u - lifted }));
      if (panel.step) text({ class: 'step', x: (gutter + width) / 2, y: top - (HEADROOM + 6) * u, text: panel.step });
      if (panel.raised) make('svg', 'tspan', { class: 'raised', dy: -6 * u, text: panel.raised }, title);
      const topNow = at.tops.get(panel);
      for (const tick of topNow ? [0, topNow / 2, topNow] : panel.ticks) {
        const y = at.y(panel, tick);
        make('svg', 'line', { class: tick ? 'grid-line' : 'axis', x1: gutter, x2: width - 2, y1: y, y2: y }, frame);
        const number = panel.form === 'share' ? formatPercent(100 * tick) : formatNumber(tick);
        text({ class: 'tick', x: gutter - 7, y: y + 4 * u, 'text-anchor': 'end', text: number });
      }
      linesShown(panel).forEach((line, k, seen) => {
        const alone = seen.length === 1 && line === panel.lines[0], // what goes without saying
          head = [alone ? '' : line.head, at.tight ? '%' : ''].filter(Boolean).join(', ');
        line.label = text({ class: narrow ? 'side narrow' : 'side', x: 0, y: bottom + (17 + 20 * k) * u, text: head });
      });
    }
  }

  // Powers of e outgrow every scale: theirs grows with them, and the numbers beside it.
  function rescale(scope) {
    let changed = false;
    for (const panel of shownPanels.filter(({ form }) => form === 'power')) {
      const sizes = stage.resultsHidden ? [] : find(scope, panel.of)[0].map(x => shownSize(panel.form, x)),
        top = topFor(sizes, panel.range[1]),
        other = top === panel.range[1] ? undefined : top;
      if (at.tops.get(panel) === other) continue;
      at.tops.set(panel, other);
      changed = true;
    }
    if (changed) ground();
  }

  return scope => {
    if (at?.laid !== layout()) layOut(room() || 520);
    const { u, pitch } = at,
      half = Math.min(23 * u, 0.31 * pitch),
      focus = scope[spec.focus];
    let unknown = false;
    rescale(scope);
    columns.forEach((column, j) => {
      const x = at.x(j);
      column.lane.classList.toggle('other', j === scope[spec.other]);
      column.head.classList.toggle('focus', j === focus);
      column.asks.style.display = j === focus ? '' : 'none';
      column.items.forEach(item => paintItem(item, scope, j, x, half));
      unknown ||= Number.isNaN(find(scope, pulled.of)[0][j]);
    });
    for (const panel of spec.panels)
      panel.lines?.forEach((line, k) => line.label?.classList.toggle('leading', k === scope[panel.leading]));
    const own = stage.pose[pulled.pull].length > 0;
    back.style.display = own ? '' : 'none';
    for (const [panel, element] of subs) element.textContent = (own && panel.sub_pulled) || panel.sub;
    write(between, isShown(asked) ? asked.asked.hide : asked.asked.show);
    between.setAttribute('aria-expanded', isShown(asked));
    paintBadge(stage, own ? 'yours' : '');
    const empty = !find(scope, pulled.counted)[0].some(Number.isFinite);
    write(hint, unknown ? spec.undefined : empty ? spec.nothing : stage.number ? '' : spec.hint);
  };

  // The name of a live number.
  function called({ what, suffix = '' }, scope, j) {
    return `${what} ${find(scope, [spec.names, [spec.focus]])} ${names[j]}${suffix}`;
  }

  function paintItem(item, scope, j, x, half) {
    const { panel, group, bar, ghost, cut, knob, hit, numbers } = item,
      { u, pitch } = at;
    if (!at.panels.has(panel)) {
      show(numbers[0].text, find(scope, panel.of)[0][j], called(panel, scope, j), { form: forms[panel.form] });
      return;
    }
    const result = panel.result && stage.resultsHidden,
      value = find(scope, panel.of)[0][j],
      size = shownSize(panel.form, value);
    const [low, fixed] = panel.range,
      high = at.tops.get(panel) ?? fixed,
      known = !Number.isNaN(size),
      zero = at.y(panel, 0),
      tip = known ? at.y(panel, size) : zero;
    const beyond = known && (size > high || size < low),
      closed = panel.pull && find(scope, panel.counted)?.[0][j] === -Infinity;
    const numbered = numbers.map(({ line }) => (line === panel ? value : find(scope, line.of)[0][j])),
      other = panel.ghost ? find(scope, panel.ghost)[0][j] : null;
    const state = classes(
      'column',
      panel.pull ? 'score' : panel.form,
      j === scope[spec.other] && 'other',
      size < 0 && 'negative',
      closed && 'closed',
      group.classList.contains('focused') && 'focused',
    );
    const drawn = [state, value, other, result, high, ...numbered, scope[panel.leading], scope[spec.focus]].join();
    if (item.drawn === drawn && item.at === at) return;
    [item.drawn, item.at] = [drawn, at];
    putClass(group, state);
    const stand = (rect, to, wide) =>
      place(rect, {
        x: (x - wide).toFixed(1),
        width: (2 * wide).toFixed(1),
        y: Math.min(zero, to).toFixed(2),
        height: Math.abs(zero - to).toFixed(2),
      });
    stand(bar, result ? zero : tip, half);
    if (ghost) {
      ghost.style.display = result || !isCompared(panel) || Math.abs(other - size) < 1e-9 ? 'none' : '';
      stand(ghost, at.y(panel, other), half + 2 * u);
    }
    const mark = tip + (size < 0 ? -1 : 1) * 13 * u, // a bar that goes on beyond the picture is cut
      point = (px, py) => `${px.toFixed(1)} ${py.toFixed(1)}`,
      stroke = y => `M${point(x - half - 3, y + 3 * u)} L${point(x + half + 3, y - 3 * u)}`;
    cut.setAttribute('d', beyond && !result ? `${stroke(mark)} ${stroke(mark + 5 * u)}` : '');
    if (knob) {
      place(knob, {
        x: (x - half - 4 * u).toFixed(1),
        width: (2 * half + 8 * u).toFixed(1),
        y: (tip - 5 * u).toFixed(2),
        height: 10 * u,
      });
      place(hit, {
        x: (x - pitch / 2).toFixed(1),
        width: pitch.toFixed(1),
        y: (tip - REACH * u).toFixed(2),
        height: 2 * REACH * u,
      });
      describe(hit, item.handle);
      if (!known) hit.setAttribute('aria-valuetext', `${item.handle.name}: ${panel.unknown}`);
    }
    numbers.forEach(({ line, text }, k) => {
      const atBar = line === panel,
        number = numbered[k];
      const form = (at.tight ? narrowForms : forms)[panel.form],
        y = size < 0 ? tip + (knob ? 20 : 14) * u : tip - (knob ? 10 : 4) * u;
      show(text, number, called(line, scope, j), { hidden: result, form });
      if (atBar) place(text, { x: x.toFixed(1), y: y.toFixed(1) });
      else text.classList.toggle('leading', k === scope[panel.leading]);
    });
  }
}
