// Words that can be dragged into another order: the handle of each tile, and where it is drawn on its way.
import { find } from './calculation.js';
import { makeDraggable } from './drag.js';
import { glide } from './smoothing.js';

// The tab key follows the order that is seen. What has the focus stays where it is in the document, or it would lose
// it.
export function inOrder(places) {
  const { parentElement } = places[0][0],
    lines = [...places].sort(([, a], [, b]) => a - b).map(([line]) => line),
    now = [...parentElement.children].filter(line => lines.includes(line));
  if (lines.every((line, k) => line === now[k])) return;
  const active = parentElement.getRootNode().activeElement,
    at = lines.findIndex(line => line.contains(active));
  lines.forEach((line, k) => {
    if (k !== at) parentElement.insertBefore(line, k < at ? lines[at] : null);
  });
}

// spec: { order: the pose's own order, said: who stands at each place, stands: the place of each word }
export function sortable(stage, spec, n) {
  const now = Array.from({ length: n }, () => ({}));
  const shuffle = (word, place) => {
    const row = find(stage.scope, spec.said).filter(w => w !== word);
    row.splice(place, 0, word);
    stage.pose[spec.order] = [row.map(w => w + 1)];
    stage.scope[spec.said] = row;
    stage.scope[spec.stands] = now.map((_, w) => row.indexOf(w));
  };
  return {
    handle(tile, w, name, along, mirrored = () => false) {
      // along(event): how many tiles from the beginning the pointer is; mirrored(): whether that is at the right
      const handle = {
        name: `place ${name}`,
        axes: ['place'],
        ranges: [[1, n]],
        step: 1,
        mirrored,
        read: () => [find(stage.scope, spec.stands)[w] + 1],
        at: event => [0.5 + along(event)],
        move: ([place]) => {
          now[w].held = place - 1;
          shuffle(w, Math.round(place) - 1);
        },
      };
      tile.addEventListener('keydown', event => {
        // down the list is later
        const [earlier, later] = mirrored() ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight'],
          key = { ArrowUp: earlier, ArrowDown: later }[event.key];
        if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        tile.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey: event.shiftKey, cancelable: true }));
      });
      makeDraggable(tile, stage, handle);
      return handle;
    },
    glide(tile, w, goal) {
      const state = now[w];
      if (stage.held !== tile) state.held = undefined;
      if (state.held !== undefined) {
        state.at = Math.max(0, Math.min(n - 1, state.held));
        state.time = undefined;
        return state.at;
      }
      return glide(stage, state, goal);
    },
  };
}
