"""Worked examples as data, one TOML file each: words, vectors, matrices and the numbers to expect.

A file has the sentence (`words`), a lookup table from each word to its vector (`[vectors]`, or the
name of the example whose table serves here, too), and what else it needs of the fields of `Example`.
Numbers may be fractions, as strings: "24/57". `mask = "causal"` names the mask. `dial = true` sets each word's
place behind its vector, as the last two of the axes. Several heads are a list, `[[heads]]`: each has a name and
four matrices, of which only the rows that are not zero are written, by the name of their axis. Where a `model`
is named, its numbers are learned (`attention_core.examples.learned`), and the file has none; `vectors` then names
the example for whose words the axes were chosen.

`[expected]` holds numbers and vectors by name. A query is named first and a key second:
"dot apple orange", "score bank money" (query · key), "weight bank money", "context bank".
"""

import tomllib
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files

import numpy as np

from attention_core import checks
from attention_core.examples.learned import Learned, of_model
from attention_core.masks import causal_mask
from attention_core.positions import dial_positions

MATRICES = ("W_query", "W_key", "W_value", "W_output")


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
    heads: tuple[str, ...] | None = None  #: their names, where the matrices have a head axis in front: (h, ·, ·)
    source: str = ""  #: where it is from
    provenance: str = "by hand"  #: "by hand", "random" or "learned"
    learned: Learned | None = None  #: what more there is of a trained model

    @property
    def lexicon(self) -> dict[str, np.ndarray]:
        """The words that have a vector on these axes whether or not they are said."""
        said = dict(zip(self.words, self.embeddings, strict=True))
        if self.memory is not None:
            said |= dict(zip(self.memory_words, self.memory, strict=True))
        return said | (dict(self.learned.lexicon) if self.learned else {})


def example_names():
    """The names of all worked examples, in alphabetical order."""
    found = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def load_example(name):
    """The worked example of that name, an `Example`. Raises `KeyError`, naming the known, for another."""
    example = _load(name)
    return replace(example, expected=deepcopy(example.expected))


def loadable_examples(*names):
    """Of these examples those that can be read: the weights behind a learned one may be missing or damaged."""
    found = []
    for name in names:
        try:
            load_example(name)
        except ValueError:
            continue
        found.append(name)
    return tuple(found)


@lru_cache(64)
def _load(name):
    if name not in (known := example_names()):
        raise KeyError(f"no example is called {name!r}; there are {', '.join(known)}")
    data = _read(name)
    if "model" in data:
        return _learned(name, data)
    table = _table(data["vectors"])
    words = data["words"]
    memory_words = data.get("memory_words")
    embeddings = _matrix([table[word] for word in words])
    if data.get("dial"):
        embeddings = checks.frozen(np.hstack([embeddings, dial_positions(len(words))]))
    return Example(
        name=name,
        words=tuple(words),
        axes=tuple(data["axes"]),
        embeddings=embeddings,
        **(_heads(data["heads"], data["axes"]) if "heads" in data else {}),
        **{W: _matrix(data[W]) for W in MATRICES if W in data},
        memory_words=memory_words and tuple(memory_words),
        memory=memory_words and _matrix([_table(data["memory_vectors"])[word] for word in memory_words]),
        mask=checks.frozen(causal_mask(len(words))) if data.get("mask") == "causal" else None,
        expected=data.get("expected", {}),
        source=data["source"],
        provenance=data["provenance"],
    )


def _learned(name, data):
    words = data["words"]
    among = _read(data["vectors"])["words"] if "vectors" in data else words
    return Example(
        name=name,
        words=tuple(words),
        mask=checks.frozen(causal_mask(len(words))) if data.get("mask") == "causal" else None,
        source=data["source"],
        provenance=data["provenance"],
        **of_model({**data, "among": among}),
    )


def _read(name):
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))


def _table(vectors):
    return _read(vectors)["vectors"] if isinstance(vectors, str) else vectors


def _heads(heads, axes):
    """The names of several heads, and their matrices from the rows (of W_output: the entries) that are given."""

    def tall(rows):
        width = len(next(iter(rows.values())))
        return [rows.get(axis, [0] * width) for axis in axes]

    def wide(rows):
        return [[row.get(axis, 0) for axis in axes] for row in rows]

    made = {W: [wide(head[W]) if W == "W_output" else tall(head[W]) for head in heads] for W in MATRICES}
    stacked = {W: checks.frozen(np.stack([_matrix(rows) for rows in of_heads])) for W, of_heads in made.items()}
    return {"heads": tuple(head["name"] for head in heads)} | stacked


def _matrix(rows):
    return checks.frozen(np.array([[float(Fraction(number)) for number in row] for row in rows]))
