// The bar at the window's lower edge: the room's name, who is here, what goes on; for whoever leads a panel of tools. It
// stands outside the page, so that a page that rests (frozen) does not take it along.
import { make } from '../../controls/stage/browser/elements.js';
import { qr } from '../../controls/qr/qr.js';
import { filled } from '../../controls/stage/browser/figures.js';
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

const put = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};
const clock = seconds => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

export function bar(words, style, acts) {
  const say = (name, values) => filled(words[name], values ?? {});
  const host = make(null, 'div', { id: 'room-bar' }, document.body),
    root = host.attachShadow({ mode: 'open' });
  make(null, 'style', { text: style }, root);
  const box = make(null, 'div', { class: 'room', role: 'region' }, root),
    panel = make(null, 'div', { class: 'panel', role: 'dialog', 'aria-label': words['panel/title'] }, box),
    card = make(null, 'div', { class: 'card' }, box),
    line = make(null, 'div', { class: 'line' }, box);
  panel.hidden = card.hidden = true;

  const button = (parent, text, act, kind = '') => {
    const made = make(null, 'button', { type: 'button', class: kind, text }, parent);
    made.addEventListener('click', act);
    return made;
  };
  // ---- the line ----
  const name = make(null, 'b', { class: 'name' }, line),
    count = make(null, 'span', { class: 'count' }, line),
    time = make(null, 'span', { class: 'time', role: 'timer' }, line),
    state = make(null, 'span', { class: 'state', role: 'status' }, line),
    to_question = button(line, words['bar/to_question'], acts.to_question, 'main'),
    back = button(line, words['bar/back'], acts.back),
    tools = button(line, words['bar/tools'], () => open_panel(panel.hidden), 'main');
  button(line, words['bar/leave'], acts.leave);
  const seen = tally(card, words),
    hide = button(card, words['panel/hide'], () => acts.say({ do: 'show', on: false }));
  function open_panel(on) {
    panel.hidden = !on;
    tools.setAttribute('aria-expanded', on);
  }
  const on_escape = event => {
    if (event.key !== 'Escape') return;
    if (!poster.hidden) {
      show_poster(false);
      return; // the panel stays
    }
    if (panel.hidden) return;
    const inside = root.activeElement;
    open_panel(false);
    if (inside) tools.focus();
  };
  const on_press = event => !event.composedPath().includes(host) && open_panel(false);
  document.addEventListener('keydown', on_escape);
  document.addEventListener('pointerdown', on_press, true);

  // ---- the panel ----
  const section = title => {
    const made = make(null, 'section', {}, panel);
    make(null, 'h4', { text: title }, made);
    return made;
  };
  const row = parent => make(null, 'div', { class: 'row' }, parent);
  const say_it = said => () => acts.say(said);
  const question = section(words['panel/question']),
    asking = make(null, 'p', { role: 'status' }, question),
    first = row(question),
    ask = button(first, words['panel/ask'], acts.ask, 'main'),
    show = button(first, '', () => shows({ do: 'show', on: show.dataset.on !== 'true' }), 'main'),
    again = button(first, words['panel/again'], say_it({ do: 'again' })),
    right = button(first, words['panel/reveal'], () => shows({ do: 'reveal' }));
  ask.title = words['panel/ask_help'];
  // What all are to look at stands large, without the tools.
  function shows(said) {
    acts.say(said);
    open_panel(said.on === false);
  }
  const bars = tally(question, words);

  const hands = section(words['panel/hands']),
    ways = row(hands);
  ways.classList.add('joined');
  const where = ['off', 'front', 'all'].map(way => [
    way,
    button(ways, words[`panel/hands_${way}`], say_it({ do: 'hands', where: way })),
  ]);
  const goals = section(words['panel/goals']),
    met = make(null, 'ul', {}, goals);

  const screens = section(words['panel/screens']),
    leading = row(screens),
    follow = button(leading, words['panel/follow'], () => acts.lead(follow.getAttribute('aria-pressed') !== 'true')),
    freeze = button(leading, words['panel/freeze'], () =>
      acts.say({ do: 'freeze', on: freeze.getAttribute('aria-pressed') !== 'true' }),
    );
  const timing = row(screens);
  make(null, 'span', { text: words['panel/timer'] }, timing);
  for (const minutes of MINUTES)
    button(timing, say('panel/minutes', { count: minutes }), say_it({ do: 'timer', seconds: 60 * minutes }), 'small');
  const stop = button(timing, words['panel/stop'], say_it({ do: 'timer', seconds: 0 }), 'small');

  const link = section(words['panel/link']),
    linked = row(link),
    address = make(null, 'input', { type: 'text', readonly: '', 'aria-label': words['panel/link'] }, linked);
  address.addEventListener('focus', () => address.select());
  copier(
    button(linked, words['panel/copy'], () => {}),
    () => address.value,
  );
  const poster = make(null, 'div', { class: 'poster', role: 'dialog', 'aria-label': words['panel/poster'] }, root);
  poster.hidden = true;
  const on_the_wall = button(linked, words['panel/poster'], () => {
    const code = ONLY_HERE.test(location.hostname) ? null : qr(student_link(), words['panel/link']);
    poster.replaceChildren();
    if (code) poster.appendChild(code);
    const told = make(null, 'div', {}, poster);
    make(null, 'p', { class: 'words', text: room.replace('-', ' ') }, told);
    make(null, 'p', { text: told_way() }, told);
    const closing = button(told, words['panel/close_panel'], () => show_poster(false), 'main');
    show_poster(true);
    closing.focus();
  });
  const told_way = () =>
    ONLY_HERE.test(location.hostname) ? words['panel/only_here'] : say('panel/poster_told', { address: location.host });
  function show_poster(on) {
    poster.hidden = !on;
    if (!on) on_the_wall.focus();
  }
  const secrets = row(link);
  copier(
    button(secrets, words['panel/secret'], () => {}),
    () => `${student_link()}#lead=${acts.secret()}`,
  );
  const revoke = button(secrets, words['panel/revoke'], () => {
    acts.say({ do: 'revoke' });
    flash(revoke, words['panel/revoke'], words['panel/revoked'], 2 * COPIED);
  });
  const ends = row(make(null, 'section', {}, panel)),
    undo = button(
      ends,
      words['panel/undo'],
      () => {
        sure(undo, 'panel/undo', 'panel/undo_sure', () => {
          acts.lead(false);
          acts.say({ do: 'undo' });
        });
      },
      'main',
    );
  undo.title = words['panel/undo_help'];
  const close = button(ends, words['panel/close'], () =>
    sure(close, 'panel/close', 'panel/sure', () => acts.say({ do: 'close' })),
  );

  // What concerns all is done at the second press.
  function sure(made, usual, asking, act) {
    if (made.textContent !== words[asking]) flash(made, words[usual], words[asking], SURE);
    else {
      put(made, words[usual]);
      act();
    }
  }

  function flash(made, text, then, ms) {
    made.textContent = then;
    setTimeout(() => put(made, text), ms);
  }
  function copier(made, text) {
    const usual = made.textContent;
    made.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text());
      } catch {
        const field = make(null, 'textarea', { text: text() }, root);
        field.select();
        document.execCommand('copy');
        field.remove();
      }
      flash(made, usual, words['panel/copied'], COPIED);
    });
  }
  // The page and all that is set on it, in the room; nothing of who leads.
  let room = '';
  const student_link = () => {
    const url = new URL(location.href);
    url.hash = '';
    url.searchParams.delete('present');
    url.searchParams.set('room', room);
    return url.href;
  };

  function state_of(now) {
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
      if (now.is_asked && !now.asked.open) return words['bar/seen'];
      return answer && now.is_asked ? say('bar/answered', { answer }) : words['bar/question'];
    }
    if (!now.leads) return words[`bar/hands_${now.hands}`] ?? '';
    const on = { on_follow: now.leading || now.follow, on_frozen: now.frozen, on_hands: now.hands !== 'off' },
      told = Object.keys(on).filter(name => on[name]);
    return told.length
      ? say('bar/leads_on', { on: told.map(name => words[`bar/${name}`]).join(', ') })
      : words['bar/lead'];
  }

  function draw_panel(now) {
    const { question: asked } = now,
      is_open = Boolean(asked);
    put(
      asking,
      asked
        ? say('panel/asking', { round: asked.round, said: asked.said, count: Math.max(asked.said, now.members) })
        : now.asked
          ? ''
          : words['panel/no_question'],
    );
    asking.hidden = !asking.textContent;
    ask.disabled = !now.asked;
    put(ask, words[is_open ? 'panel/new' : 'panel/ask']);
    ask.className = is_open ? '' : 'main';
    ask.hidden = Boolean(asked?.open);
    show.hidden = !asked;
    show.dataset.on = Boolean(asked?.shown);
    put(show, words[asked?.shown ? 'panel/hide' : 'panel/show']);
    again.hidden = !asked?.open || asked.round > 1;
    right.hidden = !asked?.open;
    bars(asked?.counts, now.answers);
    for (const [way, made] of where) made.setAttribute('aria-pressed', now.hands === way);
    const counts = Object.entries(now.goals?.[now.page] ?? {}).map(
      ([goal, n]) => `${n} × ${now.goal_names[goal] ?? goal}`,
    );
    const lines = counts.length ? counts : [words['panel/no_goals']];
    if (met.dataset.lines !== lines.join('\n')) {
      met.dataset.lines = lines.join('\n');
      met.replaceChildren(...lines.map(text => make(null, 'li', { text })));
    }
    follow.setAttribute('aria-pressed', Boolean(now.leading || now.follow));
    freeze.setAttribute('aria-pressed', Boolean(now.frozen));
    stop.hidden = now.left === null;
    if (root.activeElement !== address && address.value !== student_link()) address.value = student_link();
  }

  return {
    // The page's own colours, which a bar outside of it does not inherit.
    dress: element => {
      const own = getComputedStyle(element.host ?? element);
      for (const colour of COLOURS) host.style.setProperty(colour, own.getPropertyValue(colour));
    },
    draw: now => {
      room = now.room;
      put(name, now.room.replace('-', ' '));
      box.setAttribute('aria-label', say('bar/label', { room: now.room }));
      const inside = now.status === 'in';
      const here = now.members === 1 ? words['bar/here_one'] : say('bar/here', { count: now.members });
      const beside = now.leads && now.beside !== undefined ? ` · ${say('bar/beside', { count: now.beside })}` : '';
      put(count, inside ? here + beside : '');
      put(time, now.left === null ? '' : now.left > 0 ? clock(now.left) : words['bar/time_up']);
      time.classList.toggle('up', now.left === 0);
      put(state, state_of(now));
      to_question.hidden = !(inside && now.question?.open && !now.is_asked && !now.leads && !now.follow);
      back.hidden = !now.can_go_back || Boolean(now.question?.open);
      tools.hidden = !(inside && now.leads);
      if (tools.hidden) panel.hidden = true;
      const counts = panel.hidden && now.question?.shown ? now.question.counts : null;
      card.hidden = !counts;
      card.classList.toggle('large', now.leads);
      hide.hidden = !now.leads;
      seen(counts, now.answers);
      if (!tools.hidden) draw_panel(now);
      const rests = inside && now.frozen && !now.leads;
      for (const child of document.body.children) if (child !== host && child.inert !== rests) child.inert = rests;
      box.classList.toggle('rests', rests);
      const tall = `${line.offsetHeight}px`;
      if (document.documentElement.style.getPropertyValue('--room-bar') !== tall)
        document.documentElement.style.setProperty('--room-bar', tall);
    },
    leave: () => {
      document.removeEventListener('keydown', on_escape);
      document.removeEventListener('pointerdown', on_press, true);
      for (const child of document.body.children) child.inert = false;
      document.documentElement.style.removeProperty('--room-bar');
      host.remove();
    },
  };
}
