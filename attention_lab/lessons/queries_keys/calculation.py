"""What Queries and keys calculates, and its goals and guesses."""

from attention_core import causal_mask
from attention_lab.calculation import Condition, Expression, Results, record
from attention_lab.calculation.operations import dot_product, largest, norms, rows, scaled_dot_product_attention
from attention_lab.state import vocabulary
from attention_lab.state.goals import ArgmaxQuestion, ChoiceQuestion, Goal
from attention_lab.state.state import State

from .fields import FIELDS, SPACES
from .operations import separation_ratio

# Calculations ------------------------------------------------------------------------------------------


def attention(s, one_for_both: bool = False) -> None:
    """Queries, keys, scores and weights, by two matrices or by one; and how far the words were moved."""
    s.x = rows(s.vectors, s.ids)
    s.query = s.x @ s.W_query
    s.key = s.x @ (s.W_query if one_for_both else s.W_key)
    s.trace = scaled_dot_product_attention(s.query, s.key, s.x, s.mask)
    s.moved = largest(norms(s.vectors - s.home))


def separation(s) -> None:
    """How well the one space keeps two apples apart, and how well the ready-made spaces would."""
    s.among_fruit, s.among_tech = two_apples(s, s.query)
    s.separation = separation_of(s, s.query, s.among_fruit, s.among_tech)
    s.apples_apart = norms(s.among_fruit.context - s.among_tech.context)
    s.ends_apart = norms(rows(s.query, s.with_orange) - rows(s.query, s.with_phone))
    spaces = [s.x @ s.spaces[name] for name in SPACES]
    s.separations = [separation_of(s, space, *two_apples(s, space)) for space in spaces]


def two_apples(s, space: Expression) -> list[Expression]:
    """Attention in a `space` of words, once among apple and orange, once among apple and phone."""
    return [scaled_dot_product_attention(*[rows(space, pair)] * 3) for pair in (s.with_orange, s.with_phone)]


def separation_of(s, space: Expression, fruit: Expression, tech: Expression) -> Expression:
    """The distance of the two apples there, over that of orange and phone."""
    ends = space[s.place["orange"]], space[s.place["phone"]]
    return separation_ratio(fruit.context[0], tech.context[0], *ends)


def exchanged(s) -> None:
    """What the guess asks for: scores with the two matrices exchanged, against A → B and against B → A."""
    s.swapped = dot_product(s.x @ s.W_key, s.x @ s.W_query)
    s.gain = s.swapped - s.trace.scores
    s.off = s.swapped - dot_product(s.key, s.query)


CONSTANTS = (*vocabulary.CONSTANTS, "axes", "mask", "place")  # `place`: where each word stands in the sentence
TWO = s = record(attention, FIELDS, CONSTANTS)
ONE = record(attention, FIELDS, CONSTANTS, one_for_both=True)
APART = ONE.then(separation, constants=["with_orange", "with_phone", "spaces"])
EXCHANGED = TWO.then(exchanged)


def has_apples(state: State) -> bool:
    """Whether there is one space whose separation can be told."""
    return state.way == "one" and {"orange", "apple", "phone"} <= set(state.words)


def calculate(state: State) -> Results:
    """What follows from the words and the matrices on screen."""
    calculation = APART if has_apples(state) else ONE if state.way == "one" else TWO
    return calculation.run(state.scope(), constants(state))


def constants(state: State) -> dict:
    """Return the inputs of the calculation besides the page's settings."""
    result, example = vocabulary.lookup(state), state.worked_example
    place = {word: k for k, word in enumerate(result["words"])}
    mask = None if example.mask is None else causal_mask(len(place))
    result |= {"axes": example.axes, "mask": mask, "place": place}
    if has_apples(state):
        result |= {f"with_{word}": [place["apple"], place[word]] for word in ("orange", "phone")}
        result["spaces"] = SPACES
    return result


# Goals and guesses -------------------------------------------------------------------------------------

SCORE, BACK = s.trace.scores[s.word, s.other], s.trace.scores[s.other, s.word]
SCALED, WEIGHT = s.trace.scaled_scores[s.word, s.other], s.trace.weights[s.word, s.other]
STAYED = s.moved <= 0.05
OF_PAIR = {"score": SCORE, "share": (WEIGHT, "share")}


def most(asks: str, answers: str) -> Condition:
    """The one word gives the other at least 80%."""
    return s.trace.weights[s.place[asks], s.place[answers]] >= 0.8


def score(asks: str, answers: str) -> Expression:
    """The score of one word with another."""
    return s.trace.scores[s.place[asks], s.place[answers]]


def find_goal(name: str, asks: str, answers: str) -> Goal:
    """The goal of this name: the one word finds the other, and no word is moved for it."""
    share = s.trace.weights[s.place[asks], s.place[answers]]
    return Goal(
        name, most(asks, answers), STAYED, names={"score": score(asks, answers), "share": (share, "share")}
    )


ALL_GOALS = (
    find_goal("phone_80", "apple", "phone"),
    Goal(
        "one_way",
        score("apple", "orange") >= 0.01,
        score("orange", "apple") <= -0.01,
        names={"there": score("apple", "orange"), "back": score("orange", "apple")},
    ),
    Goal("give_80", WEIGHT >= 0.8, names=OF_PAIR),
    Goal("there_not_back", SCORE >= 0.01, BACK <= -0.01, names={"there": SCORE, "back": BACK}),
    Goal("turn_away", WEIGHT <= 0.05, names=OF_PAIR),
    Goal(
        "wider",
        s.start.within(0, of=list(SPACES).index("squashed")),
        APART.separation >= 1.01 * APART.separation.at_start,
        names={"now": APART.separation, "between": APART.separations[list(SPACES).index("between")]},
    ),
    Goal("opposed", SCORE <= -0.01, names={"score": SCORE}),
    find_goal("green_creature", "creature", "verdant"),
    find_goal("in_the", "in", "The"),
    Goal(
        "articles",
        most("creature", "a"),
        most("forest", "the"),
        STAYED,
        names={
            "first": (s.trace.weights[s.place["creature"], s.place["a"]], "share"),
            "second": (s.trace.weights[s.place["forest"], s.place["the"]], "share"),
        },
    ),
)
GOALS = {goal.name: goal for goal in ALL_GOALS}

MOST = ArgmaxQuestion("who_gets_most", s.trace.weights[s.word], shares=True)
SWAP = ChoiceQuestion(
    "swap",
    stays=EXCHANGED.gain[s.word, s.other].within(1e-9, of=0),
    turned=EXCHANGED.off[s.word, s.other].within(1e-9, of=0),
    sign=EXCHANGED.off[s.word, s.other] >= 1e-9,
)


def question(state: State, now: Results) -> tuple[ArgmaxQuestion | ChoiceQuestion, Results]:
    """What the reader is to guess, and the results that hold the answer.

    Who gets most? With two matrices that differ: what if they change places?
    """
    there, back = now[SCORE], now[BACK]
    if state.way != "two" or abs(there - back) < 1e-9:
        return MOST, now
    return SWAP, EXCHANGED.run_extension(now) if state.predict else now
