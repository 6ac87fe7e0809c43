// One sentence that says what the followed word points to now, and where most of its attention goes.
import { find } from '../../figure/browser/calculation.js';
import { make } from '../../figure/browser/elements.js';
import { filled, formatShare } from '../../figure/browser/number_format.js';

const MOSTLY = 0.6, // of all that the new vector points to
  LEAST = 0.5; // a shorter vector points nowhere in particular

// What a vector [tech, fruit] points to. Where one of its components is negative, it counts as neither of them.
export function pointsTo([tech, fruit]) {
  const all = Math.abs(tech) + Math.abs(fruit);
  if (!(Math.hypot(tech, fruit) >= LEAST)) return 'neither';
  if (tech >= MOSTLY * all) return 'tech';
  if (fruit >= MOSTLY * all) return 'fruit';
  return tech > 0 && fruit > 0 ? 'both' : 'neither';
}

// spec: { of: the weights, context: the new vectors, names, focus, texts: for each case a sentence, and for the same
//         case where the largest weight is the word's own (`_own`) }
export function meaning(host, spec, stage) {
  const line = make(null, 'p', { class: 'meaning', 'data-spoken': '' }, host);
  let written = null;
  return scope => {
    const focus = scope[spec.focus],
      names = find(scope, spec.names),
      weights = find(scope, spec.of)[focus],
      most = weights.indexOf(Math.max(...weights)),
      kind = pointsTo(find(scope, spec.context)[focus]),
      values = { word: names[focus], other: names[most], weight: formatShare(weights[most]) },
      text = stage.resultsHidden ? '' : filled(spec.texts[most === focus ? `${kind}_own` : kind], values);
    if (text === written) return;
    written = text;
    // every second piece stands between asterisks: a word of the sentence, or an axis in its colour
    line.replaceChildren(
      ...text.split('*').map((piece, k) => make(null, k % 2 ? 'em' : 'span', { class: `of-${piece}`, text: piece })),
    );
    for (const span of line.querySelectorAll('span')) span.removeAttribute('class');
  };
}
