// Goals, as Python made them for a word of interest: a sentence, a bar that fills as the reader comes near, and once
// it is met why that is so, and the way to the next. The card stays in sight wherever the page is scrolled to. Only the
// goal that is shown can be ticked, and one that is met when it appears has to be missed first.
import { find } from './calculation.js';
import { onward } from './direction.js';
import { classes, followWidth, make, rem, write } from './elements.js';
import { filled, forms } from './number_format.js';
import { hasMoved, isChanged } from './first_move.js';
import { needsApp } from './without_python.js';

const NARROW = 40, // rem: below it the card is as small as it can be
  GAP = 4; // px: what it may grow into, of the 12 below it

export function holds({ relation, target, tolerance }, value) {
  if (!Number.isFinite(value) || target === null) return false;
  return { at_least: value >= target, at_most: value <= target, within: Math.abs(value - target) <= tolerance }[
    relation
  ];
}

function nearness(condition, value) {
  if (holds(condition, value)) return 1;
  const { start, target, tolerance } = condition;
  if (!Number.isFinite(value) || target === null || start === null) return 0;
  const far = Math.abs(start - target) - tolerance,
    left = Math.abs(value - target) - tolerance;
  return far > 0 ? Math.max(0, Math.min(0.99, 1 - left / far)) : 0;
}

// Why a goal came about: the first sentence whose condition holds, with its numbers as they are.
function because({ why }, scope) {
  const reason = why.find(({ when }) => !when || holds(when, find(scope, when.path)));
  return reason ? filledIn(reason.text, scope) : '';
}

// A sentence with its numbers and words as they are now.
function filledIn(pieces, scope) {
  const written = ({ of, form }) => {
    const value = find(scope, of);
    return typeof value === 'string' ? value : forms[form](value);
  };
  return pieces.map(piece => (piece?.of === undefined ? piece : written(piece))).join('');
}

// The height of what a room shows at the lower edge (see attention_lab/classroom/).
const bar = () => parseFloat(document.documentElement.style.getPropertyValue('--room-bar')) || 0;

// Sentences of a text that is made of pieces, each again of pieces and without its full stop.
function sentences(pieces) {
  const found = [[]];
  for (const piece of pieces) {
    if (piece?.of !== undefined) found.at(-1).push(piece);
    else {
      const [rest, ...further] = piece.split(/\.(?:\s+|$)|。/);
      found.at(-1).push(rest);
      found.push(...further.map(text => [text]));
    }
  }
  return found.filter(each => each.some(piece => piece !== ''));
}

// For a card that has no room for the whole: the sentence with the number of a condition that is not met.
const brief = ({ live, conditions }, scope) => {
  const among = sentences(live),
    about = ({ path }) => among.find(each => each.some(({ of }) => of !== undefined && String(of) === String(path))),
    unmet = conditions.filter(each => !holds(each, find(scope, each.path))),
    shown = [...unmet, ...conditions].map(about).find(Boolean) ?? among[0];
  return shown ? filledIn(shown, scope) : '';
};

// What to do while a goal's first condition does not hold, where it says so.
const ownUnmet = ({ unmet, conditions: [first] }, scope) => (holds(first, find(scope, first.path)) ? '' : unmet);

// Whether the numbers of a goal look as if it were met while a condition without a number does not hold.
const looksMet = ({ live, conditions }, scope) => {
  const named = conditions.filter(({ path }) => live.some(({ of }) => String(of) === String(path))),
    unmet = conditions.filter(each => !holds(each, find(scope, each.path)));
  return named.length > 0 && unmet.length > 0 && !unmet.some(each => named.includes(each));
};

// How far all conditions are from being met, in units of where they started; below zero where they moved away.
const gained = (condition, value) => {
  const { start, target, tolerance } = condition;
  if (holds(condition, value)) return 1;
  if (!Number.isFinite(value) || target === null || start === null) return 0;
  const far = Math.abs(start - target) - tolerance;
  return far > 0 ? 1 - (Math.abs(value - target) - tolerance) / far : 0;
};

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

// Pieces of a text in turn, every second of them emphasized.
const marked = pieces => pieces.map((text, k) => make(null, k % 2 ? 'em' : 'span', { text }));

// Keeps a card in sight: below the page's head once its own place is scrolled away, above the lower edge before that
// place is reached. While its own place is in sight it stays there.
function keepInSight(card) {
  const frame = card.closest('.pinned');
  if (!frame) return;
  const follow = () => {
    if (!card.isConnected) {
      window.removeEventListener('scroll', follow, true);
      window.removeEventListener('resize', follow);
      return;
    }
    const place = frame.getBoundingClientRect(),
      { height } = card.getBoundingClientRect(),
      top = parseFloat(getComputedStyle(frame).top) || 0;
    if (!place.width) return;
    const afloat = place.top < top - 1 ? 'over' : place.top > window.innerHeight - height - bar() ? 'under' : '',
      stuck = frame.parentElement.getBoundingClientRect().top < top;
    card.classList.toggle('lifted', stuck || afloat !== '');
    card.classList.toggle('over', afloat === 'over');
    card.classList.toggle('under', afloat === 'under');
    // What it grows by while it floats moves nothing below its place.
    frame.style.minHeight = afloat ? frame.style.minHeight || `${height}px` : '';
    card.style.left = afloat ? `${place.left}px` : '';
    card.style.width = afloat ? `${place.width}px` : '';
  };
  window.addEventListener('scroll', follow, { capture: true, passive: true });
  window.addEventListener('resize', follow);
  new ResizeObserver(follow).observe(frame);
  new ResizeObserver(follow).observe(card);
}

export function goals(host, spec, stage) {
  const card = make(
    null,
    'section',
    { class: classes('goals', spec.waits && 'waits'), 'aria-label': spec.title },
    host,
  );
  // A card that waits belongs to a new question, which stands above the figure: it comes into sight.
  if (spec.waits)
    requestAnimationFrame(() => document.querySelector('.st-key-asked')?.scrollIntoView({ block: 'nearest' }));
  let written, // the goal's sentence that is shown
    chosen = false, // whether the reader has asked for a goal
    asked = null; // the number of the last move when a met goal itself was asked for
  const head = make(null, 'div', { class: 'head' }, card);
  const started = make(null, 'span', { class: 'started', hidden: '', text: spec.started }, head);
  make(null, 'span', { class: 'title', text: spec.title }, head);
  make(null, 'span', { class: 'title start', text: spec.start }, head);
  const set = i => {
    stage.pose.goal = spec.goals[i].place;
    stage.requestPaint();
    stage.commit();
  };
  const choose = spec.goals.map((_, i) => {
    const dot = make(
      null,
      'button',
      { type: 'button', class: 'choose', 'aria-label': `${spec.title} ${i + 1}`, text: String(i + 1) },
      head,
    );
    dot.addEventListener('click', () => {
      // The number of a goal whose reason is shown leads back to the goal itself, and to the reason again.
      const again = dot.getAttribute('aria-pressed') === 'true' && card.classList.contains('met');
      asked = again && asked !== stage.number ? stage.number : null;
      chosen = true;
      set(i);
    });
    return dot;
  });
  const task = make(null, 'p', { class: 'task', text: spec.goals.length ? '' : spec.none }, card);
  if (!spec.goals.length) {
    keepInSight(card);
    return () => {};
  }
  // Goal and first move share one place, as high as the higher of them: under a hand that begins nothing moves.
  const start = make(null, 'p', { class: 'task start' }, card);
  start.replaceChildren(...marked(spec.first));
  const bar = make(
    null,
    'div',
    { class: 'bar', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': spec.title },
    card,
  );
  const fill = make(null, 'div', { class: 'fill' }, bar),
    note = make(null, 'span', { class: 'note', 'data-spoken': '' }, card),
    hint = make(null, 'p', { class: 'advice', 'data-spoken': '' }, card),
    why = make(null, 'p', { class: 'why', 'data-spoken': '' }, card);
  const stuck = wrongMoves();
  let advice = '';
  const next = make(null, 'button', { type: 'button', class: 'next', text: `${spec.next} ${onward()}` }, card),
    done = make(null, 'span', { class: 'done', text: spec.all_met }, card);
  const at = scope =>
    Math.max(
      0,
      spec.goals.findIndex(goal => goal.place === scope.goal),
    );
  const after = i =>
    [...spec.goals.keys()]
      .map(k => (i + k) % spec.goals.length)
      .find(k => !stage.completed_goals.has(spec.goals[k].name));
  next.addEventListener('click', () => {
    const here = at(stage.pose),
      there = after(here);
    if (there === undefined) return;
    set(there);
    choose[there].focus({ preventScroll: true });
  });
  const around = host.closest('.column') ?? card;
  // before it is painted: were it large for a moment, the page would jump
  followWidth(around, wide => {
    card.classList.toggle('narrow', wide < NARROW * rem());
    stage.requestPaint();
  });
  keepInSight(card);

  // A line more grows into the gap below: what was clicked stays under the pointer.
  const explainWhy = whole => {
    if (card.classList.contains('told') === whole) return;
    const before = card.offsetHeight;
    card.classList.toggle('told', whole);
    const grown = whole ? Math.min(GAP, card.offsetHeight - before) : 0;
    card.style.marginBottom = grown > 0 ? `${-grown}px` : '';
  };

  // While the reader holds or presses something, the card keeps its height: nothing moves away under the hand.
  const holdHeight = () => {
    if (!stage.held && !stage.pressed) card.style.height = '';
    else card.style.height ||= `${card.getBoundingClientRect().height}px`;
  };

  // Why the goal was met, with the numbers of that moment. It stays until the next move, also where the reader has
  // moved on past the goal in the same drag.
  let reason = null,
    wasHeld = false,
    starting = false, // until the first move has ended
    unseen = null; // a goal that the first move met, before it was shown: it is told together with its reason
  const rememberReason = (goal, now, scope) => {
    const begun = stage.held && !wasHeld,
      ended = !stage.held && wasHeld;
    wasHeld = Boolean(stage.held);
    if (now) reason = { goal: goal.name, text: because(goal, scope), number: stage.number };
    else if (!reason || begun || reason.goal !== goal.name || stage.resultsHidden) reason = null;
    else if (stage.held || ended) reason.number = stage.number;
    else if (reason.number !== stage.number) reason = null;
    return reason;
  };

  const paint = scope => {
    holdHeight();
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
    started.hidden = !moved;
    if (due && !met && !passing && !spec.waits) stage.openGoal = goal.name;
    if (met && !passing && stage.openGoal === goal.name && !stage.completed_goals.has(goal.name)) {
      stage.completed_goals.add(goal.name);
      unseen = starting ? goal.name : null;
    }
    if (!stage.held) starting = begins;
    choose.forEach((dot, i) => {
      dot.setAttribute('aria-pressed', i === here);
      dot.classList.toggle('met', stage.completed_goals.has(spec.goals[i].name));
    });
    const now = met && (Boolean(passing) || stage.completed_goals.has(goal.name)),
      part = stage.resultsHidden ? 0 : Math.min(...parts);
    card.dataset.goal = goal.name;
    if (written !== goal.text) {
      task.replaceChildren(...marked(goal.pieces));
      if (goal.needs_python) task.append(' ', needsApp('goal'));
      written = goal.text;
    }
    fill.style.width = `${(100 * part).toFixed(1)}%`;
    bar.setAttribute('aria-valuenow', Math.round(100 * part));
    const known = rememberReason(goal, now, scope),
      told = known && asked !== stage.number ? known : null;
    card.classList.toggle('met', Boolean(known));
    card.classList.toggle('now', Boolean(told));
    card.classList.toggle('both', Boolean(told) && unseen === goal.name);
    write(why, told ? (now ? told.text : `${spec.passed} ${told.text}`) : '');
    if (!stage.held) explainWhy(Boolean(told)); // nothing moves away under a hand
    const left = after(here) !== undefined;
    next.hidden = !told || !left;
    done.hidden = !told || left;
    const narrow = card.classList.contains('narrow'),
      unmet = ownUnmet(goal, scope) || (looksMet(goal, scope) ? spec.unmet : '');
    const progress = stage.completed_goals.has(goal.name)
      ? spec.was_met
      : goal.live.length
        ? (narrow && (unmet || brief(goal, scope))) || `${filledIn(goal.live, scope)} ${unmet}`.trimEnd()
        : filled(spec.near, { part: Math.floor(100 * part) });
    const gain = goal.conditions.reduce((sum, each) => sum + gained(each, find(scope, each.path)), 0);
    // At rest a hint stands beside the number, in the same line: nothing moves away from under a hand. Only a phone has
    // a line more for it.
    const isStuck = stuck(goal.name, stage.number, gain) && !stage.completed_goals.has(goal.name);
    if (!stage.held && !passing) advice = isStuck && !met && !stage.resultsHidden ? goal.hint : '';
    write(hint, narrow ? advice : '');
    const beside = narrow || stage.held ? '' : advice;
    const withHint = beside ? [brief(goal, scope), beside].filter(Boolean).join(' · ') : progress;
    const already = isChanged(stage) ? spec.already : spec.true_at_first;
    write(note, stage.resultsHidden ? spec.veiled : now ? spec.met : met ? already : withHint);
  };
  paint(stage.scope); // with all its lines before anything below it is laid out
  return paint;
}
