// A small live matrix: numbers on colour, or dots whose area is the number. Rows ask, columns answer, unless
// `turned`. A cell under the pointer or the focus shows how its number is computed; choosing it chooses the pair.
// At the edge, if wanted, one row's numbers as bars: the weights of the word of interest.
import { find } from './calculation.js';
import { calculation, direction, pair, runsLeft } from './direction.js';
import {
  badge,
  classes,
  fitted,
  followPointing,
  followWidth,
  larger,
  letters,
  make,
  place,
  putClass,
  rem,
  write,
} from './elements.js';
import {
  formatNumber,
  filled,
  forms,
  localized,
  formatPercent,
  formatShare,
  show,
  sum_of_powers,
} from './number_format.js';
import { holdPointer } from './pointer_hold.js';
import { smoothed } from './smoothing.js';
import { offerSteps } from './tap_controls.js';
import { showTooltip } from './tooltip.js';
import { shortened } from './typed_text.js';

const CELL_FORMS = {
  figure: forms.settled,
  weight: forms.weight,
  share: x =>
    x === 0 ? '0' : x > 0 && x < 0.0005 ? '≈ 0' : Math.abs(x - 1) < 1e-12 ? formatPercent(100) : formatShare(x),
  tenths: forms.settled,
  hundredths: forms.settled,
  two: x => (Math.abs(x - Math.round(x)) < 1e-12 ? formatNumber(Math.round(x) + 0) : rounded(x, 2)),
  percent: x =>
    !Number.isFinite(x)
      ? formatNumber(x)
      : x === 0
        ? '0'
        : x > 0 && x < 0.005
          ? '≈ 0'
          : formatPercent(Math.round(100 * x)),
};
const rounded = (x, places) =>
  !Number.isFinite(x)
    ? formatNumber(x)
    : Math.abs(x) < 1e-12
      ? '0'
      : Math.abs(x) < 0.5 / 10 ** places
        ? '≈ 0'
        : localized(x.toFixed(Math.abs(x) < 10 ? places : 0));
// In narrow cells all numbers of a matrix are shortened alike: the first form in which every one fits. None may take
// more than a tenth of the largest number away; where such forms are too wide, cells stay without numbers.
const CELL_SHORTER = { figure: [2, 1, 0], hundredths: [2, 1, 0], tenths: [1, 0] },
  TAKEN_AWAY = 0.1,
  ROUNDED = [0, 1, 2].map(places => x => rounded(x, places));
function shorter(name, numbers) {
  const largest = Math.max(0, ...numbers.filter(Number.isFinite).map(Math.abs)),
    places = (CELL_SHORTER[name] ?? []).filter(k => 0.5 / 10 ** k <= TAKEN_AWAY * largest);
  return [CELL_FORMS[name], ...(/share|weight/.test(name) ? [CELL_FORMS.percent] : places.map(k => ROUNDED[k]))];
}
const CELL_ENDS = {
  Home: (cells, i) => cells[i][0],
  End: (cells, i) => cells[i].at(-1),
  PageUp: (cells, _, j) => cells[0][j],
  PageDown: (cells, _, j) => cells.at(-1)[j],
};
const CELL_MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const EDGE = 46,
  EDGE_BESIDE = 26;

const bracketed = x => (x < 0 ? `(${formatNumber(x)})` : formatNumber(x)),
  factor = x => (/\s/.test(formatNumber(x)) ? `(${formatNumber(x)})` : formatNumber(x)); // in brackets: a product
const worked = (u, v) => u.map((x, k) => `${bracketed(x)} × ${bracketed(v[k])}`).join(' + ');

// A share is made of one row of scores: e to the power of the one, divided by the sum of all such powers.
const shared = (scores, j) => {
  const sum = scores.reduce((total, x) => total + Math.exp(x), 0);
  return `e^(${formatNumber(scores[j])}) ÷ ${Number.isFinite(sum) && sum > 0 ? factor(sum) : sum_of_powers()}`;
};

// spec: { of, rows, columns, rowTitle, columnTitle, title, what, limit, scale: signed | share, form, dots, turned,
//         small (an `explanation` part elsewhere says how a number is computed), large, quiet (no numbers in cells),
//         row, column (pose variables of the chosen cell), mask, closed (its word),
//         computed_from: [left, right] or, of shares, [scores], idle (said while nothing is pointed at),
//         edge: { of, what, title }, badge,
//         toggle: { grid: the pose's own mask of ones and zeros, choice, own: the number of this choice,
//         open, closed: words, idle } makes every cell a switch,
//         by, cases: further settings, a list of which the pose's variable `by` chooses one;
//         through: a path to the place, among the pose's words, of each name shown,
//         sums: { of, what, title } writes each row's sum behind it (below it, if turned);
//         veiled: this matrix alone waits for a guess }
export function heatmap(host, settings, stage) {
  let spec = settings;
  const box = make(null, 'figure', { class: 'heatmap' }, host);
  const paintBadge = spec.badge ? badge(box, spec.badge) : null;
  const [role, roleOfRow, roleOfCell] = spec.toggle ? ['group', 'group', 'button'] : ['grid', 'row', 'gridcell'],
    look = classes('matrix', spec.small && 'small', spec.toggle && 'toggle'),
    svg = make('svg', 'svg', { role, class: look, 'aria-label': spec.title }, box);
  const caption =
    spec.toggle || (spec.computed_from && !spec.small) ? make(null, 'figcaption', { class: 'explanation' }, box) : null;
  let cells = [],
    labels = [],
    bars = [],
    built = null,
    hovered = null,
    room = 0,
    at = null,
    sums = [],
    painting = null,
    reachable = null,
    mirrored = false, // where the words run right to left, rows begin at the right
    pageMirrored = false;

  const names = (scope, which) => find(scope, which) ?? [];
  const placeOf = k => (spec.through ? find(stage.scope, spec.through)[k] : k),
    placeAt = (scope, name) =>
      !name ? -1 : spec.through ? find(scope, spec.through).indexOf(scope[name]) : scope[name];
  const choose = (i, j) => {
    if (spec.row) stage.pose[spec.row] = placeOf(i);
    if (spec.column && j !== null) stage.pose[spec.column] = placeOf(j);
    stage.commit();
  };

  // A cell is switched by mouse (held down, it goes on over others), finger or key. One's own mask begins as the one
  // that is shown.
  const isShut = (i, j) => !find(stage.scope, spec.mask)[i][j];
  const set = (i, j, open) => {
    const { grid, choice, own } = spec.toggle,
      { pose } = stage;
    if (pose[choice] !== own || !pose[grid].length)
      pose[grid] = find(stage.scope, spec.mask).map(line => line.map(Number));
    pose[grid][i][j] = Number(open);
    pose[choice] = own;
    pose[spec.row] = placeOf(i);
    stage.requestPaint();
  };
  // A fast pointer is next heard of some cells further on: those on its way are painted, too.
  const paintOver = (i, j) => {
    const [a, b] = painting.over.at(-1) ?? [i, j],
      steps = Math.max(1, Math.abs(i - a), Math.abs(j - b));
    if (painting.over.length && i === a && j === b) return;
    for (let step = 1; step <= steps; step++) {
      const passed = [a + Math.round(((i - a) * step) / steps), b + Math.round(((j - b) * step) / steps)];
      painting.over.push(passed);
      set(...passed, painting.open);
    }
  };
  const press = (event, i, j) => {
    if (event.button || event.pointerType === 'touch') return;
    event.preventDefault();
    painting = { open: isShut(i, j), over: [] };
    holdPointer(stage, svg, event, {
      move: event => {
        const group = event.composedPath()[0].closest?.('[data-cell]');
        if (svg.contains(group)) paintOver(...group.dataset.cell.split(' ').map(Number));
      },
    });
    stage.again = { by: svg, put: () => painting.over.forEach(cell => set(...cell, painting.open)) };
    paintOver(i, j);
    cells[i][j].group.focus({ preventScroll: true });
  };
  const flip = (i, j) => {
    set(i, j, isShut(i, j));
    stage.commit();
  };

  function build(rows, columns) {
    svg.replaceChildren();
    reachable = null;
    labels = [
      rows.map((name, i) => label(name, 'asks', () => spec.row && choose(i, null))),
      columns.map(name => label(name, 'answers')),
    ];
    labels.titles = [
      make('svg', 'text', { class: 'title', text: spec.row_title }, svg),
      make('svg', 'text', { class: 'title', text: spec.column_title }, svg),
    ];
    sums = [];
    cells = rows.map((_, i) => {
      const line = make('svg', 'g', { role: roleOfRow, 'aria-label': spec.toggle ? rows[i] : null }, svg);
      return columns.map((_, j) => cell(line, i, j));
    });
    const edge = spec.edge ? make('svg', 'g', { class: 'edge', 'aria-hidden': 'true' }, svg) : null;
    bars = spec.edge
      ? columns.map(() => ({
          ground: make('svg', 'rect', { class: 'ground', rx: 2 }, edge),
          bar: make('svg', 'rect', { class: 'share', rx: 2 }, edge),
          text: make('svg', 'text', { class: 'number' }, edge),
        }))
      : [];
    if (spec.sums) {
      sums = rows.map(() => make('svg', 'text', { class: 'number sum' }, svg));
      sums.title = make('svg', 'text', { class: 'label sums', text: spec.sums.title }, svg);
    }
    if (edge) bars.title = make('svg', 'text', { class: 'label' }, edge);
  }

  function label(name, as, act) {
    const about = { 'aria-hidden': 'true', 'data-about': name, 'data-as': as },
      text = make('svg', 'text', { class: 'label', text: shortened(name, 13), ...about }, svg);
    make('svg', 'title', { text: name }, text);
    if (act) text.addEventListener('click', act);
    return text;
  }

  // One cell is reached by the tab key; from there the arrows lead on.
  const makeReachable = item => {
    if (!item || reachable === item) return;
    reachable?.group.setAttribute('tabindex', '-1');
    reachable = item;
    reachable.group.setAttribute('tabindex', '0');
  };

  function cell(line, i, j) {
    const group = make('svg', 'g', { role: roleOfCell, class: 'cell', tabindex: '-1' }, line);
    const item = {
      group,
      ground: make('svg', 'rect', { class: 'ground', rx: 3 }, group),
      mark: make('svg', spec.dots ? 'circle' : 'rect', { class: 'mark', rx: spec.dots ? null : 3 }, group),
      frame: make('svg', 'rect', { class: 'frame', rx: 3 }, group),
      text: make('svg', 'text', { class: 'number' }, group),
    };
    followPointing(group, on => {
      hovered = on ? [i, j] : null;
      stage.requestPaint();
    });
    if (spec.toggle) {
      group.dataset.cell = `${i} ${j}`;
      let mouse = false;
      group.addEventListener('pointerdown', event => {
        mouse = event.pointerType !== 'touch';
        press(event, i, j);
      });
      group.addEventListener('click', event => {
        if (mouse && event.detail) return;
        flip(i, j);
        group.focus({ preventScroll: true });
      });
    } else
      group.addEventListener('click', () => {
        choose(i, j);
        group.focus({ preventScroll: true });
      });
    if (!spec.toggle) offerSteps(stage, group);
    group.addEventListener('keydown', event => {
      const way = CELL_MOVES[event.key];
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        if (spec.toggle) flip(i, j);
        else choose(i, j);
        return;
      }
      if (!(way || event.key in CELL_ENDS) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault(); // the page stays where it is
      const [right, below] = way ?? [],
        along = mirrored ? -right : right,
        [across, down] = spec.turned ? [below, along] : [along, below];
      const next = way ? cells[i + down]?.[j + across] : CELL_ENDS[event.key](cells, i, j);
      if (next) {
        makeReachable(next);
        next.group.focus();
      }
    });
    return item;
  }

  // Where everything stands: drawn anew only when the width, the words or the type size change.
  function layOut(rows, columns) {
    mirrored = direction([...rows, ...columns]) === 'rtl';
    box.classList.toggle('mirrored', mirrored);
    const em = rem(),
      wide = text => (spec.small ? 0.59 * letters(0.75) : 0.57 * letters(0.875)) * Math.min(13, text.length);
    const [down, across] = spec.turned ? [columns, rows] : [rows, columns],
      [downLabels, acrossLabels] = spec.turned ? [labels[1], labels[0]] : labels;
    const left =
        Math.max(...down.map(wide), spec.edge && !spec.turned ? 3.3 * em : 0) +
        (spec.small ? 6 : 12) +
        1.25 * letters(0.75),
      edgeWide = spec.edge && spec.turned ? EDGE_BESIDE + 3.2 * em : 0;
    const sumWide = (spec.sums || spec.toggle) && !spec.turned ? 3.3 * em : 0,
      beside = edgeWide + sumWide,
      most = spec.large ? [76, Math.max(32, Math.min(50, 384 / down.length))] : [58, 44],
      fitted = free => Math.max(8, Math.min(most[0] * larger(), (room - left - free - 4) / Math.max(1, across.length))),
      slanted = Math.max(...across.map(wide)) > fitted(beside) - (spec.small ? -3 : 4);
    // slanted, the last names reach beyond their columns
    const reach = (size, k) => 0.7 * wide(across[k]) - (across.length - k - 0.5) * size,
      past = slanted ? Math.max(beside, ...across.map((_, k) => reach(fitted(beside), k))) : beside,
      size = fitted(past),
      head = (slanted ? 0.72 * Math.max(...across.map(wide)) + 8 : em) + 1.5 * em;
    const tall = Math.min(
        Math.max(size, spec.turned ? 1.3 * em : 0),
        spec.quiet ? Math.min(2 * em, Math.max(em, (11 * em) / down.length)) : spec.small ? 2 * em : most[1] * larger(),
      ),
      bottom = head + down.length * tall;
    const upright = spec.edge && !spec.turned && size < 1.3 * em; // no room for shares beside one another
    const height =
      bottom +
      (spec.edge && !spec.turned
        ? EDGE + (upright ? 3.1 : 1.9) * em
        : (spec.sums || spec.toggle) && spec.turned
          ? 1.9 * em
          : 6);
    at = { size, tall, left, head, em, upright };
    svg.setAttribute('viewBox', `0 0 ${room} ${height.toFixed(1)}`);
    svg.style.height = `${height.toFixed(1)}px`;
    // it begins where the page's lines do, and its own rows where its words do
    const whole = Math.min(room, left + across.length * size + past + 4),
      begin = pageMirrored ? room - whole : 0,
      xOf = x => begin + (mirrored ? whole - x : x),
      boxAt = (x, width) => ({ x: begin + (mirrored ? whole - x - width : x), width }),
      [start, end] = mirrored ? ['end', 'start'] : ['start', 'end'],
      tilt = mirrored ? 46 : -46;
    const middle = k => xOf(left + (k + 0.5) * size),
      level = k => head + (k + 0.5) * tall;
    downLabels.forEach((text, k) => {
      place(text, { x: xOf(left - 8), y: level(k) + 0.3 * em, 'text-anchor': end });
      text.removeAttribute('transform');
    });
    acrossLabels.forEach((text, k) => {
      const x = middle(k),
        y = head - 8;
      place(text, { x, y, 'text-anchor': slanted ? start : 'middle' });
      if (slanted) text.setAttribute('transform', `rotate(${tilt} ${x} ${y})`);
      else text.removeAttribute('transform');
    });
    const [rowTitle, columnTitle] = spec.turned ? [labels.titles[1], labels.titles[0]] : labels.titles;
    place(columnTitle, { x: xOf(left), y: 0.85 * em, 'text-anchor': start });
    place(rowTitle, {
      x: 0,
      y: 0,
      'text-anchor': 'middle',
      transform: `translate(${xOf(0.75 * em)} ${(head + bottom) / 2}) rotate(${mirrored ? 90 : -90})`,
    });
    rowTitle.style.display = bottom - head < 3 * em ? 'none' : '';
    cells.forEach((line, i) =>
      line.forEach((item, j) => {
        const [k, l] = spec.turned ? [i, j] : [j, i],
          box = { ...boxAt(left + k * size + 1, size - 2), y: head + l * tall + 1, height: tall - 2 };
        place(item.ground, box);
        place(item.frame, box);
        if (spec.dots) place(item.mark, { cx: middle(k), cy: level(l) });
        else place(item.mark, box);
        place(item.text, { x: middle(k), y: level(l) + 0.29 * em, 'text-anchor': 'middle' });
      }),
    );
    sums.forEach((text, i) =>
      place(
        text,
        spec.turned
          ? { x: middle(i), y: bottom + 1.15 * em, 'text-anchor': 'middle' }
          : { x: xOf(left + across.length * size + 3 * em), y: level(i) + 0.29 * em, 'text-anchor': end },
      ),
    );
    if (sums.title)
      place(
        sums.title,
        spec.turned
          ? { x: xOf(left - 8), y: bottom + 1.15 * em, 'text-anchor': end }
          : {
              x: xOf(left + across.length * size + 3 * em),
              y: slanted ? 0.85 * em : head - 8, // above slanted names
              'text-anchor': end,
            },
      );
    bars.forEach(({ ground, text }, j) => {
      if (spec.turned) {
        place(ground, {
          ...boxAt(left + across.length * size + 10, EDGE_BESIDE),
          y: head + j * tall + 3,
          height: tall - 6,
        });
        place(text, {
          x: xOf(left + across.length * size + 15 + EDGE_BESIDE),
          y: level(j) + 0.28 * em,
          'text-anchor': start,
        });
      } else {
        place(ground, { ...boxAt(left + j * size + 3, size - 6), y: bottom + 8, height: EDGE });
        const [x, y] = upright ? [middle(j) + 0.25 * em, bottom + 14 + EDGE] : [middle(j), bottom + 8 + EDGE + em];
        place(text, { x, y, 'text-anchor': upright ? 'end' : 'middle' });
        if (upright) text.setAttribute('transform', `rotate(-90 ${x} ${y})`);
        else text.removeAttribute('transform');
      }
    });
    if (bars.title)
      place(
        bars.title,
        spec.turned
          ? { x: xOf(left + across.length * size + 10), y: head - 8, 'text-anchor': start }
          : { x: xOf(left - 8), y: bottom + 8 + EDGE / 2 + 0.3 * em, 'text-anchor': end },
      );
  }

  // Shares glide: of a cell that closes, one sees where its weight goes.
  const flow = smoothed(stage),
    flowOfEdge = smoothed(stage),
    partOf = (value, closed, hidden) =>
      hidden || closed || !Number.isFinite(value) ? 0 : Math.min(1, Math.abs(value) / spec.limit);
  const sign = value => (spec.scale === 'share' ? 'share' : value < 0 ? 'negative' : 'positive');
  const fill = (item, value, part) => {
    const kind = `mark ${sign(value)}`;
    putClass(item.mark, kind);
    if (spec.dots) item.mark.setAttribute('r', (0.47 * Math.min(at.size, at.tall) * Math.sqrt(part)).toFixed(2));
    else item.group.style.setProperty('--part', (part && 0.06 + 0.88 * part).toFixed(3));
  };

  function say(rows, columns) {
    const [i, j] = hovered ?? [-1, -1],
      text =
        rows[i] === undefined || columns[j] === undefined
          ? spec.toggle.idle
          : `${pair(rows[i], columns[j])}: ${spec.toggle[isShut(i, j) ? 'closed' : 'open']}`;
    if (caption.textContent !== text) caption.textContent = text;
    caption.classList.toggle('idle', text === spec.toggle.idle);
  }

  function paint(scope) {
    if (settings.cases) spec = { ...settings, ...settings.cases[scope[settings.by]] };
    if (svg.getAttribute('aria-label') !== spec.title) svg.setAttribute('aria-label', spec.title);
    const resultsHidden = stage.resultsHidden || spec.veiled;
    const rows = names(scope, spec.rows),
      columns = names(scope, spec.columns),
      matrix = find(scope, spec.of) ?? [];
    const signature = JSON.stringify([rows, columns, room, rem()]);
    if (!room || !rows.length) return;
    if (signature !== built) {
      if (!built || JSON.stringify([rows, columns]) !== JSON.stringify(JSON.parse(built).slice(0, 2)))
        build(rows, columns);
      layOut(rows, columns);
      built = signature;
    }
    const mask = spec.mask ? find(scope, spec.mask) : null,
      chosen = [placeAt(scope, spec.row), placeAt(scope, spec.column)];
    const wideEnough = length => (at.size - 4) / (0.53 * length),
      numbers = matrix.flat(),
      formsHere = shorter(spec.form ?? 'figure', numbers);
    const longest = each => Math.max(...numbers.map(x => each(x).length)),
      form =
        formsHere.find(each => wideEnough(longest(each)) >= letters(spec.scale === 'share' ? 0.66 : 0.52)) ??
        formsHere.at(-1),
      roomFor = wideEnough(longest(form)),
      size = fitted(spec.large ? 0.875 : 0.75, roomFor),
      legible = roomFor > Math.max(7.5, letters(0) - 0.05) && at.size > 1.2 * at.em; // all or none
    const parts = cells.flatMap((line, i) =>
        line.map((_, j) => partOf(matrix[i]?.[j], mask ? !mask[i][j] : false, resultsHidden)),
      ),
      drawn = spec.scale === 'share' ? flow(parts) : parts;
    if (!reachable?.group.matches(':focus')) makeReachable(cells[Math.max(0, chosen[0])]?.[Math.max(0, chosen[1])]);
    // A cell of which all this is as it was stays as it is; with other words or another width, `at` is another.
    const sharedByAll = [at, form, size, legible, resultsHidden, spec];
    cells.forEach((line, i) =>
      line.forEach((item, j) => {
        const value = matrix[i]?.[j],
          closed = mask ? !mask[i][j] : false,
          part = drawn[i * line.length + j],
          asks = i === chosen[0],
          isChosen = asks && j === chosen[1],
          mirror = Boolean(spec.mirror && i === chosen[1] && j === chosen[0] && i !== j),
          now = [value, part, closed, asks, isChosen, mirror, ...sharedByAll];
        if (item.now?.every((was, k) => Object.is(was, now[k]))) return;
        item.now = now;
        fill(item, value, part);
        show(item.text, value, `${spec.what} ${rows[i]} ${columns[j]}`, { hidden: resultsHidden, form });
        const seen = !spec.dots && !spec.quiet && legible;
        item.text.style.fontSize = `${size}px`;
        const state = classes(
          'cell',
          asks && 'asks',
          isChosen && 'chosen',
          mirror && 'mirror',
          closed && 'closed',
          sign(value),
          !seen && 'silent',
          Math.abs(value) < 1e-12 && !resultsHidden && 'nil',
        );
        putClass(item.group, state);
        const stateText = spec.toggle
          ? spec.toggle[closed ? 'closed' : 'open']
          : `${item.text.textContent}${closed && spec.closed ? `, ${spec.closed}` : ''}`;
        const said = `${pair(rows[i], columns[j])}: ${stateText}`;
        if (spec.toggle) item.group.setAttribute('aria-pressed', !closed);
        if (item.group.getAttribute('aria-label') !== said) item.group.setAttribute('aria-label', said);
      }),
    );
    for (const text of sums.length ? [...sums, sums.title] : []) text.style.display = spec.sums ? '' : 'none';
    sums.forEach((text, i) => {
      if (!spec.sums) return;
      const value = find(scope, spec.sums.of)[i],
        brief = spec.turned && at.size < 2.1 * at.em,
        roomFor = spec.turned ? (at.size - 2) / (0.56 * (brief ? 4 : 6)) : letters(0.9),
        form = CELL_FORMS[brief ? 'percent' : 'share'];
      text.style.fontSize = `${fitted(0.75, roomFor)}px`;
      show(text, value, `${spec.sums.what} ${rows[i]}`, { hidden: resultsHidden, form });
      text.classList.toggle('off', !resultsHidden && value !== 0 && Math.abs(value - 1) > 1e-12);
    });
    labels[0].forEach((text, i) => text.classList.toggle('focus', i === chosen[0]));
    labels[1].forEach((text, j) => text.classList.toggle('other', j === chosen[1]));
    paintEdge(scope, rows, columns);
    paintBadge?.(stage);
    if (spec.toggle) say(rows, columns);
    else if (caption || (spec.small && spec.computed_from && hovered)) {
      const isThere = hovered && rows[hovered[0]] !== undefined && columns[hovered[1]] !== undefined;
      tell(scope, rows, columns, matrix, mask, isThere ? hovered : spec.idle ? null : chosen);
    }
  }

  function paintEdge(scope, rows, columns) {
    if (!spec.edge) return;
    const values = find(scope, spec.edge.of) ?? [],
      who = rows[scope[spec.row]];
    if (bars.title.textContent !== spec.edge.title) bars.title.textContent = spec.edge.title;
    const parts = flowOfEdge(bars.map((_, j) => (stage.resultsHidden ? 0 : Math.max(0, Math.min(1, values[j] || 0)))));
    bars.forEach(({ ground, bar, text }, j) => {
      const part = parts[j],
        x = +ground.getAttribute('x'),
        y = +ground.getAttribute('y');
      const width = +ground.getAttribute('width'),
        height = +ground.getAttribute('height');
      place(
        bar,
        spec.turned
          ? { x: mirrored ? x + (1 - part) * width : x, y, width: (part * width).toFixed(2), height }
          : { x, y: (y + (1 - part) * height).toFixed(2), width, height: (part * height).toFixed(2) },
      );
      const roomy = at.size > 3 * at.em;
      const roomFor = roomy || spec.turned || at.upright ? 99 : (at.size - 2) / 2.2;
      text.style.fontSize = `${fitted(0.75, roomFor)}px`;
      show(text, values[j], `${spec.edge.what} ${who} ${columns[j]}`, {
        hidden: stage.resultsHidden,
        form: CELL_FORMS[roomy ? 'share' : 'percent'],
      });
    });
  }

  function tell(scope, rows, columns, matrix, mask, cell) {
    const [i, j] = cell ?? [-1, -1],
      [left, right] = spec.computed_from.map(path => find(scope, path)),
      known = !stage.resultsHidden && left?.[i] && (spec.scale === 'share' || right?.[j]);
    const working = !known ? '' : spec.scale === 'share' ? shared(left[i], j) : worked(left[i], right[j]);
    const shut = mask && !mask[i]?.[j] ? ` (${spec.closed})` : '';
    const result = known && CELL_FORMS[spec.form ?? 'figure'](matrix[i][j]);
    const text = !known
      ? (spec.idle ?? '')
      : spec.sentence
        ? filled(spec.sentence, { row: rows[i], column: columns[j], score: formatNumber(left[i][j]), share: result })
        : `${pair(rows[i], columns[j])}: ${calculation(`${working} = ${result}`)}${shut}`;
    if (known && hovered) showTooltip(stage, cells[i][j].group, text);
    if (!caption) {
      stage.explanation = text;
      return;
    }
    write(caption, text);
    caption.classList.toggle('idle', !known);
  }

  followWidth(box, wide => {
    room = wide;
    pageMirrored = runsLeft(box);
    stage.requestPaint();
  });
  return paint;
}
