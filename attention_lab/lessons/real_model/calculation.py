"""What is calculated: one head's weights from its scores, one of them raised by hand; a word in its senses."""

from typing import Any

from attention_lab.calculation import Calculation, Results, record
from attention_lab.calculation.operations import softmax, states_at
from attention_lab.state.state import State
from attention_lab.text.labels import labels

from . import galleries
from .fields import FIELDS
from .operations import raised_at
from .sentence import Sentence, visible

CONSTANTS = (
    "real",
    "words",
    "sentence",
    "received",
    "does",
    "value_ratios",
    "layers",
    "sense_places",
    "sense_hints",
    "sense_groups",
    "same",
    "unlike",
    "gaps",
    "moves",
)


def real_model(s) -> None:
    """A row of scaled scores becomes shares: e to the power of each, by their sum."""
    s.kept = s.real["scores", s.head]
    s.scores = raised_at(s.kept, s.word, s.other, s.raised)
    s.unraised = softmax(s.kept)
    s.pattern = softmax(s.scores)
    s.share = s.pattern[s.word, s.other]
    s.share_before = s.unraised[s.word, s.other]
    s.looks_back = s.does[s.head, galleries.KINDS.index("previous")]
    s.looks_first = s.does[s.head, galleries.KINDS.index("first")]
    s.value_ratio = s.value_ratios[s.head]
    s.it_moves = s.moves[s.head]
    s.in_senses = s.sense_places[s.sense]
    s.in_senses_at = states_at(s.in_senses, s.depth)
    s.gap = s.gaps[s.sense]
    s.layers_left = s.layers - s.depth


CALCULATION: Calculation = record(real_model, FIELDS, CONSTANTS)


def calculate(state: State) -> Results:
    """The head shown, on the sentence on screen."""
    return CALCULATION.run(state.scope(), constants(state.model, galleries.sentence_of(state.values)))


def constants(model: str, sentence: Sentence) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    gallery = galleries.measured_gallery(model)
    same, unlike = gallery.cosines
    in_senses = list(gallery.senses.values())
    return {
        "real": sentence.packed.arrays,
        "words": labels(shown := visible(sentence.run.tokens)),
        "sentence": shown,
        "received": sentence.received,
        "does": gallery.does,
        "value_ratios": gallery.value_ratios,
        "layers": gallery.layers,
        "sense_places": gallery.sense_places,
        "sense_hints": [[str(place + 1) for place in range(len(each.texts))] for each in in_senses],
        "sense_groups": [galleries.groups_of(each.senses) for each in in_senses],
        "same": same,
        "unlike": unlike,
        "gaps": (same - unlike)[:, -1],
        "moves": gallery.moves.min(axis=0),
    }
