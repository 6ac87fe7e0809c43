"""Byte-level byte-pair encoding: the tokeniser of GPT-2 and of most decoders since.

Tests compare it with the reference tokeniser for each way to split a text into words.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush

from attention_core.models.tokens import BytesAsText, special_tokens

MOST_WORDS, LONGEST_WORD = 1000, 128  # cached words, and the bytes of one: a few megabytes at most

# The published regular expressions, under llama.cpp's names. smollm splits at each digit first: the spaces before
# one are the last of a text.
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPLITS = {
    "gpt-2": _GPT2,
    "smollm": _GPT2.replace(r" ?\p{N}+", r"\p{N}").replace(r"(?!\S)", r"(?![^\s\p{N}])"),
    "llama-bpe": _LLAMA3,
    "qwen2": _LLAMA3.replace("{1,3}", ""),
}
# Bytes that a vocabulary may lack: control characters and what no assigned character has.
RARE_BYTES = {*range(32), *range(0xC0, 0xC2), *range(0xF1, 256)} - set(b"\t\n\r")


def _signs_of_bytes() -> tuple[str, ...]:
    """A printable character for each byte: its own, or one beyond the 256."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    beyond = iter(range(256, 512))
    return tuple(chr(byte) if byte in printable else chr(next(beyond)) for byte in range(256))


SIGN_OF_BYTE = _signs_of_bytes()
_BYTE_OF_SIGN = {sign: byte for byte, sign in enumerate(SIGN_OF_BYTE)}


def _signs(text: str) -> str:
    return "".join(SIGN_OF_BYTE[byte] for byte in text.encode("utf-8", "replace"))


def bytes_of_name(name: str) -> bytes:
    """The bytes of a token by its name in a vocabulary; a name with other characters stands for itself."""
    try:
        return bytes(_BYTE_OF_SIGN[sign] for sign in name)
    except KeyError:
        return name.encode("utf-8", "replace")


class BytePairs(BytesAsText):
    """Byte-pair encoding: of the bytes of a word, the pair that was learned first is merged until none is left.

    `numbers` is the vocabulary, `merges` the pairs in the order in which they were learned, `split` one of
    `SPLITS`. `special` tokens that are in the vocabulary are one token each where a text holds them. The tokens
    `begin` come before every text. With `ignore_merges`, a word in the vocabulary is one token. `normalise` is
    None or a form of Unicode such as "NFC". Raises `ValueError` where the vocabulary lacks a byte, a pair or a
    number of `begin`. Source: Radford et al. 2019; Sennrich et al. 2016.
    """

    def __init__(
        self,
        numbers: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        split: str = "gpt-2",
        special: Sequence[str] = ("<|endoftext|>",),
        begin: Sequence[int] = (),
        ignore_merges: bool = False,
        normalise: str | None = None,
    ) -> None:
        self.numbers, self.begin, self.normalise = dict(numbers), tuple(begin), normalise
        self._names = {number: name for name, number in self.numbers.items()}
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._whole = self.numbers.keys() if ignore_merges else ()
        for byte, sign in enumerate(SIGN_OF_BYTE):
            if sign not in self.numbers and byte not in RARE_BYTES:
                raise ValueError(f"the vocabulary has no token for the byte {byte}")
        for pair in merges:
            if "".join(pair) not in self.numbers:
                raise ValueError(f"the vocabulary has no token for the pair {pair}")
        for number in self.begin:
            self._name(number)
        if split not in SPLITS:
            raise ValueError(f"the split {split!r} is unknown: use one of {', '.join(SPLITS)}")
        # for a text of `_class_of`: Python's `re` has no \p
        self._words = re.compile(SPLITS[split].replace(r"\p{L}", r"\w").replace(r"\p{N}", "#"))
        self._merge_cached = lru_cache(MOST_WORDS)(self._merge)
        self._plain = {name for name in special if name in self.numbers}
        self._special = special_tokens(special, self.numbers)

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        r"""Return the tokens of a text as indices and as text.

        A character may be split over several tokens: these have its bytes, such as ``\xf0\x9f``. Raises
        `ValueError` where a character has a byte that the vocabulary lacks.
        """
        numbers = list(self.begin)
        for part in self._special.split(text):
            if part in self._plain:
                numbers.append(self.numbers[part])
                continue
            for word in self._split(unicodedata.normalize(self.normalise, part) if self.normalise else part):
                names = self._tokens_of(_signs(word))
                if not all(name in self.numbers for name in names):
                    raise ValueError(f"the vocabulary has no token for the character {self._lacking(word)!r}")
                numbers += [self.numbers[name] for name in names]
        return numbers, [self.text(number) for number in numbers]

    @property
    def size(self) -> int:
        """The number of tokens in the vocabulary."""
        return len(self.numbers)

    def bytes_of(self, number: int) -> bytes:
        """Return the bytes of a token. Raises `ValueError` where no token has the number."""
        return bytes_of_name(self._name(number))

    def _name(self, number: int) -> str:
        if number not in self._names:
            raise ValueError(f"the vocabulary has no token with the number {number}")
        return self._names[number]

    def _lacking(self, word: str) -> str:
        return next(sign for sign in word if any(byte not in self.numbers for byte in _signs(sign)))

    def _split(self, text: str) -> Iterator[str]:
        for match in self._words.finditer("".join(map(_class_of, text))):
            yield text[match.start() : match.end()]

    def _tokens_of(self, word: str) -> Sequence[str]:
        if word in self._whole:
            return (word,)
        return self._merge_cached(word) if len(word) <= LONGEST_WORD else self._merge(word)

    def _merge(self, word: str) -> tuple[str, ...]:
        parts, after = list(word), list(range(1, len(word) + 1))
        before = list(range(-1, len(word)))

        def pairs(*lefts: int) -> Iterator[tuple[int, int, tuple[str, str]]]:
            for left in lefts:
                if left >= 0 and after[left] < len(parts):
                    pair = parts[left], parts[after[left]]
                    if pair in self._ranks:
                        yield self._ranks[pair], left, pair

        heap = list(pairs(*range(len(parts))))
        heapify(heap)
        while heap:
            _, left, pair = heappop(heap)
            right = after[left]
            if right == len(parts) or (parts[left], parts[right]) != pair:
                continue  # one of them has been merged meanwhile
            parts[left], parts[right] = "".join(pair), ""
            after[left] = after[right]
            before[after[right]] = left
            for item in pairs(before[left], left):
                heappush(heap, item)
        return tuple(part for part in parts if part)


@lru_cache(4096)
def _class_of(sign: str) -> str:
    """A stand-in for a character: of letters only is \\w, of numerals #. Letters of endings such as 's stay."""
    if sign in "\r\n '" or sign in "sſtrevmldSTREVMLD":
        return sign
    if sign.isspace() and sign not in "\x1c\x1d\x1e\x1f":  # which are no white space in Unicode
        return "\t"
    return {"L": "a", "N": "#"}.get(unicodedata.category(sign)[0], "!")
