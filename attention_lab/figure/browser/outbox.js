// What Python has not acknowledged yet: events, in the order in which they happened. A list that would be too long for
// a message is told shorter, as the steps that Undo and Redo can go to; the oldest of them are joined.
export const MOST_STEPS = 100; // that Undo can go back, as in Python
// Half of what a server takes in a message, which other widgets share (`message_size`, `MOST_BRACKETS`).
const MOST_CHARACTERS = 32_768,
  MOST_BRACKETS = 2048;

const copy = value => (Array.isArray(value) ? value.map(copy) : value);
export const copies = pose => Object.fromEntries(Object.entries(pose).map(([name, value]) => [name, copy(value)]));
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// What a hand has changed: whole fields, and of a matrix the rows, so that what Python has changed meanwhile stays.
export function difference(before, now) {
  const move = {},
    rows = {};
  for (const name in now) {
    const was = before[name],
      is = now[name];
    if (same(was, is)) continue;
    move[name] = copy(is);
    if (Array.isArray(is) && Array.isArray(was) && is.length === was.length)
      rows[name] = [...is.keys()].filter(i => !same(is[i], was[i]));
  }
  return { move, rows };
}

// Makes a move again. A field without rows until a hand changes it takes all of them.
export function makeMove(pose, { move = {}, rows }) {
  for (const [name, value] of Object.entries(move)) {
    const now = pose[name];
    if (Array.isArray(value) !== Array.isArray(now)) continue;
    if (rows[name] && now.length === value.length) {
      for (const i of rows[name]) if (now[i].length === value[i].length) now[i] = copy(value[i]);
    } else if (!rows[name] || !now.length) pose[name] = copy(value);
  }
  return pose;
}

// What Undo takes back, without the choice of a goal.
const moves = ({ goal, ...others }) => others;
// Whether the page is another, with some of these events, than Undo would have it.
export const areSteps = events =>
  events.some(({ move, turn, ...event }) => turn || opens(event) || Object.keys(moves(move ?? {})).length > 0);

// Another example or a link: what follows waits for it.
export const opens = ({ example, link }) => (example ?? link) !== undefined;

export function isTooLong(events) {
  const text = JSON.stringify(events.map(event => [Number.MAX_SAFE_INTEGER, event]));
  return text.length > MOST_CHARACTERS || text.split(/[[{]/).length > MOST_BRACKETS;
}

// One move for several, which lead to a pose.
function joined(steps, pose) {
  const move = {},
    rows = {};
  for (const each of steps)
    for (const name in each.move) {
      const isWhole = !each.rows[name] || (name in move && !rows[name]);
      rows[name] = isWhole ? undefined : [...new Set([...(rows[name] ?? []), ...each.rows[name]])];
      move[name] = pose[name];
    }
  return { move, rows, goals: goalsOf(steps) };
}
const goalsOf = steps => [...new Set(steps.flatMap(({ goals = [] }) => goals))];

// The same events, none of which `opens` anything, told shorter. They follow the `pose` that Python has acknowledged.
// It may have applied some of them, so what they move is put back first. A server that `hasRestarted` knows no steps of
// before.
export function compacted(events, pose, { hasRestarted = false } = {}) {
  const done = []; // turns that nothing here can take back
  let steps = [{ pose }], // what a move leads to; what was undone may be done again
    at = 0,
    turns = [], // beyond these, through what Python keeps
    goals = [];
  const { goal } = Object.assign({}, ...events.map(({ move }) => move)); // the choice of now, which is no step
  for (const { move: all = {}, rows, turn, goals: reached = [] } of events) {
    const move = moves(all);
    goals.push(...reached);
    if (turn && turns.at(-1) === -turn) turns.pop();
    else if (turn && steps[at + turn]) at += turn;
    else if (turn && (turn < 0 || steps.length === 1) && turns.length < MOST_STEPS) turns.push(turn);
    if (!Object.keys(move).length) continue;
    const next = makeMove(copies(steps[at].pose), { move, rows }),
      isMade = name => steps.slice(1, at + 1).some(step => name in step.move);
    done.push(...turns.splice(0));
    if (same(next, steps[at].pose) && (!done.length || Object.keys(move).every(isMade))) continue; // no step
    goals = goalsOf([...steps.slice(at + 1), { goals }]);
    steps = [...steps.slice(0, at + 1), { move, rows, goals, pose: next }];
    goals = [];
    at += 1;
  }
  const turned = list => (hasRestarted ? [] : list.map(turn => ({ turn }))),
    names = Object.keys(moves(Object.assign({}, ...events.map(({ move }) => move)))),
    putBack = { move: Object.fromEntries(names.map(name => [name, pose[name]])), rows: {} },
    begin = names.length && (hasRestarted || !done.length) ? [putBack] : turned(done);
  for (let first = Math.min(1, at), last = steps.length - 1; ; first < at ? first++ : last--) {
    const after = goalsOf([{ goals }, ...steps.slice(last + 1)]),
      told = [
        ...begin,
        ...(first ? [joined(steps.slice(1, first + 1), steps[first].pose)] : []),
        ...steps.slice(first + 1, last + 1).map(step => ({ move: step.move, rows: step.rows, goals: step.goals })),
        ...Array(last - at).fill({ turn: -1 }),
        ...turned(turns),
        ...(after.length ? [{ goals: after }] : []),
        ...(goal === undefined ? [] : [{ move: { goal }, rows: {} }]),
      ];
    if (!isTooLong(told) || (first === at && last === at)) return told;
  }
}
