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

// on: { hear(message): what the room says, cut(why): it is cut off; why is '' where it will be looked for again }
export function connect(room, opens, on) {
  const keys = { seat: `room ${room} seat`, lead: `room ${room} lead`, code: `room ${room} code` },
    wasIn = sessionStorage.getItem(keys.seat) !== null;
  // What every function below gets as its `line`. `missingSince`: when the room was first not there any more.
  const line = { room, opens, on, keys, wasIn, socket: null, wait: FIRST, timer: 0, gone: false, missingSince: null };
  const awake = () => {
    if (document.visibilityState === 'visible' && !line.socket && line.timer) openSocket(line);
  };
  document.addEventListener('visibilitychange', awake);
  window.addEventListener('online', awake);
  openSocket(line);
  return {
    get secret() {
      return sessionStorage.getItem(keys.lead);
    },
    enter: code => {
      sessionStorage.setItem(keys.code, code);
      line.wasIn = false;
      openSocket(line);
    },
    say: message => line.socket?.readyState === WebSocket.OPEN && line.socket.send(JSON.stringify(message)),
    leave: () => {
      line.gone = true;
      clearTimeout(line.timer);
      document.removeEventListener('visibilitychange', awake);
      window.removeEventListener('online', awake);
      line.socket?.close();
    },
  };
}

function openSocket(line) {
  if (line.gone || line.socket?.readyState <= WebSocket.OPEN) return;
  clearTimeout(line.timer);
  const url = new URL('/room', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('room', line.room);
  const own = new WebSocket(url);
  line.socket = own;
  own.addEventListener('open', () => own.send(JSON.stringify(greeting(line))));
  own.addEventListener('message', ({ data }) => own === line.socket && receive(line, JSON.parse(data)));
  own.addEventListener('close', ({ reason }) => own === line.socket && !line.gone && handleClose(line, reason));
}

function retry(line, after) {
  clearTimeout(line.timer);
  line.timer = setTimeout(openSocket, after * (0.7 + 0.6 * Math.random()), line);
}

function greeting({ room, opens, keys, wasIn }) {
  const secret = secretOf(keys.lead),
    code = sessionStorage.getItem(keys.code),
    seat = stored(keys.seat, drawn),
    browser = stored(`room ${room} browser`, drawn, localStorage), // all its tabs count as one member
    what = opens && !secret && !wasIn ? 'open' : 'join';
  return { do: what, seat, browser, ...(secret && { secret }), ...(code && { code }) };
}

function receive(line, message) {
  Object.assign(line, { wait: FIRST, wasIn: true, missingSince: null });
  if (message.secret) sessionStorage.setItem(line.keys.lead, message.secret);
  if (message.leads === false) sessionStorage.removeItem(line.keys.lead);
  line.on.hear(message);
}

function handleClose(line, reason) {
  const { keys, on } = line;
  line.socket = null;
  if (reason === 'elsewhere') sessionStorage.removeItem(keys.seat); // this tab is another one's copy
  if (line.wasIn && (reason === 'unknown' || reason === 'tries')) {
    line.missingSince ??= performance.now();
    if (performance.now() - line.missingSince < PATIENCE) {
      on.cut('restarted');
      retry(line, RESTARTED);
      return;
    }
  }
  if (FINAL.includes(reason)) {
    if (reason === 'unknown' || reason === 'over') {
      for (const key of Object.values(keys)) sessionStorage.removeItem(key);
      line.wasIn = false;
    }
    on.cut(reason);
    return;
  }
  const forNow = FOR_NOW.includes(reason);
  on.cut(forNow ? reason : '');
  retry(line, forNow ? FULL : line.wait);
  line.wait = Math.min(LONGEST, 2 * line.wait);
}
