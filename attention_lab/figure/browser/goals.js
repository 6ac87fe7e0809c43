// Goals, as Python made them for a word of interest: a sentence, a bar that fills as the reader comes near, and once
// it is met why that is so, and the way to the next. The card has room for the longest that it may say, so nothing
// below it ever moves. Only the goal that is shown can be ticked, and one that is met when it appears has to be missed
// first. A sentence comes as pieces: texts, { em: text } and { of: the path of a number or a word, form }.
import { find } from './calculation.js';
import { onward } from './direction.js';
import { classes, make, makeButton } from './elements.js';
import { filled, forms } from './number_format.js';
import { hasMoved, isChanged } from './first_move.js';
import { setPose } from './pose.js';
import { prefersReducedMotion } from './smoothing.js';
import { needsApp } from './without_python.js';

const WIDEST = '−0.08888'; // what a number may look like, for the room that it takes

export function holds({ relation, target, tolerance }, value) {
  if (!Number.isFinite(value) || target === null) return false;
  const met = { at_least: value >= target, at_most: value <= target, within: Math.abs(value - target) <= tolerance };
  return met[relation];
}

// How far a condition is from being met, in units of where it started; below zero where it moved away.
function gained(condition, value) {
  if (holds(condition, value)) return 1;
  const { start, target, tolerance } = condition;
  if (!Number.isFinite(value) || target === null || start === null) return 0;
  const far = Math.abs(start - target) - tolerance;
  return far > 0 ? 1 - (Math.abs(value - target) - tolerance) / far : 0;
}

const nearness = (condition, value) =>
  holds(condition, value) ? 1 : Math.max(0, Math.min(0.99, gained(condition, value)));

// Why a goal came about: the first sentence whose condition holds, with its numbers as they are.
function because({ why }, scope) {
  const reason = why.find(({ when }) => !when || holds(when, find(scope, when.path)));
  return reason ? filledIn(reason.text, scope) : [];
}

const filledWith = (pieces, textOf) =>
  pieces.map(piece => (piece.of === undefined ? piece : piece.em ? { em: textOf(piece) } : textOf(piece)));

// A sentence with its numbers and words as they are now.
const filledIn = (pieces, scope) =>
  filledWith(pieces, ({ of, form }) => {
    const value = find(scope, of);
    return typeof value === 'string' ? value : forms[form](value);
  });

// The same with the widest numbers and words that it may show.
const widest = (pieces, { data: { constants } }) =>
  filledWith(pieces, ({ of }) => {
    const among = constants[of[0]],
      isWord = of.length === 2 && typeof among?.[0] === 'string';
    return isWord ? among.reduce((one, other) => (other.length > one.length ? other : one)) : WIDEST;
  });

// What to do while a goal's first condition does not hold, where it says so.
const ownUnmet = ({ unmet, conditions: [first] }, scope) => (holds(first, find(scope, first.path)) ? [] : unmet);

// The conditions whose numbers a goal shows. Whether these look as if it were met while a condition without a number
// does not hold; whether they ever may.
const shownOf = ({ conditions, live }) =>
  conditions.filter(({ path }) => live.some(({ of }) => String(of) === String(path)));
const mayMislead = goal => ![0, goal.conditions.length].includes(shownOf(goal).length);
const looksMet = (goal, scope) => {
  const unmet = goal.conditions.filter(each => !holds(each, find(scope, each.path))),
    shown = shownOf(goal);
  return shown.length > 0 && unmet.length > 0 && !unmet.some(each => shown.includes(each));
};

// How far a goal is, in words: its numbers and what is still to be done, or the part of the way.
function progressOf(goal, spec, { completed_goals }, scope, part) {
  if (completed_goals.has(goal.name)) return [spec.was_met];
  if (!goal.live.length) return [filled(spec.near, { part: Math.floor(100 * part) })];
  const own = ownUnmet(goal, scope),
    unmet = own.length || !looksMet(goal, scope) ? own : [spec.unmet];
  return [...filledIn(goal.live, scope), ...(unmet.length ? [' ', ...unmet] : [])];
}

// Counts the moves in a row that bring a goal no nearer. After two of them its hint is due, until it is met.
function wrongMoves() {
  let goal = null,
    number = 0,
    gain = 0,
    away = 0;
  return (name, moves, now) => {
    if (name !== goal) [goal, number, gain, away] = [name, moves, now, 0];
    else if (moves !== number) {
      if (away < 2) away = now > gain + 1e-9 ? 0 : away + 1;
      [number, gain] = [moves, now];
    }
    return away >= 2;
  };
}

// The first move as two lines: what to do, and what happens then.
function inTwoLines(pieces) {
  const at = pieces.findIndex(piece => /\.\s|。/.test(piece)),
    [does] = pieces[at]?.match?.(/^.*?(?:\.\s|。)/s) ?? [];
  if (does === undefined) return [pieces, []];
  return [
    [...pieces.slice(0, at), does],
    [pieces[at].slice(does.length), ...pieces.slice(at + 1)],
  ];
}

// Puts a sentence into an element, touching the document only where it changed. Of one that is `unseen` only the room
// is taken: it is no text for a search, a translation or a voice.
function put(element, pieces, unseen = false) {
  const now = JSON.stringify(pieces);
  if (element.sentence === now) return element;
  element.sentence = now;
  const text = unseen ? 'data-text' : 'text',
    piece = each => make(null, each.em ? 'em' : 'span', { [text]: each.em ?? each });
  element.replaceChildren(...pieces.filter(each => each !== '').map(piece));
  return element;
}

// A ring that widens and fades around what the hand has moved: the goal is reached.
function pulse({ held, root }, otherwise) {
  const focused = root.getRootNode().activeElement,
    hand = held ?? (focused?.dataset.handle === undefined ? otherwise : focused),
    { left, top, width, height } = hand.getBoundingClientRect(),
    { min, max, value, type } = hand,
    part = type === 'range' ? (value - min) / (max - min || 1) : 0.5;
  if (prefersReducedMotion() || !width) return;
  const ring = make(null, 'i', { class: 'pulse', 'aria-hidden': 'true' }, root);
  ring.style.left = `${left + part * width}px`;
  ring.style.top = `${top + height / 2}px`;
  ring.addEventListener('animationend', () => ring.remove());
}

// The longest sentences that the card may show take their room at its bottom, unseen.
function keepRoom(card, spec, stage, tasks) {
  const room = (...sentences) => {
    const box = make(null, 'div', { class: 'room', 'aria-hidden': 'true' }, card);
    for (const [name, pieces] of sentences) put(make(null, 'p', { class: name }, box), pieces, true);
  };
  // Only these of what a place may show can be its highest: to lay a sentence out takes time.
  const longest = texts => {
    const all = texts.map(pieces => widest(pieces, stage)),
      lengths = all.map(pieces => pieces.reduce((sum, each) => sum + (each.em ?? each).length, 0)),
      least = 0.85 * Math.max(...lengths);
    return all.filter((_, i) => lengths[i] >= least);
  };
  const fixed = longest([spec.already, spec.true_at_first, spec.was_met, spec.veiled].map(text => [text])),
    reasons = spec.goals.flatMap(({ why }) => why.map(({ text }) => [`${spec.passed} `, ...text]));
  for (const [k, goal] of spec.goals.entries()) {
    const [asks] = longest([tasks[k]]),
      progress = [...goal.live, ' ', ...(mayMislead(goal) ? [spec.unmet] : goal.unmet)];
    for (const notes of longest([...fixed, progress, goal.hint])) room(['asks', asks], ['notes', notes]);
    if (k) continue; // it alone may be met before it was shown
    for (const because of longest(goal.why.map(({ text }) => text))) room(['asks', asks], ['because', because]);
  }
  for (const because of longest(reasons)) room(['because', because]);
}

// Why the goal is met. Where the reader has moved on past it in the same drag, why it was, with the numbers of that
// moment, until the next move.
function reasonsOf(stage) {
  let passed = null,
    wasHeld = false;
  return (goal, now, scope, passing) => {
    const isHeld = Boolean(stage.held);
    if ((isHeld && !wasHeld) || passed?.goal !== goal.name || stage.resultsHidden) passed = null;
    if (passed && (isHeld || wasHeld)) passed.number = stage.number;
    wasHeld = isHeld;
    if (!now) return !passing && passed?.number === stage.number ? passed.text : null;
    const text = because(goal, scope);
    if (isHeld && !passing) passed = { goal: goal.name, text, number: stage.number };
    return text;
  };
}

export function goals(host, spec, stage) {
  const box = make(null, 'section', { class: classes('goals', spec.waits && 'waits'), 'aria-label': spec.title }, host);
  // A card that waits belongs to a new question, which stands above the figure: it comes into sight.
  if (spec.waits)
    requestAnimationFrame(() => document.querySelector('.st-key-asked')?.scrollIntoView({ block: 'nearest' }));
  // What every function below gets as its `card`.
  const card = {
    spec,
    stage,
    box,
    chosen: false, // whether the reader has asked for a goal
    asked: null, // the number of the last move when a met goal itself was asked for
    starting: false, // until the first move has ended
    unseen: null, // a goal that the first move met, before it was shown: it is told together with its reason
    advice: [],
    stuck: wrongMoves(),
    reasonFor: reasonsOf(stage),
  };
  const choose = makeHead(card);
  if (!spec.goals.length) {
    make(null, 'p', { class: 'task', text: spec.none }, box);
    return () => {};
  }
  const aim = make(null, 'div', { class: 'aim' }, box),
    task = make(null, 'p', { class: 'task' }, aim),
    first = make(null, 'p', { class: 'task start' }, box);
  for (const line of inTwoLines(spec.first)) put(make(null, 'span', { class: 'line' }, first), line);
  const range = { role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': spec.title },
    bar = make(null, 'div', { class: 'bar', ...range }, box),
    fill = make(null, 'div', { class: 'fill' }, bar),
    note = make(null, 'span', { class: 'note', 'data-spoken': '' }, aim),
    why = make(null, 'p', { class: 'why', 'data-spoken': '' }, aim);
  const next = makeButton(box, { class: 'plain small main next', text: `${spec.next} ${onward()}` }, () => {
      const there = openAfter(card, placeIn(card, stage.pose));
      if (there === undefined) return;
      setPose(stage, { goal: spec.goals[there].place });
      choose[there].focus({ preventScroll: true });
    }),
    done = make(null, 'span', { class: 'done', text: spec.all_met }, box),
    lacks = needsApp('goal').textContent,
    tasks = spec.goals.map(({ pieces, needs_python }) => (needs_python && lacks ? [...pieces, ` ${lacks}`] : pieces));
  keepRoom(box, spec, stage, tasks);
  Object.assign(card, { choose, tasks, task, bar, fill, note, why, next, done });
  paint(card, stage.scope); // with all its lines before anything below it is laid out
  return scope => paint(card, scope);
}

// The titles, and a button for each goal. Returns the buttons.
function makeHead(card) {
  const { spec, stage, box } = card,
    head = make(null, 'div', { class: 'head' }, box),
    names = make(null, 'div', { class: 'names' }, head);
  make(null, 'span', { class: 'title start', text: spec.start }, names);
  make(null, 'span', { class: 'title', text: spec.title }, names);
  make(null, 'span', { class: 'started', text: spec.started }, names);
  return spec.goals.map((_, i) => {
    const named = { class: 'choose', 'aria-label': `${spec.title} ${i + 1}`, text: String(i + 1) };
    return makeButton(head, named, ({ currentTarget: dot }) => {
      // The number of a goal whose reason is shown leads back to the goal itself, and to the reason again.
      const again = dot.getAttribute('aria-pressed') === 'true' && box.classList.contains('met');
      card.asked = again && card.asked !== stage.number ? stage.number : null;
      card.chosen = true;
      setPose(stage, { goal: spec.goals[i].place });
    });
  });
}

// Which goal a pose shows, and the next one that is still open.
const placeIn = ({ spec }, { goal }) => Math.max(0, spec.goals.map(({ place }) => place).indexOf(goal));
const openAfter = ({ spec, stage }, i) =>
  spec.goals.map((_, k) => (i + k) % spec.goals.length).find(k => !stage.completed_goals.has(spec.goals[k].name));

function paint(card, scope) {
  const { spec, stage, box, choose } = card,
    here = placeIn(card, scope),
    goal = spec.goals[here],
    due = (spec.about ?? scope.word) === scope.word,
    passing = Boolean(stage.transition || stage.otherPose), // a pose that the reader did not make
    parts = goal.conditions.map(condition => nearness(condition, find(scope, condition.path))),
    met = due && !stage.resultsHidden && !spec.waits && parts.every(part => part === 1);
  // Until something was moved or another goal was chosen, the card asks for the first move and not for the goal.
  const moved = hasMoved(stage),
    begins = !moved && !card.chosen && here === 0;
  box.classList.toggle('begins', begins);
  box.classList.toggle('moved', moved);
  if (due && !met && !passing && !spec.waits) stage.openGoal = goal.name;
  if (met && !passing && stage.openGoal === goal.name && !stage.completed_goals.has(goal.name)) {
    stage.completed_goals.add(goal.name);
    card.unseen = card.starting ? goal.name : null;
    pulse(stage, choose[here]);
  }
  if (!stage.held) card.starting = begins;
  choose.forEach((dot, i) => {
    dot.setAttribute('aria-pressed', i === here);
    dot.classList.toggle('met', stage.completed_goals.has(spec.goals[i].name));
  });
  const now = met && (passing || stage.completed_goals.has(goal.name)),
    part = stage.resultsHidden ? 0 : Math.min(...parts);
  box.dataset.goal = goal.name;
  put(card.task, card.tasks[here]);
  card.fill.style.width = `${(100 * part).toFixed(1)}%`;
  card.bar.setAttribute('aria-valuenow', Math.round(100 * part));
  const known = card.reasonFor(goal, now, scope, passing),
    told = known && card.asked !== stage.number ? known : null;
  box.classList.toggle('met', Boolean(known));
  box.classList.toggle('now', Boolean(told));
  box.classList.toggle('with-task', now && Boolean(told) && card.unseen === goal.name);
  put(card.why, told ? [now ? '' : `${spec.passed} `, ...told] : []);
  card.next.hidden = !told || openAfter(card, here) === undefined;
  card.done.hidden = !told || !card.next.hidden;
  const gain = goal.conditions.reduce((sum, each) => sum + gained(each, find(scope, each.path)), 0),
    isStuck = card.stuck(goal.name, stage.number, gain) && !stage.completed_goals.has(goal.name);
  if (!stage.held && !passing) card.advice = isStuck && !met && !stage.resultsHidden ? goal.hint : [];
  const hint = stage.held ? [] : card.advice, // at rest it stands in the place of the numbers
    already = isChanged(stage) ? spec.already : spec.true_at_first,
    progress = hint.length ? hint : progressOf(goal, spec, stage, scope, part);
  put(card.note, stage.resultsHidden ? [spec.veiled] : now ? [spec.met] : met ? [already] : progress);
}
