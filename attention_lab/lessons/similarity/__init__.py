"""Similarity: the dot product, the cosine and the scaled dot product of words as arrows on a plane."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd

from attention_core import loadable_examples
from attention_lab import figure
from attention_lab.calculation import Expression, Results, record
from attention_lab.calculation.operations import cosine_similarity, dot_product, ratio, scaled_dot_product
from attention_lab.calculation.read_cache import fact
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import ArgmaxQuestion, Goal
from attention_lab.state.permalink import Values
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_fixed, format_number

EXAMPLES = ("orange_apple_phone", "orange_apple_phone_and_an", *loadable_examples("learned_colours"))
EXAMPLES += vocabulary.examples_in_languages(features=False)


@dataclass(frozen=True)
class Measure:
    """One measure of similarity: how it is computed, shown and explained.

    A further one is an entry in `SHOWN`, or in `FOLDED` if the first screen can do without it. It also needs

    - an operation, in ``operations.py`` and ``operations.js`` beside this file if there is none yet;
    - under ``## measures`` in the words, ``name`` (in the list and above the matrix) and ``name_named`` (on the
      button and in tables), and another look at the sentences that count the measures: ``first`` and ``figure``;
    - a field of `FormulaParts`, filled in by `with_numbers`, if its formula has pieces that no other has;
    - its lines in both programs.
    """

    operation: Callable[[Expression, Expression], Expression]  # of all vectors with all vectors
    limit: float  # where a cell's colour is full: about the largest that the example's words have
    formula: Callable[["FormulaParts"], f.Tree]  # of the chosen pair, without its result


@dataclass(frozen=True)
class FormulaParts:
    """The pieces of which the formulas of a pair are made; `with_numbers` fills them in."""

    a: f.Tree
    b: f.Tree
    products: f.Tree  # component by component, added up
    over_lengths: f.Tree
    over_root: f.Tree

    @property
    def dot(self) -> f.Tree:
        """The dot product of the pair, in words."""
        return f.row(self.a, "·", self.b)


SHOWN = {
    "dot": Measure(dot_product, 16.0, lambda of: f.row(of.a, "·", of.b, "=", of.products)),
    "cosine": Measure(
        cosine_similarity,
        1.0,
        lambda of: f.row(f.fraction(of.dot, f.row("‖", of.a, "‖", "‖", of.b, "‖")), "=", of.over_lengths),
    ),
}
FOLDED = {
    "scaled": Measure(
        scaled_dot_product, 12.0, lambda of: f.row(f.fraction(of.dot, f.root("d")), "=", of.over_root)
    ),
}
MEASURES = SHOWN | FOLDED
COLUMNS = {"1-2": (0, 1), "1-3": (0, 2), "2-3": (1, 2)}
# How far the plane goes. Below zero there is room to turn an arrow by a right angle or, shorter, to its opposite.
FRUIT_AND_TECH, LEARNED = (-3, 5), (-4, 4)
GOAL_NAMES = ("right_angle", "twice", "opposites")


def axes_offered(values: permalink.Values) -> list[str]:
    """The pairs of axes that there are."""
    return list(COLUMNS)[: 1 if values["vectors"].shape[1] == 2 else 3]


FIELDS = (
    *vocabulary.fields(EXAMPLES, word=("apple", "blue"), other=("phone", "green")),
    permalink.choice("measure", "the measure shown first", tuple(MEASURES), interactive=True),
    permalink.choice("axes", "the two axes of the plane, of three", axes_offered),
    permalink.goal_field(GOAL_NAMES),
)


def measures(s) -> None:
    """All pairs under each measure."""
    for name, measure in MEASURES.items():
        setattr(s, name, measure.operation(s.vectors, s.vectors))
    s.leading = s.names_of_measures[s.measure]
    s.of_lengths = ratio(s.dot[s.word, s.other], s.cosine[s.word, s.other])  # both lengths, multiplied


CALCULATION = s = record(measures, FIELDS, constants=["words", "names_of_measures"])
OF_PAIR = {name: s[name][s.word, s.other] for name in MEASURES}
DOT, COSINE = OF_PAIR["dot"], OF_PAIR["cosine"]
GOALS = (
    Goal("right_angle", COSINE.within(0.005, of=0), names={"cosine": (COSINE, "signed")}),
    Goal(
        "twice",
        DOT >= 2 * DOT.at_start,
        COSINE.within(0.02, of=COSINE.at_start),
        s.of_lengths >= 1.8 * s.of_lengths.at_start,
        names={"dot": DOT, "cosine": (COSINE, "signed")},
    ),
    Goal("opposites", COSINE <= -0.98, names={"cosine": (COSINE, "signed")}),
)
GUESS = ArgmaxQuestion("largest_dot", s.dot[s.word])


def calculate(state: State) -> Results:
    """What follows from the vectors on screen."""
    return CALCULATION.run(state.scope(), {"words": state.words, "names_of_measures": list(MEASURES)})


def choose_word(state: State, word: str) -> permalink.Values:
    """Another word of interest; where it is the one compared with, the two change places."""
    return {"word": word} | ({"other": state.word} if word == state.other else {})


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals; the words on their plane, beside them the measures and the formulas; one of them folded."""
    learned = []
    if state.worked_example.learned:  # whose the vectors are, and how much of their spread two directions show
        learned = [figure.remark(state.text.plain("drawn", **vocabulary.learned_names(state)))]
    scaled = figure.Column([live_measures(state, FOLDED), with_numbers(state, FOLDED)])
    beside = [
        figure.pictured(live_measures(state, SHOWN)),
        with_numbers(state, SHOWN),
        figure.options(s.measure, state.text["pairs"], list(measure_names(state).values())),
        all_pairs(state),
        figure.fold(state.text["scaled"], scaled, opened_by=s.measure >= len(SHOWN)),
    ]
    return [
        figure.goals(state, GOALS if state.word != state.other else (), now, names=twice(state, now)),
        figure.Column([figure.pictured(on_the_plane(state)), *learned], share=2.0, least=320),
        figure.Column(beside, least=300),
    ]


def twice(state: State, now: Results) -> dict[str, str]:
    """The chosen pair's first cosine, and twice its first dot product."""
    first = CALCULATION.run(state.scope(state.defaults()) | {"word": now.word, "other": now.other}, now.constants)
    return {
        "kept": format_fixed(first[COSINE]),
        "doubled": format_number(2 * first[DOT]),
    }


def on_the_plane(state: State) -> figure.Part:
    """The words as arrows under the hand; the other word is projected on the word of interest."""
    word, other = s.vectors[s.word], s.vectors[s.other]
    flat = fact(state.values, is_flat)  # a projection and an angle seen from the side would mislead
    label = state.text.around("projection", word=s.words[s.word], other=s.words[s.other])
    projected = [figure.angle(word, other), figure.projection(other, onto=word, label=label)] if flat else []
    axes = state.worked_example.axes
    words = figure.vectors(
        s.vectors, handles=True, focus=s.word, other=s.other, tinted=figure.are_tech_and_fruit(axes)
    )
    low, high = LEARNED if state.worked_example.learned else FRUIT_AND_TECH
    return figure.plane(state, axes, [*projected, words], columns=COLUMNS[state.axes], low=low, high=high)


def is_flat(values: Values) -> bool:
    """Whether the vectors lie in a plane."""
    return values["vectors"].shape[1] == 2


def live_measures(state: State, names: Iterable[str]) -> figure.Part:
    """All pairs with these measures, following the hand."""
    columns = [{"head": state.text[f"measures/{name}"], "of": s[name]} for name in names]
    chosen = {"focus": s.word, "other": s.other, "leading": s.leading}
    return figure.part("pairs", head=state.text["measures/pair"], columns=columns, **chosen)


def with_numbers(state: State, names: Iterable[str]) -> figure.Part:
    """The formulas of these measures for the chosen pair, with their present numbers."""
    axes = state.worked_example.axes
    a, b = f.name(s.words[s.word]), f.name(s.words[s.other])

    def at(word: Expression, axis: int) -> f.Tree:
        return f.number(s.vectors[word, axis], ["factor ", s.words[word], f" {axes[axis]}"])

    def length(line: str, word: Expression) -> f.Tree:
        return f.root(f.number(s.dot[word, word], [f"{line} square ", s.words[word]]))

    terms = [f.row(at(s.word, axis), "×", at(s.other, axis)) for axis in range(len(axes))]
    norms = f.row(length("first", s.word), "×", length("second", s.other))
    over_lengths = f.fraction(f.number(DOT, "over lengths", result=True), norms)
    over_root = f.fraction(f.number(DOT, "over root d", result=True), f.root(str(len(axes))))
    of = FormulaParts(a, b, f.joined("+", terms), over_lengths, over_root)
    results = {name: f.number(of, f"line {name}", result=True) for name, of in OF_PAIR.items()}
    lines = {name: f.row(MEASURES[name].formula(of), "=", results[name]) for name in names}
    return figure.formulas(lines, leading=s.leading)


def all_pairs(state: State) -> figure.Part:
    """The leading measure of all words with all words; choosing a cell chooses its pair."""
    cases = [
        {"of": s[name], "title": state.text[f"measures/{name}"], "limit": measure.limit}
        for name, measure in MEASURES.items()
    ]
    return figure.heatmap(
        **cases[0],
        by=s.measure,
        cases=cases,
        what="pair",
        large=True,
        row_title="",
        column_title="",
        turned=state.orientation == "columns",
    )


def measure_names(state: State) -> dict[str, str]:
    """What the measures are called."""
    return {name: state.text[f"measures/{name}_named"] for name in MEASURES}


def axes_names(state: State) -> dict[str, str]:
    """What the pairs of axes are called."""
    axes = state.worked_example.axes
    return {pair: " and ".join(axes[k] for k in COLUMNS[pair]) for pair in state.options("axes")}


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, words = calculate(state), state.words
    of_pairs = {title: pd.DataFrame(now[name], words, words) for name, title in measure_names(state).items()}
    return {"vectors": pd.DataFrame(state.vectors, words, state.worked_example.axes)} | of_pairs


LESSON = Lesson(
    "similarity",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=lambda state, now: [Prediction(GUESS, now)],
    first_move=lambda state, now: state.other,
    tables=tables,
    program=lambda state: {"words": list(state.words), "vectors": state.vectors},
    trained=("readable",),
)
