// Nothing may be stored in some browsers.
function tryStorage(act) {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}

// Streamlit's own names, in the page's language.
const NAMES = {
  home: '[data-testid="stLogoLink"]',
  close: '[data-testid="stSidebarCollapseButton"] button',
  open: '[data-testid="stExpandSidebarButton"]',
  name: '[data-testid="stSidebar"]',
  pages: '[data-testid="stSidebarNav"]',
  choose: '[data-testid="stFileUploaderDropzone"] > span > button, [data-testid="stFileUploaderDropzoneInput"]',
};
let words = {},
  shown = ''; // the path of the page whose link was brought into sight
function translate() {
  for (const [name, selector] of Object.entries(NAMES))
    for (const element of document.querySelectorAll(selector)) element.ariaLabel = words[name];
  document.querySelector('[data-testid="stFileUploaderDropzone"]')?.setAttribute('role', 'group'); // it has a name
  const skip = document.querySelector('[data-testid="stSkipToContent"]');
  if (skip && skip.textContent !== words.skip) skip.textContent = words.skip;
}

// The sidebar as Streamlit makes it, mended for those who do not see it: folded, it is out of reach of the tab key;
// and the links of its menu are a list for each section.
function mend() {
  translate();
  const sidebar = document.querySelector(NAMES.name);
  if (!sidebar) return;
  const folded = sidebar.dataset.collapsed === 'true';
  if (folded !== sidebar.inert) {
    const leaves = folded && sidebar.contains(document.activeElement);
    sidebar.inert = folded;
    if (leaves) document.querySelector(NAMES.open)?.focus();
  }
  const menu = sidebar.querySelector('[data-testid="stSidebarNavItems"]'),
    link = menu?.querySelector('[aria-current]');
  if (!menu) return;
  if (link && link.pathname !== shown && !folded) {
    shown = link.pathname;
    link.scrollIntoView({ block: 'nearest' });
    const list = sidebar.querySelector('[data-testid="stSidebarContent"]'),
      logo = sidebar.querySelector('[data-testid="stSidebarHeader"]').offsetHeight;
    if (list.scrollTop > 0 && list.scrollTop < logo) list.scrollTop = logo; // the logo is whole or out of sight
  }
  menu.setAttribute('role', 'none');
  for (const section of menu.children) {
    section.setAttribute('role', 'list');
    const name = section.querySelector('[data-testid="stNavSectionHeader"] p')?.textContent;
    if (name) section.setAttribute('aria-label', name);
  }
}

// Between two pages the browser shows a picture of the old one, until the new one is drawn below it. The picture is a
// view transition, which app_shell.css holds on to for 3 s at most; the menu stays alive beside it. A browser without
// view transitions shows how the page is drawn.
const MAIN = '[data-testid="stMain"]',
  LINK = '[data-testid="stSidebarNavLink"]',
  OPENS = `${LINK}, [data-testid="stPageLink-NavLink"], .course a, [class*="st-key-see-"] button`,
  STAGE = '[class*="st-key-"][class*="-stage"]',
  COMES = '[data-stale="true"], [data-testid$="Skeleton"], .st-key-head [data-testid^="stBidi"]:not([data-drawn])',
  APP = '[data-testid="stApp"]',
  RUN_HAS_ENDED = `${APP}[data-test-script-state="notRunning"]`;
const html = document.documentElement;
let turning = null, // the path of the page that is on its way
  opens = null, // what opens it, until there is a picture
  turned = null; // the view transition
const pathOf = address => address?.pathname.replace(/\/$/, ''); // Home's with its slash or without
const currentPage = () => pathOf(document.querySelector(`${LINK}[aria-current]`));
function isDrawn() {
  const main = document.querySelector(MAIN),
    there = selector => Boolean(main?.querySelector(selector));
  if (currentPage() !== turning || !there('h1') || there(`:is(${COMES})`)) return false;
  return there(`${STAGE} [data-drawn]`) || (!there(STAGE) && Boolean(document.querySelector(RUN_HAS_ENDED)));
}
const frame = () => new Promise(requestAnimationFrame);
// The menu marks the page that comes at once.
function markMenu(mark) {
  for (const link of document.querySelectorAll(LINK))
    link.style.background = turning === null ? '' : pathOf(link) === turning ? mark : 'none';
}

// Opens the page at a path behind a picture of the one that is shown. Returns false where it can be opened at once.
function turn(path, open) {
  const [main, app, current] = [MAIN, APP, `${LINK}[aria-current]`].map(each => document.querySelector(each));
  if (turning !== null) turning = path; // its page comes behind the picture that is there
  if (opens) opens = open;
  if (opens) return true;
  const mark = current && getComputedStyle(current).background;
  if (turning !== null || !document.startViewTransition || !current || !main.querySelector('h1')) return false;
  if (path === currentPage() || document.getElementById('first')) return false;
  if (matchMedia('print, (prefers-reduced-data: reduce)').matches) return false;
  turning = path;
  opens = open;
  html.style.setProperty('--turning', getComputedStyle(app).color);
  const transition = document.startViewTransition(() => {
    markMenu(mark);
    main.style.visibility = 'hidden'; // it is not reached by key or heard before it is seen
    const go = opens;
    opens = null;
    go();
  });
  const ends = () => {
    if (turned === transition) turned = turning = null;
    if (turned) return; // another one has begun
    markMenu();
    main.style.visibility = '';
    html.style.removeProperty('--turning');
  };
  turned = transition;
  transition.ready.catch(() => {});
  transition.finished.then(ends, ends);
  transition.updateCallbackDone.then(async () => {
    while (turned === transition && !isDrawn()) await frame();
    main.style.visibility = '';
    for (let k = 0; k < 2; k++) await frame(); // what has been drawn fits itself to its room
    if (turned === transition) turned = turning = null; // from now on another page may be opened behind a picture
    transition.skipTransition();
  });
  return true;
}

// A link to another page or state opens it at its top. Left to itself, the browser holds on to what stood below while
// the new page is drawn above it, and scrolls down with it.
const DRAWN = 3000; // ms until a page has been drawn
function openAtTop() {
  const main = document.querySelector(MAIN);
  main.style.overflowAnchor = 'none';
  main.scrollTop = 0;
  setTimeout(() => main.style.removeProperty('overflow-anchor'), DRAWN);
}
function openLink(event) {
  const link = event.target.closest?.(OPENS);
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (!link.href || !turn(pathOf(link), () => link.click())) openAtTop();
  else {
    event.preventDefault();
    event.stopPropagation();
  }
}
// Back, Forward, and what `goTo` in address.js opens.
function traverse(event) {
  const { state, hasUAVisualTransition } = event,
    again = () => dispatchEvent(new PopStateEvent('popstate', { state }));
  if (!hasUAVisualTransition && turn(pathOf(location), again)) event.stopImmediatePropagation();
}

// A card of the course opens its page without loading the app again. What is opened in another tab is the browser's.
function openCard(event) {
  const card = event.target.closest?.('.course a'),
    { address } = globalThis.attention_lab?.modules ?? {};
  if (!card || !address || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  address.goTo(card.dataset.page, '');
}

// A tick beside each page whose goals were all met in this browser (attention_lab/figure/browser/remembered_goals.js).
const PAGES = `${LINK}, .course a`,
  RESET = '.st-key-reset_all button';
const remembers = page => tryStorage(storage => storage.getItem(`goals ${page}`)) === '*';
let links = []; // those that were there at the last look
function tick() {
  links = [...document.querySelectorAll(PAGES)];
  const home = document.querySelector(LINK),
    pageOf = link => link.dataset.page ?? (link === home ? 'home' : link.pathname.split('/').pop()),
    met = new Set([...new Set(links.map(pageOf))].filter(remembers));
  for (const link of links) {
    const mark = link.querySelector('.page-done');
    if (met.has(pageOf(link)) && mark?.title === words.done) continue;
    mark?.remove();
    if (!met.has(pageOf(link))) continue;
    const about = { className: 'page-done', role: 'img', title: words.done };
    link.append(Object.assign(document.createElement('span'), about));
  }
}
function tickNewLinks() {
  const now = document.querySelectorAll(PAGES);
  if (now.length !== links.length || links.some((link, i) => link !== now[i])) tick();
}
function forgetGoals({ target }) {
  if (!target.closest?.(RESET)) return;
  tryStorage(storage => {
    for (const key of Object.keys(storage)) if (key.startsWith('goals ')) storage.removeItem(key);
  });
  tick();
}

// Light or dark, for all pages: Streamlit would keep a choice for each (ROOT_SCRIPT in streamlit_internals.py). It is
// made in Streamlit's own menu, which does not show. A theme that is the system's follows the system from then on.
async function switchTheme() {
  const { matches } = matchMedia('(prefers-color-scheme: dark)'),
    isDark = getComputedStyle(document.querySelector(APP)).colorScheme === 'dark',
    theme = matches !== isDark ? 'System' : isDark ? 'Light' : 'Dark';
  tryStorage(storage => storage.setItem('attention_lab.theme', JSON.stringify(theme)));
  const menu = document.querySelector('[data-testid="stMainMenuButton"]');
  menu?.click();
  let choice = null;
  for (let k = 0; k < 60 && !choice; k++) {
    await frame();
    choice = document.querySelector(`[data-testid$="-theme-${theme}"]`);
  }
  if (choice) {
    choice.click();
    menu.click(); // it stays open otherwise
  } else location.reload();
}
// Buttons of Streamlit's whose clicks need no Python.
const HERE = { '.st-key-theme button': switchTheme, '.st-key-print button': () => window.print() };
function actHere(event) {
  for (const [selector, act] of Object.entries(HERE))
    if (event.target.closest?.(selector)) {
      event.stopPropagation();
      act();
    }
}

// Streamlit ends a session for good when it can't read a message. The page is loaded again once the server answers:
// its URL holds the pose.
const ENDED = 'DISCONNECTED_FOREVER',
  RETRY = 2000; // ms
let reloading = false;
async function reloadWhenEnded() {
  const state = document.querySelector(APP)?.dataset.testConnectionState;
  if (state !== ENDED || reloading) return;
  reloading = true;
  const root = globalThis.__streamlit?.BACKEND_BASE_URL ?? new URL('.', location.href).href,
    isUp = async () => (await fetch(`${root}_stcore/health`).catch(() => null))?.ok;
  do await new Promise(resolve => setTimeout(resolve, RETRY));
  while (!(await isUp()));
  location.reload();
}

const CLICKS = [openCard, forgetGoals],
  FIRST = [actHere, openLink], // before Streamlit hears of a click
  CHANGES = ['goals-remembered', 'storage']; // here, and in another tab

export default ({ data }) => {
  const { lang, dir, ...others } = JSON.parse(data);
  Object.assign(html, { lang, dir });
  words = others;
  const look = new MutationObserver(() => {
    mend();
    tickNewLinks();
    reloadWhenEnded();
  });
  mend();
  tick();
  const until = new AbortController(),
    { signal } = until;
  for (const act of CLICKS) document.addEventListener('click', act, { signal });
  for (const act of FIRST) document.addEventListener('click', act, { signal, capture: true });
  window.addEventListener('popstate', traverse, { signal, capture: true });
  for (const event of CHANGES) window.addEventListener(event, tick, { signal });
  look.observe(document.querySelector(APP) ?? document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-collapsed', 'data-test-connection-state'],
  });
  return () => {
    until.abort();
    look.disconnect();
  };
};
