// What a page shows of its room, and what the room is told of the page: where this tab is, what its hand has moved, its
// answer. Once a second at most; whoever leads is followed, and everything is given back when that ends.
import { roomOverlay } from '../../figure/browser/room_overlay.js';
import { ballot } from './ballot.js';
import { drawBar, dressBar, makeBar, removeBar } from './bar.js';
import * as following from './following.js';
import { cut, hear, newReports, newRoom, report, setLeading } from './messages.js';
import { isAsked, openPage, openStage, pageQuestion } from './open_page.js';
import { answerNames, ask, ballotState, choose, hideResult, newAsking, reveal } from './question.js';
import { connect } from './socket.js';

const PHONE = 700, // px
  STAYS = 3000; // ms that a room waits for the next page

let present = null; // this tab in its room

export function showRoom({ parentElement, data, setTriggerValue }, style) {
  const { room, entered, opens, went, words, leaves } = JSON.parse(data);
  if (present?.room !== room || entered > present.entered) {
    if (present) leave(present);
    present = enter(room, entered, opens);
  }
  const tab = present;
  clearTimeout(tab.leaving);
  tab.wish = (name, value) => setTriggerValue(name, value);
  following.arrive(tab, went);
  if (tab.bar?.words['bar/leave'] !== words['bar/leave']) putBar(tab, words, style); // it may be another language
  dressBar(tab.bar, parentElement);
  if (leaves) setTimeout(leaveRoom, 0, tab);
  return () => {
    tab.departed?.(); // Python knows that the room was left
    tab.departed = null;
    tab.leaving = setTimeout(() => {
      leave(tab);
      if (present === tab) present = null;
    }, STAYS);
  };
}

function enter(room, entered, opens) {
  // On a phone the menu, in which the words were typed, would lie over the page.
  if (innerWidth < PHONE) document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  const tab = {
    room,
    entered, // how often this browser had come into a room
    now: newRoom(room),
    journey: following.newJourney(),
    asking: newAsking(),
    reports: newReports(),
    unheard: null, // what was known when the socket was cut: the question, what this tab answered, what was set
    wish: null, // tells Python something
    isOut: false, // the reader has left the room
    departed: null, // what is to be done once Python knows that
    leaving: 0, // timers
    looking: 0,
    bar: null,
    votes: null,
    socket: null,
  };
  const vote = place => {
    if (tab.now.leads) return;
    choose(tab, place);
    draw(tab);
  };
  tab.votes = ballot(() => ballotState(tab), vote);
  tab.socket = connect(room, opens, {
    hear: message => {
      hear(tab, message);
      openStage()?.requestPaint();
      update(tab);
    },
    cut: why => {
      cut(tab, why);
      update(tab);
      if (tab.now.status !== 'ended' || why === 'code') return;
      const end = () => present === tab && tab.wish('over', tab.now.why);
      setTimeout(end, following.spread('answer', tab.now));
    },
  });
  roomOverlay.met = () => {
    following.arrive(tab);
    update(tab);
  };
  tab.looking = setInterval(look, following.LOOK, tab);
  return tab;
}

function putBar(tab, words, style) {
  if (tab.bar) removeBar(tab.bar);
  tab.bar = makeBar(tab.room, words, style, {
    ask: () => ask(tab),
    say: message => tab.socket.say(message),
    lead: on => {
      setLeading(tab, on);
      if (on) tab.reports = newReports();
      else tab.socket.say({ do: 'lead', page: null });
    },
    back: () => following.goBack(tab),
    toQuestion: () => tab.now.question && following.leadAway(tab, tab.now.question),
    secret: () => tab.socket.secret,
    enter: code => {
      Object.assign(tab.now, { status: 'joining', entered: true });
      tab.socket.enter(code);
      draw(tab);
    },
    leave: () => leaveRoom(tab),
  });
  draw(tab);
}

function look(tab) {
  following.arrive(tab);
  if (tab.asking.isWaiting && pageQuestion()?.of) ask(tab);
  following.follow(tab);
  hideResult(tab);
  reveal(tab);
  report(tab);
  draw(tab);
}

function update(tab) {
  following.follow(tab);
  draw(tab);
}

function draw(tab) {
  const { now } = tab,
    stage = openStage();
  drawBar(tab.bar, {
    ...now,
    asked: pageQuestion(),
    answers: answerNames(tab),
    isAsked: isAsked(now),
    page: stage?.data.page,
    goalNames: goalNames(stage),
    canGoBack: following.canGoBack(tab) && !now.follow,
    secondsLeft: now.ends === null ? null : Math.max(0, (now.ends - performance.now()) / 1000),
  });
  tab.votes.draw();
}

// The goals of a page by their names, as its card says them.
function goalNames(stage) {
  const parts = (stage?.data.columns ?? []).flatMap(column => column.parts),
    { goals = [] } = parts.find(part => part.kind === 'goals') ?? {};
  return Object.fromEntries(goals.map(({ name, text }) => [name, text]));
}

function leaveRoom(tab) {
  if (tab.isOut) return;
  tab.isOut = true;
  const [page, query] = following.takeWayBack(tab);
  leave(tab);
  tab.wish('leave', (page === openPage() && query) || 1);
  if (page && page !== openPage()) tab.departed = () => following.go(tab, page, query);
}

function leave(tab) {
  clearInterval(tab.looking);
  tab.socket.leave();
  tab.votes.leave();
  removeBar(tab.bar);
  roomOverlay.met = null;
  roomOverlay.hands.clear();
  following.stopFollowing(tab);
}
