// The page's own guess as a ballot: while the room's question is open, its buttons say an answer to the room instead of
// showing the result, and an answer may be changed; once it is shown what is right, the page hears the last one.
const STYLE = `
  button[data-room-chosen] { box-shadow: 0 0 0 2px currentColor !important; }
  button[data-room-chosen] p::before { content: '✓ '; }`;
const buttons = page => [...document.querySelectorAll(`[class*="st-key-${page}-guess-"] button`)];
const place_of = button => Number(/-guess-(\d+)/.exec(button.closest('[class*="-guess-"]').className)[1]);
const shown_by = page => document.querySelector(`.st-key-${page}-reveal button`);

// state(): { page, open: whether the room's question is this page's and open, chosen: the place or null }
export function ballot(state, choose) {
  const sheet = document.head.appendChild(document.createElement('style'));
  sheet.textContent = STYLE;
  const press = event => {
    const { page, open } = state(),
      button = open && event.target.closest?.('button');
    if (!button || (!buttons(page).includes(button) && button !== shown_by(page))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (button !== shown_by(page)) choose(place_of(button));
  };
  window.addEventListener('click', press, true);
  return {
    draw: () => {
      const { page, open, chosen } = state();
      if (!page) return;
      for (const button of buttons(page)) {
        const on = open && place_of(button) === chosen;
        button.toggleAttribute('data-room-chosen', on);
        if (open) button.setAttribute('aria-pressed', on);
        else button.removeAttribute('aria-pressed');
      }
      shown_by(page)?.toggleAttribute('disabled', open);
    },
    reveal: (page, chosen) => (buttons(page).find(button => place_of(button) === chosen) ?? shown_by(page))?.click(),
    leave: () => {
      window.removeEventListener('click', press, true);
      sheet.remove();
    },
  };
}
