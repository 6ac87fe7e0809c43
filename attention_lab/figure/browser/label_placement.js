// Places the labels of a plane. All labels of a frame are collected and then placed together, the most important first:
// beside what they name, and on no other label, handle or number. A label keeps its side from frame to frame while that
// side is free, so that nothing jumps during a drag.
import { place, rem } from './elements.js';

const LETTERS = 0.46, // half the height of letters, in their size
  NEAR = 9, // from a point to a name at its corner
  FARTHER = 13, // from one ring of places to the next
  STAYS = 14, // how much worse its place may be before a name leaves it, if nothing has come there
  FREE = 1,
  CLEAR = 3, // px between a name and a line
  AREA = 6, // px² of a name that are covered count as much as one step away from where it rather stands
  CROWDED = 6, // from so much on, a name that yields is left away
  CROWDED_SMALL = 0.5, // and in a small picture
  ABOVE = 4, // px above and below a name that others rather leave free
  ASIDE = { true: 6, false: 9 }; // px kept free beside a name, by whether the picture is small

// Sides on which a name may stand: [across, down] in halves of its own size, then in the gap kept to the point.
const SIDES = [
  [1, 0, 1, 0],
  [1, -1, 0.6, 0.6],
  [0, -1, 0, 1],
  [-1, -1, 0.6, 0.6],
  [-1, 0, 1, 0],
  [-1, 1, 0.6, 0.6],
  [0, 1, 0, 1],
  [1, 1, 0.6, 0.6],
  [1, -1, 0.9, 0.1],
  [1, 1, 0.9, 0.1],
  [-1, -1, 0.9, 0.1],
  [-1, 1, 0.9, 0.1],
  [0.5, -1, 0, 0.9],
  [-0.5, -1, 0, 0.9],
  [0.5, 1, 0, 0.9],
  [-0.5, 1, 0, 0.9],
];

function around({ x, y, dx, dy, gap }, half, tall) {
  const far = Math.hypot(dx, dy) || 1;
  return [0, 1, 2].flatMap(ring =>
    SIDES.map(([across, down, right, below]) => {
      const towards = [across * (half + NEAR), down * (tall + NEAR)],
        length = Math.hypot(...towards),
        outwards = (towards[0] * dx + towards[1] * dy) / (length * far);
      return {
        x: x + across * half + Math.sign(across) * right * (gap + ring * FARTHER),
        y: y + down * tall + Math.sign(down) * below * (gap + ring * FARTHER),
        dear: 4 * (1 - outwards) + 9 * ring,
      };
    }),
  );
}

const shared = (a, b) =>
  Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));

// The part of the way from `a` to `b` that lies within a box, as two shares of the way; null where none does.
export function inside([ax, ay], [bx, by], [left, top, right, bottom]) {
  let [begin, end] = [0, 1];
  for (const [from, way, low, high] of [
    [ax, bx - ax, left, right],
    [ay, by - ay, top, bottom],
  ]) {
    if (way === 0) {
      if (from < low || from > high) return null;
      continue;
    }
    const [first, last] = [(low - from) / way, (high - from) / way].sort((p, q) => p - q);
    begin = Math.max(begin, first);
    end = Math.min(end, last);
  }
  return begin <= end ? [begin, end] : null;
}

export function labelPlacer() {
  const pen = document.createElement('canvas').getContext('2d'),
    fonts = new Map();
  let wanted = [],
    taken = [],
    lines = [],
    numbers = [],
    handles = [];

  // The type of a class of names, asked for once while the size of type stays.
  function type(label, small) {
    const called = `${label.getAttribute('class')} ${small} ${rem()}`;
    if (!fonts.has(called)) {
      const style = getComputedStyle(label);
      if (!Number.parseFloat(style.fontSize)) return { font: '16px sans-serif', size: 16 };
      const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      fonts.set(called, { font, size: Number.parseFloat(style.fontSize) });
    }
    return fonts.get(called);
  }

  function put(name, size) {
    const { label } = name,
      { font, size: letters } = type(label, name.small);
    pen.font = font;
    const half = pen.measureText(label.textContent).width / 2,
      tall = LETTERS * letters * (name.tall ?? 1);
    const box = spot => [spot.x - half, spot.y - tall, spot.x + half, spot.y + tall];
    const clash = b => {
      let sum = 0;
      for (const [of, weight] of taken) sum += weight * shared(b, of);
      const beyond = [1 - b[0], b[2] - size[0] + 1, 1 - b[1], b[3] - size[1] + 1],
        out = beyond.reduce((all, px) => all + Math.max(0, px), 0);
      return sum / AREA + 20 * out;
    };
    const crossed = ([left, top, right, bottom]) => {
      const aroundIt = [left - CLEAR, top - CLEAR, right + CLEAR, bottom + CLEAR];
      let sum = 0;
      for (const [from, to, weight] of lines) {
        const part = inside(from, to, aroundIt);
        if (part) sum += weight * (part[1] - part[0]) * Math.hypot(to[0] - from[0], to[1] - from[1]);
      }
      return sum / (2 * tall);
    };
    const spots = name.spots ?? around(name, half, tall),
      crowded = name.yields ? (name.small ? CROWDED_SMALL : CROWDED) : Infinity;
    let best = null;
    spots.forEach((spot, k) => {
      const b = box(spot),
        covered = clash(b),
        cost = covered + crossed(b) + (spot.dear ?? 0) - (k === label.stands && covered < FREE ? STAYS : 0);
      // A name that yields rather stands farther off than nowhere.
      const better =
        best && best.covered > crowded === covered > crowded ? cost < best.cost - 0.01 : covered <= crowded;
      if (!best || better) best = { spot, k, b, cost, covered };
    });
    name.box = best.b;
    label.stands = best.k;
    const leftAway = best.covered > crowded;
    label.style.display = leftAway ? 'none' : '';
    place(label, { x: best.spot.x.toFixed(1), y: (best.spot.y + 0.34 * letters).toFixed(1) });
    const [left, top, right, bottom] = best.b,
      aside = ASIDE[Boolean(name.small)];
    if (leftAway) return;
    taken.push([[left - aside, top, right + aside, bottom], 1]);
    taken.push([[left, top - ABOVE, right, bottom + ABOVE], 0.15]);
  }

  return {
    clear() {
      [wanted, taken, lines, numbers, handles] = [[], [], [], [], []];
    },
    // A box that no name is to cover; one of little weight may be covered where there is no better place, and under
    // one of great weight no number is left.
    keepFree(box, weight = 1) {
      taken.push([box, weight]);
      if (weight > 1) handles.push(box);
    },
    // A number of an axis: it gives way where a name must stand on it.
    giveWay(element, box) {
      numbers.push([element, box]);
      taken.push([box, 0.7]);
    },
    // A line that names rather do not cross.
    line(from, to, weight = 3) {
      if (Number.isFinite(from[0] + from[1] + to[0] + to[1])) lines.push([from, to, weight]);
    },
    // { label, x, y: what is named, dx, dy: the side where the name rather stands, gap, rank (0 comes first), yields,
    //   tall: how many times its height it keeps free,
    //   spots: instead of all around, the places there are, the best first }
    want(name) {
      wanted.push(name);
    },
    place(size) {
      for (const name of wanted.sort((a, b) => a.rank - b.rank)) put(name, size);
      for (const [element, box] of numbers) {
        const named = wanted.filter(({ label }) => label.style.display !== 'none').map(name => name.box),
          covered = [...named, ...handles].some(b => shared(b, box) > 0);
        element.style.opacity = covered ? 0 : '';
      }
    },
  };
}
