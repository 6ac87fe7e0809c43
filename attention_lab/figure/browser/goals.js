// Goals, as Python made them for a word of interest: a sentence, a bar that fills as the reader comes near, and once
// it is met why that is so, and the way to the next. The card has room for the longest that it may say, so nothing
// below it ever moves. Only the goal that is shown can be ticked, and one that is met when it appears has to be missed
// first. A sentence comes as pieces: texts, { em: text } and { of: the path of a number or a word, form }.
import { find } from './calculation.js';
import { onward } from './direction.js';
import { classes, make, makeButton } from './elements.js';
import { filled, forms } from './number_format.js';
import { hasMoved, isChanged } from './first_move.js';
import { prefersReducedMotion } from './smoothing.js';
import { needsApp } from './without_python.js';

const WIDEST = '−0.08888'; // what a number may look like, for the room that it takes

export function holds({ relation, target, tolerance }, value) {
  if (!Number.isFinite(value) || target === null) return false;
  return { at_least: value >= target, at_most: value <= target, within: Math.abs(value - target) <= tolerance }[
    relation
  ];
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

// Whether the numbers of a goal look as if it were met while a condition without a number does not hold; whether they
// ever may.
const isNamed =
  ({ live }) =>
  ({ path }) =>
    live.some(({ of }) => String(of) === String(path));
const mayMislead = goal => goal.conditions.some(isNamed(goal)) && !goal.conditions.every(isNamed(goal));
const looksMet = (goal, scope) => {
  const unmet = goal.conditions.filter(each => !holds(each, find(scope, each.path)));
  return goal.conditions.some(isNamed(goal)) && unmet.length > 0 && !unmet.some(isNamed(goal));
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
function keepRoom(card, spec, stage, taskOf) {
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
  for (const goal of spec.goals) {
    const [asks] = longest([taskOf(goal)]),
      progress = [...goal.live, ' ', ...(mayMislead(goal) ? [spec.unmet] : goal.unmet)];
    for (const notes of longest([...fixed, progress, goal.hint])) room(['asks', asks], ['notes', notes]);
    if (goal !== spec.goals[0]) continue; // it alone may be met before it was shown
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
  const look = classes('goals', spec.waits && 'waits'),
    card = make(null, 'section', { class: look, 'aria-label': spec.title }, host);
  // A card that waits belongs to a new question, which stands above the figure: it comes into sight.
  if (spec.waits)
    requestAnimationFrame(() => document.querySelector('.st-key-asked')?.scrollIntoView({ block: 'nearest' }));
  let chosen = false, // whether the reader has asked for a goal
    asked = null; // the number of the last move when a met goal itself was asked for
  const head = make(null, 'div', { class: 'head' }, card),
    names = make(null, 'div', { class: 'names' }, head);
  make(null, 'span', { class: 'title start', text: spec.start }, names);
  make(null, 'span', { class: 'title', text: spec.title }, names);
  make(null, 'span', { class: 'started', text: spec.started }, names);
  const set = i => {
    stage.pose.goal = spec.goals[i].place;
    stage.commit();
  };
  const choose = spec.goals.map((_, i) => {
    const named = { class: 'choose', 'aria-label': `${spec.title} ${i + 1}`, text: String(i + 1) };
    return makeButton(head, named, ({ currentTarget: dot }) => {
      // The number of a goal whose reason is shown leads back to the goal itself, and to the reason again.
      const again = dot.getAttribute('aria-pressed') === 'true' && card.classList.contains('met');
      asked = again && asked !== stage.number ? stage.number : null;
      chosen = true;
      set(i);
    });
  });
  if (!spec.goals.length) {
    make(null, 'p', { class: 'task', text: spec.none }, card);
    return () => {};
  }
  const aim = make(null, 'div', { class: 'aim' }, card),
    task = make(null, 'p', { class: 'task' }, aim);
  const first = make(null, 'p', { class: 'task start' }, card);
  for (const line of inTwoLines(spec.first)) put(make(null, 'span', { class: 'line' }, first), line);
  const range = { role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': spec.title },
    bar = make(null, 'div', { class: 'bar', ...range }, card);
  const fill = make(null, 'div', { class: 'fill' }, bar),
    note = make(null, 'span', { class: 'note', 'data-spoken': '' }, aim),
    why = make(null, 'p', { class: 'why', 'data-spoken': '' }, aim);
  const stuck = wrongMoves();
  let advice = [];
  const next = makeButton(card, { class: 'plain small main next', text: `${spec.next} ${onward()}` }, () => {
      const here = at(stage.pose),
        there = after(here);
      if (there === undefined) return;
      set(there);
      choose[there].focus({ preventScroll: true });
    }),
    done = make(null, 'span', { class: 'done', text: spec.all_met }, card);
  const places = spec.goals.map(({ place }) => place),
    at = scope => Math.max(0, places.indexOf(scope.goal)),
    isOpen = k => !stage.completed_goals.has(spec.goals[k].name),
    after = i => [...places.keys()].map(k => (i + k) % places.length).find(isOpen);
  const lacks = needsApp('goal').textContent,
    taskOf = ({ pieces, needs_python }) => [...pieces, needs_python && lacks ? ` ${lacks}` : ''];
  keepRoom(card, spec, stage, taskOf);
  const reasonFor = reasonsOf(stage);
  let starting = false, // until the first move has ended
    unseen = null; // a goal that the first move met, before it was shown: it is told together with its reason

  const paint = scope => {
    const here = at(scope),
      goal = spec.goals[here],
      due = (spec.about ?? scope.word) === scope.word,
      passing = stage.transition || stage.lent, // a pose that the reader did not make
      parts = goal.conditions.map(condition => nearness(condition, find(scope, condition.path))),
      met = due && !stage.resultsHidden && !spec.waits && parts.every(part => part === 1);
    // Until something was moved or another goal was chosen, the card asks for the first move and not for the goal.
    const moved = hasMoved(stage),
      begins = !moved && !chosen && here === 0;
    card.classList.toggle('begins', begins);
    card.classList.toggle('moved', moved);
    if (due && !met && !passing && !spec.waits) stage.openGoal = goal.name;
    if (met && !passing && stage.openGoal === goal.name && !stage.completed_goals.has(goal.name)) {
      stage.completed_goals.add(goal.name);
      unseen = starting ? goal.name : null;
      pulse(stage, choose[here]);
    }
    if (!stage.held) starting = begins;
    choose.forEach((dot, i) => {
      dot.setAttribute('aria-pressed', i === here);
      dot.classList.toggle('met', stage.completed_goals.has(spec.goals[i].name));
    });
    const now = met && (Boolean(passing) || stage.completed_goals.has(goal.name)),
      part = stage.resultsHidden ? 0 : Math.min(...parts);
    card.dataset.goal = goal.name;
    put(task, taskOf(goal));
    fill.style.width = `${(100 * part).toFixed(1)}%`;
    bar.setAttribute('aria-valuenow', Math.round(100 * part));
    const known = reasonFor(goal, now, scope, Boolean(passing)),
      told = known && asked !== stage.number ? known : null;
    card.classList.toggle('met', Boolean(known));
    card.classList.toggle('now', Boolean(told));
    card.classList.toggle('with-task', now && Boolean(told) && unseen === goal.name);
    put(why, told ? [now ? '' : `${spec.passed} `, ...told] : []);
    const left = after(here) !== undefined;
    next.hidden = !told || !left;
    done.hidden = !told || left;
    const gain = goal.conditions.reduce((sum, each) => sum + gained(each, find(scope, each.path)), 0);
    const isStuck = stuck(goal.name, stage.number, gain) && !stage.completed_goals.has(goal.name);
    if (!stage.held && !passing) advice = isStuck && !met && !stage.resultsHidden ? goal.hint : [];
    const hint = stage.held ? [] : advice; // at rest it stands in the place of the numbers
    const already = isChanged(stage) ? spec.already : spec.true_at_first,
      progress = hint.length ? hint : progressOf(goal, spec, stage, scope, part);
    put(note, stage.resultsHidden ? [spec.veiled] : now ? [spec.met] : met ? [already] : progress);
  };
  paint(stage.scope); // with all its lines before anything below it is laid out
  return paint;
}
