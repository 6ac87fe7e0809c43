// The first picture as this reader has set Streamlit's page. Streamlit's code is fetched as soon as the figure's has
// come, and begins once the picture is drawn, or cannot be, or after a second at the latest.
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
  const begun = new Set(),
    begin = id => {
      if (begun.has(id)) return;
      begun.add(id);
      document.head.append(document.importNode(document.getElementById(id).content, true));
    },
    start = () => {
      begin('fetched');
      begin('streamlit');
    };
  const own = new Set([...document.querySelectorAll('script[src*="/static/lab/"]')].map(({ src }) => src));
  new PerformanceObserver(list => {
    for (const { name } of list.getEntries()) own.delete(name);
    if (!own.size) begin('fetched');
  }).observe({ type: 'resource', buffered: true });
  addEventListener('first-picture', () => requestAnimationFrame(() => setTimeout(start)));
  addEventListener('error', start, true);
  setTimeout(start, 1000);
})();
