// Pointing at a number, an arrow, a row or a word (or focusing it by key) highlights everything on the page that
// concerns the same words; the rest is dimmed. Which words an element concerns is read from `data-value`,
// `data-handle`, or `data-about` where it has neither. Of two words the first is the query's; `data-as` says of a
// single word whether it is the query's ("asks") or a key's ("answers").
const NAMED = '[data-value], [data-handle], [data-about]',
  WHOLE = '.vector, .cell, .ledger-cell, .addend, .arc-word, td, button',
  HELD = '.vector, .cell, .ledger-cell, .addend, .arc-word, td, tr, button';

const plain = word => word.replace(/[₀-₉]+$/, ''); // of a word that comes again each place has a name of its own

// The words of a page: all names among its constants.
const wordsOf = ({ data: { constants } }) =>
  new Set(
    Object.values(constants)
      .flat()
      .filter(each => typeof each === 'string' && !each.includes(' '))
      .map(plain),
  );

function about(element, known) {
  const { value, handle, about: words, as } = element.dataset,
    names = (words ?? value ?? handle).split(' ').map(plain);
  return { names: names.filter(name => known.has(name)), as };
}

// Whether two elements concern the same words, or one concerns some of the other's.
function belongs({ names: a, as: role }, { names: b, as: other }) {
  const [few, many, as] = a.length <= b.length ? [a, b, role] : [b, a, other];
  if (!few.length) return false;
  if (few.length === many.length) return few.every((name, k) => name === many[k]) && !(role && other && role !== other);
  if (few.length === 1 && as) return many[as === 'asks' ? 0 : 1] === few[0];
  return few.every(name => many.includes(name));
}

function mark(stage, from) {
  const known = wordsOf(stage),
    pointed = from && about(from, known),
    all = new Map();
  if (pointed?.names.length)
    for (const element of stage.root.querySelectorAll(NAMED)) {
      const whole = element.closest(WHOLE) ?? element,
        related = belongs(pointed, about(element, known));
      all.set(whole, all.get(whole) || related);
    }
  for (const element of stage.highlighted ?? []) if (!all.has(element)) delete element.dataset.kin;
  for (const [element, related] of all) {
    const state = related ? 'near' : 'far';
    if (element.dataset.kin !== state) element.dataset.kin = state;
  }
  stage.highlighted = [...all.keys()];
}

export function linkedHighlight(stage) {
  const { root } = stage;
  let from = null;
  const point = element => {
    if (element === from) return;
    from = element;
    mark(stage, from);
  };
  const namedIn = target => {
    const held = target.closest?.(HELD);
    return target.closest?.(NAMED) ?? held?.querySelector(NAMED) ?? null;
  };
  root.addEventListener('pointerover', ({ target, pointerType, buttons }) => {
    if (pointerType !== 'touch' && !buttons) point(namedIn(target));
  });
  root.addEventListener('pointerleave', () => point(null));
  root.addEventListener('pointerdown', () => point(null)); // a hand at work wants all in sight
  root.addEventListener('focusin', ({ target }) => {
    if (target.matches(':focus-visible')) point(namedIn(target));
  });
  root.addEventListener('focusout', () => point(null));
}
