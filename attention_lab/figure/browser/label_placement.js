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
  // What every function below gets as its `placer`.
  const placer = {
    pen: document.createElement('canvas').getContext('2d'),
    fonts: new Map(),
    size: [0, 0], // of the picture
    ...emptied(),
  };
  return {
    clear: () => Object.assign(placer, emptied()),
    // A box that no name is to cover; one of little weight may be covered where there is no better place, and under
    // one of great weight no number is left.
    keepFree(box, weight = 1) {
      placer.taken.push([box, weight]);
      if (weight > 1) placer.handles.push(box);
    },
    // A number of an axis: it gives way where a name must stand on it.
    giveWay(element, box) {
      placer.numbers.push([element, box]);
      placer.taken.push([box, 0.7]);
    },
    // A line that names rather do not cross.
    line(from, to, weight = 3) {
      if (Number.isFinite(from[0] + from[1] + to[0] + to[1])) placer.lines.push([from, to, weight]);
    },
    // { label, x, y: what is named, dx, dy: the side where the name rather stands, gap, rank (0 comes first), yields,
    //   tall: how many times its height it keeps free,
    //   spots: instead of all around, the places there are, the best first }
    want: name => placer.wanted.push(name),
    place(size) {
      placer.size = size;
      for (const name of placer.wanted.sort((a, b) => a.rank - b.rank)) put(placer, name);
      for (const [element, box] of placer.numbers) {
        const named = placer.wanted.filter(({ label }) => label.style.display !== 'none').map(name => name.box),
          covered = [...named, ...placer.handles].some(b => shared(b, box) > 0);
        element.style.opacity = covered ? 0 : '';
      }
    },
  };
}

const emptied = () => ({ wanted: [], taken: [], lines: [], numbers: [], handles: [] });

// The type of a class of names, asked for once while the size of type stays.
function type({ fonts }, label, small) {
  const called = `${label.getAttribute('class')} ${small} ${rem()}`;
  if (!fonts.has(called)) {
    const style = getComputedStyle(label);
    if (!Number.parseFloat(style.fontSize)) return { font: '16px sans-serif', size: 16 };
    const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    fonts.set(called, { font, size: Number.parseFloat(style.fontSize) });
  }
  return fonts.get(called);
}

// How much a box covers of what is to be free, and of what is beyond the edge.
function clash({ taken, size }, box) {
  let sum = 0;
  for (const [of, weight] of taken) sum += weight * shared(box, of);
  const beyond = [1 - box[0], box[2] - size[0] + 1, 1 - box[1], box[3] - size[1] + 1],
    out = beyond.reduce((all, px) => all + Math.max(0, px), 0);
  return sum / AREA + 20 * out;
}

// The length of the lines that cross a box, by their weights.
function crossed({ lines }, [left, top, right, bottom]) {
  const aroundIt = [left - CLEAR, top - CLEAR, right + CLEAR, bottom + CLEAR];
  let sum = 0;
  for (const [from, to, weight] of lines) {
    const part = inside(from, to, aroundIt);
    if (part) sum += weight * (part[1] - part[0]) * Math.hypot(to[0] - from[0], to[1] - from[1]);
  }
  return sum;
}

function put(placer, name) {
  const { label, small } = name,
    { font, size: letters } = type(placer, label, small);
  placer.pen.font = font;
  const half = placer.pen.measureText(label.textContent).width / 2,
    tall = LETTERS * letters * (name.tall ?? 1),
    crowded = name.yields ? (small ? CROWDED_SMALL : CROWDED) : Infinity,
    { spot, k, box, covered } = bestPlace(placer, name, half, tall, crowded),
    leftAway = covered > crowded;
  name.box = box;
  label.stands = k;
  label.style.display = leftAway ? 'none' : '';
  place(label, { x: spot.x.toFixed(1), y: (spot.y + 0.34 * letters).toFixed(1) });
  if (leftAway) return;
  const [left, top, right, bottom] = box,
    aside = ASIDE[Boolean(small)];
  placer.taken.push([[left - aside, top, right + aside, bottom], 1]);
  placer.taken.push([[left, top - ABOVE, right, bottom + ABOVE], 0.15]);
}

function bestPlace(placer, name, half, tall, crowded) {
  let best = null;
  for (const [k, spot] of (name.spots ?? around(name, half, tall)).entries()) {
    const box = [spot.x - half, spot.y - tall, spot.x + half, spot.y + tall],
      covered = clash(placer, box),
      stays = k === name.label.stands && covered < FREE,
      cost = covered + crossed(placer, box) / (2 * tall) + (spot.dear ?? 0) - (stays ? STAYS : 0);
    // A name that yields rather stands farther off than nowhere.
    const better = best && best.covered > crowded === covered > crowded ? cost < best.cost - 0.01 : covered <= crowded;
    if (!best || better) best = { spot, k, box, cost, covered };
  }
  return best;
}
