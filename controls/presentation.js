// A projector's page: type as large as the window allows with the whole picture in it, and the next and the previous
// page by key. Keys go to what has the focus; only where nothing has it do they turn the page.
const WAYS = { PageDown: 'after', ArrowRight: 'after', PageUp: 'before', ArrowLeft: 'before' };
const SMALLEST = 9,
  LARGEST = 30,
  PHONE = 700, // px: as in presentation.css
  ON_A_PHONE = 18,
  LOOK = 150, // ms
  PATIENCE = 8;
const found = new Map(); // the size of type that fits, by page and window

const frames = async count => {
  for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame);
};

function stage_with_picture() {
  for (const host of document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')) {
    const stage = host.shadowRoot?.querySelector('.stage:has([data-pictured])');
    if (stage?.dataset.frames) return stage;
  }
  return null;
}

// Where the picture and all that stands beside it end.
function bottom(stage) {
  const scrolled = document.querySelector('[data-testid="stMain"]').scrollTop,
    ends = [...stage.querySelectorAll('[data-pictured] > *')].map(part => part.getBoundingClientRect().bottom),
    picture = Math.max(...ends);
  const beside = [...stage.children].filter(column => column.getBoundingClientRect().top < picture - 1);
  const columns = beside.map(column => column.lastElementChild?.getBoundingClientRect());
  const lower = beside.flatMap(column =>
    [...column.querySelectorAll(':scope > .part > *')].map(part => part.getBoundingClientRect().bottom),
  );
  return Math.max(picture, ...columns.map(box => box?.bottom ?? 0), ...lower) + scrolled;
}

export default () => {
  const root = document.documentElement,
    put = size => root.style.setProperty('--projected', `${size}px`);
  let fitted = '',
    busy = false,
    gone = false;
  const fit = async (stage, called) => {
    busy = true;
    let [low, high] = [SMALLEST, LARGEST];
    const fits = async size => {
      put(size);
      let [now, before] = [0, -1];
      for (let i = 0; i < PATIENCE && now !== before; i++) {
        await frames(3); // pictures follow their room a frame later
        [before, now] = [now, bottom(stage)];
      }
      return now <= innerHeight - 2;
    };
    while (high - low > 0.5 && !gone && stage.isConnected) {
      const size = (low + high) / 2;
      if (await fits(size)) low = size;
      else high = size;
    }
    while (!gone && stage.isConnected && low > SMALLEST && !(await fits(low))) low -= 0.5;
    if (!gone && stage.isConnected) {
      found.set(called, low);
      root.dataset.projected = location.pathname; // type has found its size here
    }
    busy = false;
  };
  const look = () => {
    if (busy) return;
    if (innerWidth < PHONE) {
      put(ON_A_PHONE);
      fitted = '';
      return;
    }
    const stage = stage_with_picture();
    if (!stage) return;
    const called = `${location.pathname} ${innerWidth} ${innerHeight} ${stage.childElementCount}`;
    if (called === fitted) return;
    fitted = called;
    delete root.dataset.projected;
    if (!found.has(called)) fit(stage, called);
    else {
      put(found.get(called));
      root.dataset.projected = location.pathname;
    }
  };
  const turn = event => {
    const way = WAYS[event.key],
      [at] = event.composedPath();
    if (!way || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const free = at === document.body || at === root || at.matches?.('[data-testid="stMain"], .st-key-projector a');
    const link = document.querySelector(`.st-key-${way} a`);
    const asked = [...document.querySelectorAll('[role="dialog"]')].some(dialog => dialog.checkVisibility());
    if (!free || !link || asked) return;
    event.preventDefault();
    link.click();
  };
  const timer = setInterval(look, LOOK);
  look();
  window.addEventListener('keydown', turn);
  return () => {
    gone = true;
    clearInterval(timer);
    window.removeEventListener('keydown', turn);
    root.style.removeProperty('--projected');
    delete root.dataset.projected;
  };
};
