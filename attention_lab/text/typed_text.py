"""What people type, with the signs and digits of any keyboard. `typed_text.js` reads by the same rules."""

import re
import unicodedata
from functools import lru_cache

# Nobody sees these: zero width space, word joiner, byte-order mark, marks of direction, blank letters.
INVISIBLE = (
    "\u200b\u2060\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u3164\u2800"
)
# What keyboards send for the signs of numbers and sentences; brackets only hold numbers together.
SIGNS = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # full width
    | dict(zip("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", 2 * "0123456789", strict=True))
    | dict(zip("−–—‐‑‒﹣٫。｡⁄∕٪﹪、،؛؟’‘", "-------...//%%,,;?''", strict=True))
    | dict.fromkeys("()[]{}（）［］｛｝【】〔〕「」《》〈〉⟨⟩…\u3000", " ")
    | dict.fromkeys(INVISIBLE, "")
)
ARABIC_THOUSANDS = re.compile(r"(?<=\d)٬(?=\d{3}(?!\d))")
NUMBER = re.compile(
    r"([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?)(?:/(\d{1,30}))?\s?(%?)",
    re.ASCII | re.IGNORECASE,
)
JOINERS = "\u200c\u200d"  # within Persian words, Indian letters and pictures of people
REGION = "(?<=\U0001f3f4)[\U000e0020-\U000e007f]+"  # letters that spell a flag's
NOT_SHOWN = re.compile(f"[{JOINERS}]|{REGION}")
POINTS_OF_ONE = 8  # code points that a character has at most, on average


def usual_signs(text: str) -> str:
    """A text as a plain keyboard would have sent it: ``（－３，１／２）`` is `` -3,1/2 ``."""
    return ARABIC_THOUSANDS.sub("", text.translate(SIGNS)).replace("٬", ",")


@lru_cache(8192)  # at each change all numbers of a matrix are read, and one has changed
def read_number(text: str) -> float | None:
    """The number that a text is, ``.5``, ``1E-3``, ``−2``, ``24/57`` or ``67%``; None for any other text.

    The decimal mark is a point. A number beyond all others is infinite.
    """
    found = NUMBER.fullmatch(usual_signs(text).strip())
    if found is None:
        return None
    number, below, percent = found.groups()
    divisor = float(below or 1) * (100 if percent else 1)
    return float(number) / divisor + 0.0 if divisor else None  # no negative zero


def clean_word(word: str) -> str:
    """A word in composed letters, without what nobody sees at its ends: one spelling for what looks alike."""
    return unicodedata.normalize("NFC", word).strip(INVISIBLE + "\u200c")


def clean_line(text: str) -> str:
    """A line of such words, with single spaces."""
    return " ".join(filter(None, map(clean_word, text.split())))


def is_shown(text: str) -> bool:
    """Whether a text has something to see, and nothing that cannot be seen but the joiners of letters."""
    rest = NOT_SHOWN.sub("", text)
    return rest.isprintable() and any(unicodedata.category(c)[0] != "M" for c in rest)


def length(text: str) -> int:
    """How many characters a reader sees: 👩‍🏫 is one.

    A character of very many code points counts as several.
    """
    apart = re.sub("[\U0001f1e6-\U0001f1ff]{2}", "f", re.sub("\u200d\\W", "", text))  # flags; what is joined
    seen = sum(unicodedata.category(c)[0] not in "MC" and not "🏻" <= c <= "🏿" for c in apart)
    return max(seen, len(text) // POINTS_OF_ONE)
