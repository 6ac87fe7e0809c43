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

export default () => {
  const look = new MutationObserver(mend);
  mend();
  look.observe(document.querySelector('[data-testid="stApp"]') ?? document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-collapsed'],
  });
  return () => look.disconnect();
};
