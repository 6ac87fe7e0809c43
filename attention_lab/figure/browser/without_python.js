// What a page that stands alone lacks, since no Python answers there (web_page.js says it); in the app, nothing.
const alone = () => globalThis.attention_lab.alone;

// Whether a hand can't change a field of the pose: what follows from it only Python computes.
export const isFixed = name => Boolean(alone()?.fixed.includes(name));

// The sentence that something needs the app, with the command; `of` says what: 'goal' or 'training'.
export const needsApp = of => alone()?.needsApp(of) ?? '';
