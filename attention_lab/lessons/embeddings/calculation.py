"""Words of a sentence moved away from their vectors in the table: what is in an address, what is calculated."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_core import Example, loadable_examples
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    largest,
    norms,
    ratio,
    row,
    rows,
    scaled_dot_product_attention,
)
from attention_lab.state import permalink, vocabulary
from attention_lab.state.state import State, base_example
from attention_lab.text.labels import labels

EXAMPLES = (
    "buy_an_apple",
    "apple_unveiled",
    "american_true_mole",
    "one_mole_of_carbon_dioxide",
    "biopsy_of_the_mole",
    *loadable_examples("learned_robot"),
    *vocabulary.examples_in_languages(features=False),
)
BESIDE = (
    "fruit_and_tech",
    *loadable_examples("learned_kinds"),
    *EXAMPLES,
)  # those on the same axes share one table of vectors
STRONG = ("orange", "phone", "true", "dioxide", "biopsy", "robot")
GOAL_NAMES = ("stay_put", "other_side", "newcomer", "alone", "outpulled", "of_its_kind")
WRITTEN = ("newcomer", "of_its_kind")
BY_HAND, BY_TRAINING = (
    {"other_side", "newcomer"},
    {"outpulled", "of_its_kind"},
)  # only axes by hand have a meaning
WORD_FIELDS = vocabulary.fields(
    EXAMPLES, word=("apple", "mole", "creature"), other=STRONG, sentence=True, beside=BESIDE
)


def goals_offered(values: permalink.Values) -> list[str]:
    """Those that suit the words: a word by itself has no company, a newcomer needs an example to come to."""
    base, words = base_example(WORD_FIELDS, values), values["words"]
    example, elsewhere = base.words, BY_HAND if base.learned else BY_TRAINING
    if len(set(words)) == 1:
        return ["alone"]
    word = words[labels(words).index(values["word"])]
    whole = word in example and set(example) <= set(words)
    return [name for name in GOAL_NAMES if name not in {"alone", *elsewhere} and (whole or name not in WRITTEN)]


FIELDS = (*WORD_FIELDS, permalink.choice("goal", "the goal that is set", goals_offered, interactive=True))


# What is calculated --------------------------------------------------------------------------------------


def in_context(s) -> None:
    """Every word in its sentence; how far that moves it, towards which side, and what a hand has moved."""
    s.x = rows(s.vectors, s.ids)
    s.trace = scaled_dot_product_attention(s.x, s.x, s.x)
    s.shift = s.trace.context - s.x
    s.shift_length = norms(s.shift)
    s.lean = s.trace.context @ s.sides
    s.moved = norms(s.vectors - s.home)
    s.moved_here = rows(s.moved, s.ids)
    s.farthest_kept = largest(rows(s.moved, s.kept))
    s.outpulled = ratio(largest(rows(s.trace.weights[s.word], s.others)), s.trace.weights[s.word, s.rival])


def in_other_phrases(s, count: int) -> None:
    """What the words of the sentence become in so many other phrases."""
    s.x_elsewhere = [rows(s.vectors, s.ids_elsewhere[k]) for k in range(count)]
    s.traces_elsewhere = [
        scaled_dot_product_attention(s.x, s.x_elsewhere[k], s.x_elsewhere[k]) for k in range(count)
    ]


def two_entries(s) -> None:
    """Two entries of the table and their distance."""
    s.entry_here, s.entry_there = row(s.vectors, s.id_here), row(s.vectors, s.id_there)
    s.apart = norms(s.entry_here - s.entry_there)


CONSTANTS = (*vocabulary.CONSTANTS, "sides", "kept", "newcomers", "rival", "others")
CALCULATION = record(in_context, FIELDS, CONSTANTS)
ELSEWHERE = {0: CALCULATION} | {
    count: CALCULATION.then(in_other_phrases, ["ids_elsewhere", "said_elsewhere"], count=count)
    for count in range(1, len(EXAMPLES))
}
ENTRIES = record(two_entries, FIELDS, constants=["words", "id_here", "id_there"])


# What is given -------------------------------------------------------------------------------------------

TOWARDS_FIRST, TOWARDS_SECOND = [[1.0], [-1.0]], [[-1.0], [1.0]]  # what times the axes gives the lean


def calculate(state: State) -> Results:
    """What follows from the vectors on screen."""
    return ELSEWHERE[len(phrases_elsewhere(state))].run(state.scope(), constants(state))


def calculate_entries(state: State, now: Results, phrase: Example) -> Results:
    """The entry of the word of interest as this sentence finds it, and as another phrase does."""
    there = vocabulary.ids(phrase.words, vocabulary.neighbours(BESIDE, state.worked_example))
    ids = {"id_here": now.ids[now.word], "id_there": there[phrase.words.index(state.spoken("word"))]}
    return ENTRIES.run(state.scope(), {"words": now.words}, ids)


def constants(state: State) -> dict[str, Any]:
    """Return the inputs that the reader cannot edit: the table, and the rows of sentence and phrases.

    ``kept``: the table's words without those that one has added; ``newcomers``: how many of these there are;
    ``sides``: makes the lean positive where the word of interest is on the side of the example's sentence;
    ``rival``: which other word has the largest weight before anything is moved; ``others``: all but these two.
    """
    known, example = vocabulary.lookup(state, BESIDE), state.worked_example.words
    beside, phrases = vocabulary.neighbours(BESIDE, state.worked_example), phrases_elsewhere(state)
    new = [word for word in known["table"] if word in state.words and word not in example]
    rival, others = rivals(state, known, new)
    return known | {
        "rival": rival,
        "others": others,
        "sides": (TOWARDS_FIRST, TOWARDS_SECOND)[side_at_first(state, known, example)],
        "kept": [place for place, word in enumerate(known["table"]) if word not in new],
        "newcomers": len(new) if set(example) <= set(state.words) else 0,
        "ids_elsewhere": [vocabulary.ids(phrase.words, beside) for phrase in phrases],
        "said_elsewhere": [[word in phrase.words for word in state.words] for phrase in phrases],
    }


def rivals(state: State, known: Mapping[str, Any], new: Sequence[str]) -> tuple[int, list[int]]:
    """The place of the other word with the largest weight at first, `new` ones apart; those of the others.

    A word by itself has neither: its own place stands for both.
    """
    word, x = state.spoken("word"), known["home"][known["ids"]]
    place = labels(state.words).index(state.word)
    shares = scaled_dot_product_attention(x, x, x).weights[place]
    company = [k for k, other in enumerate(state.words) if other != word]
    rival = max((k for k in company if state.words[k] not in new), key=lambda k: shares[k], default=place)
    return rival, [k for k in company if state.words[k] != state.words[rival]] or [place]


def phrases_elsewhere(state: State) -> list[Example]:
    """The other sentences on the same axes: a word begins there as the same vector."""
    offered = vocabulary.neighbours(EXAMPLES, state.worked_example)
    return [phrase for phrase in offered if phrase.words != state.words]


def side_at_first(state: State, known: Mapping[str, Any], sentence: Sequence[str]) -> int:
    """On which axis's side of the diagonal the word of interest ends in a sentence before anything is moved.

    `known` is what a look-up in the table gives. A sentence without the word stands for the reader's own.
    """
    word = state.spoken("word")
    sentence = sentence if word in sentence else state.words
    x = known["home"][[known["table"].index(each) for each in sentence]]
    first, second = scaled_dot_product_attention(x, x, x).context[sentence.index(word)]
    return int(first <= second)
