// The model's prediction: the most likely next words with their probabilities, at the end or layer by layer. A click
// continues the text with a word.
import { find } from '../../figure/browser/calculation.js';
import { make, makeBar, makeButton, write } from '../../figure/browser/elements.js';
import { filled, formatPercent, formatShare, show } from '../../figure/browser/number_format.js';
import { setPose } from '../../figure/browser/pose.js';

const SHOWN = 5;

// spec: { title, shares, vocabulary, words (paths), tokens, before, word: names in the pose, longest,
//         answer (the number of the word asked for), changed (how many words of the text were replaced),
//         states: [what each state is called], texts: { says, on, layers, lens, little } }
export function next_words(host, spec, stage) {
  const box = make(null, 'div', { class: 'next-words', role: 'group', 'aria-label': spec.title }, host),
    top = make(null, 'div', { class: 'top' }, box),
    says = make(null, 'p', { class: 'says', 'data-spoken': '' }, top),
    layers = makeButton(top, { class: 'plain small layers', text: spec.texts.layers }, () => byLayer(!stage.byLayer)),
    lens = make(null, 'p', { class: 'lens', text: spec.texts.lens }, box),
    head = make(null, 'div', { class: 'next head', 'aria-hidden': 'true' }, box);
  make(null, 'span', {}, head);
  for (const name of spec.states) make(null, 'span', { text: name }, head);
  const byLayer = open => {
    box.classList.toggle('by-layer', open);
    layers.setAttribute('aria-pressed', open);
    lens.hidden = !open;
    stage.byLayer = open;
  };
  byLayer(stage.byLayer === true);
  let shown = [];
  const rows = Array.from({ length: SHOWN }, (_, k) => {
    const row = makeButton(box, { class: 'next' }, () => {
      const tokens = stage.pose[spec.tokens][0],
        longer = [...tokens, shown[k]];
      if (stage.resultsHidden || tokens.length >= spec.longest) return;
      setPose(stage, { [spec.tokens]: [longer], [spec.before]: [longer], [spec.word]: tokens.length });
    });
    const word = make(null, 'span', { class: 'name' }, row),
      states = spec.states.map(() => makeBar(make(null, 'span', { class: 'state' }, row)));
    return { row, word, states };
  });

  return scope => {
    const shares = find(scope, spec.shares),
      vocabulary = find(scope, spec.vocabulary),
      last = shares.at(-1);
    const best = last
      .map((_, k) => k)
      .sort((a, b) => last[b] - last[a])
      .slice(0, SHOWN);
    // The word that the page's text asks for keeps a row, however little it has.
    const answer = find(scope, spec.answer);
    if (find(scope, spec.changed) === 0 && !best.includes(answer)) best[SHOWN - 1] = answer;
    // while a hand is at work a word keeps its row as long as it is among the likeliest
    if (stage.held && shown.length) {
      const coming = best.filter(word => !shown.includes(word));
      shown = shown.map(word => (best.includes(word) ? word : coming.shift()));
    } else shown = best;
    write(says, filled(spec.texts.says, { word: stage.resultsHidden ? '?' : vocabulary[best[0]] }));
    rows.forEach(({ row, word, states }, k) => {
      const name = vocabulary[shown[k]],
        written = stage.resultsHidden ? '?' : name;
      write(word, written);
      const on = filled(spec.texts.on, { word: written });
      if (row.title !== on) row.title = on;
      row.classList.toggle('most', shown[k] === best[0] && !stage.resultsHidden);
      states.forEach(({ bar, number }, state) => {
        const x = shares[state][shown[k]],
          final = state === states.length - 1;
        bar.style.width = stage.resultsHidden ? 0 : `${(100 * x).toFixed(1)}%`;
        show(number, x, final ? `next ${name}` : `next ${name} ${state}`, {
          hidden: stage.resultsHidden,
          form: final ? formatShare : y => (y < 0.005 ? spec.texts.little : formatPercent(Math.round(100 * y))),
        });
      });
    });
  };
}
