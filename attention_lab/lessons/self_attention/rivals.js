// Two endings of one sentence: what the asking word gives to each of two others, and the ratio of the two.
import { make, write } from '../../figure/browser/elements.js';
import { find } from '../../figure/browser/calculation.js';
import { formatNumber, filled, formatShare, show } from '../../figure/browser/number_format.js';

// spec: { title, head: [text], asks, rivals: [name, name], endings: [{ name, title, weights: [path, path], ratio: path,
//         own }], change: by which part the two ratios differ, times: how many times the one is the other, equal: up to
//         here it is rounding, words: { same, other, undefined, veiled }, veiled }
export function rivals(host, spec, stage) {
  const box = make(null, 'div', { class: 'rivals', role: 'group', 'aria-label': spec.title }, host);
  make(null, 'p', { class: 'opened-title', text: spec.title }, box);
  const table = make(null, 'table', {}, box),
    head = make(null, 'tr', {}, make(null, 'thead', {}, table)),
    body = make(null, 'tbody', {}, table);
  for (const text of spec.head) make(null, 'th', { scope: 'col', text }, head);
  const rows = spec.endings.map(ending => {
    const row = make(null, 'tr', {}, body);
    make(null, 'th', { scope: 'row', text: ending.title }, row);
    const shares = ending.weights.map(path => {
      const cell = make(null, 'td', { class: 'given' }, row),
        bar = make(null, 'span', { class: 'given-bar' }, make(null, 'span', { class: 'given-track' }, cell)),
        text = make(null, 'span', { class: 'given-text' }, cell);
      return { path, bar, text };
    });
    return { ending, row, shares, ratio: make(null, 'td', { class: 'ratio' }, row) };
  });
  const verdict = make(null, 'p', { class: 'verdict', 'data-spoken': '' }, box);
  return scope => {
    const hidden = stage.resultsHidden || spec.veiled;
    for (const { ending, row, shares, ratio } of rows) {
      row.classList.toggle('chosen', ending.own);
      shares.forEach(({ path, bar, text }, r) => {
        const value = find(scope, path);
        bar.style.width = hidden ? 0 : `${(100 * value).toFixed(1)}%`;
        show(text, value, `${ending.name} ${spec.asks} ${spec.rivals[r]}`, { hidden, form: formatShare });
      });
      show(ratio, find(scope, ending.ratio), `ratio ${ending.name}`, { hidden });
    }
    const change = find(scope, spec.change),
      times = find(scope, spec.times);
    const said = hidden
      ? spec.words.veiled
      : !Number.isFinite(change)
        ? spec.words.undefined
        : change <= spec.equal
          ? spec.words.same
          : filled(spec.words.other, { times: formatNumber(times > 1 ? times : 1 / times) });
    write(verdict, said);
    verdict.dataset.same = hidden ? '' : String(change <= spec.equal);
  };
}
