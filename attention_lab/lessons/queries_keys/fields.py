"""What the address of Queries and keys holds: the words, the way in, the two matrices and what begins them."""

from collections.abc import Callable

import numpy as np

from attention_lab.state import matrix, permalink, vocabulary
from attention_lab.state.permalink import Values
from attention_lab.state.state import base_example

PLANES = ("orange_apple_phone", "apple_unveiled", "buy_an_apple")
PLANES += vocabulary.examples_in_languages(features=False)
FEATURES = ("fluffy_blue_creature", "knight_in_shining", *vocabulary.examples_in_languages(features=True))

# Ready-made matrices to begin with. The spaces leave areas as they are, so that none of them merely enlarges.
AS_IT_IS = [[1.0, 0.0], [0.0, 1.0]]
BY_HAND = {"W_query": [[0.75, 0.25], [-0.5, 0.75]], "W_key": [[0.75, -0.25], [0.0, 0.75]]}
SPACES = {
    "squashed": [[1.25, 0.75], [0.75, 1.25]],
    "between": AS_IT_IS,
    "stretched": [[1.25, -0.75], [-0.75, 1.25]],
}

SUITING = {  # goals that suit the way and the words; under None those for words of one's own
    ("two", "orange_apple_phone"): ("phone_80", "one_way"),
    ("two", "apple_unveiled"): ("phone_80", "there_not_back"),
    ("two", "buy_an_apple"): ("turn_away", "one_way"),
    ("two", None): ("give_80", "there_not_back"),
    ("one", "orange_apple_phone"): ("wider", "opposed"),
    ("one", None): ("opposed",),
    ("features", "fluffy_blue_creature"): ("green_creature", "articles"),
    ("features", "knight_in_shining"): ("in_the", "turn_away"),
    ("features", None): ("give_80", "turn_away"),
}
NEEDED = {  # words without which a goal means nothing
    "phone_80": {"apple", "phone"},
    "one_way": {"apple", "orange"},
    "wider": {"orange", "apple", "phone"},
    "green_creature": {"creature", "verdant"},
    "articles": {"creature", "a", "forest", "the"},
    "in_the": {"in", "The"},
}


def ways(values: Values) -> list[str]:
    """What can be done with the words: on a plane two matrices or one, else by features."""
    return ["two", "one"] if values["vectors"].shape[1] == 2 else ["features"]


def starts(values: Values) -> list[str]:
    """The ready-made matrices that suit the way."""
    return {"two": ["hand", "raw"], "one": list(SPACES), "features": ["hand"]}[values["way"]]


def goals(values: Values) -> tuple[str, ...]:
    """The names of the goals that suit the way and the words."""
    reachable_goals = SUITING.get((values["way"], values["example"]), ())
    there = tuple(name for name in reachable_goals if NEEDED.get(name, set()) <= set(values["words"]))
    return there or SUITING[values["way"], None]


def initial_matrix(name: str) -> Callable[[Values], np.ndarray | list]:
    """The matrix of this name as it stands before anything was moved."""

    def matrix(values: Values) -> np.ndarray | list:
        if name == "W_key" and values["way"] == "one":
            return values["W_query"]
        of_example = getattr(base_example(WORDS, values), name)
        by_hand = BY_HAND[name] if of_example is None else of_example
        return {"hand": by_hand, "raw": AS_IT_IS, **SPACES}[values["start"]]

    return matrix


WORDS = vocabulary.fields(
    PLANES + FEATURES,
    word=("apple", "creature", "shining"),
    other=("phone", "orange", "fluffy", "knight"),
    sentence=True,
)
FIELDS = (
    *WORDS,
    permalink.choice("way", "two matrices, one for both, or features", ways),
    permalink.choice(
        "start",
        "the matrices at the start",
        starts,
        lambda values: "between" if values["way"] == "one" else "hand",
        interactive=True,
    ),
    permalink.matrix("W_query", "the query matrix", initial_matrix("W_query"), within=matrix.LIMITS),
    permalink.matrix("W_key", "the key matrix", initial_matrix("W_key"), within=matrix.LIMITS),
    permalink.choice(
        "drag", "whether a query and a key are dragged, or the matrices", ["arrows", "matrices"], interactive=True
    ),
    permalink.choice(
        "feature",
        "the feature that is being edited",
        lambda values: base_example(WORDS, values).axes,
        interactive=True,
    ),
    permalink.choice("scores", "how scores are drawn", ["numbers", "dots"]),
    permalink.choice("shown", "one query and one key, or those of all words", ["pair", "all"], interactive=True),
    permalink.choice("goal", "the goal that is set", goals, interactive=True),
)
