// Where the weight of a pronoun goes, what weight says of deletion, and the texts of a word in its senses.
import { find } from '../../figure/browser/calculation.js';
import { make, remark, write } from '../../figure/browser/elements.js';
import { filled, localized, formatShare, show, signed } from '../../figure/browser/number_format.js';

const bar = (row, kind) => {
  const track = make(null, 'span', { class: `track ${kind}` }, row);
  return {
    fill: make(null, 'span', { class: 'bar' }, track),
    number: make(null, 'span', { class: 'number' }, track),
  };
};

// spec: { title, head, names: of the heads,
//         rows: [{ last, nouns: [2], right: which of them, shares: of each head [2] }],
//         texts: { head, says, right } }
export function where_it_looks(host, spec, stage) {
  const box = make(null, 'div', { class: 'looks-at', role: 'group', 'aria-label': spec.title }, host),
    head = make(null, 'p', { class: 'says' }, box);
  const rows = spec.rows.map(({ last, nouns, right }) => {
    const row = make(null, 'div', { class: 'pronoun' }, box);
    make(null, 'span', { class: 'last', text: `… ${last}` }, row);
    return nouns.map((noun, k) => {
      const side = make(null, 'span', { class: k === right ? 'noun right' : 'noun' }, row);
      make(null, 'span', { class: 'name', text: k === right ? `${noun} ✓` : noun }, side);
      return bar(side, 'weight');
    });
  });
  remark(box, spec.texts.says);
  return scope => {
    const shown = scope[spec.head];
    write(head, filled(spec.texts.head, { head: spec.names[shown] }));
    rows.forEach((bars, r) =>
      bars.forEach(({ fill, number }, k) => {
        const x = spec.rows[r].shares[shown][k];
        fill.style.width = stage.resultsHidden ? 0 : `${(100 * x).toFixed(1)}%`;
        const what = `weight of it on ${spec.rows[r].nouns[k]}, ${spec.rows[r].last}`;
        show(number, x, what, { hidden: stage.resultsHidden, form: formatShare });
      }),
    );
  };
}

// spec: { title, head, names: of the heads, words, labels: of them, received, weights: paths; deletion: [of each
//         token between the marks], marks: how many at either end, ofHeads: [rank correlation of each head or
//         null], texts: { token, all, one, deletion, head, says } }
export function against_deletion(host, spec, stage) {
  const box = make(null, 'div', { class: 'against-deletion', role: 'group', 'aria-label': spec.title }, host),
    table = make(null, 'div', { class: 'tokens', role: 'table' }, box),
    top = make(null, 'div', { class: 'token top', role: 'row' }, table);
  const names = ['token', 'all', 'one', 'deletion'].map(name =>
    make(null, 'span', { role: 'columnheader', text: spec.texts[name] }, top),
  );
  const words = find(stage.scope, spec.words);
  const rows = spec.deletion.map((_, k) => {
    const row = make(null, 'div', { class: 'token', role: 'row' }, table);
    make(null, 'span', { class: 'name', role: 'rowheader', text: words[k + spec.marks] }, row);
    return ['weight', 'weight', 'deletion'].map(kind => bar(row, kind));
  });
  const line = make(null, 'p', { class: 'says' }, box);
  remark(box, spec.texts.says);
  const most = Math.max(...spec.deletion, 1e-9);
  return scope => {
    const shown = scope[spec.head],
      weights = find(scope, spec.weights),
      n = weights.length,
      inner = spec.deletion.map((_, k) => k + spec.marks);
    const all = inner.map(k => find(scope, spec.received)[k]),
      one = inner.map(k => weights.reduce((sum, row) => sum + row[k], 0) / n);
    const columns = [
      { of: all, full: Math.max(...all), form: formatShare, what: 'weight, all heads' },
      { of: one, full: Math.max(...one), form: formatShare, what: `weight, head ${spec.names[shown]}` },
      { of: spec.deletion, full: most, form: x => localized(x.toFixed(3)), what: 'deletion' },
    ];
    write(names[2], filled(spec.texts.one, { head: spec.names[shown] }));
    rows.forEach((bars, k) =>
      bars.forEach(({ fill, number }, c) => {
        const { of, full, form, what } = columns[c];
        fill.style.width = stage.resultsHidden ? 0 : `${(100 * Math.max(0, of[k])) / (full || 1)}%`;
        show(number, of[k], `${what} ${spec.labels[k + spec.marks]}`, { hidden: stage.resultsHidden, form });
      }),
    );
    const said = filled(spec.texts.head, { head: spec.names[shown], rank: signed(spec.of_heads[shown]) });
    write(line, stage.resultsHidden ? '' : said);
  };
}

// spec: { title, sense: the pose's name, words: of each word [{ text, group }] }
export function sense_texts(host, spec) {
  const box = make(null, 'ol', { class: 'sense-texts', 'aria-label': spec.title }, host);
  let told = -1;
  return scope => {
    if (told === scope[spec.sense]) return;
    told = scope[spec.sense];
    box.replaceChildren();
    for (const { text, group } of spec.words[told]) make(null, 'li', { class: `tint-${group}`, text }, box);
  };
}
