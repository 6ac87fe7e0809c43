"""WordPiece, the tokeniser of BERT-like encoders, and what it shares with `byte_pairs`.

Tests compare it with the reference tokeniser on a thousand texts.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
SPECIAL_OF_BERT = UNKNOWN, BEGIN, END, "[PAD]", "[MASK]"
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
        self.tokens, self.lower_case, self.chinese = tuple(tokens), lower_case, chinese
        self.strip_accents = lower_case if strip_accents is None else bool(strip_accents)
        self.numbers = {token: number for number, token in enumerate(self.tokens)}
        for token in (UNKNOWN, BEGIN, END):
            if token not in self.numbers:
                raise ValueError(f"the vocabulary has no {token}")
        self._special = special_tokens(SPECIAL_OF_BERT, self.numbers)

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

    @property
    def size(self) -> int:
        """The number of tokens in the vocabulary."""
        return len(self.tokens)

    def text(self, number: int) -> str:
        """Return a token as text. Raises `ValueError` where no token has the number."""
        if not 0 <= number < len(self.tokens):
            raise ValueError(f"the vocabulary has no token with the number {number}")
        return self.tokens[number]

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


def special_tokens(special: Iterable[str], numbers: Mapping[str, int]) -> re.Pattern[str]:
    """A pattern that splits a text at the special tokens of a vocabulary, the longest first, and keeps these."""
    known = [re.escape(token) for token in sorted(special, key=len, reverse=True) if token and token in numbers]
    return re.compile(f"({'|'.join(known)})" if known else "(?!)")


class BytesAsText:
    """What tokenisers have in common whose tokens are bytes."""

    def bytes_of(self, number: int) -> bytes:
        """Return the bytes of a token. Raises `ValueError` where no token has the number."""
        raise NotImplementedError

    def text(self, number: int) -> str:
        r"""Return a token as text; a part of a character as bytes, such as ``\xf0``. Raises `ValueError`."""
        return self.bytes_of(number).decode("utf-8", "backslashreplace")

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the text of these tokens; bytes that are no character become �. Raises `ValueError`."""
        return b"".join(map(self.bytes_of, numbers)).decode("utf-8", "replace")


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
