"""Anybody's attention weights as a view of all heads: in a notebook, in a file, on a page."""

from collections.abc import Iterable
from typing import Any

from .forms import read_attention
from .view import View


def show(
    attention: Any,
    tokens: Iterable[object] | None = None,
    keys: Iterable[object] | None = None,
    *,
    title: str = "",
    bits: int = 8,
    batch: int | None = None,
) -> View:
    """Return a view of attention weights: a notebook shows it, `save` writes it as a file."""
    return View(read_attention(attention, tokens, keys, batch=batch), title, bits)
