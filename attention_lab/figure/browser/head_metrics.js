// Where a head of a trained model attends, measured, and the accuracy without it.
import { make, putText } from './elements.js';
import { filled, formatPercent, formatShare, show } from './number_format.js';

// spec: { title, head: the pose's name, names: of the heads, kinds: [{ name, label, count: on how many answers its
//         shares rest, or null }], shares: of each head its share of each kind, own: of each head the kind
//         whose question it had in training, or null, without: { head: of which it was counted,
//         rows: [{ name, label, count, whole, off, broken }], says }, where that is known,
//         notes: of each head a remark,
//         texts: { head, own, without, all, off } }
export function measured(host, spec, stage) {
  const box = make(null, 'div', { class: 'measured', role: 'group', 'aria-label': spec.title }, host),
    looks = make(null, 'div', { class: 'looks' }, box),
    breaks = spec.without && make(null, 'div', { class: 'breaks' }, box);
  const says = make(null, 'p', { class: 'says' }, looks),
    ablationText = breaks && make(null, 'p', { class: 'says' }, breaks);
  const line = (parent, { label, count }) => {
    const row = make(null, 'div', { class: 'kind' }, parent);
    make(null, 'span', { class: 'name', text: label }, row);
    const track = make(null, 'span', { class: 'track' }, row),
      whole = make(null, 'span', { class: 'whole' }, track),
      bar = make(null, 'span', { class: 'bar' }, track);
    const number = make(null, 'span', { class: 'number' }, row);
    if (count) make(null, 'span', { class: 'count', text: `n = ${count}` }, row);
    return { row, whole, bar, number };
  };
  const rows = spec.kinds.map(kind => line(looks, kind)),
    note = make(null, 'p', { class: 'note' }, looks),
    counted = (spec.without?.rows ?? []).map(row => line(breaks, row));
  const verdict = breaks && make(null, 'p', { class: 'verdict', 'data-spoken': '' }, breaks);
  return scope => {
    const shown = scope[spec.head],
      head = spec.names[shown],
      own = spec.own[shown] ?? null,
      known = spec.without?.head === shown && !stage.resultsHidden;
    putText(says, filled(own === null ? spec.texts.head : spec.texts.own, { head }));
    putText(note, spec.notes?.[shown] ?? '');
    if (breaks) {
      putText(ablationText, filled(spec.texts.without, { head }));
      putText(verdict, known ? spec.without.says : '');
    }
    rows.forEach(({ row, bar, number }, k) => {
      const x = spec.shares[shown][k];
      row.classList.toggle('own', k === own);
      bar.style.width = `${(100 * x).toFixed(1)}%`;
      show(number, x, `measured ${head} ${spec.kinds[k].name}`, { form: formatShare });
    });
    counted.forEach(({ row, whole, bar, number }, k) => {
      const { name, whole: all, off, broken } = spec.without.rows[k];
      row.classList.toggle('breaks-down', known && broken);
      whole.style.width = `${(100 * all).toFixed(1)}%`;
      bar.style.width = known ? `${(100 * off).toFixed(1)}%` : 0;
      row.title = known ? `${spec.texts.all} ${formatShare(all)}, ${spec.texts.off} ${formatShare(off)}` : '';
      show(number, off, `without ${head} ${name}`, {
        hidden: known ? false : stage.resultsHidden ? true : '…',
        form: x => formatPercent(Math.round(100 * x)),
      });
    });
  };
}
