// The query that is shown among all keys of its head, in the plane of their two main directions.
import { make, write } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { plane } from '../../figure/browser/plane.js';
import { shownQuery, shownView } from './own_shared.js';

// What the marks of the plane read; null where a view has no vectors.
function withArrows(scope) {
  const { arrows, queries, keys } = shownView(scope);
  return {
    ...scope,
    arrow_queries: arrows.query[scope.head],
    arrow_keys: arrows.key[scope.head],
    query_names: queries,
    key_names: keys,
    asking: shownQuery(scope),
  };
}

// spec: { title, held, plane }
export function head_vectors(host, spec, stage) {
  const box = make(null, 'div', { class: 'head-vectors' }, host),
    line = make(null, 'p', { class: 'note' }, box),
    field = make(null, 'div', {}, box);
  let built = '',
    paint = null;
  return scope => {
    const view = shownView(scope);
    box.hidden = !view.arrows;
    if (box.hidden) return;
    if (built !== view.id) {
      built = view.id;
      field.replaceChildren();
      paint = plane(field, spec.plane, Object.create(stage, { scope: { get: () => withArrows(stage.scope) } }));
    }
    write(line, filled(spec.held, { share: view.arrows.held[scope.head] }));
    paint(withArrows(scope));
  };
}
