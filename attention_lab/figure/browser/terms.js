// A term of the glossary opens its entry where it stands in the text. Such a term is a link to `#term-…`, by mouse,
// finger or keyboard; the entries come with the stage's code.
import { make, pageStyle } from './elements.js';
import { wordsOfPage } from './language.js';

const EDGE = 12,
  BELOW = 6, // px
  SAME_PRESS = 400; // ms: the press that closes an entry is no wish to open it again
const TAGS = { em: 'em', sub: 'sub', strong: 'strong' };

const entries = () => wordsOfPage().terms ?? {};

function fill(note, { term, paragraphs }) {
  note.replaceChildren();
  make(null, 'b', { class: 'term', text: term }, note);
  for (const paragraph of paragraphs) {
    const line = make(null, 'p', {}, note);
    for (const [kind, text] of paragraph)
      if (TAGS[kind]) make(null, TAGS[kind], { text }, line);
      else line.append(text);
  }
}

// Below its term or, where there is no room, above it; never beyond an edge of the window.
function placeAt(note, link) {
  const at = link.getClientRects()[0] ?? link.getBoundingClientRect(),
    { width, height } = note.getBoundingClientRect(),
    below = at.bottom + BELOW,
    fits = below + height <= innerHeight - EDGE;
  note.style.left = `${Math.max(EDGE, Math.min(at.left, innerWidth - width - EDGE))}px`;
  note.style.top = `${fits ? below : Math.max(EDGE, at.top - BELOW - height)}px`;
}

export function openTerms() {
  if (document.querySelector('.term-note')) return;
  const attributes = { class: 'term-note', popover: 'auto', role: 'dialog', tabindex: '-1' },
    note = make(null, 'div', attributes, document.body);
  let open = null,
    closed = { link: null, at: 0 };
  note.addEventListener('beforetoggle', ({ newState }) => {
    if (newState !== 'closed') return;
    closed = { link: open, at: performance.now() };
    open = null;
  });
  const press = event => {
    const link = event.target.closest?.('a[href^="#term-"]'),
      entry = link && entries()[link.getAttribute('href').slice(1)];
    if (!entry) return;
    event.preventDefault();
    event.stopPropagation();
    if (closed.link === link && performance.now() - closed.at < SAME_PRESS && event.detail) return;
    const { backgroundColor, color } = pageStyle();
    Object.assign(note.style, { background: backgroundColor, color });
    note.setAttribute('aria-label', entry.term);
    fill(note, entry);
    note.showPopover();
    placeAt(note, link);
    open = link;
    note.focus({ preventScroll: true });
  };
  document.addEventListener('click', press, true);
  const follow = event => {
    if (!open || event.target === note) return;
    const { top, bottom } = open.getBoundingClientRect();
    if (open.isConnected && bottom > 0 && top < innerHeight) placeAt(note, open);
    else note.hidePopover();
  };
  document.addEventListener('scroll', follow, { capture: true, passive: true });
  window.addEventListener('resize', follow);
}
