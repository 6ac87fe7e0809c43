"""A view of attention weights: an HTML file that works offline, a cell of a notebook, or tables."""

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.figure.browser_code import OwnParts
from attention_lab.figure.layout import Column, pictured
from attention_lab.figure.parts import part
from attention_lab.figure.payload import plain_payload
from attention_lab.html_file.shell import figure_place, figure_scripts, html_file, packed_data, save
from attention_lab.text import read
from attention_lab.text.number_format import format_number, format_whole

from .attention import Attention
from .head_measures import KINDS, measure_heads
from .packing import largest_error, pack_layers, packed_bytes, thumbnail

if TYPE_CHECKING:
    import pandas as pd

HERE = Path(__file__).parent
PARTS = OwnParts("own_attention", HERE / "browser")
SCRIPT = HERE / "own_page.js"
SPREAD = "spread"
MEASURES = (*KINDS, SPREAD)
MOST_ROWS = 5_000_000  # of a table
HEIGHT = 760  # px of a notebook's cell, until the page in it has said how high it is
CELL = '<iframe title="{title}" srcdoc="{page}" style="width: 100%; height: {height}px; border: 0"></iframe>'


NOTE = '<p class="note">{}</p>'
SUM_TOLERANCE = 0.02  # by which a row may miss 1: one of weights in 16 bits may be off by so much


class View:
    """Attention weights to look at. A notebook shows it; `save` writes a file, `table` gives the numbers."""

    def __init__(self, attention: Mapping[str, Attention], title: str = "", bits: int = 8) -> None:
        """Show each kind of `attention` under its name; weights are kept in 8 or 16 `bits`."""
        if bits not in (8, 16):
            raise ValueError(f"bits must be 8 or 16, got {bits!r}")
        self.attention, self.title, self.bits = attention, title, bits

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return CELL.format(title=html.escape(self._title), page=page, height=HEIGHT)

    @property
    def _title(self) -> str:
        return self.title or read("own_attention").plain("view_title")

    @cached_property
    def html(self) -> str:
        """The view as one HTML file that needs no network."""
        views = [self._view(number, kind) for number, kind in enumerate(self.attention)]
        text = read("own_attention")
        constants = {"views": views}
        pose = {"view": 0, "head": 0, "query": len(self._first.queries) - 1, "measure": 0, "sorted": 0}
        payload = plain_payload(
            "own_attention", _columns(self, text), self._title, constants, pose, provenance="", own=PARTS
        )
        data = [*self._data()]
        scripts = figure_scripts(payload.decode(), SCRIPT, PARTS, more="\n".join(data))
        notes = [note for each in self.attention.values() for note in _notes(each)]
        notes.append(text.filled("error", bits=str(self.bits), error=format_number(largest_error(self.bits))))
        main = "\n".join([figure_place(self._title), *(NOTE.format(html.escape(note)) for note in notes)])
        return html_file(self._title, main, scripts=scripts)

    @property
    def _first(self) -> Attention:
        return next(iter(self.attention.values()))

    def save(self, path: str | Path) -> Path:
        """Write the view as one HTML file that works offline, and return its path."""
        path = Path(path)
        if not path.parent.is_dir():
            raise FileNotFoundError(f"There is no folder {path.parent}. Make it, or choose another one.")
        save(self.html, path)
        return path

    def measures(self, kind: str | None = None) -> "pd.DataFrame":
        """Return a row for each head: see `measure_heads`. `kind` is one of an encoder-decoder model's."""
        return self._measures[self._kind(kind)].copy()

    def table(self, layer: Any = None, head: int | None = None, kind: str | None = None) -> "pd.DataFrame":
        """Return a row for each weight: layer, head, query, key, their tokens and the weight, as it was passed.

        Raises `ValueError` for more than five million rows, unless a `layer` or a `head` is chosen, and for one
        that there isn't.
        """
        import pandas as pd

        attention = self.attention[self._kind(kind)]
        chosen = [place for place, name in enumerate(attention.layers) if layer is None or name == layer]
        if not chosen:
            raise ValueError(f"layer {layer!r} is not among {[*attention.layers]}")
        parts = []
        for place in chosen:
            weights = attention.weights[place]
            heads = range(len(weights)) if head is None else [head]
            if head is not None and not 0 <= head < len(weights):
                raise ValueError(
                    f"head {head!r} is not among the {len(weights)} of layer {attention.layers[place]}"
                )
            parts.append((attention.layers[place], heads, weights[heads]))
        count = sum(weights.size for *_, weights in parts)
        if count > MOST_ROWS:
            raise ValueError(f"a table of all weights would have {count:,} rows; choose a layer= or a head=")
        frames = []
        for name, heads, weights in parts:
            of_head, query, key = np.indices(weights.shape).reshape(3, -1)
            columns = {
                "layer": name,
                "head": np.array(heads)[of_head],
                "query": query,
                "key": key,
                "query_token": np.array(attention.queries, object)[query],
                "key_token": np.array(attention.keys, object)[key],
                "weight": weights.ravel(),
            }
            frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)

    def _kind(self, kind: str | None) -> str:
        if kind is None:
            return next(iter(self.attention))
        if kind not in self.attention:
            raise ValueError(f"kind {kind!r} is not among {[*self.attention]}")
        return kind

    @cached_property
    def _measures(self) -> dict[str, "pd.DataFrame"]:
        return {kind: measure_heads(each) for kind, each in self.attention.items()}

    def _view(self, number: int, kind: str) -> dict[str, Any]:
        """What the browser knows of a kind of attention besides its weights."""
        attention, measures, text = self.attention[kind], self._measures[kind], read("own_attention")
        names = [(attention.layers[layer], head) for layer, head in attention.heads]
        n_q, n_k = len(attention.queries), len(attention.keys)
        return {
            "id": f"weights_{number}",
            "bits": self.bits,
            "heads": [len(each) for each in attention.weights],
            "layers": [str(name) for name in attention.layers],
            "names": [f"{layer}.{head}" for layer, head in names],
            "titles": [text.plain("head", layer=str(layer), head=str(head)) for layer, head in names],
            "queries": [*attention.queries],
            "keys": [*attention.keys],
            "same": attention.is_self,
            "before": n_k - n_q if attention.is_self else 0,
            "thumbnail": [*thumbnail(attention.weights[0][:1]).shape[1:]],
            "measures": [_numbers(measures[name]) for name in MEASURES],
            "most_bits": float(np.log2(n_k)) if n_k > 1 else 0.0,
            "kinds": [kind and text.plain(f"kinds/{kind}") for kind in measures["kind"]],
            "first_lengths": _first_lengths(attention),
        }

    def _data(self) -> Iterable[str]:
        """The weights of each layer, and the small pictures of all heads, as scripts."""
        for number, attention in enumerate(self.attention.values()):
            for layer, letters in enumerate(pack_layers(attention.weights, self.bits)):
                yield packed_data(f"weights_{number}_{layer}", letters)
            pictures = b"".join(thumbnail(each).tobytes() for each in attention.weights)
            yield packed_data(f"weights_{number}_thumbnails", packed_bytes(pictures))


def _numbers(column: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(number) else float(number) for number in column]


def _notes(attention: Attention) -> list[str]:
    """What must be said of the weights: rows that do not sum to 1. They are shown as they are."""
    text, sums = read("own_attention"), attention.row_sums
    empty = sums == 0
    off = sums[(np.abs(sums - 1) > SUM_TOLERANCE) & ~empty]
    rows = format_whole(sums.size)
    found = [text.filled("notes/empty", count=format_whole(int(empty.sum())), rows=rows)] if empty.any() else []
    if off.size:
        ends = {"low": format_number(off.min()), "high": format_number(off.max())}
        found.append(text.filled("notes/off", count=format_whole(off.size), rows=rows, **ends))
    return found


def _first_lengths(attention: Attention) -> list[float] | None:
    """For each head the length of what the first token's value adds, in those of the others' median."""
    if not attention.lengths or not attention.is_self or len(attention.keys) < 3:
        return None
    lengths = np.concatenate([np.asarray(each) for each in attention.lengths])
    median = np.median(lengths[:, 1:], axis=1)
    return [float(ratio) for ratio in lengths[:, 0] / np.maximum(median, np.finfo(float).tiny)]


def _columns(view: View, text: Any) -> list[Column]:
    names = [text.plain(f"measures/{name}") for name in MEASURES]
    texts = text.parts("text")
    heads = part(
        "head_cells",
        title=text.plain("heads"),
        kinds=[text.plain(f"of/{kind}") for kind in view.attention],
        measures=names,
        bits=names[-1],
        texts=text.parts("controls"),
    )
    account = part(
        "head_account", measures=names, bits=names[-1], texts={"first_length": text.plain("first_length")}
    )
    head = Column(
        [
            account,
            part("token_text", title=text.plain("tokens"), texts=texts),
            pictured(part("pattern_canvas", title=text.plain("pattern"), texts=texts)),
        ],
        share=1.5,
        least=420,
    )
    return [Column([heads], share=1, least=380), head]
