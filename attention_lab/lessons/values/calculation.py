"""What the values page calculates, aims at and asks: weights from scores, the mixture, what becomes of it."""

from typing import Any

import numpy as np

from attention_core import load_example
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    gathered,
    largest,
    max_abs_difference,
    norms,
    pick,
    ratio,
    row,
    rows,
    scaled_dot_product,
    scaled_dot_product_attention,
    softmax,
)
from attention_lab.calculation.read_cache import fact
from attention_lab.state import matrix, permalink, vocabulary
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import YOURS, State
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.number_format import format_fixed

BANKS = ("money_bank", "river_bank")
EXAMPLES = ("one_head", *BANKS, "orange_apple_phone", "apple_unveiled", "buy_an_apple")
EXAMPLES += vocabulary.examples_in_languages(features=False)
IDENTITY = np.eye(2)
COLDEST, HOTTEST = 0.05, 100.0
# What the article on money bank prints: scores divided by √2, and weights that do not follow from them; and the
# temperature at which these weights come out.
PRINTED = {"printed_scaled": (7.09, 22.69), "printed_weights": ((0.2, 0.8),)}
TEMPERATURE_OF_ARTICLE = load_example("money_bank").expected["temperature"]


def goals_offered(values: permalink.Values) -> tuple[str, ...]:
    """The goals that suit the words."""
    matrix_goals = ("nothing_to_say", "all_the_same")
    return ("one_fifth", *matrix_goals) if values["example"] in BANKS else (*matrix_goals, "middle")


OF_WORDS = vocabulary.fields(
    EXAMPLES, word=("bank", "apple"), other=("money", "river", "phone", "orange"), sentence=True
)
FIELDS = (
    *OF_WORDS,
    matrix.field("W_query", "the query matrix", OF_WORDS, IDENTITY),
    matrix.field("W_key", "the key matrix", OF_WORDS, IDENTITY),
    matrix.field("W_value", "the value matrix", OF_WORDS, IDENTITY),
    permalink.number(
        "temperature", "what the scaled scores are divided by", COLDEST, HOTTEST, 1.0, interactive=True
    ),
    permalink.choice(
        "change", "whether the sum replaces the vector or is added to it", ("replace", "add"), interactive=True
    ),
    permalink.choice("drawn", "how the arrows are arranged", ("chain", "parallelogram"), interactive=True),
    permalink.choice("goal", "the goal that is set", goals_offered, interactive=True),
)


def attention(s) -> None:
    """One head on the words' vectors, its scaled scores divided by the temperature."""
    s.x = rows(s.vectors, s.ids)
    s.query, s.key, s.value = s.x @ s.W_query, s.x @ s.W_key, s.x @ s.W_value
    s.scaled = scaled_dot_product(s.query, s.key)
    s.scale = ratio(s.over_root_d, s.temperature)
    s.trace = scaled_dot_product_attention(s.query, s.key, s.value, None, s.scale)


def what_becomes_of_it(s) -> None:
    """The context vectors put in the words' places or added to them, and what the goals ask for."""
    s.new = s.x + s.trace.context
    s.replaces = pick(s.change, True, False)
    s.folded = max_abs_difference(gathered(s.temperature, s.change, s.drawn), gathered(1.0, 0.0, 0.0))
    s.moved = max_abs_difference(s.vectors, s.home)
    s.length = norms(s.value)
    s.largest_weight = largest(s.trace.weights[s.word])
    s.above_equal = s.largest_weight - s.near_equal
    s.miss = norms(row(s.trace.context, s.word) - row(s.x, s.other))


def as_printed(s) -> None:
    """Where the weights that the article assumes would put its word."""
    s.printed_context = s.printed_weights @ s.value
    s.printed_moves = pick(s.change, s.untouched, False)


def guessed(s) -> None:
    """What the questions ask for."""
    s.weights_at_one = softmax(s.scaled)
    s.beyond = largest(norms(s.trace.context)) - largest(s.length)


ATTENTION = record(attention, FIELDS, constants=["ids", "over_root_d"])
CALCULATION = s = ATTENTION.then(
    what_becomes_of_it, constants={*vocabulary.CONSTANTS, "axes", "near_equal"} - {"ids"}
)
AS_PRINTED = CALCULATION.then(as_printed, constants=["printed_scaled", "printed_weights", "untouched"])
GUESSED = CALCULATION.then(guessed)

WEIGHTS = s.trace.weights[s.word]
STAYED = s.moved <= 0.05
GOALS = {
    "one_fifth": Goal(
        "one_fifth",
        STAYED,
        WEIGHTS[s.other] >= 0.1995,
        names={"T": s.temperature, "share": (WEIGHTS[s.other], "share")},
    ),
    "middle": Goal(
        "middle",
        STAYED,
        s.above_equal <= 0,
        names={"T": s.temperature, "most": (s.largest_weight, "share"), "aim": (s.near_equal, "share")},
    ),
    "nothing_to_say": Goal(
        "nothing_to_say",
        STAYED,
        s.length[s.other] <= 0.4,
        s.length[s.word] >= 2,
        names={
            "share": (WEIGHTS[s.other], "share"),
            "there": s.length[s.other],
            "here": s.length[s.word],
        },
    ),
    "all_the_same": Goal("all_the_same", STAYED, s.miss[0] <= 0.4, names={"miss": s.miss[0]}),
}
AT_ONE = GUESSED.weights_at_one[s.word, s.other]
TRUE_SOFTMAX = ChoiceQuestion(
    "true_softmax",
    fifth=AT_ONE.within(0.05, of=0.2),
    hundredth=AT_ONE.within(0.005, of=0.01),
    millionth=AT_ONE <= 1e-6,
)
LONGEST = ChoiceQuestion("longest", yes=GUESSED.beyond >= 1e-6, no=GUESSED.beyond <= 1e-6)


def reachable_goals(state: State, now: Results) -> list[Goal]:
    """The goals that the words can reach: two different ones, and not in one line; scores that heat evens out."""
    offered = [GOALS[name] for name in state.options("goal")]
    if now.ids[now.word] == now.ids[now.other]:
        return []
    (a, b), (c, d) = (now.home[now.ids[place]] for place in (now.word, now.other))
    aside = abs(a * d - b * c) / max(np.hypot(c, d), 1e-9)  # of words in one line none can be silenced alone
    fits = {"middle": fact(now, evens_out), "nothing_to_say": aside >= 1}
    return [goal for goal in offered if fits.get(goal.name, True)]


def evens_out(now: Results) -> bool:
    """Whether heat makes the weights of the word of interest about equal."""
    return softmax(now.scaled, HOTTEST)[now.word].max() <= now.near_equal


def is_printed(state: State) -> bool:
    """Whether the article has numbers for what is on screen."""
    return state.example == "money_bank" and state.word == "bank"


def gives_what_is_printed(state: State) -> bool:
    """Whether its temperature gives the article's word the weights assumed, as vectors and matrices are now."""
    if state.example not in BANKS or state.word != "bank":
        return False
    now = CALCULATION.run(state.scope() | {"temperature": TEMPERATURE_OF_ARTICLE}, constants(state))
    return bool(np.allclose(now.trace.weights[now.word], PRINTED["printed_weights"][0], rtol=0, atol=5e-4))


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    return vocabulary.lookup(state) | {
        "axes": state.worked_example.axes,
        "over_root_d": state.W_query.shape[1] ** -0.5,
        "near_equal": 1.1 / len(state.words),
    }


def calculate(state: State) -> Results:
    """What follows from the vectors and matrices on screen; where the article has numbers, with these."""
    result = constants(state)
    if is_printed(state):
        untouched = state.provenance_of("vectors", "W_query", "W_key") != YOURS
        return AS_PRINTED.run(state.scope(), result | PRINTED | {"untouched": untouched})
    return CALCULATION.run(state.scope(), result)


def question(now: Results) -> tuple[ChoiceQuestion, Results]:
    """What to ask, and in which numbers the answer lies.

    On the true weights where one of its answers is right, else on lengths.
    """
    known = GUESSED.run_extension(now)
    riddle = TRUE_SOFTMAX.answer(known, range(3)) is not None
    return (TRUE_SOFTMAX if riddle else LONGEST), known


def names_in_question(now: Results) -> dict[str, str]:
    """What the question names."""
    scaled = {"scaled_word": now[s.scaled[s.word, s.word]], "scaled_other": now[s.scaled[s.word, s.other]]}
    numbers = {name: format_fixed(score, 4) for name, score in scaled.items()}
    return {"other": escape_markdown(now.words[now.other])} | numbers
