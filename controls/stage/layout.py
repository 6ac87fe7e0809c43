"""How parts stand together, and what is said between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .component import Column


def beside(*columns: Column) -> dict[str, Any]:
    """Columns inside a column: parts beside one another, on a narrow screen below one another."""
    return {
        "kind": "beside",
        "columns": [{"share": c.share, "least": c.least, "parts": list(c.parts)} for c in columns],
    }


def heading(text: str | Sequence[str | tuple]) -> dict[str, Any]:
    """A heading over the parts that follow. In a list of pieces, a path stands for what is found there."""
    return {"kind": "heading", "text": text}


def remark(text: str) -> dict[str, Any]:
    """A sentence or two under the part before it."""
    return {"kind": "remark", "text": text}
