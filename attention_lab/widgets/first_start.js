// The first picture as this reader has set Streamlit's page. Streamlit's code is fetched once the figure is painted, or
// cannot be, or after a second at the latest: what comes beside the figure's own code delays it.
(() => {
  const stored = name => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // a browser may forbid it
    }
  };
  const root = document.documentElement,
    theme = /^"(Light|Dark)"$/.exec(stored(`stActiveTheme-${location.pathname}-v2`) ?? '')?.[1],
    width = Number.parseInt(stored('sidebarWidth') ?? '', 10);
  if (theme) for (const id of ['first', 'first-side']) document.getElementById(id).dataset.theme ||= theme;
  if (stored('stSidebarCollapsed-') === 'true') root.style.setProperty('--first-side', '0px');
  else if (width) root.style.setProperty('--first-side', `${Math.min(600, Math.max(200, width))}px`);
  let begun = false;
  const start = () => {
    if (begun) return;
    begun = true;
    document.head.append(document.importNode(document.getElementById('streamlit').content, true));
  };
  addEventListener('first-picture', () => requestAnimationFrame(() => setTimeout(start)));
  addEventListener('error', start, true);
  setTimeout(start, 1000);
})();
