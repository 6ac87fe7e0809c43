"""Tokenisers as they are published: tokenizer.json, and the metadata of a GGUF file.

Byte-level BPE is read here; what else tokenizer.json may hold is left to the library `tokenizers`, if it is
installed. Source: https://huggingface.co/docs/tokenizers; https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import json
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from attention_core.models.architecture import Tokeniser
from attention_core.models.byte_pairs import SPLITS, BytePairs, bytes_of_name
from attention_core.models.folder import TOKENIZER, Folder, check_size, in_order
from attention_core.models.tokens import BytesAsText

Settings = dict[str, Any]  # of BytePairs
FORMS = "NFC", "NFD", "NFKC", "NFKD"
_LLAMA3 = {"split": "llama-bpe", "ignore_merges": True}
#: for tokenizer.ggml.pre, in llama.cpp's names, the settings of BytePairs
PRE: dict[str, Settings] = {
    "gpt-2": {"split": "gpt-2"},
    "phi-2": {"split": "gpt-2"},
    "smollm": {"split": "smollm"},
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "qwen2": {"split": "qwen2", "normalise": "NFC"},
    "deepseek-r1-qwen": {"split": "qwen2"},
}
CONTROL, USER_DEFINED = 3, 4  # of tokenizer.ggml.token_type


def checked_byte_pairs(
    file: str, numbers: Mapping[str, int], merges: Sequence[tuple[str, str]], **settings: Any
) -> BytePairs:
    """Return the tokeniser of a file. Raises `ValueError` with its name."""
    try:
        return BytePairs(numbers, merges, **settings)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def pairs_of(source: str, merges: object) -> list[tuple[str, str]]:
    """Return merges, each "a b" or ["a", "b"], as pairs. Raises `ValueError` with their source."""
    pairs = [each.split(" ") if isinstance(each, str) else each for each in _listed(source, merges, (str, list))]
    if not all(len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in pairs):
        raise ValueError(f"{source} must have two tokens in each merge")
    return [(first, second) for first, second in pairs]


def _listed(source: str, values: object, kinds: type | tuple[type, ...]) -> list[Any]:
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(values, list | tuple) or not all(isinstance(value, kinds) for value in values):
        raise ValueError(f"{source} is missing, or has values of another type")
    return list(values)


# tokenizer.json -------------------------------------------------------------------------------------------


def from_tokenizer_json(folder: Folder, vocabulary: int) -> Tokeniser:
    """Return the tokeniser of a folder's tokenizer.json, for a model with a `vocabulary` of this size.

    Raises `ValueError` where the file is damaged or does not belong to the model, and where it is not byte-level
    BPE and `tokenizers` is not installed.
    """
    content = folder.json(TOKENIZER)
    model = content.get("model")
    added = _listed(f"{TOKENIZER}: added_tokens", content.get("added_tokens", []), dict)
    settings = _settings(content, added)
    if settings is None or not isinstance(model, dict):
        return _from_library(folder.text(TOKENIZER), content, vocabulary)
    numbers = model.get("vocab")
    if isinstance(numbers, dict):
        for token in added:
            name, number = token.get("content"), token.get("id")
            if not isinstance(name, str) or numbers.get(name, number) != number:
                raise ValueError(f"{TOKENIZER}: added_tokens do not agree with the vocabulary")
            numbers[name] = number
    check_size(TOKENIZER, in_order(TOKENIZER, numbers), vocabulary)
    special = [token["content"] for token in added]
    merges = pairs_of(f"{TOKENIZER}: merges", model.get("merges"))
    return checked_byte_pairs(TOKENIZER, numbers, merges, special=special, **settings)


def _settings(content: Mapping[str, Any], added: Sequence[Mapping[str, Any]]) -> Settings | None:
    """The settings of BytePairs; None where the file asks for something else."""
    model = content.get("model")
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE":
        return None
    if model.get("continuing_subword_prefix"):  # with which the library can abort the process
        raise ValueError(f"{TOKENIZER}: continuing_subword_prefix must be empty")
    match content.get("normalizer"):
        case None | {"type": "Sequence", "normalizers": []}:
            normalise = None
        case {"type": str(normalise)} if normalise in FORMS:
            pass
        case _:
            return None
    split, begin = _split(content.get("pre_tokenizer")), _begin(content.get("post_processor"))
    peculiar = ["lstrip", "rstrip", "single_word", *(["normalized"] if normalise else [])]
    other = "dropout", "end_of_word_suffix", "byte_fallback"
    if any(model.get(key) for key in other) or any(token.get(key) for token in added for key in peculiar):
        return None
    if split is None or begin is None:
        return None
    whole = model.get("ignore_merges") is True
    return {"split": split, "begin": begin, "ignore_merges": whole, "normalise": normalise}


def _split(form: object) -> str | None:
    """The name in `SPLITS` of a pre-tokeniser."""
    match form:
        case {
            "type": "Sequence",
            "pretokenizers": [*first, {"type": "ByteLevel", "add_prefix_space": False} as last],
        }:
            pass
        case {"type": "ByteLevel", "add_prefix_space": False} as last:
            first = []
        case _:
            return None
    match first, last.get("use_regex", True):
        case [], True:
            return "gpt-2"
        case [{"type": "Digits", "individual_digits": True}], True:
            return "smollm"
        case [{"type": "Split", "pattern": {"Regex": str(published)}, "behavior": "Isolated", **rest}], False:
            names = [name for name, pattern in SPLITS.items() if pattern == published and not rest.get("invert")]
            return names[0] if names else None
    return None


def _begin(form: object) -> list[int] | None:
    """The numbers of the tokens that a post-processor puts before a text; None where it does something else."""
    match form:
        case None | {"type": "ByteLevel"}:
            return []
        case {"type": "Sequence", "processors": [*steps]}:
            parts = [begin for begin in map(_begin, steps) if begin != []]
            return parts[0] if len(parts) == 1 else None if parts else []
        case {
            "type": "TemplateProcessing",
            "single": [*marks, {"Sequence": {"id": "A"}}],
            "special_tokens": {} as tokens,
        }:
            begin: list[int] = []
            for mark in marks:
                match mark:
                    case {"SpecialToken": {"id": str(name)}}:
                        known = tokens.get(name)
                        ids = known.get("ids") if isinstance(known, dict) else None
                        begin += _listed(f"{TOKENIZER}: ids of {name}", ids, int)
                    case _:
                        return None
            return begin
    return None


class LibraryTokeniser(BytesAsText):
    """Any other tokeniser, run by the library `tokenizers`. `reference` is a `tokenizers.Tokenizer`."""

    def __init__(self, reference: Any, byte_level: bool) -> None:
        """Store the tokeniser, and whether the names of tokens stand for bytes."""
        self.reference, self.byte_level = reference, byte_level

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        """Return the tokens of a text as indices and as text."""
        numbers = self.reference.encode(text.encode("utf-8", "replace").decode()).ids
        return numbers, [self.text(number) for number in numbers]

    @property
    def size(self) -> int:
        """The number of tokens in the vocabulary."""
        return self.reference.get_vocab_size()

    def bytes_of(self, number: int) -> bytes:
        """Return the bytes of a token. Raises `ValueError` where no token has the number."""
        name = self.reference.id_to_token(number) if number >= 0 else None
        if name is None:
            raise ValueError(f"the vocabulary has no token with the number {number}")
        if re.fullmatch("<0x[0-9A-F]{2}>", name):
            return bytes([int(name[3:5], 16)])
        return bytes_of_name(name) if self.byte_level else name.replace("▁", " ").encode()


def _from_library(text: str, content: Mapping[str, Any], vocabulary: int) -> LibraryTokeniser:
    try:
        tokenizers = import_module("tokenizers")  # an extra: what runs the course does not need it
    except ImportError:
        raise ValueError(
            f"{TOKENIZER} is not byte-level BPE of a known kind: to read it, install the package tokenizers"
        ) from None
    try:
        reference = tokenizers.Tokenizer.from_str(text)
    except BaseException as error:  # the library raises nothing narrower, and its panics are no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ValueError(f"{TOKENIZER} cannot be read: {str(error)[:200]}") from None
    reference.no_truncation()
    reference.no_padding()
    if max(reference.get_vocab().values(), default=0) >= vocabulary:
        raise ValueError(f"{TOKENIZER} has {reference.get_vocab_size()} tokens, and the model {vocabulary}")
    parts = json.dumps([content.get("decoder"), content.get("pre_tokenizer")])
    return LibraryTokeniser(reference, '"ByteLevel"' in parts)


# GGUF -----------------------------------------------------------------------------------------------------


def from_gguf(metadata: Mapping[str, Any]) -> BytePairs:
    """Return the tokeniser in the metadata of a GGUF file. Raises `ValueError` that names the field."""

    def field(key: str, kind: type, default: Any = None) -> Any:
        value = metadata.get(f"tokenizer.ggml.{key}", default)
        if not isinstance(value, kind):
            raise ValueError(f"tokenizer.ggml.{key} is missing, or of another type than {kind.__name__}")
        return value

    for key, known in (("model", ["gpt2"]), ("pre", PRE)):
        if field(key, str) not in known:
            value = metadata[f"tokenizer.ggml.{key}"]
            raise ValueError(f"tokenizer.ggml.{key} {value!r} is unknown: it must be {' or '.join(known)}")
    settings = PRE[metadata["tokenizer.ggml.pre"]]
    tokens = _listed("tokenizer.ggml.tokens", metadata.get("tokenizer.ggml.tokens"), str)
    kinds = _listed(
        "tokenizer.ggml.token_type", metadata.get("tokenizer.ggml.token_type", [1] * len(tokens)), int
    )
    merges = pairs_of("tokenizer.ggml.merges", metadata.get("tokenizer.ggml.merges"))
    numbers = {token: number for number, token in enumerate(tokens)}
    if len(numbers) < len(tokens):
        raise ValueError("tokenizer.ggml.tokens has a token twice")
    if len(kinds) != len(tokens):
        raise ValueError(f"tokenizer.ggml.token_type has {len(kinds)} values for {len(tokens)} tokens")
    begin = [int(field("bos_token_id", int))] if field("add_bos_token", bool, "ignore_merges" in settings) else []
    if not all(0 <= number < len(tokens) for number in begin):
        raise ValueError(f"tokenizer.ggml.bos_token_id {begin[0]} is not the number of a token")
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind in (CONTROL, USER_DEFINED)]
    return checked_byte_pairs("tokenizer.ggml.tokens", numbers, merges, special=special, begin=begin, **settings)
