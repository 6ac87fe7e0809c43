import { remembered, throughLayers } from '../../figure/browser/reading.js';
import { read_text } from '../../figure/browser/models.js';

export function changes_between(before, after) {
  const layers = before.states.length - 1,
    heads = before.weights.length / layers,
    count = before.states[0].length,
    wide = before.states[0][0].length;
  const states = before.states.map((state, layer) =>
    state.map((was, i) => Math.hypot(...was.map((x, k) => after.states[layer][i][k] - x)) / Math.hypot(...was)),
  );
  const carried = Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: count }, (_, i) =>
      Array.from({ length: count }, (_, j) => {
        let squares = 0;
        for (let k = 0; k < wide; k++) {
          let moved = 0;
          for (let h = layer * heads; h < (layer + 1) * heads; h++) {
            const was = before.weights[h][i][j] * before.updates[h][j][k];
            moved += after.weights[h][i][j] * after.updates[h][j][k] - was;
          }
          squares += moved * moved;
        }
        return Math.sqrt(squares);
      }),
    ),
  );
  return { states, carried };
}

export const last_states = remembered(3, (weights, texts, strengths) => {
  const each = texts.map(tokens => throughLayers(weights, tokens, strengths).states.map(state => state.at(-1)));
  return each[0].map((_, layer) => each.map(states => states[layer]));
});

export function loss_of_each(weights, tokens, strengths) {
  const said = now => read_text(weights, tokens, now).next_word.at(-1),
    whole = said(strengths),
    answer = whole.indexOf(Math.max(...whole));
  return strengths.flatMap((row, layer) =>
    row.map((_, head) => {
      const fewer = strengths.map((line, l) => line.map((s, h) => (l === layer && h === head ? 0 : s)));
      return whole[answer] - said(fewer)[answer];
    }),
  );
}

export function mean_where(numbers, mask) {
  const found = numbers.flatMap((line, i) => line.filter((_, j) => mask[i][j]));
  return found.length ? found.reduce((all, x) => all + x, 0) / found.length : NaN;
}
