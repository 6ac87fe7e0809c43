// What a room says, and what its tabs tell it: where each is, what its hand has moved, of whoever leads the whole page.
import { moved, roomOverlay } from '../../figure/browser/room_overlay.js';
import { goBackAfter, readWayBack, spread } from './following.js';
import { openStage } from './open_page.js';
import { choose } from './question.js';

const PACE = 1000, // ms between two things said of oneself
  MOST_NUMBERS = 96,
  MOST_LED = 1024; // as in sharing.py

// What the room says is known as it is,
const SAID = { leads: false, follow: null, frozen: false, locked: false, hands: 'off', goals: {}, seats: [] };
// beside what the tab makes of it. `why` it is not in the room, `ending`: why the room will be over.
const OWN = { status: 'joining', why: null, ending: null, lost: false, entered: false, led: false, stuck: false };
export const newRoom = room => ({
  ...SAID,
  ...OWN,
  opening: null, // tells this room from an earlier one of the same name
  number: null, // of this member
  members: 0,
  beside: null, // how many of them are where the leader is
  leading: Boolean(sessionStorage.getItem(leadingKey(room))), // whether this tab is followed
  note: null, // what has become of its rights
  question: null,
  guess: [], // of each round
  ends: null, // when the timer does
  undone: 0, // how often all were sent back
});

const leadingKey = room => `room ${room} leading`; // in the session: also after a reload
export function setLeading({ now, room }, on) {
  now.leading = on;
  sessionStorage.setItem(leadingKey(room), on ? '1' : '');
}

export function hear(tab, message) {
  const { now } = tab;
  if (message.leads !== undefined) hearAll(tab, message);
  now.status = 'in';
  if (message.follow === null && message.leads === undefined) setLeading(tab, false); // somebody else has ended it
  if (message.over) now.ending = message.over;
  Object.assign(now, message.here);
  for (const key in SAID) if (key in message) now[key] = message[key];
  if ('timer' in message) now.ends = message.timer === null ? null : performance.now() + 1000 * message.timer;
  if ('question' in message) putQuestion(tab, message.question);
  if (tab.unheard && message.opened) restore(tab);
  if (tab.unheard && message.question) resend(tab, message.question);
  if (!tab.unheard?.restarted) tab.unheard = null;
  if ('undone' in message) {
    const [, , opening, undone] = readWayBack(tab);
    // also where this tab was out of the room meanwhile, on its way to another page
    if ((opening === now.opening ? undone : 0) < message.undone && !now.leads) goBackAfter(tab, spread('page', now));
    now.undone = message.undone;
  }
  if ('hands' in message) roomOverlay.hands.clear();
  for (const [key, value] of Object.entries(message)) {
    if (!key.startsWith('hand ')) continue;
    if (value && key !== `hand ${now.number}`) roomOverlay.hands.set(key, { sharing_key: value[0], numbers: value[1] });
    else roomOverlay.hands.delete(key);
  }
}

// This tab has just come, or its rights have changed.
function hearAll(tab, message) {
  const { now, unheard } = tab;
  if (now.status === 'in' && now.leads && !message.leads) now.note = 'revoked';
  if (unheard) unheard.restarted = message.opening !== now.opening;
  now.opening = message.opening;
  now.number = message.number;
  roomOverlay.hands.clear();
  now.guess = message.guess ?? [];
  tab.reports = newReports();
}

function putQuestion({ now, asking, journey }, question) {
  if (question?.number !== now.question?.number) {
    now.guess = question ? (now.question ? [] : now.guess) : [];
    asking.revealed = 0;
    journey.destination = '';
  }
  now.question = question;
}

// An answer that the room has not heard, since the socket was cut or the server was restarted.
function resend(tab, question) {
  const { guess, question: before, restarted } = tab.unheard,
    place = guess[question.round - 1] ?? null,
    hasGuess = (tab.now.guess[question.round - 1] ?? null) !== null,
    isSame = restarted ? before?.sharing_key === question.sharing_key : before?.number === question.number;
  tab.unheard = null;
  if (isSame && before.open && question.open && place !== null && !hasGuess) choose(tab, place, question);
}

// What was set before a restart, by the browser that has opened the room once more.
function restore(tab) {
  const { question, frozen, hands, ends, restarted } = tab.unheard,
    { say } = tab.socket;
  tab.unheard = null;
  if (!restarted) return;
  if (question?.open) {
    const { page, sharing_key, address, answers } = question;
    say({ do: 'ask', page, sharing_key, query: address, answers });
    if (question.round > 1) say({ do: 'again' });
  }
  if (frozen) say({ do: 'freeze', on: true });
  if (hands !== 'off') say({ do: 'hands', where: hands });
  const seconds = Math.round((ends - performance.now()) / 1000);
  if (ends && seconds > 0) say({ do: 'timer', seconds });
}

// `why` is '' where the socket will be opened once more.
export function cut(tab, why) {
  const { now } = tab;
  if (now.status === 'in') tab.unheard = { ...now };
  if (why === 'full' || why === 'locked') now.status = 'full';
  else if (why === 'restarted') now.status = why;
  else now.status = why ? 'ended' : now.status === 'joining' ? 'joining' : 'cut';
  now.lost = now.lost || now.status === 'cut' || now.status === 'restarted';
  now.why = { over: now.ending, unknown: now.lost ? 'lost' : 'unknown', name: 'unknown' }[why] ?? why;
  now.follow = now.question = now.ends = null;
  now.frozen = false;
  roomOverlay.hands.clear();
}

export const newReports = () => ({ here: '', lead: '', sentAt: 0 }); // the newest of each

const numbersIn = value =>
  typeof value === 'object' ? Object.values(value).reduce((sum, each) => sum + numbersIn(each), 0) : 1;
const bounded = (value, most) => (numbersIn(value) > most ? {} : value);
const rounded = value => (Array.isArray(value) ? value.map(rounded) : Math.round(1000 * value) / 1000);

export function report(tab) {
  const stage = openStage(),
    { now, reports } = tab;
  if (!stage || now.status !== 'in' || performance.now() - reports.sentAt < PACE) return;
  const { page, room } = stage.data,
    where = { page, sharing_key: room.sharing_key },
    goals = [...stage.completed_goals].sort();
  sendOnce(tab, { do: 'here', ...where, numbers: bounded(moved(stage), MOST_NUMBERS), goals });
  if (!now.leads || !now.leading) return;
  const search = new URLSearchParams(location.search);
  if (room.asked && !room.asked.open) search.delete('predict'); // all hide the result as long as this page does
  const pose = Object.fromEntries(Object.entries(stage.pose).map(([name, value]) => [name, rounded(value)]));
  sendOnce(tab, { do: 'lead', ...where, query: `?${search}`, pose: bounded(pose, MOST_LED) });
}

function sendOnce({ reports, socket }, message) {
  const text = JSON.stringify(message);
  if (text === reports[message.do]) return;
  reports[message.do] = text;
  reports.sentAt = performance.now();
  socket.say(message);
}
