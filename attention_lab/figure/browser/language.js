// The words that figures bring along, in the language of the page: Python puts those of each language among the page's
// globals (`words` in browser_code.py), and the page's payload says which language it is in.
export const wordsOfPage = () => globalThis.attention_lab?.words?.[document.documentElement.lang] ?? {};

// The document says the language of what stands in it, and its direction.
export function setLanguage({ lang, dir }) {
  const root = document.documentElement;
  if (!lang || (root.lang === lang && root.dir === dir)) return;
  root.lang = lang;
  root.dir = dir;
}
