"""What a page is about in a real model: heads of the shipped gallery, as they are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from attention_core import GalleryRun, load_gallery
from attention_core.models import unreadable
from attention_lab.state import permalink
from attention_lab.state.state import State

from .layout import Column, heading
from .parts import constant
from .words import heatmap

GALLERY = "gallery"  # its file among the shipped weights


@dataclass(frozen=True)
class FoldContent:
    """The content of the fold: pictures, the arrays that they draw, and the numbers that its text names."""

    columns: Sequence[Column]
    constants: Mapping[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)


def run(name: str) -> GalleryRun:
    """What the model did with a sentence of the gallery."""
    return load_gallery().runs[name]


def head_names() -> tuple[str, ...]:
    """Every head by its layer and its number in it."""
    return load_gallery().head_names


def offered(names: Callable[[], Sequence[str]]) -> Callable[[permalink.Values], Sequence[str]]:
    """Names as the options of a field; of a gallery that cannot be read there is one, of nothing."""
    return lambda _: ["1"] if unreadable((GALLERY,)) else names()


#: which of its layers is shown
LAYER = permalink.choice(
    "real_layer",
    "the layer of the real model",
    offered(lambda: [str(layer + 1) for layer in range(load_gallery().record["layers"])]),
    "1",
)


def pattern(state: State, name: str, title: str, *, words: str = "words") -> Column:
    """The weights given as `name`, a small picture under its heading, between the words given as `words`."""
    drawn = heatmap(
        constant(name),
        title=title,
        what=f"weight {name}",
        rows=constant(words),
        columns=constant(words),
        limit=1.0,
        scale="share",
        form="percent",
        row=None,
        column=None,
        turned=state.orientation == "columns",
        small=True,
        quiet=True,
    )
    return Column([heading(title), drawn], least=300)
