// Every head of every layer at a glance: a small pattern each, and below the grid what the one pointed at does.
import { find } from '../../figure/browser/calculation.js';
import { moveByArrows } from '../../figure/browser/direction.js';
import { make, makeButton, write } from '../../figure/browser/elements.js';
import { filled, formatShare } from '../../figure/browser/number_format.js';
import { softmax } from '../../figure/browser/mathematics.js';
import { setPose } from '../../figure/browser/pose.js';
import { drawPattern, smallPattern } from '../../figure/browser/pattern.js';

// spec: { title, axes: what rows and columns are, head: the pose's name, scores: path of (heads, n, n), turned,
//         layers: [title],
//         heads: [{ name, kind, share, ratio }], texts: { [kind]: a sentence } }
export function head_grid(host, spec, stage) {
  const box = make(null, 'div', { class: 'head-grid', role: 'group', 'aria-label': spec.title }, host),
    ofLayer = spec.heads.length / spec.layers.length;
  make(null, 'p', { class: 'grid-title', text: spec.title }, box);
  make(null, 'p', { class: 'grid-axes', text: spec.axes }, box);
  const grid = make(null, 'div', { class: 'grid', style: `--heads: ${ofLayer}` }, box),
    line = make(null, 'p', { class: 'does-most' }, box);
  const say = k => {
    const { name, kind, share: part, ratio } = spec.heads[k];
    return filled(spec.texts[kind], { head: name, share: formatShare(part), ratio: formatShare(ratio) });
  };
  const choose = k => setPose(stage, { [spec.head]: k }),
    point = k => {
      pointed = k;
      stage.requestPaint();
    };
  const numbers = make(null, 'div', { class: 'numbers', 'aria-hidden': 'true' }, grid);
  for (let h = 0; h <= ofLayer; h++) make(null, 'span', { class: 'layer-name', text: h || '' }, numbers);
  let pointed = null;
  const cards = spec.heads.map(({ name }, k) => {
    if (k % ofLayer === 0) make(null, 'span', { class: 'layer-name', text: spec.layers[k / ofLayer] }, grid);
    const about = { class: 'tiny-head', 'aria-label': say(k), 'data-handle': `head ${name}` },
      button = makeButton(grid, about, () => choose(k));
    button.addEventListener('pointerenter', () => point(k));
    button.addEventListener('pointerleave', () => point(null));
    return { button, pattern: smallPattern(button) };
  });
  moveByArrows(
    cards.map(({ button }) => button),
    ofLayer,
    choose,
  );
  let drawn = {};
  return scope => {
    const scores = find(scope, spec.scores),
      shown = scope[spec.head],
      resultsHidden = Boolean(stage.resultsHidden);
    if (scores !== drawn.scores || resultsHidden !== drawn.resultsHidden) {
      drawn = { scores, resultsHidden };
      cards.forEach(({ pattern }, k) => drawPattern(pattern, resultsHidden ? [] : softmax(scores[k]), spec.turned));
    }
    cards.forEach(({ button }, k) => {
      button.classList.toggle('shown', k === shown);
      button.setAttribute('aria-pressed', k === shown);
      button.tabIndex = k === shown ? 0 : -1;
    });
    write(line, stage.resultsHidden ? '' : say(pointed ?? shown));
  };
}
