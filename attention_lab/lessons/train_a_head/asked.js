// A sentence that a head is asked about: each of its words can be replaced, and one of them is the query. Bars above
// the words show its attention weights; below them are the predictions, with a mark at the right answer.
import { find } from '../../figure/browser/calculation.js';
import { direction } from '../../figure/browser/direction.js';
import { classes, make, makeBar, makeButton, write } from '../../figure/browser/elements.js';
import { filled, formatShare, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';
import { meaning } from '../../figure/browser/tint.js';

// spec: { title, sentence, asks: names in the pose; vocabulary, words (paths);
//         runs: [{ row, probabilities (paths), end, name }], outputs: [[answer]], meanings: of the first of
//         these, groups: [what is asked, in short],
//         questions: [what is asked of a {word}, as a sentence],
//         unseen: [{ tokens, right: [[answer or −1 of each place] of each group] }],
//         texts: { unseen, own, other, weights, change, right, asks } }
export function asked(host, spec, stage) {
  const box = make(null, 'div', { class: 'asked', role: 'group', 'aria-label': spec.title }, host),
    above = make(null, 'div', { class: 'head' }, box),
    head = make(null, 'span', {}, above),
    shown = () =>
      spec.unseen.findIndex(({ tokens }) => JSON.stringify(tokens) === JSON.stringify(stage.pose[spec.sentence]));
  makeButton(above, { class: 'plain small another', text: spec.texts.other }, () => {
    setPose(stage, { [spec.sentence]: spec.unseen[(shown() + 1) % spec.unseen.length].tokens.map(row => [...row]) });
  });
  const about = make(null, 'p', { class: 'about' }, box),
    paintTokens = makeTokens(box, spec, stage),
    answers = spec.groups.map((group, g) => makeAnswers(box, spec, stage, group, g));
  return scope => {
    const asking = find(scope, spec.words)[scope[spec.asks]],
      unseen = spec.unseen[shown()];
    write(head, unseen ? spec.texts.unseen : spec.texts.own);
    write(about, filled(spec.texts.weights, { word: asking }));
    paintTokens(scope, asking);
    for (const paint of answers) paint(scope, asking, unseen);
  };
}

// The name of a live number of one run.
const called = (what, { end }) => `${what}${end && ` ${end.slice(1)}`}`;

// The sentence, a column a token. What makes it, here and below, returns what paints it.
function makeTokens(box, spec, stage) {
  const { texts, runs } = spec,
    vocabulary = find(stage.scope, spec.vocabulary),
    line = make(null, 'div', { class: 'tokens', dir: direction(vocabulary) }, box);
  const columns = stage.pose[spec.sentence][0].map((_, place) => {
    const column = make(null, 'div', { class: 'token' }, line),
      asks = makeButton(column, { class: 'bars' }, () => setPose(stage, { [spec.asks]: place })),
      bars = runs.map(({ end }) => makeBar(asks, `frame run${end}`));
    const lists = stage.pose[spec.sentence].map((_, feature) => {
      const label = filled(texts.change, { number: place + 1 }),
        list = make(null, 'select', { class: 'small', 'aria-label': label }, column);
      for (const [value, text] of vocabulary.entries()) make(null, 'option', { value, text }, list);
      list.addEventListener('change', () => {
        const now = stage.pose[spec.sentence].map(row => [...row]);
        now[feature][place] = Number(list.value);
        setPose(stage, { [spec.sentence]: now });
      });
      return list;
    });
    return { column, asks, bars, lists };
  });
  return (scope, asking) => {
    const words = find(scope, spec.words),
      hidden = stage.resultsHidden,
      form = x => String(Math.round(100 * x));
    columns.forEach(({ column, asks, bars, lists }, place) => {
      const name = filled(texts.asks, { word: words[place] });
      asks.setAttribute('aria-pressed', column.classList.toggle('asking', place === scope[spec.asks]));
      if (asks.getAttribute('aria-label') !== name) asks.setAttribute('aria-label', name);
      bars.forEach(({ bar, number }, i) => {
        const weight = find(scope, runs[i].row)[place];
        bar.style.height = hidden ? 0 : `${(100 * weight).toFixed(1)}%`;
        show(number, weight, `${called('looks', runs[i])} ${asking} ${words[place]}`, { hidden, form });
      });
      lists.forEach((list, feature) => {
        const value = String(scope[spec.sentence][feature][place]);
        if (list.value !== value) list.value = value;
      });
    });
  };
}

// What is predicted in one group of answers.
function makeAnswers(box, spec, stage, group, g) {
  const { texts, runs } = spec,
    part = make(null, 'div', { class: 'answers', role: 'group', 'aria-label': group }, box),
    says = make(null, 'p', { class: 'says' }, part),
    about = { class: 'right', text: '✓', title: texts.right, 'aria-label': texts.right, role: 'img' };
  const rows = spec.outputs[g].map((name, k) => {
    const item = make(null, 'div', { class: classes('answer', !g && meaning(spec, k)) }, part);
    make(null, 'span', { class: 'name', text: name }, item);
    const bars = runs.map(({ end }) => makeBar(item, `track run${end}`));
    return { name, item, bars, mark: make(null, 'span', about, item) };
  });
  return (scope, asking, unseen) => {
    const place = scope[spec.asks],
      shares = runs.map(({ probabilities }) => find(scope, probabilities)[g][place]),
      hidden = stage.resultsHidden;
    write(says, filled(spec.questions[g], { word: asking }));
    rows.forEach(({ name, item, bars, mark }, k) => {
      mark.style.visibility = k === unseen?.right[g][place] && !hidden ? '' : 'hidden';
      item.classList.toggle('most', !hidden && shares[0][k] === Math.max(...shares[0]));
      bars.forEach(({ bar, number }, i) => {
        bar.style.width = hidden ? 0 : `${(100 * shares[i][k]).toFixed(1)}%`;
        show(number, shares[i][k], `${called('answer', runs[i])} ${group} ${name}`, { hidden, form: formatShare });
      });
    });
  };
}
