// Whatever speaks of the same words belongs together: who points at a number, an arrow, a row or a word (or brings the
// focus there by key) sees all its kin on the page, the rest stands back. What an element speaks of is read from the
// names that it bears anyway: `data-value`, `data-handle`, or `data-about` where it has neither. Of two words the
// first asks; `data-as` says of one word alone that it stands there as the one that asks, or that answers.
const NAMED = '[data-value], [data-handle], [data-about]',
  WHOLE = '.vector, .cell, .ledger-cell, .addend, .arc-word, td, button',
  HELD = '.vector, .cell, .ledger-cell, .addend, .arc-word, td, tr, button';

const plain = word => word.replace(/[₀-₉]+$/, ''); // of a word that comes again each place has a name of its own

// The words of a page: all names that its parts were given.
const words_of = ({ data: { given } }) =>
  new Set(
    Object.values(given)
      .flat()
      .filter(each => typeof each === 'string' && !each.includes(' '))
      .map(plain),
  );

function about(element, known) {
  const { value, handle, about: told, as } = element.dataset,
    names = (told ?? value ?? handle).split(' ').map(plain);
  return { names: names.filter(name => known.has(name)), as };
}

// Whether what speaks of some words belongs to what speaks of others: the same, or a part of it.
function belongs({ names: a, as: role }, { names: b, as: other }) {
  const [few, many, as] = a.length <= b.length ? [a, b, role] : [b, a, other];
  if (!few.length) return false;
  if (few.length === many.length) return few.every((name, k) => name === many[k]) && !(role && other && role !== other);
  if (few.length === 1 && as) return many[as === 'asks' ? 0 : 1] === few[0];
  return few.every(name => many.includes(name));
}

function mark(stage, from) {
  const known = words_of(stage),
    pointed = from && about(from, known),
    all = new Map();
  if (pointed?.names.length)
    for (const element of stage.root.querySelectorAll(NAMED)) {
      const whole = element.closest(WHOLE) ?? element,
        kin = belongs(pointed, about(element, known));
      all.set(whole, all.get(whole) || kin);
    }
  for (const element of stage.kin ?? []) if (!all.has(element)) delete element.dataset.kin;
  for (const [element, kin] of all) {
    const state = kin ? 'near' : 'far';
    if (element.dataset.kin !== state) element.dataset.kin = state;
  }
  stage.kin = [...all.keys()];
}

export function link_kin(stage) {
  const { root } = stage;
  let from = null;
  const point = element => {
    if (element === from) return;
    from = element;
    mark(stage, from);
  };
  const found = target => {
    const held = target.closest?.(HELD);
    return target.closest?.(NAMED) ?? held?.querySelector(NAMED) ?? null;
  };
  root.addEventListener('pointerover', ({ target, pointerType, buttons }) => {
    if (pointerType !== 'touch' && !buttons) point(found(target));
  });
  root.addEventListener('pointerleave', () => point(null));
  root.addEventListener('pointerdown', () => point(null)); // a hand at work wants all in sight
  root.addEventListener('focusin', ({ target }) => {
    if (target.matches(':focus-visible')) point(found(target));
  });
  root.addEventListener('focusout', () => point(null));
}
