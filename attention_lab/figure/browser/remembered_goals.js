// The goals that were met in this browser, an entry for each page in its local storage: their names, or * once none is
// left. The menu and the cards of the course show a tick then (attention_lab/widgets/menu.js).
const ALL = '*';

// Adds goals that were `met` just now on the page that is open. Where nothing may be stored, nothing is.
export function rememberGoals({ page, columns }, met) {
  const key = `goals ${page}`,
    card = columns.flatMap(({ parts }) => parts).find(({ kind }) => kind === 'goals');
  try {
    const before = localStorage.getItem(key) ?? '',
      names = new Set([...before.split(' '), ...met].filter(Boolean)),
      isDone = names.has(ALL) || card.goals.every(({ name }) => names.has(name));
    localStorage.setItem(key, isDone ? ALL : [...names].join(' '));
    dispatchEvent(new Event('goals-remembered'));
  } catch {}
}
