// Where a tab is led: to the page of whoever leads or of a question, and back to its own when that ends.
import { goTo } from '../../figure/browser/address.js';
import { showSharedPose } from '../../figure/browser/room_overlay.js';
import { isAsked, openPage, openStage, pageQuestion } from './open_page.js';

export const LOOK = 250; // ms
export const ARRIVES = 5000; // ms after which one who is led should be there
const OPENS = 3000, // ms that a page may be without its stage
  APART = { page: 50, answer: 20 }, // ms a member: about what the server works for each, so that none has to wait
  LEAST_APART = 250; // ms

export const newJourney = () => ({
  destination: '', // where this tab is led: it goes there once
  departure: 0, // the timers of the way there
  homeward: 0, // and of the way back
  departedAt: 0,
  page: null, // the page that this tab is on its way to
  links: 0, // links for the page that is open,
  openedLinks: 0, // and those of them that it shows
  inertUntil: 0, // what is moved on a page that another is about to replace would be lost
});

const wayKey = room => `room ${room} before`; // in the session: where this tab was when it was led away
export const canGoBack = tab => Boolean(sessionStorage.getItem(wayKey(tab.room)));
export const readWayBack = tab => JSON.parse(sessionStorage.getItem(wayKey(tab.room)) ?? '[]');
export function takeWayBack(tab) {
  const way = readWayBack(tab);
  sessionStorage.removeItem(wayKey(tab.room));
  return way;
}

export const spread = (what, { members }) => Math.random() * Math.max(LEAST_APART, APART[what] * members);

// With a question the page forgets what it knew of the answer, and asks it once more; another page once it is open
// (see `hideResult`).
export function go(tab, page, query, asked) {
  const { journey } = tab;
  journey.page = page;
  journey.inertUntil = performance.now() + ARRIVES;
  if (openStage()?.data.page === page) {
    journey.links += 1;
    tab.wish('go', { query, number: journey.links, ...(asked && { asked }) });
    return;
  }
  journey.openedLinks = journey.links;
  const search = new URLSearchParams(query);
  if (tab.isOut) search.delete('room');
  else search.set('room', tab.room);
  goTo(page, String(search));
}

// Waits for the hand: what is under it is to be found on the way back, and an answer that was pressed is to arrive.
const isBusy = ({ asking }) =>
  Boolean(openStage()?.held || (performance.now() < asking.revealsUntil && pageQuestion()?.open));

export function leadAway(tab, destination) {
  const { now, journey } = tab;
  if (isBusy(tab)) {
    journey.departure = setTimeout(leadAway, LOOK, tab, destination);
    return;
  }
  const { page, address, sharing_key, number } = destination;
  clearTimeout(journey.homeward);
  if (!canGoBack(tab)) {
    const search = new URLSearchParams(location.search);
    if (!search.has('predict')) search.set('predict', '0'); // a question switches it on
    const way = [openPage(), String(search), now.opening, now.undone];
    sessionStorage.setItem(wayKey(tab.room), JSON.stringify(way));
  }
  const own = new URLSearchParams(location.search).get('question'), // it came with a link: a room shares no text
    to = new URLSearchParams(address);
  if (!to.has('predict')) to.set('predict', '0'); // else a page keeps what it has
  if (own && openStage()?.data.page === page) to.set('question', own);
  journey.departedAt = performance.now();
  go(tab, page, String(to), number && sharing_key); // what is followed has no number
}

export function goBack(tab) {
  if (isBusy(tab)) {
    tab.journey.homeward = setTimeout(goBack, LOOK, tab);
    return;
  }
  const [page, query] = takeWayBack(tab);
  if (page) go(tab, page, query);
}

export function goBackAfter(tab, wait) {
  if (canGoBack(tab)) tab.journey.inertUntil = performance.now() + wait + ARRIVES;
  tab.journey.homeward = setTimeout(goBack, wait, tab);
}

export function arrive({ journey }, openedLink) {
  if (openedLink === journey.links) journey.openedLinks = openedLink;
  if (!journey.page || openStage()?.data.page !== journey.page || journey.openedLinks !== journey.links) return;
  journey.page = null;
  journey.inertUntil = 0;
  putInert(journey);
}

// A hand can move nothing of a pose of somebody else, or of a page that is about to be replaced.
function putInert(journey) {
  const stage = openStage();
  if (stage) stage.root.inert = Boolean(stage.otherPose) || performance.now() < journey.inertUntil;
}

const hides = query => new URLSearchParams(query).get('predict') === '1';
// To what is led or asked, once for each; a page that is there already shows the pose, but not before it hides its
// result where the leader's page does.
export function follow(tab) {
  const { now, journey } = tab,
    stage = openStage();
  if (now.leads) {
    if (stage) showSharedPose(stage, null);
    putInert(journey);
    return;
  }
  const isThere = stage && now.follow?.sharing_key === stage.data.room.sharing_key,
    toHide = isThere && pageQuestion() !== null && hides(now.follow.address),
    asLed = isThere && (pageQuestion() === null || hides(location.search) === toHide),
    pose = isThere && (asLed || !toHide) ? now.follow.pose : null;
  if (stage) showSharedPose(stage, pose);
  putInert(journey);
  now.led = Boolean(pose);
  document.documentElement.toggleAttribute('data-led', now.led);
  const toAsk = now.question?.open && !isAsked(now) && (now.follow?.page ?? now.question.page) === now.question.page,
    to = toAsk ? now.question : now.follow && !asLed ? now.follow : null;
  setOut(tab, to, spread('page', now) + (stage ? 0 : OPENS)); // a page may be about to open
}

function setOut(tab, to, wait) {
  const { now, journey } = tab,
    destination = to ? `${to.page} ${to.sharing_key} ${to.number ?? ''} ${hides(to.address)}` : '',
    isOld = destination === journey.destination;
  now.stuck = to !== null && isOld && journey.departedAt > 0 && performance.now() - journey.departedAt > ARRIVES;
  if (isOld) return;
  journey.destination = destination;
  clearTimeout(journey.departure);
  journey.departedAt = 0;
  if (to) journey.departure = setTimeout(leadAway, wait, tab, to);
}

export function stopFollowing({ journey }) {
  clearTimeout(journey.departure);
  clearTimeout(journey.homeward);
  const stage = openStage();
  if (!stage) return;
  showSharedPose(stage, null);
  stage.root.inert = false;
  document.documentElement.removeAttribute('data-led');
  stage.requestPaint();
}
