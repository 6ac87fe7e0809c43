// Put into every page before its own scripts: keeps count of Streamlit's script runs, so that a test
// can wait for the end of one, and opens further addresses in a tab without loading its scripts again.
// Reads the outer fields of the protobuf messages on the WebSocket.
try {
  // Home's ghost of a hand, which a visit sees once, has been there: a page that nobody touches stays as it is
  sessionStorage.setItem('attention_lab.ghost_hand', '1');
} catch {}
(() => {
  const RERUN_SCRIPT = 11,
    SCRIPT_FINISHED = 6,
    EARLY_FOR_RERUN = 2,
    NEW_SESSION = 4, // with this, each run of a page begins
    PAGE_SCRIPT_HASH = 9,
    MAIN_SCRIPT_HASH = 11;
  const STREAM = '/_stcore/stream',
    ZERO = '0'.charCodeAt(),
    RECONNECTS_WITHIN = 500; // ms; Streamlit waits so long before it connects again
  const INPUT_QUIET = 450,
    SOCKET_QUIET = 150; // ms; sliders wait 200 and the stage's keys 250 before they send
  // Who waits so has a timer, however late it ends on a busy machine: where none is pending, what an input does is
  // done after a few turns.
  const PAUSES = [100, INPUT_QUIET],
    TURNS = 6;
  const RESTS = 2, // how often nothing is left to do after a message until all that it brings is drawn
    REST_WITHIN = 500; // ms; a page that draws all the time never rests
  const runs = { visits: 1, asked: [], finished: [], waiting: false, held: null }; // times in ms
  window.labRuns = runs;
  const DRAWING = 80; // ms: a picture that has found its width is drawn within two frames
  const pausing = new Map(); // when each timer began, in ms
  let input = -INPUT_QUIET,
    turns = 0, // how often somebody has asked since the last input or the end of a pause
    socket = 0,
    rests = 0, // since the last message
    drawn = null,
    stream = null, // Streamlit's own socket
    firstRun = null, // the message with which the first run began: that of a whole page
    begun = false, // whether a run has begun since the last one was asked for
    leaving = false;

  // On a busy machine a message may be drawn long after it came, by tasks that come one after another.
  const heard = () => {
    const now = performance.now();
    socket = now;
    rests = 0;
    const rest = () => {
      if (now === socket && ++rests < RESTS) requestIdleCallback(rest, { timeout: REST_WITHIN });
    };
    requestIdleCallback(rest, { timeout: REST_WITHIN });
  };

  addEventListener('resize', heard, { capture: true }); // what follows the window is drawn a little later, too

  const fields = bytes => {
    const found = new Map();
    let i = 0;
    const varint = () => {
      let value = 0,
        unit = 1,
        byte;
      do {
        byte = bytes[i++];
        value += (byte & 127) * unit;
        unit *= 128;
      } while (byte & 128);
      return value;
    };
    while (i < bytes.length) {
      const tag = varint(),
        wire = tag % 8,
        number = (tag - wire) / 8;
      if (wire === 0) found.set(number, varint());
      else if (wire === 2) {
        const length = varint(); // first: it moves i
        found.set(number, bytes.subarray(i, i + length));
        i += length;
      } else i += wire === 1 ? 8 : 4;
    }
    return found;
  };

  window.WebSocket = class extends WebSocket {
    constructor(address, protocols) {
      const streams = String(address).includes(STREAM);
      super(address, streams && leaving ? protocols.slice(0, 2) : protocols); // the third is the session so far
      if (streams) stream = this;
      this.addEventListener('message', ({ data }) => {
        heard();
        const message = data instanceof ArrayBuffer ? fields(new Uint8Array(data)) : new Map(),
          status = message.get(SCRIPT_FINISHED);
        if (message.has(NEW_SESSION)) {
          firstRun ??= data;
          begun = true;
        }
        if (status === undefined) return;
        runs.finished.push(socket);
        if (status !== EARLY_FOR_RERUN && begun) runs.waiting = false;
      });
    }
    send(data) {
      if (ArrayBuffer.isView(data) && fields(data).has(RERUN_SCRIPT)) {
        heard();
        runs.asked.push(socket);
        runs.waiting = true;
        begun = false;
      }
      super.send(data);
    }
  };

  let pressed = false;
  const noted = event => {
    if (event.type === 'pointermove' && !event.buttons) return;
    if (event.type === 'pointerup' && !pressed) return; // as whoever hands a tab on lets go of a button
    if (event.type.startsWith('pointer')) pressed = event.type !== 'pointerup';
    input = performance.now();
    turns = 0;
  };
  for (const type of ['pointerdown', 'pointermove', 'pointerup', 'keydown', 'keyup', 'input', 'change'])
    addEventListener(type, noted, { capture: true, passive: true });

  const { setTimeout, clearTimeout } = window;
  window.setTimeout = (callback, delay, ...given) => {
    if (leaving && delay <= RECONNECTS_WITHIN) return setTimeout(callback, 0, ...given);
    if (!(delay >= PAUSES[0] && delay <= PAUSES[1])) return setTimeout(callback, delay, ...given);
    const end = () => {
      if (runs.held) runs.held.push(end);
      else if (pausing.delete(timer)) {
        turns = 0;
        callback(...given);
      }
    };
    const timer = setTimeout(end, delay);
    pausing.set(timer, performance.now());
    return timer;
  };
  window.clearTimeout = timer => {
    pausing.delete(timer);
    clearTimeout(timer);
  };

  const until = async (condition, within = 30_000) => {
    for (const end = performance.now() + within; !condition(); await new Promise(then => setTimeout(then, 5)))
      if (performance.now() > end) throw new Error(`waited ${within} ms in vain for ${condition}`);
  };

  // Takes away all that stands on the page, as before another page comes, and then what is remembered here and on the
  // server, so that the next address opens as in a browser that has never been here, yet with the scripts loaded.
  runs.leave = async () => {
    const app = document.querySelector('[data-testid="stApp"]'),
      connected = () => app.dataset.testConnectionState === 'CONNECTED';
    const elsewhere = firstRun.slice(0);
    const session = fields(fields(new Uint8Array(elsewhere)).get(NEW_SESSION));
    for (const hash of [PAGE_SCRIPT_HASH, MAIN_SCRIPT_HASH]) session.get(hash).fill(ZERO); // there is no such page
    stream.dispatchEvent(new MessageEvent('message', { data: elsewhere }));
    await until(() => !document.querySelector('[data-testid="stElementContainer"]'));
    leaving = true;
    localStorage.clear();
    sessionStorage.clear();
    const before = stream;
    stream.close();
    await until(() => stream !== before && stream.readyState === WebSocket.OPEN && connected());
    leaving = false;
    // They still run, or Streamlit would wait for them forever; but the next page has nothing to do with them.
    for (const timer of pausing.keys()) pausing.set(timer, Infinity);
    Object.assign(runs, { visits: runs.visits + 1, asked: [], finished: [], waiting: false, held: null });
    drawn = null;
  };

  runs.go = address => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  };

  // A message as if the server had sent it.
  runs.receive = bytes => {
    stream.dispatchEvent(new MessageEvent('message', { data: new Uint8Array(bytes).buffer }));
  };

  // Between these no pause ends, however slowly one key follows another.
  runs.hold = () => {
    runs.held = [];
  };
  runs.release = () => {
    const ended = runs.held;
    runs.held = null;
    for (const end of ended) end();
  };

  // A page's stage comes with its code, after the run: until something stands on it, nothing is drawn.
  runs.stages = () =>
    [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].flatMap(e =>
      e.shadowRoot ? [...e.shadowRoot.querySelectorAll('.stage')] : [],
    );
  const staged = () => {
    const inside = runs.stages();
    if (inside.some(stage => stage.hasAttribute('data-travels'))) return false;
    const on = inside.some(stage => stage.childElementCount);
    if (!on) drawn = null;
    else drawn ??= performance.now();
    return (
      !document.querySelector('[data-testid="stBidiComponentIsolated"]') || (on && performance.now() - drawn > DRAWING)
    );
  };

  // Whether something waits that the last input may have begun; what began later, such as a clock, is not waited for.
  const pauses = () => [...pausing.values()].some(began => began < input + INPUT_QUIET);

  // A script that cannot be read never comes to rest: whoever waits hears why. An answer that is no JSON is no script.
  let unreadable = null;
  const hear = (error, place) => {
    if (error instanceof SyntaxError && !/JSON/.test(error.message)) unreadable ??= `${place} ${error}`;
  };
  addEventListener('error', ({ error, filename, lineno }) => hear(error, `${filename}, line ${lineno}:`));
  addEventListener('unhandledrejection', ({ reason }) => hear(reason, 'a script that was imported:'));

  runs.settled = () => {
    if (unreadable) throw new Error(unreadable);
    const now = performance.now();
    const app = document.querySelector('[data-testid="stApp"]');
    return Boolean(
      app &&
        app.dataset.testConnectionState === 'CONNECTED' &&
        app.dataset.testScriptState === 'notRunning' &&
        runs.finished.length &&
        !runs.waiting &&
        !pauses() &&
        !document.documentElement.style.getPropertyValue('--turning') && // no other page is on its way
        (now - input > INPUT_QUIET || ++turns > TURNS) &&
        now - socket > SOCKET_QUIET &&
        rests >= RESTS &&
        !document.querySelector('[data-testid$="Skeleton"], [data-testid="stSkeletonElement"], [data-stale="true"]') &&
        [...document.querySelectorAll('.stVegaLiteChart')].every(chart => chart.querySelector('svg, canvas')) &&
        staged(),
    );
  };
})();
