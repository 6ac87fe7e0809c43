"""A view without its weights: the packed numbers of each pattern, and what the browser knows of it besides."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.text import Text
from attention_lab.text.number_format import format_number, format_share, format_whole

from .attention import Attention, Patterns
from .forms import NAMES as KNOWN
from .head_measures import KINDS, measure_heads
from .main_directions import Arrows
from .packing import largest_error, most_of, pack_layers, packed_bytes, rounded_up, strongest, thumbnail
from .summaries import change, contributions, mean_over_heads, measure_change, rollout

if TYPE_CHECKING:
    import pandas as pd

SPREAD = "spread"
MEASURES = (*KINDS, SPREAD, "change")
HEAD, ADDED, MEAN, ROLLOUT, CHANGE = "head", "added", "mean", "rollout", "change"  # what a pattern is of
SENTENCES = {
    ADDED: "added",
    ROLLOUT: "rollout",
    CHANGE: "change",
}  # that names the strongest key; of other patterns it is "most"
BITS_OF_CHANGE = 16  # its steps are twice as large as those of weights
MOST_ARROWS = 128  # of queries and of keys
SUM_TOLERANCE = 0.02  # by which a row may miss 1: one of weights in 16 bits may be off by so much
ID_LETTERS = 16


@dataclass(frozen=True, eq=False)
class PackedPatterns:
    """What can be chosen in the list of a view: the patterns of one kind of attention, or what sums them up."""

    of: str
    kind: tuple[str, ...]  #: the kind of attention; of a change, the two kinds that are compared
    known: Mapping[str, Any]  #: what the browser knows of it, but for words
    names: Sequence[tuple[str, str]]  #: of each head its layer's name and its own
    measures: Sequence[tuple[str, Sequence[float | None]]]  #: the name of each, and its number for every head
    kinds: Sequence[str]  #: of each head what it is called; empty for most
    held: Sequence[float]  #: of each head, what the plane of its arrows holds; empty without arrows
    sums: np.ndarray = field(repr=False)  #: of every row of every head; empty for what sums up
    data: Mapping[str, bytes] = field(repr=False)  #: packed numbers, by names

    def label(self, text: Text) -> str:
        """Return what it is called in the list."""
        kinds = [text.plain(f"of/{kind}") if kind in KNOWN else kind for kind in self.kind]
        if self.of == HEAD:
            return kinds[0]
        if self.of == CHANGE:
            return text.plain("of/change", before=kinds[0], after=kinds[1])
        return text.plain(f"of/{self.of}", kind=kinds[0])

    def payload(self, text: Text) -> dict[str, Any]:
        """Return what the browser knows of it, with words."""
        most_spread = max(1.0, math.log2(len(self.known["keys"])))
        arrows = self.known["arrows"] and self.known["arrows"] | {"held": [*map(format_share, self.held)]}
        return {
            **self.known,
            "arrows": arrows,
            "titles": [text.plain(f"titles/{self.of}", layer=layer, head=head) for layer, head in self.names],
            "sentence": text.parts("text")[SENTENCES.get(self.of, "most")],
            "says": "" if self.of == HEAD else text.plain(f"says/{self.of}"),
            "measures": [
                {
                    "name": text.plain(f"measures/{name}"),
                    "bits": text.parts("units")["bits"] if name == SPREAD else "",
                    "most": most_spread if name == SPREAD else 1,
                    "values": values,
                }
                for name, values in self.measures
            ],
            "kinds": [text.plain(f"kinds/{kind}") if kind else "" for kind in self.kinds],
        }

    def notes(self, text: Text) -> list[str]:
        """Return what must be said of the weights: rows that do not sum to 1. They are shown as they are."""
        sums = self.sums
        empty = sums == 0
        off = sums[(np.abs(sums - 1) > SUM_TOLERANCE) & ~empty]
        rows = format_whole(sums.size)
        found = (
            [text.filled("notes/empty", count=format_whole(int(empty.sum())), rows=rows)] if empty.any() else []
        )
        if off.size:
            ends = {"low": format_number(off.min()), "high": format_number(off.max())}
            found.append(text.filled("notes/off", count=format_whole(off.size), rows=rows, **ends))
        return found


@dataclass(frozen=True, eq=False)
class PackedView:
    """All that a view shows, in a few bytes for each hundred weights."""

    patterns: Sequence[PackedPatterns]
    title: str
    bits: int

    @cached_property
    def id(self) -> str:
        """Letters that stand for its numbers and tokens."""
        digest = hashlib.sha256()
        for piece in self._pieces():
            digest.update(piece)
        return digest.hexdigest()[:ID_LETTERS]

    @cached_property
    def nbytes(self) -> int:
        """About how many bytes it takes: its packed numbers, its tokens, and what else the browser is told."""
        return sum(map(len, self._pieces()))

    def _pieces(self) -> Iterator[bytes]:
        for each in self.patterns:
            yield repr([each.of, each.kind, each.known]).encode()
            yield from each.data.values()

    def first_pose(self) -> dict[str, int]:
        """Return what is chosen at first: of a change, the head that has changed most."""
        first = self.patterns[0]
        head = int(np.argmax(dict(first.measures)["change"])) if first.of == CHANGE else 0
        query = len(first.known["queries"]) - 1
        return {"view": 0, "head": head, "query": query, "measure": 0, "sorted": 0, "form": 0}

    def notes(self, text: Text) -> list[str]:
        """Return what must be said below the figure: of rows, and by how much numbers are rounded."""
        notes = []
        heads = [each for each in self.patterns if each.of == HEAD]
        for each in heads:
            before = f"{each.label(text)}: " if len(heads) > 1 else ""
            notes += [before + note for note in each.notes(text)]
        is_compared = any(each.of == CHANGE for each in self.patterns)
        error = max(largest_error(self.bits), largest_error(BITS_OF_CHANGE, True) if is_compared else 0)
        return [*notes, text.filled("error", bits=str(self.bits), error=format_number(rounded_up(error)))]


def pack_view(
    attention: Mapping[str, Attention],
    measures: Mapping[str, "pd.DataFrame"],
    changes: Sequence[tuple[str, str]] = (),
    title: str = "",
    bits: int = 8,
) -> PackedView:
    """Return a view of each kind of attention, with its measures and with what sums it up.

    `changes` are pairs of kinds, of which it also shows what the second has more than the first.
    """
    patterns = [_pack(number, *each, bits) for number, each in enumerate(_patterns(attention, measures, changes))]
    return PackedView(patterns, title, bits)


def _patterns(
    attention: Mapping[str, Attention],
    measures: Mapping[str, "pd.DataFrame"],
    changes: Sequence[tuple[str, str]],
) -> Iterator[tuple[str, tuple[str, ...], Patterns, "pd.DataFrame"]]:
    for pair in changes:
        changed = change(*(attention[kind] for kind in pair))
        yield CHANGE, pair, changed, measure_change(changed)
    for kind, each in attention.items():
        yield HEAD, (kind,), each, measures[kind]
        summaries = {ADDED: contributions(each)} if each.lengths else {}
        if any(len(heads) > 1 for heads in each.weights):
            summaries[MEAN] = mean_over_heads(each)
        is_whole = len(each.weights) > 1 and [*each.layers] == [*range(len(each.weights))]  # no layer is left out
        if is_whole and each.is_self and len(each.queries) == len(each.keys):
            summaries[ROLLOUT] = rollout(each)
        for of, summary in summaries.items():
            yield of, (kind,), summary, measure_heads(summary)


def _pack(
    number: int, of: str, kind: tuple[str, ...], attention: Patterns, measures: "pd.DataFrame", bits: int
) -> PackedPatterns:
    is_change = of == CHANGE
    bits = BITS_OF_CHANGE if is_change else bits
    names = [(str(attention.layers[layer]), str(head)) for layer, head in attention.heads]
    n_q, n_k = len(attention.queries), len(attention.keys)
    arrows = _arrows(attention)
    known = {
        "id": f"weights_{number}",
        "bits": bits,
        "most": most_of(bits, signed=is_change),
        "heads": [len(each) for each in attention.weights],
        "shared": [*attention.shared],
        "layers": [str(name) for name in attention.layers],
        "names": [".".join(name) for name in names],
        "queries": [*attention.queries],
        "keys": [*attention.keys],
        "same": attention.is_self,
        "before": n_k - n_q if attention.is_self else 0,
        "prompt": attention.prompt,
        "thumbnail": [*thumbnail(attention.weights[0][:1]).shape[1:]],
        "signed": is_change,
        "first_lengths": _first_lengths(attention),
        "arrows": arrows,
    }
    return PackedPatterns(
        of=of,
        kind=kind,
        known=known,
        names=names,
        measures=[
            (name, _numbers(measures[name]))
            for name in measures
            if name in MEASURES and not measures[name].isna().all()
        ],
        kinds=[kind if of == HEAD else "" for kind in measures["kind"]],
        held=[held for each in attention.arrows for held in each.held] if arrows else [],
        sums=attention.row_sums if of == HEAD else np.empty(0),
        data=_packed_numbers(attention.weights, bits, is_change),
    )


def _packed_numbers(weights: Sequence[np.ndarray], bits: int, signed: bool) -> dict[str, bytes]:
    """The weights of each layer by its place, the strongest keys, and the small pictures of all heads."""
    layers = {str(place): data for place, data in enumerate(pack_layers(weights, bits, signed))}
    pictures = b"".join(thumbnail(heads, signed).tobytes() for heads in weights)
    return layers | {
        "strongest": packed_bytes(strongest(weights).tobytes()),
        "thumbnails": packed_bytes(pictures),
    }


def _numbers(column: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(number) else float(number) for number in column]


def _first_lengths(attention: Patterns) -> list[float | None] | None:
    """For each head the length of what the first token's value adds, in those of the others' median."""
    if not attention.lengths or not attention.is_self or len(attention.keys) < 3:
        return None
    lengths = np.concatenate([np.asarray(each) for each in attention.lengths])
    median = np.median(lengths[:, 1:], axis=1)
    return [
        float(first / middle) if middle > 0 else None for first, middle in zip(lengths[:, 0], median, strict=True)
    ]


def _arrows(attention: Patterns) -> dict[str, Any] | None:
    """For each head its queries and keys in a plane; the longest of each is 1."""
    if not attention.arrows or max(len(attention.queries), len(attention.keys)) > MOST_ARROWS:
        return None
    return {
        name: [plane for each in attention.arrows for plane in _scaled(each, name)] for name in ("query", "key")
    }


def _scaled(arrows: Arrows, name: str) -> list[Any]:
    vectors = getattr(arrows, name)
    longest = np.linalg.norm(vectors, axis=-1).max(axis=1)[:, None, None]
    return (vectors / np.maximum(longest, np.finfo(float).tiny)).round(3).tolist()
