// A box of tokens that scrolls: which of them are in sight, and bringing one there without moving the page.
import { followWidth } from '../../figure/browser/elements.js';

export const PIECE = 48; // tokens in an element of the box: it is painted if one of them is in sight
const MARGIN = 240; // px beyond the box that count as in sight: a browser may scroll before it is painted

// `changed` is called when other tokens have come into sight.
export function tokenBox(box, changed) {
  let tokens = [],
    places = [], // where each token begins and ends, in px from the top of what the box holds
    inSight = [];
  function look() {
    const [from, to] = [box.scrollTop - MARGIN, box.scrollTop + box.clientHeight + MARGIN];
    inSight = [...places.keys()].filter(k => places[k][1] >= from && places[k][0] <= to);
    const near = new Set(inSight.map(k => tokens[k].parentElement));
    for (const piece of box.children) piece.classList.toggle('away', !near.has(piece));
  }
  function measure() {
    places = tokens.map(({ offsetTop, offsetHeight }) => [offsetTop, offsetTop + offsetHeight]);
    look();
  }
  const again = act => () => {
    act();
    changed();
  };
  box.addEventListener('scroll', again(look));
  followWidth(box, again(measure));
  document.fonts?.ready.then(again(measure));
  return {
    inSight: () => inSight,
    fill(made) {
      tokens = made;
      measure();
    },
    // Scrolls to a token that is out of sight: to another with it, where both have room.
    bring(k, other = k) {
      const [[top, bottom], [first, last]] = [places[k], places[other]],
        both = [Math.min(top, first), Math.max(bottom, last)],
        [from, to] = both[1] - both[0] <= box.clientHeight ? both : [top, bottom];
      if (from < box.scrollTop || to > box.scrollTop + box.clientHeight)
        box.scrollTop = (from + to - box.clientHeight) / 2;
    },
  };
}
