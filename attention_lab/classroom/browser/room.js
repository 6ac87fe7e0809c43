// What a page shows of its room, and what the room is told of the page: where this tab is, what its hand has moved, its
// answer. Once a second at most; whoever leads is followed, and everything is given back when that ends.
import { goTo } from '../../figure/browser/address.js';
import { attach, roomOverlay, moved, showSharedPose } from '../../figure/browser/room_overlay.js';
import { ballot } from './ballot.js';
import { bar } from './bar.js';
import { connect } from './socket.js';

const LOOK = 250, // ms
  PACE = 1000, // ms between two things said of oneself
  APART = { page: 50, answer: 20 }, // ms a member: about what the server works for each, so that none has to wait
  LEAST_APART = 250, // ms
  PHONE = 700, // px
  ARRIVES = 5000, // ms after which one who is led should be there
  OPENS = 3000, // ms that a page may be without its stage
  STAYS = 3000, // ms that a room waits for the next page
  MOST_NUMBERS = 96,
  MOST_LED = 1024; // as in sharing.py

const numbersIn = value =>
  typeof value === 'object' ? Object.values(value).reduce((sum, each) => sum + numbersIn(each), 0) : 1;
const bounded = (value, most) => (numbersIn(value) > most ? {} : value);
const rounded = value => (Array.isArray(value) ? value.map(rounded) : Math.round(1000 * value) / 1000);

let present = null; // the room that this tab is in

export function showRoom({ parentElement, data, setTriggerValue }, style) {
  const told = JSON.parse(data);
  if (present?.name !== told.room || told.entered > present.entered) {
    present?.leave();
    present = enter(told, style);
  }
  const here = present;
  clearTimeout(here.leaving);
  here.wish = (name, value) => setTriggerValue(name, value);
  here.arrive(told.went);
  here.setWords(told.words);
  here.dress(parentElement);
  if (told.leaves) setTimeout(here.leaveRoom);
  return () => {
    here.departed?.(); // Python knows that the room was left
    here.departed = null;
    here.leaving = setTimeout(() => {
      here.leave();
      if (present === here) present = null;
    }, STAYS);
  };
}

// On a phone the menu, in which the words were typed, would lie over the page.
function foldMenu() {
  if (innerWidth < PHONE) document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
}

function enter({ room, opens, entered, words }, style) {
  foldMenu();
  const now = { room, status: 'joining', members: 0, guess: [], hands: 'off', goals: {} },
    leading = `room ${room} leading`,
    before = `room ${room} before`; // where this tab was when it was led away
  const said = { here: '', lead: '' }; // the newest of each
  let sentAt = 0,
    trip = '',
    travelling = 0,
    returning = 0,
    leftAt = 0,
    revealing = 0,
    revealsUntil = 0, // a link opened in the same moment could be undone by the press on an answer
    askedAgain = 0,
    unheard = null, // what the socket's cut came between: the question, what this tab answered, what was set
    called = {}, // the answers by what they are called, of a question by its number
    going = null, // the page that this tab is on its way to
    wishes = 0, // links for the page that is open,
    answered = 0, // and those of them that it shows
    heldUntil = 0, // what is moved on a page that another is about to replace would be lost
    asks = false; // the leader's page is to ask as soon as it can
  now.leading = Boolean(sessionStorage.getItem(leading));
  const here = { name: room, entered };
  // One that was drawn outside of the room, a moment before or after it, knows nothing of it.
  const stage = () => (roomOverlay.stage?.root.isConnected && roomOverlay.stage.data.room ? roomOverlay.stage : null);
  const pageNow = () => location.pathname.split('/').filter(Boolean).at(-1) ?? 'home';
  const asked = () => stage()?.data.room.asked ?? null;
  const isAsked = () => now.question && asked()?.of === now.question.sharing_key;
  const spread = what => Math.random() * Math.max(LEAST_APART, APART[what] * now.members);

  // ---- what the room says ----
  function hear(told) {
    if (told.leads !== undefined) {
      // all of it: this tab has just come, or its rights have changed
      if (now.status === 'in' && now.leads && !told.leads) now.note = 'revoked';
      if (unheard) unheard.restarted = told.opening !== now.opening;
      now.opening = told.opening;
      roomOverlay.hands.clear();
      now.guess = told.guess ?? [];
      forgetSent();
    }
    now.status = 'in';
    if (told.follow === null && told.leads === undefined) follows(false); // somebody else who leads has ended it
    if (told.over) now.ending = told.over;
    if (told.here) Object.assign(now, told.here);
    for (const key of ['leads', 'follow', 'frozen', 'locked', 'hands', 'goals', 'secret', 'number', 'seats'])
      if (key in told) now[key] = told[key];
    if ('timer' in told) now.ends = told.timer === null ? null : performance.now() + 1000 * told.timer;
    if ('question' in told) onQuestion(told.question);
    if (unheard && told.opened) restore();
    if (unheard && told.question) retell(told.question);
    if (unheard && !unheard.restarted) unheard = null;
    if ('undone' in told) {
      const [, , opening, undone] = JSON.parse(sessionStorage.getItem(before) ?? '[]');
      // also where this tab was out of the room meanwhile, on its way to another page
      if ((opening === now.opening ? undone : 0) < told.undone && !now.leads) returnAfter(spread('page'));
      now.undone = told.undone;
    }
    if ('hands' in told) roomOverlay.hands.clear();
    for (const [key, value] of Object.entries(told)) {
      if (!key.startsWith('hand ')) continue;
      if (value && key !== `hand ${now.number}`)
        roomOverlay.hands.set(key, { sharing_key: value[0], numbers: value[1] });
      else roomOverlay.hands.delete(key);
    }
    roomOverlay.version += 1;
    stage()?.requestPaint();
    follow();
    draw();
  }

  // Whether this tab is followed, also after it was opened anew.
  function follows(on) {
    now.leading = on;
    if (on) sessionStorage.setItem(leading, '1');
    else sessionStorage.removeItem(leading);
  }

  // An answer that the room has not heard, since the socket was cut or the server was restarted.
  function retell(question) {
    const { guess, question: before, restarted } = unheard,
      place = guess[question.round - 1] ?? null,
      isSame = restarted ? before?.sharing_key === question.sharing_key : before?.number === question.number;
    unheard = null;
    if (isSame && before.open && question.open && place !== null && (now.guess[question.round - 1] ?? null) === null)
      choose(place, question);
  }
  // What was set before a restart, by the browser that has opened the room again.
  function restore() {
    const { question, frozen, hands, ends, restarted } = unheard;
    unheard = null;
    if (!restarted) return;
    if (question?.open) {
      const { page, sharing_key, address, answers } = question;
      socket.say({ do: 'ask', page, sharing_key, query: address, answers });
      if (question.round > 1) socket.say({ do: 'again' });
    }
    if (frozen) socket.say({ do: 'freeze', on: true });
    if (hands !== 'off') socket.say({ do: 'hands', where: hands });
    const left = Math.round((ends - performance.now()) / 1000);
    if (ends && left > 0) socket.say({ do: 'timer', seconds: left });
  }

  function onQuestion(question) {
    if (question?.number !== now.question?.number) {
      now.guess = question ? (now.question ? [] : now.guess) : [];
      revealing = 0;
      trip = '';
    }
    now.question = question;
  }

  function cut(why) {
    if (now.status === 'in') {
      const { question, guess, frozen, hands, ends } = now;
      unheard = { question, guess, frozen, hands, ends };
    }
    if (why === 'full' || why === 'locked') now.status = 'full';
    else if (why === 'restarted') now.status = why;
    else now.status = why ? 'ended' : now.status === 'joining' ? 'joining' : 'cut';
    now.lost = now.lost || now.status === 'cut' || now.status === 'restarted';
    now.why = { over: now.ending, unknown: now.lost ? 'lost' : 'unknown', name: 'unknown' }[why] ?? why;
    now.follow = now.question = null;
    now.frozen = false;
    now.ends = null;
    roomOverlay.hands.clear();
    roomOverlay.version += 1;
    follow();
    draw();
    if (now.status === 'ended' && why !== 'code')
      setTimeout(() => present === here && here.wish('over', now.why), spread('answer'));
  }

  // ---- being led ----
  // With a question the page forgets what it knew of the answer, and asks again; another page once it is open
  // (see `hideAgain`).
  function go(page, query, asked) {
    going = page;
    heldUntil = performance.now() + ARRIVES;
    const there = stage();
    if (there?.data.page === page) {
      wishes += 1;
      here.wish('go', { query, number: wishes, ...(asked && { asked }) });
      return;
    }
    answered = wishes;
    const search = new URLSearchParams(query);
    if (here.out) search.delete('room');
    else search.set('room', room);
    goTo(page, String(search));
  }
  // What is under a hand is to be found again on the way back, and an answer that was pressed is to arrive.
  const busy = () => Boolean(stage()?.held || (performance.now() < revealsUntil && asked()?.open));
  function leadAway(toWhere) {
    if (busy()) {
      travelling = setTimeout(leadAway, LOOK, toWhere);
      return;
    }
    const { page, address, sharing_key, number } = toWhere;
    clearTimeout(returning);
    if (!sessionStorage.getItem(before)) {
      const search = new URLSearchParams(location.search);
      if (!search.has('predict')) search.set('predict', '0'); // a question switches it on
      sessionStorage.setItem(before, JSON.stringify([pageNow(), String(search), now.opening, now.undone]));
    }
    const own = new URLSearchParams(location.search).get('question'), // it came with a link: a room shares no text
      to = new URLSearchParams(address);
    if (!to.has('predict')) to.set('predict', '0'); // else a page keeps what it has
    if (own && stage()?.data.page === page) to.set('question', own);
    leftAt = performance.now();
    go(page, String(to), number && sharing_key); // what is followed has no number
  }
  function returnPath() {
    const way = JSON.parse(sessionStorage.getItem(before) ?? 'null');
    sessionStorage.removeItem(before);
    return way;
  }
  function back() {
    if (busy()) {
      returning = setTimeout(back, LOOK);
      return;
    }
    const way = returnPath();
    if (way) go(way[0], way[1]);
  }
  function returnAfter(wait) {
    if (sessionStorage.getItem(before)) heldUntil = performance.now() + wait + ARRIVES;
    returning = setTimeout(back, wait);
  }
  here.arrive = went => {
    if (went === wishes) answered = wishes;
    arrive();
  };
  function arrive() {
    const there = stage();
    if (!going || there?.data.page !== going || answered !== wishes) return;
    going = null;
    heldUntil = 0;
    hold();
  }
  function hold() {
    const there = stage();
    if (there) there.root.inert = Boolean(there.lent) || performance.now() < heldUntil;
  }
  const hides = query => new URLSearchParams(query).get('predict') === '1';
  // To what is led or asked, once for each; a page that is there already is lent the pose, but not before it hides
  // its result where the leader's page does.
  function follow() {
    const there = stage();
    if (now.leads) {
      if (there) showSharedPose(there, null);
      hold();
      return;
    }
    const isThere = there && now.follow?.sharing_key === there.data.room.sharing_key,
      toHide = isThere && asked() !== null && hides(now.follow.address),
      asLed = isThere && (asked() === null || hides(location.search) === toHide),
      shown = isThere && (asLed || !toHide) ? now.follow.pose : null;
    if (there) showSharedPose(there, shown);
    hold();
    now.led = Boolean(shown);
    document.documentElement.toggleAttribute('data-led', now.led);
    const toAsk = now.question?.open && !isAsked() && (now.follow?.page ?? now.question.page) === now.question.page,
      to = toAsk ? now.question : now.follow && !asLed ? now.follow : null;
    const key = to ? `${to.page} ${to.sharing_key} ${to.number ?? ''} ${hides(to.address)}` : '';
    now.stuck = to !== null && key === trip && leftAt > 0 && performance.now() - leftAt > ARRIVES;
    if (key === trip) return;
    trip = key;
    clearTimeout(travelling);
    leftAt = 0;
    const after = spread('page') + (there ? 0 : OPENS); // a page may be about to open
    if (to) travelling = setTimeout(leadAway, after, to);
  }
  // Who is on the page of a question that has just been put, and knows the answer: the result is hidden again.
  function hideAgain() {
    const { question } = now;
    if (!question?.open || !isAsked() || asked().open || askedAgain === question.number) return;
    askedAgain = question.number;
    const again = () => go(stage()?.data.page, location.search, question.sharing_key);
    setTimeout(again, now.leads ? 0 : spread('answer'));
  }

  // ---- the question ----
  function choose(place, question = now.question) {
    now.guess[question.round - 1] = place;
    socket.say({ do: 'guess', question: question.number, round: question.round, place });
    draw();
  }
  const isComing = () => Boolean(now.question?.open && (going || !stage()));
  const votes = ballot(
    () => ({
      page: isComing() ? now.question.page : stage()?.data.page,
      open: Boolean(isAsked() && now.question.open && asked().open),
      coming: isComing(),
      question: now.question?.open ? now.question.number : null,
      chosen: now.guess[(now.question?.round ?? 0) - 1] ?? null,
    }),
    place => !now.leads && choose(place),
  );
  function reveal() {
    const { question } = now;
    if (!question || question.open || !isAsked() || !asked().open || revealing === question.number) return;
    revealing = question.number;
    const lastGuess = now.guess.findLast(place => place !== null && place !== undefined);
    const after = now.leads ? 0 : spread('answer');
    revealsUntil = performance.now() + after + ARRIVES;
    setTimeout(() => votes.reveal(stage()?.data.page, lastGuess), after);
  }

  // ---- what the room is told ----
  function tell() {
    const there = stage();
    if (!there || now.status !== 'in' || performance.now() - sentAt < PACE) return;
    const { page, room: own } = there.data,
      where = { page, sharing_key: own.sharing_key },
      goals = [...there.completed_goals].sort();
    sendOnce({ do: 'here', ...where, numbers: bounded(moved(there), MOST_NUMBERS), goals });
    if (!now.leads || !now.leading) return;
    const pose = Object.fromEntries(Object.entries(there.pose).map(([name, value]) => [name, rounded(value)]));
    sendOnce({ do: 'lead', ...where, query: ledQuery(), pose: bounded(pose, MOST_LED) });
  }
  // All hide the result as long as the leader's page does.
  function ledQuery() {
    const search = new URLSearchParams(location.search);
    if (asked() && !asked().open) search.delete('predict');
    return `?${search}`;
  }
  function sendOnce(what) {
    const text = JSON.stringify(what);
    if (text === said[what.do]) return;
    said[what.do] = text;
    sentAt = performance.now();
    socket.say(what);
  }
  function forgetSent() {
    said.here = said.lead = '';
    sentAt = 0;
  }
  // Asks this page's question, once its result waits for a guess.
  function ask() {
    const there = stage(),
      mine = asked();
    if (!there || !mine) {
      asks = false;
      return;
    }
    if (!mine.of) {
      const search = new URLSearchParams(location.search);
      search.set('predict', '1');
      if (!asks) go(there.data.page, String(search));
      asks = true;
      return;
    }
    asks = false;
    const { page } = there.data;
    socket.say({ do: 'ask', page, sharing_key: mine.of, query: location.search, answers: mine.answers.length });
  }

  const acts = {
    ask,
    say: message => socket.say(message),
    lead: on => {
      follows(on);
      if (on) forgetSent();
      else socket.say({ do: 'lead', page: null });
    },
    back,
    toQuestion: () => now.question && leadAway(now.question),
    secret: () => socket.secret,
    enter: code => {
      now.status = 'joining';
      now.entered = true;
      socket.enter(code);
      draw();
    },
    leave: () => here.leaveRoom(),
  };
  let shown = bar(words, style, acts),
    spoken = words['bar/leave'];
  // The reader has chosen another language.
  here.setWords = others => {
    if (others['bar/leave'] === spoken) return;
    spoken = others['bar/leave'];
    shown.leave();
    shown = bar(others, style, acts);
    draw();
  };
  function draw() {
    const there = stage();
    if (isAsked()) called = { number: now.question.number, answers: asked().answers };
    shown.draw({
      ...now,
      asked: asked(),
      answers: called.number === now.question?.number ? called.answers : null,
      isAsked: isAsked(),
      page: there?.data.page,
      goalNames: goalNames(there),
      canGoBack: Boolean(sessionStorage.getItem(before)) && !now.follow,
      left: now.ends === null || now.ends === undefined ? null : Math.max(0, (now.ends - performance.now()) / 1000),
    });
    votes.draw();
  }

  const socket = connect(room, opens, { hear, cut });
  roomOverlay.met = () => {
    arrive();
    follow();
    draw();
  };
  const looking = setInterval(() => {
    arrive();
    if (asks && asked()?.of) ask();
    follow();
    hideAgain();
    reveal();
    tell();
    draw();
  }, LOOK);
  here.dress = element => shown.dress(element);
  here.leaveRoom = () => {
    if (here.out) return;
    here.out = true;
    const way = returnPath();
    here.leave();
    const [page, query] = way ?? [];
    here.wish('leave', (page === pageNow() && query) || 1);
    if (way && page !== pageNow()) here.departed = () => go(page, query);
  };
  here.leave = () => {
    clearInterval(looking);
    clearTimeout(travelling);
    clearTimeout(returning);
    socket.leave();
    votes.leave();
    shown.leave();
    roomOverlay.met = null;
    roomOverlay.hands.clear();
    roomOverlay.version += 1;
    const there = stage();
    if (!there) return;
    showSharedPose(there, null);
    there.root.inert = false;
    document.documentElement.removeAttribute('data-led');
    there.requestPaint();
  };
  const known = stage();
  if (known) attach(known);
  return here;
}

// The goals of a page by their names, as its card says them.
function goalNames(stage) {
  const parts = (stage?.data.columns ?? []).flatMap(column => column.parts),
    { goals = [] } = parts.find(part => part.kind === 'goals') ?? {};
  return Object.fromEntries(goals.map(({ name, text }) => [name, text]));
}
