// A path of stations with arrows between them: from left to right, on a narrow screen from top to bottom. Each
// station holds parts of its own; its name is a link where it has a page to open.
import { runsLeft } from '../../figure/browser/direction.js';
import { make, place, write } from '../../figure/browser/elements.js';
import { draw } from '../../figure/browser/registry.js';
import { prefersReducedMotion } from '../../figure/browser/smoothing.js';

const NARROW = 740; // as in path.css
const ACROSS = [
  ['right', 0.5],
  ['left', 0.5],
];

// A point on a station's edge: side and how far along it (0 to 1), as on a page that runs from left to right.
function port(box, [side, along], mirrored) {
  const x = box.left + box.width * (mirrored ? 1 - along : along),
    y = box.top + box.height * along;
  return {
    [mirrored ? 'right' : 'left']: [box.left, y, -1, 0],
    [mirrored ? 'left' : 'right']: [box.right, y, 1, 0],
    top: [x, box.top, 0, -1],
    bottom: [x, box.bottom, 0, 1],
  }[side];
}

function connect(line, from, to) {
  const [x0, y0, dx0, dy0] = from,
    [, , dx1, dy1] = to,
    gap = 5,
    point = 7;
  // Nearly below is below, and nearly beside is beside.
  const x1 = !dx0 && !dx1 && Math.abs(to[0] - x0) < 14 ? x0 : to[0],
    y1 = !dy0 && !dy1 && Math.abs(to[1] - y0) < 14 ? y0 : to[1];
  const [a, b] = [
    [x0 + gap * dx0, y0 + gap * dy0],
    [x1 + (gap + point) * dx1, y1 + (gap + point) * dy1],
  ];
  const reach = dx =>
      Math.max(12, dx ? 0.5 * Math.abs(b[0] - a[0]) : Math.max(0.5 * Math.abs(b[1] - a[1]), dx0 ? 46 : 0)),
    out = reach(dx0),
    into = reach(dx1);
  const d = `M${a} C${[a[0] + out * dx0, a[1] + out * dy0]} ${[b[0] + into * dx1, b[1] + into * dy1]} ${b}`;
  place(line.way, { d });
  const tip = [b[0] - point * dx1, b[1] - point * dy1],
    wing = [4.5 * dy1, 4.5 * dx1];
  place(line.point, { d: `M${tip} L${[b[0] + wing[0], b[1] + wing[1]]} L${[b[0] - wing[0], b[1] - wing[1]]} Z` });
}

// The first plane sets out from the box that it had `before`, and the stations come out of it (path.css).
function open(box, before) {
  const plane = box.querySelector('svg.picture'),
    source = plane.closest('.station'),
    middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2],
    [x, y] = middle(plane.getBoundingClientRect());
  const startFrom = (element, [fromX, fromY], scale) => {
    const [toX, toY] = middle(element.getBoundingClientRect());
    element.style.setProperty('--from', `translate(${fromX - toX}px, ${fromY - toY}px) scale(${scale})`);
  };
  startFrom(plane, middle(before), before.width / plane.getBoundingClientRect().width);
  source.classList.add('source');
  for (const [turn, station] of box.querySelectorAll('.station:not(.source):has(svg)').entries()) {
    startFrom(station, [x, y], 0.3);
    station.style.setProperty('--turn', turn);
  }
  box.classList.add('opening');
}

export function path(host, spec, stage) {
  const before = prefersReducedMotion() ? null : host.closest('.by-choice')?.planeBefore;
  const box = make(null, 'div', { class: 'stops' }, make(null, 'div', { class: 'path' }, host));
  const stations = {},
    paints = [];
  for (const group of spec.groups) {
    const column = make(null, 'div', { class: 'group' }, box);
    for (const station of group) {
      const about = { 'data-station': station.name, role: 'group', 'aria-label': station.title },
        section = make(null, 'div', { class: `station ${station.role ?? 'word'}`, ...about }, column);
      const head = make(null, 'h2', {}, section);
      if (station.letter) make(null, 'span', { class: 'letter', text: station.letter, 'aria-hidden': 'true' }, head);
      if (station.page_link) {
        const where = { href: stage.hrefOf(station.page_link), title: station.promise },
          link = make(null, 'a', { class: 'page-link', text: station.title, ...where }, head);
        link.addEventListener('click', event => {
          // a new tab, a download: the browser's own business
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          stage.open(station.page_link);
        });
      } else make(null, 'span', { text: station.title }, head);
      if (station.how) write(make(null, 'p', { class: 'how' }, section), station.how);
      const body = make(null, 'div', { class: 'body' }, section);
      for (const part of station.parts) paints.push(draw(body, part, stage));
      stations[station.name] = section;
    }
  }
  const map = make('svg', 'svg', { class: 'ways', 'aria-hidden': 'true' }, box);
  const lines = spec.ways.map(way => {
    const group = make('svg', 'g', { class: `way ${way.role}` }, map),
      [line, point] = ['line', 'point'].map(kind => make('svg', 'path', { class: kind }, group));
    return { ...way, way: line, point };
  });
  // Places and sizes without what an animation makes of them.
  const frame = ({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) => ({
    left: offsetLeft,
    right: offsetLeft + offsetWidth,
    top: offsetTop,
    bottom: offsetTop + offsetHeight,
    width: offsetWidth,
    height: offsetHeight,
  });
  let wide = 0; // at which it was laid out
  const settle = () => {
    box.classList.remove('opening');
    for (const picture of box.querySelectorAll('svg, figure')) picture.followRoom?.(); // it was not of its own size
  };
  const lay = () => {
    const { width, height } = frame(box);
    if (!width) return;
    const narrow = width < NARROW,
      mirrored = runsLeft(box);
    place(map, { viewBox: `0 0 ${width} ${height}`, width, height });
    for (const line of lines) {
      const [from, to] = [line.from, line.to].map(name => frame(stations[name])),
        beside = from.top < to.bottom && to.top < from.bottom,
        [start, end] = narrow ? (beside ? ACROSS : line.tall) : line.wide;
      connect(line, port(from, start, mirrored), port(to, end, mirrored));
    }
    if (!wide && before) open(box, before);
    else if (wide !== width && box.matches('.opening')) settle();
    wide = width;
  };
  for (const end of ['animationend', 'animationcancel']) map.addEventListener(end, settle); // the last to come
  const watch = new ResizeObserver(lay);
  watch.observe(box);
  for (const name in stations) watch.observe(stations[name]);
  return scope => paints.forEach(paint => paint(scope));
}
