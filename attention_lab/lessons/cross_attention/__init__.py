"""Cross-attention: the words of one sentence ask, those of another answer; or the same head on one sentence."""

from __future__ import annotations

from attention_core.models import translator
from attention_lab.lesson import Lesson

from . import example, learned_parts
from .calculation import FIELDS
from .learned import is_learned

LESSON = Lesson(
    "cross_attention",
    FIELDS,
    variant=lambda state: learned_parts.LESSON if is_learned(state.values) else example.LESSON,
    comes_from=lambda values: "learned" if is_learned(values) else None,
    trained=translator.NAMES,
)
