// Where the focus is: what it is called, whether it can be seen, and where on the page the block stands that it is
// part of (a picture and a table are one block: inside them the order is their own).
(() => {
  let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const up = node => node.parentElement ?? node.getRootNode().host ?? null,
    around = test => {
      for (let node = e; node; node = up(node)) if (test(node)) return node;
      return null;
    };
  const name =
    e.getAttribute('aria-label') ||
    e.labels?.[0]?.innerText ||
    e.querySelector('title')?.textContent ||
    e.innerText ||
    e.getAttribute('title') ||
    e.querySelector('img')?.alt ||
    '';
  const { left, right, width, height } = e.getBoundingClientRect(),
    scroller = around(
      node =>
        /auto|scroll/.test(getComputedStyle(node).overflowY) &&
        node.scrollHeight > node.clientHeight + 1 &&
        node.matches('[data-testid]'),
    ),
    scrolled = scroller?.scrollTop ?? 0,
    block = around(node => node.matches('svg, table, [role=grid], [role=radiogroup]')) ?? e,
    box = block.getBoundingClientRect();
  const region = around(node => node.matches('[data-testid=stSidebar], [data-testid=stHeader], [data-testid=stMain]'));
  const shown = e.checkVisibility({ visibilityProperty: true }) && !around(node => node.inert);
  // of a choice the input itself may lie under what is seen of it
  const boxOf = width > 1 && height > 1 ? { left, right } : (e.closest('label') ?? e).getBoundingClientRect();
  return {
    name: name.trim().replace(/\s+/g, ' ').slice(0, 60),
    kind: e.getAttribute('role') ?? e.tagName.toLowerCase(),
    region: region?.dataset.testid ?? '',
    visible: shown && boxOf.right > 0 && boxOf.left < innerWidth && boxOf.right - boxOf.left > 1,
    box: [box.left, box.top + scrolled, box.right, box.bottom + scrolled].map(Math.round),
  };
})();
