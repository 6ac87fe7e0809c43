// The question of a room: asked by whoever leads, answered on the page's own buttons (see ballot.js). The page shows
// its result once the answer is revealed.
import { ARRIVES, go, spread } from './following.js';
import { isAsked, openStage, pageQuestion } from './open_page.js';

export const newAsking = () => ({
  isWaiting: false, // the leader's page is to ask as soon as it can
  hidden: 0, // the number of the question whose result was hidden here,
  revealed: 0, // and of the one that was revealed
  revealsUntil: 0, // a link opened in the same moment could be undone by the press on an answer
  named: {}, // the answers by their names, of a question by its number
});

// Asks this page's question, once its result waits for a guess.
export function ask(tab) {
  const own = pageQuestion(),
    { page } = openStage()?.data ?? {},
    wasWaiting = tab.asking.isWaiting;
  tab.asking.isWaiting = Boolean(own && !own.of);
  if (own?.of) {
    const { of: sharing_key, answers } = own;
    tab.socket.say({ do: 'ask', page, sharing_key, query: location.search, answers: answers.length });
  } else if (own && !wasWaiting) {
    const search = new URLSearchParams(location.search);
    search.set('predict', '1');
    go(tab, page, String(search));
  }
}

// Who is on the page of a question that has just been put, and knows the answer: the result is hidden once more.
export function hideResult(tab) {
  const { now, asking } = tab,
    { question } = now;
  if (!question?.open || !isAsked(now) || pageQuestion().open || asking.hidden === question.number) return;
  asking.hidden = question.number;
  const hide = () => go(tab, openStage()?.data.page, location.search, question.sharing_key);
  setTimeout(hide, now.leads ? 0 : spread('answer', now));
}

export function choose({ now, socket }, place, question = now.question) {
  now.guess[question.round - 1] = place;
  socket.say({ do: 'guess', question: question.number, round: question.round, place });
}

export function ballotState({ now, journey }) {
  const { question } = now,
    coming = Boolean(question?.open && (journey.page || !openStage()));
  return {
    page: coming ? question.page : openStage()?.data.page,
    open: Boolean(isAsked(now) && question.open && pageQuestion().open),
    coming,
    question: question?.open ? question.number : null,
    chosen: now.guess[(question?.round ?? 0) - 1] ?? null,
  };
}

export function reveal({ now, asking, votes }) {
  const { question } = now;
  if (!question || question.open || !isAsked(now) || !pageQuestion().open || asking.revealed === question.number)
    return;
  asking.revealed = question.number;
  const lastGuess = now.guess.findLast(place => place !== null && place !== undefined),
    wait = now.leads ? 0 : spread('answer', now);
  asking.revealsUntil = performance.now() + wait + ARRIVES;
  setTimeout(() => votes.reveal(openStage()?.data.page, lastGuess), wait);
}

// What the answers of the room's question are called, also after this tab has gone to another page.
export function answerNames({ now, asking }) {
  if (isAsked(now)) asking.named = { number: now.question.number, answers: pageQuestion().answers };
  return asking.named.number === now.question?.number ? asking.named.answers : null;
}
