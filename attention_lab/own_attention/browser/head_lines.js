// A head's weights as lines, for a text that is short enough: arcs over one text, ribbons between two.
import { arcs } from '../../figure/browser/arcs.js';
import { direction } from '../../figure/browser/direction.js';
import { followWidth, make, makeButton, place, putText, rem } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { pointOver, shownPattern, shownQuery, shownView, writtenWeight } from './own_shared.js';
import { strongestKey } from './weights.js';

const MOST = 48, // tokens
  ROW = 1.625, // rem
  WORD = 0.36, // of the width, at most
  WIDEST = 12, // px
  FAINT = 0.004,
  TIE = 1e-6; // of rounded weights, the largest may be two: the array's stands out by so much
export const LINES = 1; // of the pose's `form`

// spec: { title, texts: { asks, strongest, off, lens } of arcs, too_long }
export function head_lines(host, spec, stage) {
  const box = make(null, 'div', { class: 'head-lines' }, host),
    inner = make(null, 'div', {}, box),
    note = make(null, 'p', { class: 'note' }, box);
  let built = null,
    paint = null;
  return scope => {
    const view = shownView(scope),
      pattern = shownPattern(stage, scope),
      isTooLong = Math.max(view.queries.length, view.keys.length) > MOST;
    box.hidden = scope.form !== LINES;
    if (box.hidden || !pattern) return;
    putText(note, isTooLong ? filled(spec.texts.too_long, { most: MOST }) : '');
    inner.hidden = isTooLong;
    if (isTooLong) return;
    const wanted = `${view.id} ${pattern.rows} ${pattern.columns}`;
    if (wanted !== built) {
      built = wanted;
      inner.replaceChildren();
      paint =
        view.same && !view.before && !view.signed ? arcsOf(inner, spec, stage) : ribbonsOf(inner, spec, stage, view);
    }
    paint(scope, pattern);
  };
}

// The course's arcs, of the weights of a head: their rows are among the numbers that they read.
function arcsOf(host, spec, stage) {
  const settings = {
    title: spec.title,
    shown: 'tokens',
    words: 'tokens',
    focus: 'query',
    heads: [{ weights: 'rows', name: '', label: '' }],
    what: 'arc',
    texts: spec.texts,
  };
  const rowsOf = ({ head, ...scope }, pattern) =>
    Array.from({ length: pattern.rows }, (_, query) => {
      const row = pattern.row(query),
        key = strongestKey(shownView(scope), head, query, stage.requestPaint);
      if (key >= 0) row[key] += TIE;
      return row;
    });
  const withRows = (scope, pattern) => ({
    ...scope,
    tokens: shownView(scope).queries,
    rows: rowsOf(scope, pattern),
  });
  const scopeNow = { get: () => withRows(stage.scope, shownPattern(stage, stage.scope)) },
    paint = arcs(host, settings, Object.create(stage, { scope: scopeNow }));
  return (scope, pattern) => paint(withRows(scope, pattern));
}

// Two texts as two columns, and a ribbon for each weight of the query that is shown.
function ribbonsOf(host, spec, stage, view) {
  const field = make(null, 'div', { class: 'ribbon-field', role: 'group', 'aria-label': spec.title, dir: 'ltr' }, host),
    svg = make('svg', 'svg', { 'aria-hidden': 'true' }, field),
    column = (names, kind, word) =>
      names.map((text, k) => {
        const element = word(k, { class: `word ${kind}`, text, translate: 'no', dir: direction([text]) });
        element.style.top = `${k * ROW}rem`;
        return element;
      });
  const asking = column(view.queries, 'asks', (k, about) =>
      makeButton(field, about, () => setPose(stage, { query: k })),
    ),
    answering = column(view.keys, 'answers', (_, about) => make(null, 'span', about, field)),
    ribbons = view.keys.map(() => make('svg', 'path', {}, svg));
  answering.forEach((word, k) => pointOver(word, stage, -1, k));
  field.style.height = `${Math.max(asking.length, answering.length) * ROW}rem`;
  let room = 0;
  followWidth(field, wide => {
    room = wide;
    stage.requestPaint();
  });
  return (scope, pattern) => {
    const query = shownQuery(scope),
      y = k => (k + 0.5) * ROW * rem(),
      [from, to] = [WORD * room, (1 - WORD) * room],
      middle = (from + to) / 2;
    place(svg, { width: room, height: field.offsetHeight });
    asking.forEach((word, k) => word.setAttribute('aria-pressed', k === query));
    ribbons.forEach((path, k) => {
      const change = pattern.at(query, k),
        weight = Math.abs(change);
      path.classList.toggle('less', change < 0);
      path.style.display = weight < FAINT ? 'none' : '';
      path.setAttribute('d', `M${from} ${y(query)} C${middle} ${y(query)} ${middle} ${y(k)} ${to} ${y(k)}`);
      path.style.strokeWidth = `${(0.8 + WIDEST * weight).toFixed(2)}px`;
      path.style.strokeOpacity = (0.16 + 0.72 * weight).toFixed(3);
      answering[k].title = writtenWeight(pattern, change);
      answering[k].classList.toggle('less', change < 0);
      answering[k].style.setProperty('--part', `${(100 * weight).toFixed(1)}%`);
    });
  };
}
