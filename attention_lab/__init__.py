"""Attention Lab: a course on attention, and `show`, which shows anybody's attention weights.

import attention_lab
attention_lab.show(output.attentions, tokens)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attention_lab.own_attention import View, load, save, show

__all__ = ["View", "load", "save", "show"]


def __getattr__(name: str) -> Any:
    """Import what shows attention weights when it is first asked for: the course has no need of it."""
    if name in __all__:
        from attention_lab import own_attention

        return getattr(own_attention, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
