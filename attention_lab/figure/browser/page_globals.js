// What the scripts of a page share, in whatever order they come: the first to come makes them, and each wakes who
// waits for what it has put there (browser_code.py).
globalThis.attention_lab ??= { waiting: [], modules: {}, styles: {}, arrays: new Map() };
export const globals = globalThis.attention_lab;

// Waits for what a figure is drawn with: the library, its lesson's `own` parts where it has any, and the words of its
// language. Returns its style.
export async function ready(own, lang) {
  while (!(own in globals.styles && globals.words?.[lang])) await new Promise(wake => globals.waiting.push(wake));
  return globals.styles[''] + (own && globals.styles[own]);
}
