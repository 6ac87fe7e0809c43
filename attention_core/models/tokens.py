"""How text becomes the tokens of a real model: WordPiece for BERT-like encoders, pairs of bytes for GPT-2.

Both are held to the reference tokenisers on a thousand texts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100  # signs; WordPiece calls longer ones unknown


class WordPiece:
    """The tokens of BERT: words, cut into the longest pieces that the vocabulary has; later pieces begin with ##.

    `tokens` is the vocabulary in its order. Raises `ValueError` where it lacks a token that every text needs.
    Source: Devlin et al. 2019; https://github.com/google-research/bert/blob/master/tokenization.py.
    """

    def __init__(self, tokens: Sequence[str], lower_case: bool = True) -> None:
        """Keep the vocabulary."""
        self.tokens, self.lower_case = tuple(tokens), lower_case
        self.numbers = {token: number for number, token in enumerate(self.tokens)}
        for token in (UNKNOWN, BEGIN, END):
            if token not in self.numbers:
                raise ValueError(f"the vocabulary has no {token}")

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        """The tokens of a text by number and by name, between [CLS] and [SEP]."""
        names = [BEGIN, *(piece for word in self._words(text) for piece in self._pieces(word)), END]
        return [self.numbers[name] for name in names], names

    def _words(self, text: str) -> Iterator[str]:
        """Words, punctuation marks and each Chinese sign by itself."""
        word = ""
        for sign in self._signs(text):
            alone = sign.isspace() or _is_punctuation(sign) or _is_chinese(sign)
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
        """The text without control signs; in lower case, and then without accents."""
        for sign in text:
            if sign in "\t\n\r" or unicodedata.category(sign) == "Zs":
                yield " "
            elif sign not in "\0\ufffd" and unicodedata.category(sign)[0] != "C":
                if not self.lower_case:
                    yield " " if sign.isspace() else sign
                    continue
                for part in unicodedata.normalize("NFD", sign):
                    if unicodedata.category(part) != "Mn":
                        yield from part.lower()

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


MOST_WORDS, LONGEST_WORD = 1000, 128  # words whose tokens are kept, and the bytes of one: some megabytes at most


class BytePairs:
    """The tokens of GPT-2: bytes, of which the pair that was learned first becomes one, again and again.

    `numbers` is the vocabulary, `merges` the pairs in the order in which they were learned. Raises `ValueError`
    where the vocabulary lacks a byte. Source: Radford et al. 2019; Sennrich et al. 2016.
    """

    def __init__(self, numbers: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> None:
        """Keep vocabulary and pairs."""
        self.numbers = dict(numbers)
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        for sign in SIGN_OF_BYTE:
            if sign not in self.numbers:
                raise ValueError(f"the vocabulary has no token for the byte {SIGN_OF_BYTE.index(sign)}")
        for pair in merges:
            if "".join(pair) not in self.numbers:
                raise ValueError(f"the vocabulary has no token for the pair {pair}")
        self._merge_cached = lru_cache(MOST_WORDS)(self._merge)

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        """The tokens of a text by number and as text; of a sign in several tokens each shows a part."""
        names = [
            token
            for word in _words_of_gpt2(text)
            for token in self._tokens_of("".join(SIGN_OF_BYTE[byte] for byte in word.encode("utf-8", "replace")))
        ]
        shown = [bytes(SIGN_OF_BYTE.index(sign) for sign in name).decode("utf-8", "replace") for name in names]
        return [self.numbers[name] for name in names], shown

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
            joined, place = [], 0
            while place < len(parts):
                both = tuple(parts[place : place + 2]) == pair
                joined.append("".join(pair) if both else parts[place])
                place += 2 if both else 1
            parts = joined
        return tuple(parts)


def _signs_of_bytes() -> tuple[str, ...]:
    """A sign for each byte that can be seen: its own, or one beyond the 256."""
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    beyond = iter(range(256, 512))
    return tuple(chr(byte) if byte in seen else chr(next(beyond)) for byte in range(256))


SIGN_OF_BYTE = _signs_of_bytes()
_ENDINGS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


def _kind(sign: str) -> str:
    """A space, a letter, a numeral or anything else."""
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
