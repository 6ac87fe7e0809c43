// The text token by token: what is given, what is written, what comes next; a button that adds it, and a player.
import { find } from '../../figure/browser/calculation.js';
import { make, makeButton, write } from '../../figure/browser/elements.js';
import { filled, formatWhole, forms, show } from '../../figure/browser/number_format.js';
import { runSteps } from '../../figure/browser/play_clock.js';
import { player } from '../../figure/browser/player.js';

const A_TOKEN = 700, // ms that play gives to a token
  DRAWS = 1000;

// spec: { title, tokens, shown: names in the pose; given, count (tokens shown), next, vocabulary: paths; longest,
//         words: of the player, texts: { add, full, given, written, next, at } }; draw, a name in the pose, where a
//         token is written: without it the text is there, and one token more is shown
export function written_tokens(host, spec, stage) {
  const box = make(null, 'div', { class: 'written-tokens', role: 'group', 'aria-label': spec.title }, host),
    hero = make(null, 'div', { class: `hero${spec.draw ? '' : ' long'}`, dir: 'ltr' }, box),
    line = make(null, 'div', { class: 'tokens', translate: 'no' }, hero),
    text = { spec, stage, line, chips: [], listed: '' }, // what every function below gets
    now = () => textNow(text),
    goOn = halt => (now().shown < now().tokens.length ? showUpTo(text, now().shown + 1) : halt()),
    add = makeButton(hero, { class: 'plain main add', 'data-handle': 'add' }, () => addToken(text));
  make(null, 'span', { text: spec.texts.add }, add);
  const row = make(null, 'div', { class: 'keys' }, hero),
    note = make(null, 'span', { class: 'note', 'data-spoken': '' }, hero);
  const keys = player(row, stage, spec.words, {
    at: () => now().shown - now().given,
    last: () => now().tokens.length - now().given,
    put: step => showUpTo(text, now().given + step),
    go: by => showUpTo(text, now().shown + by),
    run: halt => runSteps(A_TOKEN, keys.playing, () => goOn(halt)),
  });
  const range = keys.range(row, box, { 'data-scrubber': spec.shown }),
    coming = make(null, 'span', { class: 'token coming' });
  row.querySelector('.main').classList.remove('main'); // to add a token is the main thing here
  Object.assign(text, { add, row, note, keys, range, coming });
  return scope => paint(text, scope);
}

// The tokens, of a text that is being written those that are there; how many are given and shown, and can be there.
function textNow({ spec, stage: { scope, pose } }) {
  const [given, longest] = [spec.given, spec.longest].map(path => find(scope, path)),
    shown = Math.max(given, Math.min(longest, pose[spec.shown] + 1));
  return { given, longest, shown, tokens: pose[spec.tokens][0].slice(0, longest) };
}

function showUpTo(text, count) {
  const { spec, stage } = text,
    { given, tokens } = textNow(text),
    last = stage.pose[spec.tokens][0].length; // whoever is at the newest token stays at the newest
  stage.pose[spec.shown] = Math.max(given, count >= tokens.length ? last : Math.round(count)) - 1;
  stage.requestPaint();
}

function addToken(text) {
  const { spec, stage } = text;
  stage.root.paintNow(); // which token comes next follows from the click before
  const { tokens, shown, longest } = textNow(text),
    kept = tokens.slice(0, shown);
  if (stage.resultsHidden || kept.length >= longest) return;
  if (spec.draw) {
    stage.pose[spec.shown] = kept.length;
    stage.pose[spec.tokens] = [[...kept, find(stage.scope, spec.next)]];
    stage.pose[spec.draw] = Math.floor(DRAWS * Math.random()) / DRAWS;
  } else showUpTo(text, kept.length + 1);
  stage.moved = true;
  stage.commit();
}

function list(text, tokens, start, vocabulary) {
  const { spec, stage, line } = text;
  text.chips = tokens.map((token, k) => {
    const kind = k < start ? 'given' : 'written',
      title = filled(spec.texts[kind], { word: vocabulary[token] });
    return makeButton(null, { class: `token ${kind}`, text: vocabulary[token], title }, () => {
      showUpTo(text, k + 1);
      stage.commit();
    });
  });
  line.replaceChildren(...text.chips);
}

function paint(text, scope) {
  const { spec, stage, add, row, note, keys, range, coming } = text,
    { tokens, longest } = textNow(text),
    [count, start, vocabulary] = [spec.count, spec.given, spec.vocabulary].map(path => find(scope, path)),
    key = JSON.stringify([tokens, start]);
  if (key !== text.listed) list(text, tokens, start, vocabulary);
  text.listed = key;
  const full = count >= longest,
    next = stage.resultsHidden ? '?' : (vocabulary[find(scope, spec.next)] ?? '');
  text.chips.forEach((chip, k) => {
    chip.classList.toggle('later', k >= count);
    chip.hidden = !spec.draw && k >= count; // not written yet
    chip.setAttribute('aria-pressed', k === count - 1);
    if (k === count - 1 && chip.nextSibling !== coming) chip.after(coming);
  });
  coming.hidden = full && (spec.draw || !next); // of a text that is being written, the next is known
  row.hidden = tokens.length <= start; // nothing to step through yet
  write(coming, next);
  const title = filled(spec.texts.next, { word: next });
  if (coming.title !== title) coming.title = title;
  add.disabled = full || stage.resultsHidden;
  write(note, full ? filled(spec.texts.full, { most: longest }) : '');
  const upTo = filled(spec.texts.at, { word: vocabulary[tokens[count - 1]] });
  keys.show(range, count - start, tokens.length - start, upTo);
}

// How many multiplications each written token took, without a cache and with one, as bars, and both sums.
// spec: { title, work: [without, with] for each token, sums: paths; texts: { without, cached, none } }
export function work_bars(host, spec, stage) {
  const box = make(null, 'div', { class: 'work-bars', role: 'group', 'aria-label': spec.title }, host),
    bars = make(null, 'div', { class: 'bars', 'aria-hidden': 'true', dir: 'ltr' }, box),
    sums = ['without', 'cached'].map(name => {
      const line = make(null, 'p', { class: `sum ${name}` }, box);
      make(null, 'i', {}, line);
      make(null, 'span', { text: spec.texts[name] }, line);
      return { name, number: make(null, 'b', {}, line) };
    }),
    none = make(null, 'p', { class: 'none', text: spec.texts.none }, box);
  let drawn = '';
  return scope => {
    const [without, cached] = find(scope, spec.work),
      most = Math.max(1, ...without),
      key = JSON.stringify(without),
      hidden = stage.resultsHidden;
    none.hidden = without.length > 0;
    if (key !== drawn) {
      drawn = key;
      const of = (name, size) => make(null, 'i', { class: name, style: `height:${((100 * size) / most).toFixed(1)}%` });
      bars.replaceChildren(
        ...without.map((size, k) => {
          const pair = make(null, 'span', {});
          pair.append(of('without', size), of('cached', cached[k]));
          return pair;
        }),
      );
    }
    bars.style.visibility = hidden ? 'hidden' : '';
    for (const [k, { name, number }] of sums.entries())
      show(number, find(scope, spec.sums)[k], `multiplications ${name}`, { form: formatWhole, hidden });
  };
}

// Live numbers, each behind what it is. spec: { lines: [{ text, of: path, what }] }
export function number_lines(host, spec, stage) {
  const box = make(null, 'div', { class: 'number-lines' }, host),
    numbers = spec.lines.map(({ text }) => {
      const line = make(null, 'p', {}, box);
      make(null, 'span', { text }, line);
      return make(null, 'b', {}, line);
    });
  return scope => {
    for (const [k, { of, what }] of spec.lines.entries())
      show(numbers[k], find(scope, of), what, { form: forms.settled, hidden: stage.resultsHidden });
  };
}
