"""Tokenisers of pretrained models: WordPiece for BERT-like encoders, byte-pair encoding for GPT-2.

Tests compare both with the reference tokenisers on a thousand texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
SPECIAL_OF_BERT, SPECIAL_OF_GPT2 = (UNKNOWN, BEGIN, END, "[PAD]", "[MASK]"), ("<|endoftext|>",)
LONGEST_WORD = 100  # characters; WordPiece treats longer words as unknown


class WordPiece:
    """BERT's tokeniser: words, split into the longest pieces in the vocabulary; later pieces begin with ##.

    `tokens` is the vocabulary in its order. Accents are stripped where `strip_accents`, or where it is None and
    letters become small; `chinese` characters are words. A special token in a text is one token. Raises
    `ValueError` where the vocabulary lacks one that every text has.
    Source: Devlin et al. 2019; https://github.com/google-research/bert/blob/master/tokenization.py.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        lower_case: bool = True,
        strip_accents: bool | None = None,
        chinese: bool = True,
    ) -> None:
        """Check and store the vocabulary."""
        self.tokens, self.lower_case, self.chinese = tuple(tokens), lower_case, chinese
        self.strip_accents = lower_case if strip_accents is None else bool(strip_accents)
        self.numbers = {token: number for number, token in enumerate(self.tokens)}
        for token in (UNKNOWN, BEGIN, END):
            if token not in self.numbers:
                raise ValueError(f"the vocabulary has no {token}")
        self._special = _splitter(SPECIAL_OF_BERT, self.numbers)

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        """Return the tokens of a text, between [CLS] and [SEP], as indices and as names."""
        names = [BEGIN]
        for part in self._special.split(text):
            if self._special.fullmatch(part):
                names.append(part)
            else:
                names += [piece for word in self._words(part) for piece in self._pieces(word)]
        names.append(END)
        return [self.numbers[name] for name in names], names

    def _words(self, text: str) -> Iterator[str]:
        """Words, and punctuation marks and Chinese characters one by one."""
        word = ""
        for sign in self._signs(text):
            alone = sign.isspace() or _is_punctuation(sign) or (self.chinese and _is_chinese(sign))
            if alone:
                if word:
                    yield word
                word = ""
                if not sign.isspace():
                    yield sign
            else:
                word += sign
        if word:
            yield word

    def _signs(self, text: str) -> Iterator[str]:
        """The text without control characters; in lower case and without accents where that is asked."""
        for sign in text:
            if sign in "\t\n\r" or unicodedata.category(sign) == "Zs":
                yield " "
            elif sign not in "\0\ufffd" and unicodedata.category(sign)[0] != "C":
                for part in unicodedata.normalize("NFD", sign) if self.strip_accents else sign:
                    if not (self.strip_accents and unicodedata.category(part) == "Mn"):
                        yield from part.lower() if self.lower_case else " " if part.isspace() else part

    def _pieces(self, word: str) -> list[str]:
        pieces, begin = [], 0
        while begin < len(word) <= LONGEST_WORD:
            mark = "##" if begin else ""
            end = next(
                (end for end in range(len(word), begin, -1) if mark + word[begin:end] in self.numbers), None
            )
            if end is None:
                return [UNKNOWN]
            pieces.append(mark + word[begin:end])
            begin = end
        return pieces or [UNKNOWN]


def _splitter(special: Sequence[str], numbers: Mapping[str, int]) -> re.Pattern[str]:
    """A pattern that splits a text at the special tokens of a vocabulary, and keeps these."""
    known = [re.escape(token) for token in special if token in numbers]
    return re.compile(f"({'|'.join(known)})" if known else "(?!)")


def _is_punctuation(sign: str) -> bool:
    code = ord(sign)
    ascii_mark = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return ascii_mark or unicodedata.category(sign)[0] == "P"


_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def _is_chinese(sign: str) -> bool:
    code = ord(sign)
    return any(first <= code <= last for first, last in _CHINESE)


MOST_WORDS, LONGEST_WORD = 1000, 128  # cached words, and the bytes of one: a few megabytes at most


class BytePairs:
    """GPT-2's tokeniser: bytes, of which the pair that was learned first is merged until none is left.

    `numbers` is the vocabulary, `merges` the pairs in the order in which they were learned. Raises `ValueError`
    where the vocabulary lacks a byte or a pair. Source: Radford et al. 2019; Sennrich et al. 2016.
    """

    def __init__(self, numbers: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> None:
        """Check and store the vocabulary and the pairs."""
        self.numbers = dict(numbers)
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        for sign in SIGN_OF_BYTE:
            if sign not in self.numbers:
                raise ValueError(f"the vocabulary has no token for the byte {SIGN_OF_BYTE.index(sign)}")
        for pair in merges:
            if "".join(pair) not in self.numbers:
                raise ValueError(f"the vocabulary has no token for the pair {pair}")
        self._merge_cached = lru_cache(MOST_WORDS)(self._merge)
        self._special = _splitter(SPECIAL_OF_GPT2, self.numbers)

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        r"""Return the tokens of a text as indices and as text.

        A character may be split over several tokens: these have its bytes, such as ``\xf0\x9f``. A special token
        in the text is one token.
        """
        names = []
        for part in self._special.split(text):
            if self._special.fullmatch(part):
                names.append(part)
                continue
            for word in _words_of_gpt2(part):
                signs = "".join(SIGN_OF_BYTE[byte] for byte in word.encode("utf-8", "replace"))
                names += self._tokens_of(signs)
        tokens = [bytes(SIGN_OF_BYTE.index(sign) for sign in name) for name in names]
        texts = [token.decode("utf-8", "backslashreplace") for token in tokens]
        return [self.numbers[name] for name in names], texts

    def _tokens_of(self, word: str) -> tuple[str, ...]:
        return self._merge_cached(word) if len(word) <= LONGEST_WORD else self._merge(word)

    def _merge(self, word: str) -> tuple[str, ...]:
        parts = list(word)
        while len(parts) > 1:
            ranks = [self._ranks.get(pair, len(self._ranks)) for pair in pairwise(parts)]
            least = min(ranks)
            if least == len(self._ranks):
                break
            pair = parts[ranks.index(least)], parts[ranks.index(least) + 1]
            merged, i = [], 0
            while i < len(parts):
                matches = tuple(parts[i : i + 2]) == pair
                merged.append("".join(pair) if matches else parts[i])
                i += 2 if matches else 1
            parts = merged
        return tuple(parts)


def _signs_of_bytes() -> tuple[str, ...]:
    """A printable character for each byte: its own, or one beyond the 256."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    beyond = iter(range(256, 512))
    return tuple(chr(byte) if byte in printable else chr(next(beyond)) for byte in range(256))


SIGN_OF_BYTE = _signs_of_bytes()
_ENDINGS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


def _kind(sign: str) -> str:
    """The class of a character: space, letter (L), numeral (N) or other."""
    if sign.isspace() and sign not in "\x1c\x1d\x1e\x1f":
        return "space"
    first = unicodedata.category(sign)[0]
    return first if first in "LN" else "other"


def _words_of_gpt2(text: str) -> Iterator[str]:
    """Words with the space before them, numerals, marks, endings such as *'ll*, and runs of spaces."""
    begin = 0
    while begin < len(text):
        ending = next((ending for ending in _ENDINGS if text.startswith(ending, begin)), None)
        if ending:
            yield ending
            begin += len(ending)
            continue
        spaced = text[begin] == " " and begin + 1 < len(text) and _kind(text[begin + 1]) != "space"
        first = begin + spaced
        end = first
        while end < len(text) and _kind(text[end]) == _kind(text[first]):
            end += 1
        if _kind(text[first]) == "space" and end < len(text) and end - begin > 1:
            end -= 1  # the last space belongs to the next word
        yield text[begin:end]
        begin = end
