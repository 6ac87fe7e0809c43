// The page's own guess as a ballot: while the room's question is open, its buttons say an answer to the room instead of
// showing the result, and an answer may be changed; once it is shown what is right, the page hears the last one.
// Buttons come before the page has said what it asks: what is pressed then is said as soon as it has.
const STYLE = `
  button[data-room-chosen] { box-shadow: 0 0 0 2px currentColor !important; }
  button[data-room-chosen] p::before { content: '✓ '; }`;
const buttons = page => [...document.querySelectorAll(`[class*="st-key-${page}-guess-"] button`)];
const placeOf = button => Number(/-guess-(\d+)/.exec(button.closest('[class*="-guess-"]').className)[1]);
const shownBy = page => document.querySelector(`.st-key-${page}-reveal button`);

// state(): { page, open: whether the room's question is this page's and open, chosen: the place or null,
//            coming: whether the page of an open question is on its way, question: the number of the open one }
export function ballot(state, choose) {
  const sheet = document.head.appendChild(document.createElement('style'));
  sheet.textContent = STYLE;
  let early = null; // the button that was pressed before its page was known
  const press = event => {
    const { page, open, coming, question } = state(),
      button = (open || coming) && event.target.closest?.('button');
    if (!button || (!buttons(page).includes(button) && button !== shownBy(page))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (button === shownBy(page)) return;
    if (open) choose(placeOf(button));
    else early = { question, place: placeOf(button), text: button.textContent };
  };
  window.addEventListener('click', press, true);
  return {
    draw: () => {
      const { page, open, question, chosen } = state();
      if (!page) return;
      if (early?.question !== question) early = null;
      if (early && open) {
        const { place, text } = early;
        early = null;
        if (buttons(page).some(button => placeOf(button) === place && button.textContent === text)) choose(place);
      }
      for (const button of buttons(page)) {
        const on = open && placeOf(button) === chosen;
        button.toggleAttribute('data-room-chosen', on);
        if (open) button.setAttribute('aria-pressed', on);
        else button.removeAttribute('aria-pressed');
      }
      shownBy(page)?.toggleAttribute('disabled', open);
    },
    reveal: (page, chosen) => (buttons(page).find(button => placeOf(button) === chosen) ?? shownBy(page))?.click(),
    leave: () => {
      window.removeEventListener('click', press, true);
      sheet.remove();
    },
  };
}
