// A tab's own socket to its room. It takes the same seat again after a cut, a sleeping phone or a reload; who leads has
// a secret, which came by a link (behind the #, so that no server is told it) and stays in this tab alone.
const FIRST = 1000,
  LONGEST = 15_000, // ms until it is tried again
  FULL = 20_000;
// Why a room closes a socket for good; on anything else it is looked for again.
const FINAL = ['unknown', 'taken', 'rooms', 'name', 'over', 'tries', 'too much', 'broken', 'origin', 'seat'];

const drawn = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), b => b.toString(16).padStart(2, '0')).join('');

function kept(key, make) {
  const known = sessionStorage.getItem(key) ?? make();
  if (known) sessionStorage.setItem(key, known);
  return known;
}

// The secret is taken out of the address as soon as it is seen.
function secret_of(key) {
  const [, secret] = /[#&]lead=([0-9a-f]{32})/.exec(location.hash) ?? [];
  if (secret) {
    sessionStorage.setItem(key, secret);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(key);
}

// hear(told): what the room says. cut(why): it is cut off; why is '' where it will be looked for again.
export function connect(room, opens, { hear, cut }) {
  const keys = { seat: `room ${room} seat`, lead: `room ${room} lead` };
  let socket = null,
    wait = FIRST,
    timer = 0,
    gone = false;
  const again = after => {
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
      const secret = secret_of(keys.lead),
        seat = kept(keys.seat, drawn);
      own.send(
        JSON.stringify(opens && !secret ? { do: 'open', seat } : { do: 'join', seat, ...(secret && { secret }) }),
      );
    });
    own.addEventListener('message', ({ data }) => {
      if (own !== socket) return;
      wait = FIRST;
      const told = JSON.parse(data);
      if (told.secret) sessionStorage.setItem(keys.lead, told.secret);
      if (told.leads === false) sessionStorage.removeItem(keys.lead);
      hear(told);
    });
    own.addEventListener('close', ({ reason }) => {
      if (own !== socket || gone) return;
      socket = null;
      if (reason === 'elsewhere') sessionStorage.removeItem(keys.seat); // this tab is another one's copy
      if (FINAL.includes(reason)) {
        if (reason === 'unknown' || reason === 'over') forget();
        cut(reason);
        return;
      }
      cut(reason === 'full' ? 'full' : '');
      again(reason === 'full' ? FULL : wait);
      wait = Math.min(LONGEST, 2 * wait);
    });
  }
  const forget = () => {
    for (const key of Object.values(keys)) sessionStorage.removeItem(key);
  };
  const awake = () => {
    if (document.visibilityState === 'visible' && !socket && timer) open();
  };
  document.addEventListener('visibilitychange', awake);
  window.addEventListener('online', awake);
  open();
  return {
    get open() {
      return socket?.readyState === WebSocket.OPEN;
    },
    get secret() {
      return sessionStorage.getItem(keys.lead);
    },
    say: said => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(said)),
    leave: () => {
      gone = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', awake);
      window.removeEventListener('online', awake);
      socket?.close();
    },
  };
}
