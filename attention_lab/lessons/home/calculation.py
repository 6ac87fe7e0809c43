"""One head of attention on one small sentence: what an address holds, what is calculated, asked and aimed at."""

from attention_core import load_example
from attention_lab.calculation import record
from attention_lab.calculation.operations import scaled_dot_product_attention
from attention_lab.state import permalink
from attention_lab.state.goals import ArgmaxQuestion, Goal

EXAMPLE = load_example("one_head")
WORDS, AXES, OWN_AXES = EXAMPLE.words, EXAMPLE.axes, ("1", "2")
MATRICES = {"W_query": EXAMPLE.W_query, "W_key": EXAMPLE.W_key, "W_value": EXAMPLE.W_value}
CONSTANTS = {"words": WORDS, "sentence": WORDS, **MATRICES}
GOAL_NAMES = ("turn_away", "even")

FIELDS = (
    permalink.choice("example", "the worked example", ["one_head"]),
    permalink.matrix("vectors", "the words' vectors, if any was moved", lambda _: EXAMPLE.embeddings),
    permalink.choice("word", "the word of interest", WORDS, "apple", interactive=True),
    permalink.choice("other", "the word that it is compared with", WORDS, "phone", interactive=True),
    permalink.choice("every_step", "1: show every step", ["0", "1"], interactive=True),
    permalink.goal_field(GOAL_NAMES),
)


def one_head(s) -> None:
    """Queries, keys and values, and all that attention makes of them."""
    s.query, s.key, s.value = s.vectors @ s.W_query, s.vectors @ s.W_key, s.vectors @ s.W_value
    s.trace = scaled_dot_product_attention(s.query, s.key, s.value)


CALCULATION = s = record(one_head, FIELDS, constants=CONSTANTS)
APPLE, PHONE = WORDS.index("apple"), WORDS.index("phone")
SCORES = {f"score_{word}": s.trace.scores[APPLE, j] for j, word in enumerate(WORDS)}
WEIGHTS = {f"weight_{word}": (s.trace.weights[APPLE, j], "share") for j, word in enumerate(WORDS)}
GOALS = (
    Goal("turn_away", s.trace.weights[APPLE, PHONE] <= 0.1, names=SCORES | WEIGHTS),
    Goal(
        "even",
        *(s.trace.weights[APPLE, j].within(0.01, of=1 / 3) for j in range(len(WORDS))),
        names=SCORES | WEIGHTS,
    ),
)
GUESS = ArgmaxQuestion("most", s.trace.weights[s.word], shares=True)
