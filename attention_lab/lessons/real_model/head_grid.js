// Every head of every layer at a glance: a small pattern each, and below the grid what the one pointed at does.
import { find } from '../../figure/browser/calculation.js';
import { runs_left } from '../../figure/browser/direction.js';
import { make } from '../../figure/browser/elements.js';
import { filled, share } from '../../figure/browser/figures.js';
import { softmax } from '../../figure/browser/mathematics.js';
import { draw_pattern, small_pattern } from '../../figure/browser/pattern.js';

// spec: { title, axes: what rows and columns are, head: the pose's name, scores: path of (heads, n, n), turned,
//         layers: [title],
//         heads: [{ name, kind, share, ratio }], texts: { [kind]: a sentence } }
export function head_grid(host, spec, stage) {
  const box = make(null, 'div', { class: 'head-grid', role: 'group', 'aria-label': spec.title }, host),
    of_layer = spec.heads.length / spec.layers.length;
  make(null, 'p', { class: 'grid-title', text: spec.title }, box);
  make(null, 'p', { class: 'grid-axes', text: spec.axes }, box);
  const grid = make(null, 'div', { class: 'grid', style: `--heads: ${of_layer}` }, box),
    line = make(null, 'p', { class: 'does-most' }, box);
  const say = k => {
    const { name, kind, share: part, ratio } = spec.heads[k];
    return filled(spec.texts[kind], { head: name, share: share(part), ratio: share(ratio) });
  };
  const choose = k => {
    stage.pose[spec.head] = k;
    stage.touch();
    stage.commit();
  };
  let pointed = null;
  const cards = spec.heads.map(({ name }, k) => {
    if (k % of_layer === 0) make(null, 'span', { class: 'layer-name', text: spec.layers[k / of_layer] }, grid);
    const button = make(
      null,
      'button',
      { type: 'button', class: 'tiny-head', 'aria-label': say(k), 'data-handle': `head ${name}` },
      grid,
    );
    const pattern = small_pattern(button);
    button.addEventListener('click', () => choose(k));
    button.addEventListener('pointerenter', () => {
      pointed = k;
      stage.touch();
    });
    button.addEventListener('pointerleave', () => {
      pointed = null;
      stage.touch();
    });
    button.addEventListener('keydown', event => {
      const back = runs_left(grid) ? 1 : -1,
        step = { ArrowLeft: back, ArrowRight: -back, ArrowUp: -of_layer, ArrowDown: of_layer }[event.key],
        next = k + (step ?? Number.NaN);
      if (!(next in cards)) return;
      event.preventDefault();
      cards[next].button.focus();
      choose(next);
    });
    return { button, pattern };
  });
  let drawn = {};
  return scope => {
    const scores = find(scope, spec.scores),
      shown = scope[spec.head],
      veil = Boolean(stage.veil);
    if (scores !== drawn.scores || veil !== drawn.veil) {
      drawn = { scores, veil };
      cards.forEach(({ pattern }, k) => draw_pattern(pattern, veil ? [] : softmax(scores[k]), spec.turned));
    }
    cards.forEach(({ button }, k) => {
      button.classList.toggle('shown', k === shown);
      button.setAttribute('aria-pressed', k === shown);
      button.tabIndex = k === shown ? 0 : -1;
    });
    const said = stage.veil ? '' : say(pointed ?? shown);
    if (line.textContent !== said) line.textContent = said;
  };
}
