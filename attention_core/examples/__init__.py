"""Worked examples as data, one TOML file each: words, vectors, matrices and expected results.

A file has the sentence (`words`), a table from each word to its vector (`[vectors]`, or the name of the example
whose table it shares), and any other field of `Example`. Numbers may be fractions, as strings: "24/57".
`mask = "causal"` names the mask. `dial = true` appends a position vector to each word's vector, as its last two
components. Several heads are a list, `[[heads]]`: each has a name and four matrices, of which only the nonzero
rows are written, by the name of their axis. A file that names a `model` holds no numbers, because they are
learned (`attention_core.examples.learned`); its `vectors` then names the example whose words the axes were chosen
for. One in another language than English has that in its name and as its `language`: "es".

`[expected]` holds numbers and vectors by name. The query comes first and the key second:
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
from attention_core.examples.learned import Learned, learned_fields
from attention_core.masks import causal_mask
from attention_core.positions import dial_positions

MATRICES = ("W_query", "W_key", "W_value", "W_output")


@dataclass(frozen=True, eq=False)
class Example:
    """One worked example. Fields that it lacks are None; arrays are read-only, one word per row."""

    name: str
    words: tuple[str, ...]  #: the words, in order
    axes: tuple[str, ...]  #: the meaning of each component of a word's vector
    embeddings: np.ndarray  #: (n, d_model), the static vectors
    W_query: np.ndarray | None = None  #: (d_model, d_k); None: the vectors themselves attend
    W_key: np.ndarray | None = None  #: (d_model, d_k)
    W_value: np.ndarray | None = None  #: (d_model, d_v)
    W_output: np.ndarray | None = None  #: (d_v, d_model)
    memory_words: tuple[str, ...] | None = None  #: the other text, for cross-attention
    memory: np.ndarray | None = None  #: (m, d_model)
    mask: np.ndarray | None = None  #: boolean, (n, n), True = may attend
    expected: dict = field(default_factory=dict)  #: expected numbers and vectors, by name
    heads: tuple[str, ...] | None = None  #: their names, where the matrices have a head axis: (h, ·, ·)
    source: str = ""
    language: str = ""  #: of its words, where they are no English ones: "es"
    provenance: str = "by hand"  #: "by hand", "random" or "learned"
    learned: Learned | None = None  #: details of a trained model

    @property
    def lexicon(self) -> dict[str, np.ndarray]:
        """The vector of every word that has one on these axes, in the sentence or not."""
        vectors = dict(zip(self.words, self.embeddings, strict=True))
        if self.memory is not None:
            vectors |= dict(zip(self.memory_words, self.memory, strict=True))
        return vectors | (dict(self.learned.lexicon) if self.learned else {})


def example_names():
    """Return the names of all worked examples, in alphabetical order.

    >>> "money_bank" in example_names()
    True
    """
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_example(name):
    """Return the `Example` of that name. Raises `KeyError`, naming the known ones, for an unknown name.

    >>> example = load_example("orange_apple_phone")
    >>> example.words
    ('orange', 'apple', 'phone')
    >>> example.embeddings.tolist()
    [[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]]
    """
    example = _load(name)
    return replace(example, expected=deepcopy(example.expected))


def loadable_examples(*names):
    """Return the names of those examples that load: the weights of a learned one may be missing or damaged.

    >>> loadable_examples("money_bank", "river_bank")
    ('money_bank', 'river_bank')
    """

    def loads(name):
        try:
            load_example(name)
        except ValueError:
            return False
        return True

    return tuple(filter(loads, names))


@lru_cache(64)
def _load(name):
    if name not in (known := example_names()):
        raise KeyError(f"no example is called {name!r}; there are {', '.join(known)}")
    try:
        return _example(name, _read(name))
    except KeyError as missing:
        raise KeyError(f"{name}.toml needs {missing}, itself or in the example that it names") from missing


def _example(name, data):
    words = data["words"]
    if "model" in data:
        axes_of = _read(data["vectors"])["words"] if "vectors" in data else words
        details = learned_fields(data, axes_of)
    else:
        details = _details(data)
    return Example(
        name=name,
        words=tuple(words),
        mask=checks.frozen(causal_mask(len(words))) if data.get("mask") == "causal" else None,
        expected=data.get("expected", {}),
        source=data["source"],
        language=data.get("language", ""),
        provenance=data["provenance"],
        **details,
    )


def _details(data):
    """The axes, vectors and matrices of an example whose file holds them."""
    embeddings = _rows(data["vectors"], data["words"])
    if data.get("dial"):
        embeddings = checks.frozen(np.hstack([embeddings, dial_positions(len(embeddings))]))
    details = {"axes": tuple(data["axes"]), "embeddings": embeddings}
    if "memory_words" in data:
        details["memory_words"] = tuple(data["memory_words"])
        details["memory"] = _rows(data["memory_vectors"], data["memory_words"])
    if "heads" in data:
        details |= _heads(data["heads"], data["axes"])
    return details | {W: _matrix(data[W]) for W in MATRICES if W in data}


def _read(name):
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))


def _rows(vectors, words):
    """The vectors of words from a table or from the example that it names."""
    table = _read(vectors)["vectors"] if isinstance(vectors, str) else vectors
    return _matrix([table[word] for word in words])


def _heads(heads, axes):
    """The names of several heads, and their matrices (h, ·, ·) completed with the zeros that the file omits."""

    def dense(W, rows):
        if W == "W_output":
            return [[row.get(axis, 0) for axis in axes] for row in rows]
        width = len(next(iter(rows.values())))
        return [rows.get(axis, [0] * width) for axis in axes]

    matrices = {W: checks.frozen(np.stack([_matrix(dense(W, head[W])) for head in heads])) for W in MATRICES}
    return {"heads": tuple(head["name"] for head in heads)} | matrices


def _matrix(rows):
    return checks.frozen(np.array([[float(Fraction(number)) for number in row] for row in rows]))
