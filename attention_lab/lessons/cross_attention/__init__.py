"""Cross-attention: the words of one sentence ask, those of another answer; or the same head on one sentence."""

from attention_core.models import translator
from attention_lab.lesson import Lesson
from attention_lab.state.state import State
from attention_lab.state.vocabulary import example_setting

from . import example, learned_parts
from .calculation import FIELDS
from .learned import is_learned


def settings(state: State) -> dict[str, dict[str, str]]:
    """What can be chosen beside the figure: a model, or the sentences of a worked example."""
    models = {"model": learned_parts.model_names(state)}
    return models if is_learned(state.values) else models | example_setting(state)


LESSON = Lesson(
    "cross_attention",
    FIELDS,
    variant=lambda state: learned_parts.LESSON if is_learned(state.values) else example.LESSON,
    settings=settings,
    comes_from=lambda values: "learned" if is_learned(values) else None,
    trained=translator.NAMES,
)
