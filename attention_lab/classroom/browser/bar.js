// The bar at the window's lower edge: the room's name, who is here, what goes on; for whoever leads a panel of tools.
// It stands outside the page, so that a page that rests (frozen) does not take it along.
import { download, make, makeButton, putText } from '../../figure/browser/elements.js';
import { qr } from '../../export/qr/qr.js';
import { counted, filled, listed } from '../../figure/browser/number_format.js';
import { record } from './record.js';
import { tally } from './tally.js';

const COLOURS = [
  '--st-background-color',
  '--st-secondary-background-color',
  '--st-text-color',
  '--st-primary-color',
  '--st-font',
  '--st-base-radius',
];
const MINUTES = [1, 2, 5, 10],
  COPIED = 1500, // ms
  SURE = 4000;
const ONLY_HERE = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/; // no other computer finds these

const clock = seconds => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

// The page and all that is set on it, in the room; nothing of who leads.
function studentLink(room) {
  const url = new URL(location.href);
  url.hash = '';
  url.searchParams.delete('present');
  url.searchParams.set('room', room);
  return url.href;
}

// What goes on, in a sentence; `say` and `countOf` fill the texts in.
function stateOf(now, words, say, countOf) {
  if (now.why === 'code' && now.entered && now.status === 'ended') return words['state/wrong_code'];
  if (now.status === 'ended' || now.status === 'full')
    return words[`state/${now.why.replace(' ', '_')}`] ?? words['bar/alone'];
  if (now.status !== 'in') return words[`state/${now.status}`];
  if (!navigator.onLine && !ONLY_HERE.test(location.hostname)) return words['state/cut'];
  if (now.frozen && !now.leads) return words['bar/frozen'];
  if (now.led) return words['bar/led'];
  if (now.note === 'revoked' && !now.question && !now.follow) return words['state/revoked'];
  if (now.stuck && now.follow) return words['bar/teacher_words'];
  if (now.question?.open && !now.leads) {
    const answer = now.asked?.answers?.[now.guess[now.question.round - 1]];
    if (now.isAsked && !now.asked.open) return words['bar/seen'];
    return answer && now.isAsked ? say('bar/answered', { answer }) : words['bar/question'];
  }
  if (!now.leads) return words[`bar/hands_${now.hands}`] ?? '';
  if (now.question?.open) {
    const { round, said } = now.question;
    return countOf('panel/asking', Math.max(said, now.members), { round, said });
  }
  const on = { follow: now.leading || now.follow, frozen: now.frozen, hands: now.hands !== 'off' },
    names = Object.keys(on).filter(name => on[name]);
  return words[`leads/${names.join('_') || 'nothing'}`];
}

export function bar(words, style, acts) {
  const say = (name, values) => filled(words[name], values ?? {}),
    countOf = (name, count, values) => counted(words, name, count, values);
  const host = make(null, 'div', { id: 'room-bar' }, document.body),
    root = host.attachShadow({ mode: 'open' });
  make(null, 'style', { text: style }, root);
  const box = make(null, 'div', { class: 'room', role: 'region' }, root),
    panel = make(null, 'div', { class: 'panel', role: 'dialog', 'aria-label': words['panel/title'] }, box),
    card = make(null, 'div', { class: 'card' }, box),
    line = make(null, 'div', { class: 'line' }, box);
  panel.hidden = card.hidden = true;

  // Buttons are called by the names of their texts.
  const button = (parent, name, act, kind = '', text = words[name]) =>
    makeButton(parent, { class: `plain small ${kind}`, text, title: words[`${name}_help`] }, act);
  const flash = (made, text, then, ms) => {
    made.textContent = then;
    setTimeout(() => putText(made, text), ms);
  };
  // A switch: `act` hears whether it is to be on.
  const toggle = (parent, name, act) =>
    button(parent, name, ({ currentTarget: made }) => act(made.getAttribute('aria-pressed') !== 'true'));
  // What concerns all is done at the second press.
  const sure = (parent, name, asking, act, kind) => {
    const press = ({ currentTarget: made }) => {
      if (made.textContent !== words[asking]) return flash(made, words[name], words[asking], SURE);
      putText(made, words[name]);
      act();
    };
    return button(parent, name, press, kind);
  };
  const copier = (parent, name, text) =>
    button(parent, name, async ({ currentTarget: made }) => {
      try {
        await navigator.clipboard.writeText(text());
      } catch {
        const field = make(null, 'textarea', { text: text() }, root);
        field.select();
        document.execCommand('copy');
        field.remove();
      }
      flash(made, words[name], words['panel/copied'], COPIED);
    });

  // ---- the line ----
  const name = make(null, 'b', { class: 'name' }, line),
    count = make(null, 'span', { class: 'count' }, line),
    time = make(null, 'span', { class: 'time', role: 'timer' }, line),
    state = make(null, 'span', { class: 'state', role: 'status' }, line),
    toQuestion = button(line, 'bar/to_question', acts.toQuestion, 'main'),
    back = button(line, 'bar/back', acts.back),
    code = make(null, 'form', {}, line),
    codeword = make(null, 'input', { type: 'password', class: 'small', 'aria-label': words['bar/code'] }, code),
    // A lesson's next steps, always in the same places: a second press never meets another button.
    steps = make(null, 'div', { class: 'row', role: 'group', 'aria-label': words['bar/steps'] }, line),
    joinCode = button(steps, 'bar/join_code', () => showPoster(poster.hidden)),
    ask = button(steps, 'bar/ask', acts.ask),
    show = button(steps, 'bar/show', () => shows({ do: 'show', on: show.dataset.on !== 'true' })),
    again = button(steps, 'bar/again', () => acts.say({ do: 'again' })),
    right = button(steps, 'bar/reveal', () => shows({ do: 'reveal' })),
    tools = button(line, 'bar/tools', () => openPanel(panel.hidden));
  button(line, 'bar/leave', acts.leave);
  make(null, 'button', { class: 'plain small main', text: words['bar/open'] }, code);
  code.addEventListener('submit', event => {
    event.preventDefault();
    acts.enter(codeword.value);
  });
  const seen = tally(card, words),
    hide = button(card, 'bar/hide', () => acts.say({ do: 'show', on: false }));
  function openPanel(on) {
    panel.hidden = !on;
    tools.setAttribute('aria-expanded', on);
  }
  const onEscape = event => {
    if (event.key !== 'Escape' || event.isComposing) return;
    if (!poster.hidden) {
      showPoster(false);
      return; // the panel stays
    }
    if (panel.hidden) return;
    const inside = root.activeElement;
    openPanel(false);
    if (inside) tools.focus();
  };
  const onPress = event => !event.composedPath().includes(host) && openPanel(false);
  const until = new AbortController(),
    { signal } = until;
  document.addEventListener('keydown', onEscape, { signal });
  document.addEventListener('pointerdown', onPress, { signal, capture: true });

  // ---- the panel ----
  const section = name => {
    const made = make(null, 'section', {}, panel);
    make(null, 'h2', { text: words[name] }, made);
    return made;
  };
  const row = parent => make(null, 'div', { class: 'row' }, parent);
  const sendOnClick = said => () => acts.say(said);
  // What all are to look at stands large, without the tools.
  function shows(said) {
    acts.say(said);
    openPanel(false);
  }

  const ways = row(section('panel/hands'));
  ways.classList.add('joined');
  const where = ['off', 'front', 'all'].map(way => [
    way,
    button(ways, `panel/hands_${way}`, sendOnClick({ do: 'hands', where: way })),
  ]);
  const met = make(null, 'ul', {}, section('panel/goals'));

  const screens = section('panel/screens'),
    leading = row(screens),
    follow = toggle(leading, 'panel/follow', acts.lead),
    freeze = toggle(leading, 'panel/freeze', on => acts.say({ do: 'freeze', on })),
    timing = row(screens);
  make(null, 'span', { text: words['panel/timer'] }, timing);
  for (const minutes of MINUTES)
    button(timing, '', sendOnClick({ do: 'timer', seconds: 60 * minutes }), '', countOf('panel/minutes', minutes));
  const stop = button(timing, 'panel/stop', sendOnClick({ do: 'timer', seconds: 0 }));

  let room = '';
  const link = section('panel/link'),
    linked = row(link),
    shown = { type: 'text', class: 'small', readonly: '', 'aria-label': words['panel/link'] },
    address = make(null, 'input', shown, linked);
  address.addEventListener('focus', () => address.select());
  copier(linked, 'panel/copy', () => address.value);
  const secrets = row(link);
  copier(secrets, 'panel/secret', () => `${studentLink(room)}#lead=${acts.secret()}`);
  const revoke = button(secrets, 'panel/revoke', () => {
    acts.say({ do: 'revoke' });
    flash(revoke, words['panel/revoke'], words['panel/revoked'], 2 * COPIED);
  });
  const poster = make(null, 'div', { class: 'poster', role: 'dialog', 'aria-label': words['bar/join_code'] }, root);
  poster.hidden = true;
  // The next step is what the class is to see: it takes the join code's place.
  steps.addEventListener('click', ({ target }) => {
    if (target !== joinCode) poster.hidden = true;
  });
  function showPoster(on) {
    poster.hidden = !on;
    if (!on) {
      joinCode.focus();
      return;
    }
    const isHere = ONLY_HERE.test(location.hostname),
      code = isHere ? null : qr(studentLink(room), words['panel/link']),
      how = isHere ? words['panel/only_here'] : say('panel/poster_told', { address: location.host }),
      told = make(null, 'div', {});
    make(null, 'p', { class: 'words', text: room.replace('-', ' ') }, told);
    make(null, 'p', { text: how }, told);
    const closing = button(told, 'panel/close_panel', () => showPoster(false), 'main');
    poster.replaceChildren(...(code ? [code] : []), told);
    openPanel(false);
    closing.focus();
  }
  const seats = section('panel/seats'),
    lock = toggle(row(seats), 'panel/lock', on => acts.say({ do: 'lock', on })),
    members = make(null, 'ul', { class: 'seats' }, seats),
    lines = new Map(); // of the list, by the number of a browser's first tab
  function listSeats(now) {
    const known = new Map(now.map(([numbers, page]) => [numbers[0], { numbers, page }]));
    for (const [number, { element }] of lines)
      if (!known.has(number)) {
        element.remove();
        lines.delete(number);
      }
    for (const [number, { numbers, page }] of known) {
      if (!lines.has(number)) {
        const element = make(null, 'li', {}, members);
        lines.set(number, { element, text: make(null, 'span', {}, element) });
        sure(element, 'panel/remove', 'panel/remove_sure', sendOnClick({ do: 'remove', number }));
      }
      const where = page ? (words[`titles/${page}`] ?? page) : words['panel/no_page'];
      putText(lines.get(number).text, say('panel/seat', { number: listed(numbers), page: where }));
    }
  }
  const ends = make(null, 'section', { class: 'ends' }, panel);
  const undo = () => {
    acts.lead(false);
    acts.say({ do: 'undo' });
  };
  sure(ends, 'panel/undo', 'panel/undo_sure', undo, 'main');
  const answered = record(words),
    save = () => download(new Blob([answered.csv(room)], { type: 'text/csv' }), `${room}.csv`),
    recordButton = button(ends, 'record/download', save);
  recordButton.title = words['record/help'];
  sure(ends, 'panel/close', 'panel/sure', sendOnClick({ do: 'close' }));

  function drawPanel(now) {
    for (const [way, made] of where) made.setAttribute('aria-pressed', now.hands === way);
    const counts = Object.entries(now.goals?.[now.page] ?? {}).map(([goal, n]) =>
      countOf('panel/goal', n, { goal: now.goalNames[goal] ?? goal }),
    );
    const reached = counts.length ? counts : [words['panel/no_goals']];
    if (met.dataset.lines !== reached.join('\n')) {
      met.dataset.lines = reached.join('\n');
      met.replaceChildren(...reached.map(text => make(null, 'li', { text })));
    }
    follow.setAttribute('aria-pressed', Boolean(now.leading || now.follow));
    freeze.setAttribute('aria-pressed', Boolean(now.frozen));
    stop.hidden = now.left === null;
    lock.setAttribute('aria-pressed', Boolean(now.locked));
    listSeats(now.seats ?? []);
    recordButton.disabled = answered.isEmpty(now.room);
    const url = studentLink(room);
    if (root.activeElement !== address && address.value !== url) address.value = url;
  }

  function drawSteps(now) {
    const { question: asked } = now;
    ask.disabled = !now.asked || Boolean(asked?.open && now.isAsked);
    ask.title = words[now.asked ? 'bar/ask_help' : 'panel/no_question'];
    show.disabled = !asked;
    show.dataset.on = Boolean(asked?.shown);
    putText(show, words[asked?.shown ? 'bar/hide' : 'bar/show']);
    again.disabled = !asked?.open || asked.round > 1;
    right.disabled = !asked?.open;
    const next = !asked ? ask : !asked.open ? null : asked.shown ? right : show;
    for (const step of [ask, show, again, right]) step.classList.toggle('main', step === next);
  }

  return {
    // The page's own colours, which a bar outside of it does not inherit.
    dress: element => {
      const own = getComputedStyle(element.host ?? element);
      for (const colour of COLOURS) host.style.setProperty(colour, own.getPropertyValue(colour));
    },
    draw: now => {
      room = now.room;
      putText(name, now.room.replace('-', ' '));
      box.setAttribute('aria-label', say('bar/label', { room: now.room }));
      const inside = now.status === 'in';
      const here = countOf('bar/here', now.members);
      const own = !now.leads && now.number ? ` · ${say('bar/number', { number: now.number })}` : '';
      const beside = now.leads && now.beside !== undefined ? ` · ${countOf('bar/beside', now.beside)}` : '';
      putText(count, inside ? here + own + beside : '');
      putText(time, now.left === null ? '' : now.left > 0 ? clock(now.left) : words['bar/time_up']);
      time.classList.toggle('up', now.left === 0);
      putText(state, stateOf(now, words, say, countOf));
      toQuestion.hidden = !(inside && now.question?.open && !now.isAsked && !now.leads && !now.follow);
      back.hidden = !now.canGoBack || Boolean(now.question?.open);
      tools.hidden = steps.hidden = !(inside && now.leads);
      if (tools.hidden) panel.hidden = true;
      code.hidden = !(now.status === 'ended' && now.why === 'code');
      // Only over the page that it is about.
      const isShown = panel.hidden && now.question?.shown && now.question.page === now.page,
        counts = isShown ? now.question.counts : null;
      card.hidden = !counts;
      card.classList.toggle('large', now.leads);
      hide.hidden = !now.leads;
      seen(counts, now.answers);
      if (!tools.hidden) {
        if (now.question?.shown && now.question.counts) answered.keep(now.room, now.question, now.answers);
        drawPanel(now);
        drawSteps(now);
      }
      const rests = inside && now.frozen && !now.leads;
      for (const child of document.body.children) if (child !== host && child.inert !== rests) child.inert = rests;
      box.classList.toggle('rests', rests);
      const tall = `${line.offsetHeight}px`;
      if (document.documentElement.style.getPropertyValue('--room-bar') !== tall)
        document.documentElement.style.setProperty('--room-bar', tall);
    },
    leave: () => {
      until.abort();
      for (const child of document.body.children) child.inert = false;
      document.documentElement.style.removeProperty('--room-bar');
      host.remove();
    },
  };
}
