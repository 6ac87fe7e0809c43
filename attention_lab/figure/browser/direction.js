// Which way things run. Words run as the script of most of them does, whatever the language of the page; the page runs
// as `dir` of the document says. Planes, scales and calculations run from left to right on every page.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const direction = words =>
  words.filter(word => RIGHT_TO_LEFT.test(word)).length * 2 > words.length ? 'rtl' : 'ltr';
export const runsLeft = element =>
  element ? getComputedStyle(element).direction === 'rtl' : document.documentElement.dir === 'rtl';

// What stands in a line of the page keeps its own direction: a word, a calculation, and two words with an arrow from
// one to the other, which points the way they are read. On a page from left to right, such text stays as it is.
const LEFT_TO_RIGHT = '\u2066',
  TO_THE_LEFT = '\u2067',
  AS_ITS_WORDS = '\u2068',
  END = '\u2069';
export const apart = word => (runsLeft() || direction([word]) === 'rtl' ? `${AS_ITS_WORDS}${word}${END}` : word);
export const calculation = text => (runsLeft() ? `${LEFT_TO_RIGHT}${text}${END}` : text);
const page = () => (runsLeft() ? 'rtl' : 'ltr');
export const onward = (way = page()) => (way === 'rtl' ? '←' : '→');
export const pair = (from, to) =>
  direction([from, to]) === 'rtl' ? `${TO_THE_LEFT}${from} ← ${to}${END}` : calculation(`${from} → ${to}`);

// Buttons in a grid of so many columns: an arrow key goes to the neighbour, and chooses it.
export function moveByArrows(buttons, columns, choose) {
  for (const [k, button] of buttons.entries())
    button.addEventListener('keydown', event => {
      const back = runsLeft(button) ? 1 : -1,
        step = { ArrowLeft: back, ArrowRight: -back, ArrowUp: -columns, ArrowDown: columns }[event.key],
        next = k + (step ?? Number.NaN);
      if (!(next in buttons)) return;
      event.preventDefault();
      buttons[next].focus();
      choose(next);
    });
}
