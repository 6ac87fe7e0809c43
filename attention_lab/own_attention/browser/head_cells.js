// All heads of all layers at a glance: a small pattern each, or one of its measures as a shade.
import { moveByArrows } from '../../figure/browser/direction.js';
import { followPointing, make, makeButton, write } from '../../figure/browser/elements.js';
import { setPose } from '../../figure/browser/pose.js';
import { written } from './head_account.js';
import { drawShades, onTheme, shadesOf, shownView } from './own_shared.js';
import { numbersOf, patternFrom, placeOf } from './weights.js';

const A_ROW = 10, // heads, where they are sorted
  CELL = 'minmax(.7rem, 2.6rem)';

// spec: { title, kinds: [name], texts: { kind, show, patterns, sort } }
export function head_cells(host, spec, stage) {
  const box = make(null, 'div', { class: 'head-cells', role: 'group', 'aria-label': spec.title }, host),
    controls = controlsOf(box, spec, stage),
    grid = make(null, 'div', { class: 'cells', dir: 'ltr' }, box),
    line = make(null, 'p', { class: 'pointed', 'data-spoken': '' }, box);
  // What every function below gets as its `map`. `drawn`: the view whose patterns are there; `marked`: for what the
  // cells were last marked; `at`: the head that is pointed at.
  const map = { stage, grid, cells: [], built: '', drawn: '', marked: '', at: null };
  onTheme(stage, () => {
    map.drawn = '';
    stage.requestPaint();
  });
  return scope => {
    controls(scope);
    const view = shownView(scope),
      measure = view.measures[scope.measure - 1],
      isSorted = Boolean(scope.sorted && measure),
      layout = `${view.id} ${isSorted ? scope.measure : ''}`;
    if (layout !== map.built) {
      map.built = layout;
      build(map, view, isSorted ? sortedHeads(measure.values) : null);
    }
    if (measure) map.drawn = '';
    else drawPatterns(map, view);
    const wanted = `${layout} ${scope.measure} ${scope.head}`;
    if (wanted !== map.marked) markCells(map, measure, scope.head);
    map.marked = wanted;
    const k = map.at ?? scope.head,
      said = measure ? ` · ${measure.name} ${written(measure, measure.values[k])}` : '';
    write(line, `${view.titles[k]}${said}`);
    line.classList.toggle('quiet', map.at === null && !measure); // the title below it says it already
  };
}

function build(map, view, order) {
  const { stage, grid } = map,
    wide = Math.max(...view.heads),
    shared = view.shared[0] ?? 1,
    choose = k => setPose(stage, { head: k });
  grid.replaceChildren();
  grid.style.gridTemplateColumns = order ? `repeat(${A_ROW}, ${CELL})` : columnsOf(wide, shared);
  map.cells = (order ?? [...view.names.keys()]).map(k => {
    const { layer, head } = placeOf(view.heads, k),
      about = { class: 'head-cell', 'data-handle': `head ${view.names[k]}`, 'aria-label': view.titles[k] },
      column = columnOf(head, shared),
      area = order ? null : `grid-area: ${layer + 2} / ${column}`;
    if (!order && head === 0)
      make(null, 'span', { class: 'of-layer', style: `grid-area: ${layer + 2} / 1`, text: view.layers[layer] }, grid);
    if (!order && layer === 0)
      make(null, 'span', { class: 'of-head', style: `grid-area: 1 / ${column}`, text: head }, grid);
    const button = makeButton(grid, { ...about, style: area }, () => choose(k));
    followPointing(button, on => {
      map.at = on ? k : null;
      stage.requestPaint();
    });
    if (order) make(null, 'span', { text: view.names[k] }, button);
    return { k, button, image: make(null, 'img', { alt: '' }, button) };
  });
  moveByArrows(
    map.cells.map(({ button }) => button),
    order ? A_ROW : wide,
    place => choose(map.cells[place].k),
  );
  map.drawn = '';
}

function drawPatterns(map, view) {
  const [rows, columns] = view.thumbnail,
    numbers = numbersOf(view, 'thumbnails', 8, map.stage.requestPaint);
  if (!numbers || map.drawn === view.id) return;
  map.drawn = view.id;
  const pictures = patternFrom(numbers, rows, columns, view.signed ? 254 : 255, view.signed), // one under another
    shades = shadesOf(map.cells[0].image),
    sheet = make(null, 'canvas'); // a canvas for each head would take a third of every frame, for all of them
  for (const { k, image } of map.cells) {
    drawShades(sheet, columns, rows, (i, j) => pictures.at(k * rows + i, j), shades);
    image.src = sheet.toDataURL();
  }
}

function markCells({ cells }, measure, chosen) {
  for (const { k, button, image } of cells) {
    const part = measure ? (measure.values[k] ?? 0) / measure.most : 0;
    image.hidden = Boolean(measure);
    button.style.setProperty('--part', `${(100 * part).toFixed(1)}%`);
    button.setAttribute('aria-pressed', k === chosen);
    button.tabIndex = k === chosen ? 0 : -1;
  }
}

// Heads that share a key head stand together.
const columnOf = (head, shared) => head + 2 + (shared > 1 ? Math.floor(head / shared) : 0);
function columnsOf(heads, shared) {
  const all = Array.from({ length: heads }, (_, head) =>
    shared > 1 && head && head % shared === 0 ? `.35rem ${CELL}` : CELL,
  );
  return `auto ${all.join(' ')}`;
}

// A change of the pose with a head and a query that there are then: in the same layer the same head, or the only one.
let kept = 0; // the head that was shown where there are several
function within({ pose, scope }, change) {
  const before = scope.views[pose.view],
    { heads, queries, measures } = scope.views[change.view ?? pose.view],
    { layer, head } = placeOf(before.heads, pose.head);
  if (before.heads[layer] > 1) kept = head;
  const last = Math.min(layer, heads.length - 1),
    first = heads.slice(0, last).reduce((sum, count) => sum + count, 0);
  return {
    measure: Math.min(pose.measure, measures.length),
    ...change,
    head: first + Math.min(kept, heads[last] - 1),
    query: Math.min(pose.query, queries.length - 1),
  };
}

// Lists of what is shown, and a switch that sorts by it.
function controlsOf(box, spec, stage) {
  const row = make(null, 'div', { class: 'controls' }, box),
    list = (name, label) => {
      const line = make(null, 'label', { text: `${label} ` }, row),
        select = make(null, 'select', { class: 'small', 'data-option': name }, line);
      select.addEventListener('change', () => setPose(stage, within(stage, { [name]: Number(select.value) })));
      return { line, select, name };
    },
    lists = [list('view', spec.texts.kind), list('measure', spec.texts.show)],
    sort = make(null, 'label', {}, row),
    isSorted = make(null, 'input', { type: 'checkbox', class: 'switch', 'data-option': 'sorted' }, sort);
  sort.append(` ${spec.texts.sort}`);
  isSorted.addEventListener('change', () => setPose(stage, { sorted: Number(isSorted.checked) }));
  lists[0].line.hidden = spec.kinds.length < 2;
  return scope => {
    const shown = [spec.kinds, [spec.texts.patterns, ...shownView(scope).measures.map(({ name }) => name)]];
    lists.forEach(({ select, name }, place) => {
      const texts = shown[place];
      if (select.options.length !== texts.length || texts.some((text, k) => select.options[k].text !== text))
        select.replaceChildren(...texts.map((text, k) => new Option(text, k)));
      select.value = scope[name];
    });
    isSorted.checked = Boolean(scope.sorted);
    sort.style.visibility = scope.measure ? '' : 'hidden';
  };
}

const sortedHeads = values =>
  values
    .map((value, k) => [value ?? -1, k])
    .sort(([a, i], [b, j]) => b - a || i - j)
    .map(([, k]) => k);
