// Streamlit gives a link to the page at the root an empty address, which means the page that the link stands on: opened
// in a new tab, or copied, it would lead there.
function mend({ target }) {
  const link = target.closest?.('a[data-testid="stPageLink-NavLink"]'),
    address = link?.getAttribute('href');
  if (address === '' || address?.startsWith('?')) link.setAttribute('href', `./${address}`);
}

// Told once, whichever stages come and go.
export function mendRootLinks() {
  if (mendRootLinks.told) return;
  mendRootLinks.told = true;
  for (const event of ['pointerover', 'focusin']) document.addEventListener(event, mend, true);
}
