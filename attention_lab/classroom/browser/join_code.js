// The link to a room, and its two words with a code of it, as large as the window.
import { make } from '../../figure/browser/elements.js';
import { filled } from '../../figure/browser/number_format.js';
import { qr } from '../../export/qr/qr.js';
import { addButton } from './parts.js';

const ONLY_HERE = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/; // no other computer finds these
export const isOnlyHere = () => ONLY_HERE.test(location.hostname);

// The page and all that is set on it, in the room; nothing of who leads.
export function studentLink(room) {
  const url = new URL(location.href);
  url.hash = '';
  url.searchParams.delete('present');
  url.searchParams.set('room', room);
  return url.href;
}

export function fillPoster(bar, close) {
  const { words, room } = bar,
    code = isOnlyHere() ? null : qr(studentLink(room), words['panel/link']),
    how = isOnlyHere() ? words['panel/only_here'] : filled(words['panel/poster_told'], { address: location.host }),
    box = make(null, 'div', {});
  make(null, 'p', { class: 'words', text: room.replace('-', ' ') }, box);
  make(null, 'p', { text: how }, box);
  const closing = addButton(bar, box, 'panel/close_panel', close, { kind: 'main' });
  bar.poster.replaceChildren(...(code ? [code] : []), box);
  closing.focus();
}
