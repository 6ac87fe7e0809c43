// What people type, with the signs and digits of any keyboard. `typed_text.py` reads by the same rules and says why.
const INVISIBLE = '\\u200b\\u2060\\ufeff\\u200e\\u200f\\u061c\\u202a-\\u202e\\u2066-\\u2069\\u3164\\u2800',
  ALL_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'g'),
  ENDS = new RegExp(`^[${INVISIBLE}\\u200c]+|[${INVISIBLE}\\u200c]+$`, 'g'),
  NUMBER = /^([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?)(?:\/(\d{1,30}))?\s?(%?)$/i,
  [FROM, TO] = ['−–—‐‑‒﹣٫。｡⁄∕٪﹪、،؛؟’‘', "-------...//%%,,;?''"];

// A text as a plain keyboard would have sent it; brackets are spaces.
export const usualSigns = text =>
  text
    .replace(ALL_INVISIBLE, '')
    .replace(/[\uff01-\uff5e]/g, sign => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/[٠-٩۰-۹]/g, digit => digit.charCodeAt(0) & 15)
    .replace(/[()[\]{}【】〔〕「」《》〈〉⟨⟩…\u3000]/g, ' ')
    .replace(/[^\w\s]/g, sign => TO[FROM.indexOf(sign)] ?? sign)
    .replace(/(\d)٬(?=\d{3}(?!\d))/g, '$1')
    .replace(/٬/g, ',');

// The number that a text is: .5, 1E-3, −2, 24/57 or 67%. NaN for any other text.
export function readNumber(text) {
  const [whole, number, below, percent] = NUMBER.exec(usualSigns(text).trim()) ?? [],
    divisor = Number(below ?? 1) * (percent ? 100 : 1);
  return whole && divisor ? Number(number) / divisor + 0 : NaN;
}

// A word in composed letters, without what nobody sees at its ends.
export const cleanWord = word => word.normalize('NFC').replace(ENDS, '');

// How many letters must change to make one word of another.
export function lettersBetween(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1])));
    row = next;
  }
  return row.at(-1);
}

// A name of at most so many characters, as a reader counts them: none is cut in two. The segmenter is made for the
// first name that is too long: that takes some 20 ms, and most pages have none.
let segmenter = null;
export function shortened(name, most) {
  if (name.length <= most) return name;
  segmenter ??= Intl.Segmenter && new Intl.Segmenter();
  const characters = segmenter ? Array.from(segmenter.segment(name), ({ segment }) => segment) : [...name];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : name;
}
