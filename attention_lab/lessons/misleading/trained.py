"""What the experiments on a shipped model share: its weights, what it says of the text, and how sure it is."""

from typing import Any

from attention_core.models import grammar
from attention_lab import language_models
from attention_lab.calculation import Results
from attention_lab.language_models import ALL_ON, LAYERS
from attention_lab.lesson import Program
from attention_lab.state.state import State

from . import heads, parts
from .fields import begun_of

CONSTANTS = ("learned", "vocabulary", "all_on", "answer")


def constants(state: State) -> dict[str, Any]:
    """Return the inputs that their calculations share."""
    return {
        "learned": language_models.load_model(state.model).packed.arrays,
        "vocabulary": list(grammar.WORDS),
        "all_on": ALL_ON,
        "answer": answer_of(state),
    }


def shares_of_answer(s) -> None:
    """How sure the model is of its answer, as it reads the text by itself and as it is made to."""
    s.share_before = s.before.next_word[LAYERS, s.answer]
    s.share_after = s.after.next_word[LAYERS, s.answer]


def answer_of(state: State) -> int:
    """The number of the word that it says by itself."""
    own = heads.own_reading(state.model, begun_of(state.values))
    return int(own.next_word[-1].argmax())


def predicted_word(state: State) -> str:
    """Return the word that the model predicts."""
    return parts.word(answer_of(state))


def program(state: State, now: Results, **by_hand: Any) -> Program:
    """What the programs begin with: which weights, handed over too, the text, and what a hand has changed."""
    constants = {
        "words": list(now.words),
        "tokens": now.tokens[0].astype(int).tolist(),
        "model": state.model,
        "vocabulary": list(grammar.WORDS),
        "pattern": None,
        "head": parts.head_of(state),
        "kept": None,
        "reader": -1,
        "strengths": ALL_ON.tolist(),
        "place": None,
    }
    return Program("misleading_texts", constants | by_hand, language_models.file_of(state.model))
