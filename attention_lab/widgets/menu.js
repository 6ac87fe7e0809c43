// The sidebar as Streamlit makes it, mended for those who do not see it: folded, it is out of reach of the tab key;
// and the links of its menu are a list for each section.
function mend() {
  const sidebar = document.querySelector('[data-testid="stSidebar"]');
  if (!sidebar) return;
  const folded = sidebar.dataset.collapsed === 'true';
  if (folded !== sidebar.inert) {
    const leaves = folded && sidebar.contains(document.activeElement);
    sidebar.inert = folded;
    if (leaves) document.querySelector('[data-testid="stExpandSidebarButton"]')?.focus();
  }
  const menu = sidebar.querySelector('[data-testid="stSidebarNavItems"]');
  if (!menu) return;
  menu.setAttribute('role', 'none');
  for (const section of menu.children) {
    section.setAttribute('role', 'list');
    const name = section.querySelector('[data-testid="stNavSectionHeader"] p')?.textContent;
    if (name) section.setAttribute('aria-label', name);
  }
}

// A link to another page or state opens it at its top. Left to itself, the browser holds on to what stood below while
// the new page is drawn above it, and scrolls down with it.
const OPENS =
  '[data-testid="stPageLink-NavLink"], [data-testid="stSidebarNavLink"], [class*="st-key-see-"] button, .course a';
const DRAWN = 3000; // ms until a page has been drawn
function openAtTop({ target, metaKey, ctrlKey, shiftKey }) {
  const main = document.querySelector('[data-testid="stMain"]');
  if (!main || metaKey || ctrlKey || shiftKey || !target.closest?.(OPENS)) return;
  main.style.overflowAnchor = 'none';
  main.scrollTop = 0;
  setTimeout(() => main.style.removeProperty('overflow-anchor'), DRAWN);
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
const PAGES = '[data-testid="stSidebarNavLink"], .course a',
  RESET = '.st-key-reset_all button';
let done = ''; // what a tick means, in a word
function remembers(page) {
  try {
    return localStorage.getItem(`goals ${page}`) === '*';
  } catch {
    return false; // nothing may be stored here
  }
}
let links = []; // those that were there at the last look
function tick() {
  links = [...document.querySelectorAll(PAGES)];
  const home = document.querySelector('[data-testid="stSidebarNavLink"]'),
    pageOf = link => link.dataset.page ?? (link === home ? 'home' : link.pathname.split('/').pop()),
    met = new Set([...new Set(links.map(pageOf))].filter(remembers));
  for (const link of links) {
    const mark = link.querySelector('.page-done');
    if (!met.has(pageOf(link))) mark?.remove();
    else if (mark?.title !== done) {
      mark?.remove();
      link.append(Object.assign(document.createElement('span'), { className: 'page-done', role: 'img', title: done }));
    }
  }
}
function tickNewLinks() {
  const now = document.querySelectorAll(PAGES);
  if (now.length !== links.length || links.some((link, i) => link !== now[i])) tick();
}
function forgetGoals({ target }) {
  if (!target.closest?.(RESET)) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith('goals ')) localStorage.removeItem(key);
  } catch {}
  tick();
}

// Streamlit ends a session for good when it can't read a message. The page is loaded again once the server answers:
// its URL holds the pose.
const ENDED = 'DISCONNECTED_FOREVER',
  RETRY = 2000; // ms
let reloading = false;
async function reloadWhenEnded() {
  const state = document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState;
  if (state !== ENDED || reloading) return;
  reloading = true;
  const root = globalThis.__streamlit?.BACKEND_BASE_URL ?? new URL('.', location.href).href,
    isUp = () =>
      fetch(`${root}_stcore/health`).then(
        ({ ok }) => ok,
        () => false,
      );
  do await new Promise(resolve => setTimeout(resolve, RETRY));
  while (!(await isUp()));
  location.reload();
}

const CLICKS = [openAtTop, openCard, forgetGoals],
  CHANGES = ['goals-remembered', 'storage']; // here, and in another tab

export default ({ data }) => {
  const { lang, dir, ...words } = JSON.parse(data);
  Object.assign(document.documentElement, { lang, dir });
  done = words.done;
  const look = new MutationObserver(() => {
    mend();
    tickNewLinks();
    reloadWhenEnded();
  });
  mend();
  tick();
  for (const act of CLICKS) document.addEventListener('click', act);
  for (const event of CHANGES) window.addEventListener(event, tick);
  look.observe(document.querySelector('[data-testid="stApp"]') ?? document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-collapsed', 'data-test-connection-state'],
  });
  return () => {
    for (const act of CLICKS) document.removeEventListener('click', act);
    for (const event of CHANGES) window.removeEventListener(event, tick);
    look.disconnect();
  };
};
