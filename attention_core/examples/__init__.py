"""Worked examples as data, one TOML file each: words, vectors, matrices and the numbers to expect.

A file has the sentence (`words`), a lookup table from each word to its vector (`[vectors]`, or the
name of the example whose table serves here, too), and what else it needs of the fields of `Example`.
Numbers may be fractions, as strings: "24/57". `mask = "causal"` names the mask.

`[expected]` holds numbers and vectors by name. A query is named first and a key second:
"dot apple orange", "score bank money" (query · key), "weight bank money", "context bank".
"""

import tomllib
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files

import numpy as np

from attention_core import checks
from attention_core.masks import causal_mask


@dataclass(frozen=True, eq=False)
class Example:
    """One worked example. What it lacks is None; arrays are read-only, one word per row."""

    name: str
    words: tuple[str, ...]  #: the words, in order
    axes: tuple[str, ...]  #: what each component of a word's vector means
    embeddings: np.ndarray  #: (n, d_model), the static vectors
    W_query: np.ndarray | None = None  #: (d_model, d_k); without it the raw vectors attend
    W_key: np.ndarray | None = None  #: (d_model, d_k)
    W_value: np.ndarray | None = None  #: (d_model, d_v)
    W_output: np.ndarray | None = None  #: (d_v, d_model)
    memory_words: tuple[str, ...] | None = None  #: the other text, where attention looks across
    memory: np.ndarray | None = None  #: (m, d_model)
    mask: np.ndarray | None = None  #: boolean, (n, n), True = may attend
    expected: dict = field(default_factory=dict)  #: numbers and vectors to come out, by name
    source: str = ""  #: where it is from
    provenance: str = "by hand"  #: "by hand", "random" or "learned"


def example_names():
    """The names of all worked examples, in alphabetical order."""
    found = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def load_example(name):
    """The worked example of that name, an `Example`. Raises `KeyError`, naming the known, for another."""
    example = _load(name)
    return replace(example, expected=deepcopy(example.expected))


@cache
def _load(name):
    if name not in (known := example_names()):
        raise KeyError(f"no example is called {name!r}; there are {', '.join(known)}")
    data = _read(name)
    table = _table(data["vectors"])
    words = data["words"]
    memory_words = data.get("memory_words")
    return Example(
        name=name,
        words=tuple(words),
        axes=tuple(data["axes"]),
        embeddings=_matrix([table[word] for word in words]),
        **{W: _matrix(data[W]) for W in ("W_query", "W_key", "W_value", "W_output") if W in data},
        memory_words=memory_words and tuple(memory_words),
        memory=memory_words and _matrix([_table(data["memory_vectors"])[word] for word in memory_words]),
        mask=checks.frozen(causal_mask(len(words))) if data.get("mask") == "causal" else None,
        expected=data.get("expected", {}),
        source=data["source"],
        provenance=data["provenance"],
    )


def _read(name):
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))


def _table(vectors):
    return _read(vectors)["vectors"] if isinstance(vectors, str) else vectors


def _matrix(rows):
    return checks.frozen(np.array([[float(Fraction(number)) for number in row] for row in rows]))
