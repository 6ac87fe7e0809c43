// The answers of all as bars: one row for each answer, both rounds side by side. Bars keep their elements, so that they
// grow.
import { make } from '../../figure/browser/elements.js';
import { counted } from '../../figure/browser/number_format.js';

export function tally(host, words) {
  const box = make(null, 'div', { class: 'tally', role: 'group', 'aria-label': words['tally/title'] }, host);
  let drawn = '';
  let cells = [];
  const build = (answers, rounds) => {
    box.replaceChildren();
    box.style.setProperty('--rounds', rounds);
    if (rounds > 1) {
      make(null, 'span', {}, box);
      for (const name of ['before', 'after']) make(null, 'b', { text: words[`tally/${name}`] }, box);
    }
    cells = answers.map(answer => {
      if (answer === null) return null; // a place that is no answer
      make(null, 'span', { class: 'answer', text: answer }, box);
      return Array.from({ length: rounds }, () => {
        const cell = make(null, 'div', { class: 'cell', role: 'img' }, box),
          fill = make(null, 'i', {}, make(null, 'div', { class: 'way' }, cell));
        return { cell, fill, count: make(null, 'span', { class: 'count', 'aria-hidden': 'true' }, cell) };
      });
    });
  };
  return (counts, answers) => {
    box.hidden = !counts;
    if (!counts) return;
    const called = counts[0].map((_, i) => (answers ? answers[i] : String.fromCharCode(65 + i))),
      look = JSON.stringify([called, counts.length]);
    if (look !== drawn) {
      drawn = look;
      build(called, counts.length);
    }
    counts.forEach((round, k) => {
      const all = round.reduce((sum, n) => sum + n, 0);
      round.forEach((count, i) => {
        if (!cells[i]) return;
        const { cell, fill, count: number } = cells[i][k];
        fill.style.width = `${all ? (100 * count) / all : 0}%`;
        number.textContent = count;
        const told = { answer: called[i], round: k + 1, all };
        cell.setAttribute('aria-label', counted(words, 'tally/share', count, told));
      });
    });
  };
}
