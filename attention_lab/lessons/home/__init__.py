"""Home: a sentence whose words take in one another; behind a button, every step from words to new vectors."""

import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from .calculation import AXES, CALCULATION, CONSTANTS, FIELDS, GOALS, GUESS, MATRICES, OWN_AXES, WORDS
from .first_screen import first_screen
from .parts import by_choice, turn_on
from .stations import the_path


def calculate(state: State) -> Results:
    """Return what follows from the vectors on screen."""
    return CALCULATION.run(state.scope(), CONSTANTS)


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """Return the first screen or, once it is opened, every step with its formula; below it the goals."""
    s, text = CALCULATION, state.text
    below = [new_vector(), figure.explanation(text.plain("told")), figure.remark(text.plain("legend"))]
    return [
        figure.Column(
            [
                turn_on(s.every_step, text["steps"]),
                figure.pictured(by_choice(s.every_step, [first_screen(state)], [the_path(state)])),
            ],
            least=figure.WHOLE_WIDTH,
        ),
        figure.goals(state, GOALS, now, first="first" if state.word == "apple" else "first_other"),
        figure.Column([by_choice(s.every_step, [], below)], least=figure.WHOLE_WIDTH),
    ]


def new_vector() -> figure.Part:
    """How the new vector of the word that is followed is mixed, in numbers."""
    s = CALCULATION
    word = s.words[s.word]

    def weighted_value(j: int) -> f.Tree:
        share = f.number(s.trace.weights[s.word, j], ["taken ", word, f" {WORDS[j]}"], result=True, form="share")
        return f.row(share, "×", f.index("v", f.name(s.words[j], role="value")))

    def mixed(k: int) -> f.Tree:
        return f.number(s.trace.context[s.word, k], ["new ", word, f" {OWN_AXES[k]}"], result=True)

    terms = f.joined("+", [weighted_value(j) for j in range(len(WORDS))])
    return figure.formulas(
        {
            "mix": f.row(f.index("c", f.name(word, role="context")), "=", terms),
            "new": f.row("=", f.vector([mixed(0), mixed(1)])),
        }
    )


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the picture."""
    now = calculate(state)
    own = {"query": now.query, "key": now.key, "value": now.value, "context": now.trace.context}
    square = {"scores": now.trace.scores, "weights": now.trace.weights}
    titles = state.text.parts("names")
    return {
        titles["embeddings"]: pd.DataFrame(state.vectors, WORDS, AXES),
        **{titles[name]: pd.DataFrame(numbers, WORDS, OWN_AXES) for name, numbers in own.items()},
        **{titles[name]: pd.DataFrame(numbers, WORDS, WORDS) for name, numbers in square.items()},
        **{name: pd.DataFrame(matrix, AXES, OWN_AXES) for name, matrix in MATRICES.items()},
    }


LESSON = Lesson(
    "home",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=lambda state, now: [Prediction(GUESS, now)],
    promise=lambda state: state.text["lead"],
    title=lambda state: state.text["figure_steps" if state.every_step == "1" else "figure"],
    first_move=lambda state, now: "phone",
    tables=tables,
    program=lambda state: {"words": list(WORDS), "vectors": state.vectors, **MATRICES},
)
