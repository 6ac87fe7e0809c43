// A sentence that a head is asked about: each of its words can be replaced, and one of them is the query. Bars above
// the words show its attention weights; below them are the predictions, with a mark at the right answer.
import { find } from '../../figure/browser/calculation.js';
import { direction } from '../../figure/browser/direction.js';
import { make, makeBar, makeButton, write } from '../../figure/browser/elements.js';
import { filled, formatShare, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

// spec: { title, sentence, asks: names in the pose; vocabulary, words (paths);
//         runs: [{ row, probabilities (paths), end, name }], outputs: [[answer]], groups: [what is asked, in short],
//         questions: [what is asked of a {word}, as a sentence],
//         unseen: [{ tokens, right: [[answer or −1 of each place] of each group] }],
//         texts: { unseen, own, other, weights, change, right, asks } }
export function asked(host, spec, stage) {
  const { texts } = spec,
    box = make(null, 'div', { class: 'asked', role: 'group', 'aria-label': spec.title }, host);
  const above = make(null, 'div', { class: 'head' }, box),
    head = make(null, 'span', {}, above);
  const set = tokens => setPose(stage, { [spec.sentence]: tokens.map(feature => [...feature]) });
  const same = tokens => JSON.stringify(tokens) === JSON.stringify(stage.pose[spec.sentence]);
  makeButton(above, { class: 'plain small another', text: texts.other }, () => {
    const here = spec.unseen.findIndex(({ tokens }) => same(tokens));
    set(spec.unseen[(here + 1) % spec.unseen.length].tokens);
  });

  const about = make(null, 'p', { class: 'about' }, box),
    vocabulary = find(stage.scope, spec.vocabulary),
    line = make(null, 'div', { class: 'tokens', dir: direction(vocabulary) }, box);
  const tokens = stage.pose[spec.sentence][0].map((_, place) => {
    const column = make(null, 'div', { class: 'token' }, line),
      asks = makeButton(column, { class: 'bars' }, () => setPose(stage, { [spec.asks]: place })),
      runs = spec.runs.map(({ end }) => makeBar(asks, `frame run${end}`));
    const lists = stage.pose[spec.sentence].map((_, feature) => {
      const list = make(null, 'select', { class: 'small' }, column);
      vocabulary.forEach((word, k) => {
        make(null, 'option', { value: k, text: word }, list);
      });
      list.addEventListener('change', () => {
        const now = stage.pose[spec.sentence].map(row => [...row]);
        now[feature][place] = Number(list.value);
        set(now);
      });
      return list;
    });
    return { column, asks, runs, lists };
  });

  const answers = spec.groups.map((group, g) => {
    const part = make(null, 'div', { class: 'answers', role: 'group', 'aria-label': group }, box),
      says = make(null, 'p', { class: 'says' }, part);
    const rows = spec.outputs[g].map(name => {
      const item = make(null, 'div', { class: 'answer' }, part);
      make(null, 'span', { class: 'name', text: name }, item);
      const bars = spec.runs.map(({ end }) => makeBar(item, `track run${end}`)),
        about = { class: 'right', text: '✓', title: texts.right, 'aria-label': texts.right, role: 'img' };
      return { name, item, bars, mark: make(null, 'span', about, item) };
    });
    return { group, says, rows };
  });

  return scope => {
    const words = find(scope, spec.words),
      now = scope[spec.sentence],
      asks = scope[spec.asks],
      of = spec.unseen.find(({ tokens: other }) => same(other));
    write(head, of ? texts.unseen : texts.own);
    write(about, filled(texts.weights, { word: words[asks] }));
    const rows = spec.runs.map(({ row }) => find(scope, row));
    tokens.forEach(({ column, asks: button, runs, lists }, place) => {
      column.classList.toggle('asking', place === asks);
      button.setAttribute('aria-pressed', place === asks);
      const name = filled(texts.asks, { word: words[place] });
      if (button.getAttribute('aria-label') !== name) button.setAttribute('aria-label', name);
      runs.forEach(({ bar, number }, i) => {
        bar.style.height = stage.resultsHidden ? 0 : `${(100 * rows[i][place]).toFixed(1)}%`;
        const what = `looks${spec.runs[i].end && ` ${spec.runs[i].end.slice(1)}`} ${words[asks]} ${words[place]}`;
        show(number, rows[i][place], what, { hidden: stage.resultsHidden, form: x => String(Math.round(100 * x)) });
      });
      lists.forEach((list, feature) => {
        const value = String(now[feature][place]);
        if (list.value !== value) list.value = value;
        const label = filled(texts.change, { number: place + 1 });
        if (list.getAttribute('aria-label') !== label) list.setAttribute('aria-label', label);
      });
    });
    answers.forEach(({ group, says, rows: ofGroup }, g) => {
      write(says, filled(spec.questions[g], { word: words[asks] }));
      const right = of ? of.right[g][asks] : -1,
        shares = spec.runs.map(({ probabilities }) => find(scope, probabilities)[g][asks]),
        most = Math.max(...shares[0]);
      ofGroup.forEach(({ name, item, bars, mark }, k) => {
        mark.style.visibility = k === right && !stage.resultsHidden ? '' : 'hidden';
        item.classList.toggle('most', !stage.resultsHidden && shares[0][k] === most);
        bars.forEach(({ bar, number }, i) => {
          bar.style.width = stage.resultsHidden ? 0 : `${(100 * shares[i][k]).toFixed(1)}%`;
          const run = spec.runs[i].end && ` ${spec.runs[i].end.slice(1)}`;
          show(number, shares[i][k], `answer${run} ${group} ${name}`, {
            hidden: stage.resultsHidden,
            form: formatShare,
          });
        });
      });
    });
  };
}
