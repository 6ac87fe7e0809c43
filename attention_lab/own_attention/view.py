"""A view of attention weights: an HTML file that works offline, a cell of a notebook, or tables."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.html_file.shell import save

from .attention import Attention, Patterns
from .forms import OWN
from .head_measures import measure_heads
from .movable_plane import movable_page
from .packed_view import PackedView, pack_view
from .page import cell, page
from .summaries import change, measure_change
from .weight_file import WRITERS, Saved, write_weights

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 5_000_000  # of a table


class View:
    """Attention weights to look at. A notebook shows it; `save` writes a file, `table` gives the numbers."""

    def __init__(
        self,
        attention: Mapping[str, Attention],
        title: str = "",
        bits: int = 8,
        changes: Sequence[tuple[str, str]] = (),
        plane: Any = None,
    ) -> None:
        """Show each kind of `attention` under its name; the file keeps weights in 8 or 16 `bits`.

        `changes` are pairs of names, of which the file also shows what the second has more than the first. With a
        trace as `plane`, it shows the one head's queries and keys instead, which can be moved.
        """
        if bits not in (8, 16):
            raise ValueError(f"bits must be 8 or 16, got {bits!r}")
        self.attention, self.title, self.bits, self.changes = attention, title, bits, changes
        self._plane = plane

    def _repr_html_(self) -> str:
        return cell(self.html, self.title)

    @property
    def html(self) -> str:
        """The view as one HTML file that needs no network, in the language that is spoken."""
        if self._plane is not None:
            return movable_page(self._plane, self.attention[OWN], self.title)
        return page(self.packed())

    def packed(self) -> PackedView:
        """Return all that the view shows without the weights, which take far more."""
        return pack_view(self.attention, self._measures, self.changes, self.title, self.bits)

    def compare(self, other: "View", names: tuple[str, str] = ("first", "second"), title: str = "") -> "View":
        """Return a view of two runs, such as before and after fine-tuning: both, and what they differ by.

        `names` are what they are called. Raises `ValueError` where layers, heads or numbers of tokens differ.
        """
        if len({*names}) < 2:
            raise ValueError(f"two runs need two names, got {names!r}")
        both: dict[str, Attention] = {}
        changes = []
        for kind in (kind for kind in self.attention if kind in other.attention):
            pair = [name if len(self.attention) == 1 else f"{name}, {kind}" for name in names]
            both |= dict(zip(pair, (self.attention[kind], other.attention[kind]), strict=True))
            change(self.attention[kind], other.attention[kind])  # refuses other shapes now
            changes.append((pair[0], pair[1]))
        if not both:
            raise ValueError(f"nothing to compare: {[*self.attention]} beside {[*other.attention]}")
        return View(both, title or self.title, max(self.bits, other.bits), changes)

    def save(self, path: str | Path) -> Path:
        """Write a file and return its path: `.html` works offline, `.npz` and `.safetensors` hold all numbers.

        The weights in these two are float32, as they were read, whatever `bits` the view has: `load` gives the
        same view. Raises `ValueError` for other endings, `FileNotFoundError` where there is no folder.
        """
        path = Path(path)
        if not path.parent.is_dir():
            raise FileNotFoundError(f"There is no folder {path.parent}. Make it, or choose another one.")
        if path.suffix.lower() in WRITERS:
            write_weights(path, Saved(self.attention, self.title, self.bits, self.changes))
        elif path.suffix.lower() in (".html", ".htm"):
            save(self.html, path)
        else:
            endings = " or ".join(WRITERS)
            raise ValueError(f"{path.name} must end in .html, for a view, or in {endings}, for the weights")
        return path

    def __repr__(self) -> str:
        shapes = {
            kind: f"{len(each.heads)} heads, {each.weights[0].shape[1:]}" for kind, each in self.attention.items()
        }
        return f"<View of {shapes}; .save(path) writes it, a notebook shows it>"

    def measures(self, kind: str | None = None) -> "pd.DataFrame":
        """Return a row for each head: see `measure_heads`, and of two runs `measure_change`.

        `kind` is one of an encoder-decoder model's, or the name of one of two runs.
        """
        if kind is None and self.changes:
            return measure_change(self._changed()).drop(columns="kind")
        return self._measures[self._kind(kind)].copy()

    def table(self, layer: Any = None, head: int | None = None, kind: str | None = None) -> "pd.DataFrame":
        """Return a row for each weight: layer, head, query, key, their tokens and the weight, as it was passed.

        Of two runs, the weight is what the second has more than the first, unless `kind` names one of them.
        Raises `ValueError` for more than five million rows, and for a layer or a head that there isn't.
        """
        import pandas as pd

        attention = self._changed() if kind is None and self.changes else self.attention[self._kind(kind)]
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
            if layer is not None and head is not None:
                raise ValueError(f"this table would have {count:,} rows; show fewer tokens")
            further = " or a ".join(
                f"{name}=" for name, chosen in (("layer", layer), ("head", head)) if chosen is None
            )
            raise ValueError(f"this table would have {count:,} rows; choose a {further}")
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

    def _changed(self) -> Patterns:
        return change(*(self.attention[name] for name in self.changes[0]))

    def _kind(self, kind: str | None) -> str:
        if kind is None:
            return next(iter(self.attention))
        if kind not in self.attention:
            raise ValueError(f"kind {kind!r} is not among {[*self.attention]}")
        return kind

    @cached_property
    def _measures(self) -> dict[str, "pd.DataFrame"]:
        return {kind: measure_heads(each) for kind, each in self.attention.items()}
