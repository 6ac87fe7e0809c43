// A tab's own socket to its room. It takes the same seat again after a cut, a sleeping phone or a reload; who leads has
// a secret, which came by a link (behind the #, so that no server is told it) and stays in this tab alone.
import { dropFragment } from '../../figure/browser/address.js';

const FIRST = 1000,
  LONGEST = 15_000, // ms until it is tried again
  FULL = 20_000,
  RESTARTED = 3000, // ms between two tries after a restart
  PATIENCE = 600_000; // ms that a member waits for the leader's browser after a restart
// Why a room closes a socket for good; on anything else it is looked for again.
const FINAL = [
  ...['unknown', 'taken', 'rooms', 'name', 'code', 'removed', 'over'],
  ...['tries', 'too much', 'broken', 'origin', 'seat'],
];
const FOR_NOW = ['full', 'locked'];

const drawn = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, '0')).join('');

function stored(key, make, storage = sessionStorage) {
  const known = storage.getItem(key) ?? make();
  if (known) storage.setItem(key, known);
  return known;
}

// The secret is taken out of the address as soon as it is seen.
function secretOf(key) {
  const [, secret] = /[#&]lead=([0-9a-f]{32})/.exec(location.hash) ?? [];
  if (secret) {
    sessionStorage.setItem(key, secret);
    dropFragment();
  }
  return sessionStorage.getItem(key);
}

// hear(message): what the room says. cut(why): it is cut off; why is '' where it will be looked for again.
export function connect(room, opens, { hear, cut }) {
  const keys = { seat: `room ${room} seat`, lead: `room ${room} lead`, code: `room ${room} code` };
  let socket = null,
    wait = FIRST,
    timer = 0,
    gone = false,
    wasIn = sessionStorage.getItem(keys.seat) !== null,
    missingSince = null; // when the room was first not there any more
  const retry = after => {
    clearTimeout(timer);
    timer = setTimeout(open, after * (0.7 + 0.6 * Math.random()));
  };
  function open() {
    if (gone || socket?.readyState <= WebSocket.OPEN) return;
    clearTimeout(timer);
    const url = new URL('/room', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.searchParams.set('room', room);
    const own = new WebSocket(url);
    socket = own;
    own.addEventListener('open', () => {
      const secret = secretOf(keys.lead),
        code = sessionStorage.getItem(keys.code),
        seat = stored(keys.seat, drawn),
        browser = stored(`room ${room} browser`, drawn, localStorage), // all its tabs count as one member
        what = opens && !secret && !wasIn ? 'open' : 'join';
      own.send(JSON.stringify({ do: what, seat, browser, ...(secret && { secret }), ...(code && { code }) }));
    });
    own.addEventListener('message', ({ data }) => {
      if (own !== socket) return;
      wait = FIRST;
      wasIn = true;
      missingSince = null;
      const message = JSON.parse(data);
      if (message.secret) sessionStorage.setItem(keys.lead, message.secret);
      if (message.leads === false) sessionStorage.removeItem(keys.lead);
      hear(message);
    });
    own.addEventListener('close', ({ reason }) => {
      if (own !== socket || gone) return;
      socket = null;
      if (reason === 'elsewhere') sessionStorage.removeItem(keys.seat); // this tab is another one's copy
      if (wasIn && (reason === 'unknown' || reason === 'tries')) {
        missingSince ??= performance.now();
        if (performance.now() - missingSince < PATIENCE) {
          cut('restarted');
          retry(RESTARTED);
          return;
        }
      }
      if (FINAL.includes(reason)) {
        if (reason === 'unknown' || reason === 'over') forget();
        cut(reason);
        return;
      }
      const forNow = FOR_NOW.includes(reason);
      cut(forNow ? reason : '');
      retry(forNow ? FULL : wait);
      wait = Math.min(LONGEST, 2 * wait);
    });
  }
  const forget = () => {
    for (const key of Object.values(keys)) sessionStorage.removeItem(key);
    wasIn = false;
  };
  const awake = () => {
    if (document.visibilityState === 'visible' && !socket && timer) open();
  };
  document.addEventListener('visibilitychange', awake);
  window.addEventListener('online', awake);
  open();
  return {
    get secret() {
      return sessionStorage.getItem(keys.lead);
    },
    enter: code => {
      sessionStorage.setItem(keys.code, code);
      wasIn = false;
      open();
    },
    say: message => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message)),
    leave: () => {
      gone = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', awake);
      window.removeEventListener('online', awake);
      socket?.close();
    },
  };
}
