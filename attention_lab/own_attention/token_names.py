"""Tokens as a tokeniser names them, made readable: signs for bytes, for a space, for a part of a word."""

import re
from collections.abc import Iterable, Sequence

from attention_core.models.byte_pairs import SIGN_OF_BYTE, bytes_of_name

EMPTY, SPACE, LINE_END, TAB = "∅", "␣", "↵", "⇥"  # signs for what cannot be seen
LONGEST = 200  # characters of one token
SIGNS_OF_BYTES = frozenset(SIGN_OF_BYTE)
OF_BYTES = {SIGN_OF_BYTE[ord(character)] for character in " \n"}  # Ġ and Ċ: letters that hardly a text has
BYTE_NAME = re.compile(r"<0x([0-9A-F]{2})>")  # a byte in the vocabularies of SentencePiece


def readable(tokens: Iterable[object]) -> list[str]:
    """Return each token as a person can read it.

    Names of byte-level tokenisers (GPT-2, Llama 3: ``Ġthe``) become the text of their bytes, and ``▁the`` of
    SentencePiece a space and a word. What cannot be seen has a sign: ``␣`` a space, ``↵`` the end of a line,
    ``⇥`` a tab; a byte that is no whole character stands as ``<C3>``. ``##ing`` stays. Bytes and numbers are
    taken, too.

    >>> readable(["Ġthe", "Ċ", "Ã©", "Ã", "##ing"])
    ['␣the', '↵', 'é', '<C3>', '##ing']
    >>> readable(["▁a", "<0xE2>", b" x", 7])
    ['␣a', '<E2>', '␣x', '7']
    """
    names = [
        token.decode("utf-8", "surrogateescape") if isinstance(token, bytes) else str(token) for token in tokens
    ]
    is_byte_level = any(OF_BYTES & {*name} for name in names)
    return [visible(_decode(name) if is_byte_level else name) for name in names]


def _decode(name: str) -> str:
    """The text of a name in which each character stands for a byte; any other name as it is."""
    return bytes_of_name(name).decode("utf-8", "surrogateescape") if SIGNS_OF_BYTES.issuperset(name) else name


def visible(text: str) -> str:
    """Return a text with signs for what cannot be seen, cut to `LONGEST` characters; twice is as once."""
    text = BYTE_NAME.sub(r"<\1>", text).replace("▁", SPACE).replace(" ", SPACE).replace("\t", TAB)
    if not text:
        return EMPTY
    return _shorten("".join(map(_sign, re.sub(r"\r\n|\r|\n", LINE_END, text))))


def _sign(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that is no whole character
        return f"<{ord(character) - 0xDC00:02X}>"
    return character if character.isprintable() else f"<U+{ord(character):04X}>"


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def earlier_places(tokens: Sequence[str]) -> list[list[int]]:
    """Return for each token the earlier places of the same token.

    >>> earlier_places(["a", "b", "a"])
    [[], [], [0]]
    """
    seen: dict[str, list[int]] = {}
    found = []
    for place, token in enumerate(tokens):
        found.append([*seen.get(token, ())])
        seen.setdefault(token, []).append(place)
    return found
