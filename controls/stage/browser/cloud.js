// Everybody's hands on one plane, faint: a dot where a hand has put something, an arrow for what became of it. Of each
// only what lies elsewhere than at the start is drawn, and what waits for the reader's guess is not.
import { find } from './calculation.js';
import { apart, others } from './company.js';
import { make } from './elements.js';

const rows = value => (Array.isArray(value?.[0]) ? value : value ? [value] : []);

// What of the plane's marks is drawn for everybody: [from, to, role, whether a hand holds it].
function followed(marks) {
  return marks.flatMap(mark => {
    if (mark.kind === 'vectors') return [{ to: mark.of, role: mark.role, held: Boolean(mark.handles) }];
    if (mark.kind === 'displacement' && !mark.tone)
      return [{ from: mark.from, to: mark.to, when: mark.when, role: mark.role ?? 'context', held: false }];
    return [];
  });
}

export function cloud(group, marks, stage, plane) {
  const drawn = followed(marks),
    layers = drawn.map(({ role, held }) =>
      make('svg', 'g', { class: `cloud ${held ? 'dots' : 'arrows'} ${role ?? 'word'}` }, group),
    );
  let seen = null,
    shown = '';
  const path = ({ from, to, when, held }, scope, start) => {
    if (when && !find(scope, when)) return '';
    const begin = rows(find(start, to)),
      tails = from ? rows(find(scope, from)) : [];
    return rows(find(scope, to))
      .map((vector, i) => {
        if (!Array.isArray(vector) || !apart(vector, begin[i])) return '';
        const part = plane.at.shown(tails[i] ? plane.at.pick(tails[i]) : [0, 0], plane.at.pick(vector));
        if (!part) return '';
        const [x, y] = [plane.at.x(part.to[0]), plane.at.y(part.to[1])].map(v => v.toFixed(1));
        if (held) return part.on ? '' : `M${x} ${y}h0`;
        return `M${plane.at.x(part.from[0]).toFixed(1)} ${plane.at.y(part.from[1]).toFixed(1)}L${x} ${y}`;
      })
      .join('');
  };
  return () => {
    const all = others(stage),
      look = all && `${all.about} ${all.version} ${all.scopes.size} ${plane.at.size} ${stage.veil}`;
    if (all === seen && look === shown) return;
    [seen, shown] = [all, look];
    const scopes = [...(all?.scopes.values() ?? [])].map(({ scope }) => scope).filter(Boolean);
    drawn.forEach((what, i) => {
      const paths = what.held || !stage.veil ? scopes.map(scope => path(what, scope, all.start)).filter(Boolean) : [];
      layers[i].replaceChildren(...paths.map(d => make('svg', 'path', { d })));
    });
    group.dataset.hands = scopes.length;
  };
}

// Where everybody has put a single number, as faint marks along its slider.
export function cloud_along(host, name, where, stage) {
  const strip = make(null, 'div', { class: 'cloud-along', 'aria-hidden': 'true' }, host);
  let shown = '';
  return () => {
    const all = others(stage),
      numbers = [...(all?.scopes.values() ?? [])].map(each => each.numbers[name]).filter(Number.isFinite),
      look = numbers.join(' ');
    if (look === shown) return;
    shown = look;
    strip.replaceChildren(
      ...numbers.map(x => make(null, 'i', { style: `left:${(100 * Math.min(1, Math.max(0, where(x)))).toFixed(2)}%` })),
    );
  };
}
