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
const OPENS = '[data-testid="stPageLink-NavLink"], [data-testid="stSidebarNavLink"], [class*="st-key-see-"] button';
const DRAWN = 3000; // ms until a page has been drawn
function openAtTop({ target, metaKey, ctrlKey, shiftKey }) {
  const main = document.querySelector('[data-testid="stMain"]');
  if (!main || metaKey || ctrlKey || shiftKey || !target.closest?.(OPENS)) return;
  main.style.overflowAnchor = 'none';
  main.scrollTop = 0;
  setTimeout(() => main.style.removeProperty('overflow-anchor'), DRAWN);
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

export default ({ data }) => {
  Object.assign(document.documentElement, JSON.parse(data)); // lang and dir
  const look = new MutationObserver(() => {
    mend();
    reloadWhenEnded();
  });
  mend();
  document.addEventListener('click', openAtTop);
  look.observe(document.querySelector('[data-testid="stApp"]') ?? document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-collapsed', 'data-test-connection-state'],
  });
  return () => {
    document.removeEventListener('click', openAtTop);
    look.disconnect();
  };
};
