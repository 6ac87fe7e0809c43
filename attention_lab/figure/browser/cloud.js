// Everybody's hands on one plane, faint: a dot where a hand has put something, a line and a small dot for what became
// of it. Only what lies elsewhere than at the start is drawn, of many rows that nobody holds only the chosen ones,
// and nothing that waits for the reader's guess.
import { find } from './calculation.js';
import { apart, others } from './room_overlay.js';
import { make } from './elements.js';

const rows = value => (Array.isArray(value?.[0]) ? value : value ? [value] : []);

// What of the plane's marks is drawn for everybody; `held`: by a hand.
function followed(marks) {
  return marks.flatMap(mark => {
    const { kind, role, tone, from, to, when, of, focus, other, through } = mark;
    if (kind === 'vectors') {
      const held = Boolean(mark.handles);
      return [{ to: of, role: role ?? 'word', held, chosen: held ? [] : [focus, other].filter(Boolean), through }];
    }
    if (kind !== 'displacement' || tone) return [];
    return [{ from, to, when, role: role ?? 'context', held: false, chosen: [] }];
  });
}

export function cloud(group, marks, stage, plane) {
  const drawn = followed(marks).map(what => {
    const layer = kind => make('svg', 'g', { class: `cloud ${kind} ${what.role}` }, group);
    return { ...what, lines: what.held ? null : layer('lines'), dots: layer(what.held ? 'dots' : 'ends') };
  });
  let seen = null,
    shown = '';
  // The lines and the dots of one hand.
  const paths = ({ from, to, when, chosen, through }, scope, start) => {
    if (when && !find(scope, when)) return ['', ''];
    const begin = rows(find(start, to)),
      tails = from ? rows(find(scope, from)) : [],
      only = chosen.map(of => (through ? find(scope, through)[find(scope, of)] : find(scope, of)));
    const found = ['', ''];
    rows(find(scope, to)).forEach((vector, i) => {
      if (!Array.isArray(vector) || (only.length && !only.includes(i)) || !apart(vector, begin[i])) return;
      const part = plane.at.shown(tails[i] ? plane.at.pick(tails[i]) : [0, 0], plane.at.pick(vector));
      if (!part) return;
      const [a, b] = [part.from, part.to].map(p => `${plane.at.x(p[0]).toFixed(1)} ${plane.at.y(p[1]).toFixed(1)}`);
      found[0] += `M${a}L${b}`;
      if (!part.on) found[1] += `M${b}h0`;
    });
    return found;
  };
  return () => {
    const all = others(stage),
      look = all && `${all.about} ${all.version} ${all.scopes.size} ${plane.at.size} ${stage.resultsHidden}`;
    if (all === seen && look === shown) return;
    [seen, shown] = [all, look];
    const scopes = [...(all?.scopes.values() ?? [])].map(({ scope }) => scope).filter(Boolean);
    for (const what of drawn) {
      const each = what.held || !stage.resultsHidden ? scopes.map(scope => paths(what, scope, all.start)) : [];
      [what.lines, what.dots].forEach((layer, k) =>
        layer?.replaceChildren(...each.filter(d => d[k]).map(d => make('svg', 'path', { d: d[k] }))),
      );
    }
  };
}

// Where everybody has put a single number, as faint marks along its slider.
export function cloudAlong(host, name, where, stage) {
  const strip = make(null, 'div', { class: 'cloud-along', 'aria-hidden': 'true' }, host);
  let shown = '';
  return () => {
    const all = others(stage),
      numbers = [...(all?.scopes.values() ?? [])].map(each => each.numbers[name]).filter(Number.isFinite),
      look = numbers.join(' ');
    if (look === shown) return;
    shown = look;
    const left = x => `left:${(100 * Math.min(1, Math.max(0, where(x)))).toFixed(2)}%`;
    strip.replaceChildren(...numbers.map(x => make(null, 'i', { style: left(x) })));
  };
}
