// The questions of a page that stands alone: which are in sight, what is right, and what is said of an answer. Python
// gives them and what their answers are judged by (questions.py).
import { globals } from '../figure/browser/page_globals.js';

// Those with a verdict, and the first without, which is open. Some are always asked, others while the reader predicts.
export function questionsInSight(questions, predicts, verdicts) {
  const asked = questions.filter(({ always }) => predicts || always),
    open = asked.findIndex(({ about }) => !verdicts.has(about));
  return open < 0 ? asked : asked.slice(0, open + 1);
}

// All numbers of a figure, and those that a question needs besides.
function scopeOf({ steps, constants }, { calculation, arrays, constants: ofFigure, pose }) {
  const { modules } = globals,
    all = modules.stage.numbered({ ...ofFigure, ...constants });
  for (const [name, array] of Object.entries(arrays)) all[name] = modules.binary_arrays.unpackArrays(array);
  return modules.calculation.calculate([...calculation, ...steps], { ...all, ...pose });
}

const isClose = (a, b) => Math.abs(a - b) <= Math.max(1e-12, 1e-9 * Math.max(Math.abs(a), Math.abs(b)));

// The right answer's place, and its number as it is written. Of several that are equally right it is the one that the
// reader `said`, if it is among them; without an answer whose result is defined there is none.
function rightAnswer({ answers, row, least, form, conditions }, scope, said) {
  const { calculation, goals, number_format } = globals.modules,
    offered = [...answers.keys()].filter(place => answers[place]);
  if (!row) {
    const isMet = ({ path, ...condition }) => goals.holds(condition, calculation.find(scope, path));
    return { right: offered.find(place => isMet(conditions[place])), value: '' };
  }
  const numbers = calculation.find(scope, row),
    known = offered.filter(place => Number.isFinite(numbers[place]));
  if (!known.length) return {};
  const best = known.reduce((one, other) => ((least ? -1 : 1) * (numbers[other] - numbers[one]) > 0 ? other : one)),
    right = known.includes(said) && isClose(numbers[said], numbers[best]) ? said : best;
  return { right, value: number_format.forms[form](numbers[right]) };
}

const fill = (text, values) => globals.modules.number_format.fillPlaceholders(text, values);

// What is said of an answer, by its place, or of asking for the right one with null: HTML.
export function verdictOn(question, said, data, texts) {
  const { right, value } = rightAnswer(question, scopeOf(question, data), said);
  if (right === undefined) return texts.undefined;
  const [answer, why] = question.answers[right],
    verdict = said === null ? texts.it_is : said === right ? texts.right : texts.wrong;
  return `${fill(verdict, { answer, said: question.answers[said]?.[0] })} ${fill(why, { value })}`;
}

// A question as it stands above the figure: open, with a button for each answer, or with its verdict.
export function questionBox(question, verdict, texts, predict) {
  const { make, makeButton } = globals.modules.elements,
    // whoever has pressed a button in it goes on from here
    box = make(null, 'div', { id: `question_${question.number}`, tabindex: -1 });
  make(null, 'p', {}, box).innerHTML = verdict ?? fill(texts.ask, { question: question.text });
  if (verdict !== undefined) return box;
  const buttons = make(null, 'div', {}, box),
    addButton = (label, said, kind = 'plain') => {
      makeButton(buttons, { class: kind }, () => predict(question, said)).innerHTML = label;
    };
  question.answers.forEach((answer, place) => answer && addButton(answer[0], place));
  addButton(texts.reveal, null, 'plain bare reveal');
  return box;
}
