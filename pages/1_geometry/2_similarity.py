"""Similarity.

How alike are two words?
"""

import pandas as pd
import streamlit as st

from charts import heatmap
from controls import furniture, permalink, picture, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.figures import figure, norm, products
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Goal, Guess
from controls.lesson import open_lesson
from controls.stage import formula as f

EXAMPLES = ("orange_apple_phone", "orange_apple_phone_and_an")
MEASURES = {"dot": "dot product", "cosine": "cosine", "scaled": "scaled"}
STEPS = (
    ("dot", "dot_product", ("vectors", "vectors")),
    ("cosine", "cosine_similarity", ("vectors", "vectors")),
    ("scaled", "scaled_dot_product", ("vectors", "vectors")),
)
LIMITS = {"dot": 16.0, "cosine": 1.0, "scaled": 12.0}  # where a cell's colour is full
WORD, OTHER = ("vectors", "$word"), ("vectors", "$other")
DOT, COSINE = ("dot", "$word", "$other"), ("cosine", "$word", "$other")
GOALS = (
    Goal("right_angle", (Condition(COSINE, WITHIN, 0.0, 0.02),)),
    Goal(
        "twice",
        (Condition(DOT, AT_LEAST, 2.0, relative=True), Condition(COSINE, WITHIN, 1.0, 0.02, relative=True)),
    ),
    Goal("opposites", (Condition(COSINE, AT_MOST, -0.98),)),
)
GUESS = Guess("largest_dot", ("dot", "$word"))
COLUMNS = {"1-2": (0, 1), "1-3": (0, 2), "2-3": (1, 2)}


def axes_offered(values) -> list[str]:
    """The pairs of axes that there are."""
    return list(COLUMNS)[: 1 if values["vectors"].shape[1] == 2 else 3]


FIELDS = (
    *vocabulary.fields(EXAMPLES, word="apple", other="phone"),
    permalink.choice("measure", "the measure that leads", list(MEASURES)),
    permalink.choice("axes", "the two axes the plane shows, from three", axes_offered),
    stage.goal_field(GOALS),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """What the hand moves, and what follows it on release."""
    lesson.listen()
    scope = calculate(STEPS, lesson.scope())
    hidden = predict.ask(lesson, GUESS, scope)
    above = st.container()
    if not hidden:
        all_pairs(lesson, scope[lesson.measure])
    with above:  # drawn last: the stage has moved already, under the hand
        stage.show(
            lesson,
            [
                stage.Column([on_the_plane(lesson)], share=1.15, least=320),
                stage.Column(
                    [live_measures(lesson), with_numbers(lesson), stage.goals(lesson, GOALS, STEPS, scope)]
                ),
            ],
            STEPS,
            title=lesson.text["figure"],
            given={"words": lesson.words, "measure": lesson.measure},
            veil=hidden,
        )
        choose_axes(lesson)


def on_the_plane(lesson) -> dict:
    """The words as arrows under the hand; the other word's shadow falls on the word of interest."""
    flat = lesson.vectors.shape[1] == 2  # a shadow and an angle seen from the side would mislead
    shadow = [{"kind": "angle", "between": [WORD, OTHER]}, {"kind": "projection", "of": OTHER, "onto": WORD}]
    return stage.plane(
        lesson,
        lesson.worked_example.axes,
        [*(shadow if flat else []), stage.vectors("vectors", handles=True, focus="word", other="other")],
        columns=COLUMNS[lesson.axes],
    )


def choose_axes(lesson) -> None:
    """Which two of three axes the plane shows."""
    if lesson.vectors.shape[1] == 3:
        names = lesson.worked_example.axes
        st.segmented_control(
            "The plane shows",
            lesson.options("axes"),
            format_func=lambda pair: " and ".join(names[column] for column in COLUMNS[pair]),
            key=lesson.key("axes"),
            required=True,
        )


def live_measures(lesson) -> dict:
    """All pairs with their three measures, following the hand."""
    columns = [("dot", "dot"), ("cosine", "cosine"), ("scaled", "scaled")]
    return stage.pairs(columns, head="pair", leading="measure")


def with_numbers(lesson) -> dict:
    """The three formulas of the chosen pair with their present numbers."""
    d = lesson.vectors.shape[1]
    a, b = f.name(("words", "$word")), f.name(("words", "$other"))

    def at(path: tuple, axis: int, what: str) -> f.Tree:
        return f.number((*path, axis), [f"{what} ", ("words", path[1]), f" {lesson.worked_example.axes[axis]}"])

    def length(line: str, who: str) -> f.Tree:
        return f.root(f.number(("dot", who, who), [f"{line} square ", ("words", who)]))

    products = f.joined("+", [f.row(at(WORD, k, "factor"), "×", at(OTHER, k, "factor")) for k in range(d)])
    lines = {
        "dot": f.row(a, "·", b, "=", products, "=", f.number(DOT, "line dot", result=True)),
        "cosine": f.row(
            f.fraction(f.row(a, "·", b), f.row("‖", a, "‖", "‖", b, "‖")),
            "=",
            f.fraction(
                f.number(DOT, "over lengths", result=True),
                f.row(length("first", "$word"), "×", length("second", "$other")),
            ),
            "=",
            f.number(COSINE, "line cosine", result=True),
        ),
        "scaled": f.row(
            f.fraction(f.row(a, "·", b), f.root("d")),
            "=",
            f.fraction(f.number(DOT, "over root d", result=True), f.root(str(d))),
            "=",
            f.number(("scaled", "$word", "$other"), "line scaled", result=True),
        ),
    }
    return {
        "kind": "formula",
        "lines": [{"name": name, "tree": tree} for name, tree in lines.items()],
        "leading": "measure",
    }


def all_pairs(lesson, matrix) -> None:
    """The heatmap of all pairs under the chosen measure; choosing a cell chooses the pair."""
    vectors = lesson.vectors
    with st.container(horizontal=True, gap="large"):
        picture.square(
            lesson,
            heatmap,
            matrix,
            lesson.words,
            limit=LIMITS[lesson.measure],
            made=lambda a, b: workings(lesson.measure, vectors[a], vectors[b]),
            key="pairs",
            kind="pairs",
            pair=("word", "other"),
            width=560,
        )
        st.segmented_control(
            lesson.text["pairs"],
            list(MEASURES),
            format_func=MEASURES.get,
            key=lesson.key("measure"),
            required=True,
            width=330,
        )


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope())
    vectors = {"vectors": pd.DataFrame(lesson.vectors, lesson.words, lesson.worked_example.axes)}
    return vectors | {
        shown: pd.DataFrame(scope[of], lesson.words, lesson.words) for of, shown in MEASURES.items()
    }


def workings(measure: str, a, b) -> str:
    """How one number of the heatmap was made."""
    dot = products(a, b)
    if measure == "cosine":
        return f"({dot}) ÷ ({figure(norm(a))} × {figure(norm(b))})"
    return f"({dot}) ÷ √{len(a)}" if measure == "scaled" else dot


furniture.head("similarity", __doc__)
lesson = open_lesson("similarity", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson)
    vocabulary.word_picker(lesson)
    vocabulary.editor(lesson)
    take_away.menu(lesson, lambda: tables(lesson), {"words": list(lesson.words), "vectors": lesson.vectors})
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson)
