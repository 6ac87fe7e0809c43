// The one writer of the page's URL. Python reads it when a page is opened; from then on it holds what the browser does.
// A link by which a reader came stays as it is until something is changed.
const EMBEDDING = ['embed', 'embed_options']; // how a page is embedded in another: Streamlit's
const LATER = 300; // ms after which a browser without the Navigation API looks whether Streamlit has emptied the URL

// What was written or accepted last, the link that Python gave for it, and whether a hand has moved any of it.
let own = { path: '', href: '', link: null, moved: false };
let onTraverse = null; // of the page that is open: what to do with a link that Back or Forward has brought
let check = 0;

const here = () => location.pathname + location.search;
const isEmbedding = ([name]) => EMBEDDING.includes(name);
export const settings = search => [...new URLSearchParams(search)].filter(pair => !isEmbedding(pair));

const LOOKS = new Set(['goal', 'word', 'other']); // what is looked at: choosing it moves nothing

// Whether the URL holds anything that a hand has moved here; `fields` has the names of what the figure may change. The
// browser's history says so after a reload, too; a link from elsewhere holds what someone else has moved.
export function holdsMoves(fields) {
  const hasMoved = ([name]) => name in fields && !LOOKS.has(name);
  return Boolean(history.state?.moved) && settings(location.search).some(hasMoved);
}

function keep(moved, href) {
  history.replaceState(moved ? { ...history.state, moved } : history.state, '', href);
}

// What a hand has moved before Python has read the URL waits in the browser's history: a reload finds it there.
export const earlyMoves = () => history.state?.early ?? [];
export function storeEarlyMoves(events) {
  history.replaceState({ ...history.state, early: events }, '');
}

function replace(search, link, moved = own.moved && own.path === location.pathname) {
  const embedding = [...new URLSearchParams(location.search)].filter(isEmbedding),
    text = [String(new URLSearchParams(embedding)), search].filter(Boolean).join('&'),
    href = location.pathname + (text && `?${text}`);
  own = { path: location.pathname, href, link, moved };
  if (href !== here()) keep(moved, href);
}

// Fields that a hand has moved, as text; an empty one is left out.
export function writeFields(texts) {
  const all = new URLSearchParams(settings(location.search));
  for (const [name, text] of Object.entries(texts))
    if (text) all.set(name, text);
    else all.delete(name);
  replace(String(all), null, true);
}

// The link that Python gives for what the page now holds. It `arrives` when the page has just been opened and nothing
// has changed since; a setting can change before the figure is there.
export function adoptLink(link, arrives) {
  const ours = here() === own.href;
  if (ours ? link === own.link : arrives && settings(location.search).length)
    own = { path: location.pathname, href: here(), link, moved: Boolean(history.state?.moved) };
  else replace(link, link);
}

// A leader's secret stands behind the #, and is taken out as soon as it is seen.
export function dropFragment() {
  history.replaceState(history.state, '', here());
}

const ofPage = (page, search = '') => new URL((page === 'home' ? '.' : page) + (search && `?${search}`), location.href);
// Go to another page, as a link in the menu does: Streamlit opens what the URL says.
export function goTo(page, search) {
  if (!/^\w+$/.test(page)) return;
  history.pushState(null, '', ofPage(page, search));
  dispatchEvent(new PopStateEvent('popstate'));
}

// The same, as long as Streamlit is not there.
export function load(page) {
  location.assign(ofPage(page));
}

export function watch(traversed) {
  onTraverse = traversed;
  clearTimeout(check);
  if (!globalThis.navigation) check = setTimeout(restore, LATER);
}
export function unwatch(traversed) {
  if (onTraverse === traversed) onTraverse = null;
}

const isChanged = () => onTraverse && location.pathname === own.path && here() !== own.href;
function restore() {
  if (isChanged()) keep(own.moved, own.href);
}
globalThis.navigation?.addEventListener('currententrychange', ({ navigationType }) => {
  if (navigationType !== 'traverse') restore();
});
window.addEventListener('popstate', () => {
  if (isChanged()) onTraverse(location.search);
});

// Of a page without a figure.
const shown = new WeakSet();
export function showLink({ parentElement, data }) {
  const { link, as_opened } = JSON.parse(data),
    arrives = as_opened && !shown.has(parentElement);
  shown.add(parentElement);
  const stay = () => {};
  watch(stay);
  adoptLink(link, arrives);
  return () => unwatch(stay);
}
