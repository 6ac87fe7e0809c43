// The bar at the window's lower edge: the room's name, who is here, what goes on; for whoever leads a panel of tools.
// It stands outside the page, so that a page that rests (frozen) does not take it along.
import { make, putText } from '../../figure/browser/elements.js';
import { counted, filled } from '../../figure/browser/number_format.js';
import { fillPoster, isOnlyHere } from './join_code.js';
import { fillPanel } from './panel.js';
import { addButton } from './parts.js';
import { tally } from './tally.js';

const COLOURS = ['background-color', 'secondary-background-color', 'text-color', 'primary-color'],
  INHERITED = [...COLOURS, 'font', 'base-radius'];

const clock = seconds => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

// What goes on, in a sentence.
function stateOf(now, words) {
  if (now.why === 'code' && now.entered && now.status === 'ended') return words['state/wrong_code'];
  if (now.status === 'ended' || now.status === 'full')
    return words[`state/${now.why.replace(' ', '_')}`] ?? words['bar/alone'];
  if (now.status !== 'in') return words[`state/${now.status}`];
  if (!navigator.onLine && !isOnlyHere()) return words['state/cut'];
  if (now.frozen && !now.leads) return words['bar/frozen'];
  if (now.led) return words['bar/led'];
  if (now.note === 'revoked' && !now.question && !now.follow) return words['state/revoked'];
  if (now.stuck && now.follow) return words['bar/teacher_words'];
  if (now.question?.open && !now.leads) {
    const answer = now.asked?.answers?.[now.guess[now.question.round - 1]];
    if (now.isAsked && !now.asked.open) return words['bar/seen'];
    return answer && now.isAsked ? filled(words['bar/answered'], { answer }) : words['bar/question'];
  }
  if (!now.leads) return words[`bar/hands_${now.hands}`] ?? '';
  if (now.question?.open) {
    const { round, said } = now.question;
    return counted(words, 'panel/asking', Math.max(said, now.members), { round, said });
  }
  const on = { follow: now.leading || now.follow, frozen: now.frozen, hands: now.hands !== 'off' },
    names = Object.keys(on).filter(name => on[name]);
  return words[`leads/${names.join('_') || 'nothing'}`];
}

export function makeBar(room, words, style, acts) {
  const host = make(null, 'div', { id: 'room-bar' }, document.body),
    root = host.attachShadow({ mode: 'open' });
  make(null, 'style', { text: style }, root);
  const label = filled(words['bar/label'], { room }),
    box = make(null, 'div', { class: 'room', role: 'region', 'aria-label': label }, root),
    addDialog = (parent, kind, name) =>
      make(null, 'div', { class: kind, role: 'dialog', 'aria-label': words[name], hidden: '' }, parent);
  const bar = {
    room,
    words,
    acts, // what a press does
    host,
    root,
    panel: addDialog(box, 'panel', 'panel/title'),
    card: make(null, 'div', { class: 'card', hidden: '' }, box),
    line: make(null, 'div', { class: 'line' }, box),
    poster: addDialog(root, 'poster', 'bar/join_code'),
    tools: null, // the button that opens the panel,
    joinCode: null, // and that of the poster
    updates: [], // functions of what is known of the room
    listening: new AbortController(), // until the bar is gone
  };
  for (const add of [addState, addCodeForm, addSteps, addTools, addCard]) add(bar);
  return bar;
}

// The page's own colours, which a bar outside of it does not inherit.
export function dressBar({ host }, element) {
  const own = getComputedStyle(element.host ?? element);
  for (const name of INHERITED) host.style.setProperty(`--st-${name}`, own.getPropertyValue(`--st-${name}`));
}

export function drawBar({ host, line, updates }, now) {
  const inside = now.status === 'in',
    shown = { ...now, inside, isLeader: inside && now.leads };
  for (const update of updates) update(shown);
  const rests = inside && now.frozen && !now.leads;
  for (const child of document.body.children) if (child !== host && child.inert !== rests) child.inert = rests;
  line.parentElement.classList.toggle('rests', rests);
  const tall = `${line.offsetHeight}px`;
  if (document.documentElement.style.getPropertyValue('--room-bar') !== tall)
    document.documentElement.style.setProperty('--room-bar', tall);
}

export function removeBar({ host, listening }) {
  listening.abort();
  for (const child of document.body.children) child.inert = false;
  document.documentElement.style.removeProperty('--room-bar');
  host.remove();
}

function addState(bar) {
  const { words, acts, line } = bar;
  make(null, 'b', { class: 'name', text: bar.room.replace('-', ' ') }, line);
  const count = make(null, 'span', { class: 'count' }, line),
    time = make(null, 'span', { class: 'time', role: 'timer' }, line),
    state = make(null, 'span', { class: 'state', role: 'status' }, line);
  bar.updates.push(now => {
    const here = counted(words, 'bar/here', now.members),
      own = !now.leads && now.number ? ` · ${filled(words['bar/number'], { number: now.number })}` : '',
      beside = now.leads && now.beside !== null ? ` · ${counted(words, 'bar/beside', now.beside)}` : '',
      { secondsLeft } = now;
    putText(count, now.inside ? here + own + beside : '');
    putText(time, secondsLeft === null ? '' : secondsLeft > 0 ? clock(secondsLeft) : words['bar/time_up']);
    time.classList.toggle('up', secondsLeft === 0);
    putText(state, stateOf(now, words));
  });
  addButton(bar, line, 'bar/to_question', acts.toQuestion, {
    kind: 'main',
    hidden: now => !(now.inside && now.question?.open && !now.isAsked && !now.leads && !now.follow),
  });
  addButton(bar, line, 'bar/back', acts.back, { hidden: now => !now.canGoBack || now.question?.open });
}

function addCodeForm({ line, words, acts, updates }) {
  const form = make(null, 'form', {}, line),
    code = make(null, 'input', { type: 'password', class: 'small', 'aria-label': words['bar/code'] }, form);
  make(null, 'button', { class: 'plain small main', text: words['bar/open'] }, form);
  form.addEventListener('submit', event => {
    event.preventDefault();
    acts.enter(code.value);
  });
  updates.push(now => form.toggleAttribute('hidden', !(now.status === 'ended' && now.why === 'code')));
}

// A lesson's next steps, always in the same places: a second press never meets another button.
function addSteps(bar) {
  const { words, acts, poster, updates } = bar,
    row = make(null, 'div', { class: 'row', role: 'group', 'aria-label': words['bar/steps'] }, bar.line),
    step = (name, act) => addButton(bar, row, name, act);
  // What all are to look at stands large, without the tools.
  const show = message => {
    acts.say(message);
    openPanel(bar, false);
  };
  bar.joinCode = step('bar/join_code', () => openPoster(bar, poster.hidden));
  const ask = step('bar/ask', acts.ask),
    answers = step('bar/show', () => show({ do: 'show', on: answers.dataset.on !== 'true' })),
    secondRound = step('bar/again', () => acts.say({ do: 'again' })),
    right = step('bar/reveal', () => show({ do: 'reveal' }));
  // The next step is what the class is to see: it takes the join code's place.
  row.addEventListener('click', ({ target }) => {
    if (target !== bar.joinCode) poster.hidden = true;
  });
  updates.push(({ isLeader, asked, isAsked, question }) => {
    row.hidden = !isLeader;
    if (row.hidden) return;
    ask.disabled = !asked || Boolean(question?.open && isAsked);
    ask.title = words[asked ? 'bar/ask_help' : 'panel/no_question'];
    answers.disabled = !question;
    answers.dataset.on = Boolean(question?.shown);
    putText(answers, words[question?.shown ? 'bar/hide' : 'bar/show']);
    secondRound.disabled = !question?.open || question.round > 1;
    right.disabled = !question?.open;
    const next = !question ? ask : !question.open ? null : question.shown ? right : answers;
    for (const button of [ask, answers, secondRound, right]) button.classList.toggle('main', button === next);
  });
}

// The panel and the poster, which Escape closes, and the panel a press beside it.
function addTools(bar) {
  const { acts, host, root, panel, poster, listening } = bar;
  bar.tools = addButton(bar, bar.line, 'bar/tools', () => openPanel(bar, panel.hidden));
  addButton(bar, bar.line, 'bar/leave', acts.leave);
  const forLeader = { ...bar, updates: [] };
  fillPanel(forLeader);
  bar.updates.push(now => {
    bar.tools.hidden = !now.isLeader;
    if (bar.tools.hidden) panel.hidden = true;
    else for (const update of forLeader.updates) update(now);
  });
  const onEscape = event => {
    if (event.key !== 'Escape' || event.isComposing) return;
    if (!poster.hidden) {
      openPoster(bar, false);
      return; // the panel stays
    }
    if (panel.hidden) return;
    const inside = root.activeElement;
    openPanel(bar, false);
    if (inside) bar.tools.focus();
  };
  const onPress = event => !event.composedPath().includes(host) && openPanel(bar, false);
  document.addEventListener('keydown', onEscape, { signal: listening.signal });
  document.addEventListener('pointerdown', onPress, { signal: listening.signal, capture: true });
}

function openPanel({ panel, tools }, on) {
  panel.hidden = !on;
  tools.setAttribute('aria-expanded', on);
}

function openPoster(bar, on) {
  bar.poster.hidden = !on;
  if (on) {
    openPanel(bar, false);
    fillPoster(bar, () => openPoster(bar, false));
  } else bar.joinCode.focus();
}

// The answers, only over the page that they are about.
function addCard(bar) {
  const { card, panel, words, acts } = bar,
    drawTally = tally(card, words);
  addButton(bar, card, 'bar/hide', () => acts.say({ do: 'show', on: false }), { hidden: now => !now.leads });
  bar.updates.push(now => {
    const isShown = panel.hidden && now.question?.shown && now.question.page === now.page,
      counts = isShown ? now.question.counts : null;
    card.hidden = !counts;
    card.classList.toggle('large', now.leads);
    drawTally(counts, now.answers);
  });
}
