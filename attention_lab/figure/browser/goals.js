// Goals, as Python made them for a word of interest: a sentence, a bar that fills as the reader comes near, and once
// it is met why that is so, and the way to the next. The card stays in sight wherever the page is scrolled to. Only the
// goal that is shown can be ticked, and one that is met when it appears has to be missed first.
import { find } from './calculation.js';
import { make } from './elements.js';
import { filled, forms } from './figures.js';

const NARROW = 40, // rem: below it the card is as small as it can be
  GAP = 8; // px: what it may grow into, of the 20 below it

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
  const said = why.find(({ when }) => !when || holds(when, find(scope, when.path)));
  const written = ({ of, form }) => {
    const value = find(scope, of);
    return typeof value === 'string' ? value : forms[form](value);
  };
  return said ? said.text.map(piece => (piece?.of === undefined ? piece : written(piece))).join('') : '';
}

// The height of what a room shows at the lower edge (see attention_lab/classroom/).
const bar = () => parseFloat(document.documentElement.style.getPropertyValue('--room-bar')) || 0;

const put = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

// Keeps a card in sight: below the page's head once its own place is scrolled away, above the lower edge before that
// place is reached. While its own place is in sight it stays there.
function keep_in_sight(card) {
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

const can_undo = ({ steps_back, unacknowledged }) => steps_back > 0 || unacknowledged.length > 0;

export function goals(host, spec, stage) {
  const card = make(null, 'section', { class: 'goals', 'aria-label': spec.title }, host);
  let written; // the goal's sentence that is shown
  const head = make(null, 'div', { class: 'head' }, card);
  make(null, 'span', { class: 'title', text: spec.title }, head);
  const set = i => {
    stage.pose.goal = spec.goals[i].place;
    stage.touch();
    stage.commit();
  };
  const choose = spec.goals.map((_, i) => {
    const dot = make(
      null,
      'button',
      { type: 'button', class: 'choose', 'aria-label': `${spec.title} ${i + 1}`, text: String(i + 1) },
      head,
    );
    dot.addEventListener('click', () => set(i));
    return dot;
  });
  const task = make(null, 'p', { class: 'task', text: spec.goals.length ? '' : spec.none }, card);
  if (!spec.goals.length) {
    keep_in_sight(card);
    return () => {};
  }
  const bar = make(
    null,
    'div',
    { class: 'bar', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': spec.title },
    card,
  );
  const fill = make(null, 'div', { class: 'fill' }, bar),
    note = make(null, 'span', { class: 'note', 'data-spoken': '' }, card),
    why = make(null, 'p', { class: 'why', 'data-spoken': '' }, card);
  const next = make(null, 'button', { type: 'button', class: 'next', text: `${spec.next} →` }, card),
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
  const fit = () => {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    card.classList.toggle('narrow', around.clientWidth < NARROW * rem);
  };
  fit(); // at once: were it large for a moment, the page would jump
  new ResizeObserver(() => {
    fit();
    stage.touch();
  }).observe(around);
  keep_in_sight(card);

  // A line more grows into the gap below: what was clicked stays under the pointer.
  const tell_why = whole => {
    if (card.classList.contains('told') === whole) return;
    const before = card.offsetHeight;
    card.classList.toggle('told', whole);
    const grown = whole ? Math.min(GAP, card.offsetHeight - before) : 0;
    card.style.marginBottom = grown > 0 ? `${-grown}px` : '';
  };

  const paint = scope => {
    const here = at(scope),
      goal = spec.goals[here],
      due = (spec.about ?? scope.word) === scope.word,
      passing = stage.travel || stage.lent, // a pose that the reader did not make
      parts = goal.conditions.map(condition => nearness(condition, find(scope, condition.path))),
      met = due && !stage.veil && parts.every(part => part === 1);
    if (due && !met && !passing) stage.open_goal = goal.name;
    if (met && !passing && stage.open_goal === goal.name) stage.completed_goals.add(goal.name);
    choose.forEach((dot, i) => {
      dot.setAttribute('aria-pressed', i === here);
      dot.classList.toggle('met', stage.completed_goals.has(spec.goals[i].name));
    });
    const now = met && (Boolean(passing) || stage.completed_goals.has(goal.name)),
      part = stage.veil ? 0 : Math.min(...parts);
    card.dataset.goal = goal.name;
    if (written !== goal.text) {
      task.replaceChildren(
        ...goal.pieces.map((text, k) => (k % 2 ? make(null, 'em', { text }) : text)), // words and names are marked
      );
      written = goal.text;
    }
    fill.style.width = `${(100 * part).toFixed(1)}%`;
    bar.setAttribute('aria-valuenow', Math.round(100 * part));
    card.classList.toggle('now', now);
    put(why, now ? because(goal, scope) : '');
    if (!stage.held) tell_why(now); // nothing moves away under a hand
    const left = after(here) !== undefined;
    next.hidden = !now || !left;
    done.hidden = !now || left;
    const progress = stage.completed_goals.has(goal.name)
      ? spec.was_met
      : filled(spec.near, { part: Math.floor(100 * part) });
    put(
      note,
      stage.veil
        ? spec.veiled
        : now
          ? spec.met
          : met
            ? can_undo(stage)
              ? spec.already
              : spec.true_at_first
            : progress,
    );
  };
  paint(stage.scope); // with all its lines before anything below it is laid out
  return paint;
}
