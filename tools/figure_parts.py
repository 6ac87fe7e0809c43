"""Write docs/FIGURE_PARTS.md: every shared figure part with its call and its picture, both made from this file.

python -m tools.figure_parts            # the page alone
python -m tools.figure_parts --pictures # the pictures, too: needs Chromium
"""

from __future__ import annotations

import inspect
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from attention_lab import figure
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import row_sums as sums_of_rows
from attention_lab.calculation.operations import rows, scaled_dot_product_attention, softmax
from attention_lab.export.web_page import web_page
from attention_lab.figure import formula as f
from attention_lab.figure.parts import Part
from attention_lab.lesson import Hidden, Lesson, View
from attention_lab.state import permalink, vocabulary
from attention_lab.state.state import State
from lab import ROOT, find_chromium

PAGE = ROOT / "docs" / "FIGURE_PARTS.md"
PICTURES = ROOT / "docs" / "figure_parts"
EXAMPLES = ("apple_unveiled",)
W_VALUE = np.array([[1.0, 0.5], [-0.5, 1.0]])
ADDED = ("tip_to_tail", "parallelograms")
FIELDS = (
    *vocabulary.fields(EXAMPLES, word="apple", other="phone", sentence=True),
    permalink.number("temperature", "what the scores are divided by", 0.1, 5.0, 1.0, interactive=True),
    permalink.choice("drawn", "how the arrows lie", ADDED, interactive=True),
    permalink.matrix("W_value", "the value matrix", lambda values: W_VALUE),
)
ELSEWHERE = {  # parts that need a page or a model around them: where to see them
    "cosines": "trained_model",
    "explanation": "train_a_head",
    "fold": "multi_head",
    "measured": "trained_model",
    "pattern": "trained_model",
    "pictured": "similarity",
    "rebuild_on": "trained_model",
    "senses": "trained_model",
}
PARTS: dict[str, Callable[[State], Part | Sequence[Part]]] = {}


def attending(s) -> None:
    """One attention step over the words of a sentence."""
    s.x = rows(s.vectors, s.ids)
    s.value = s.x @ s.W_value
    s.trace = scaled_dot_product_attention(s.x, s.x, s.value)
    s.weights = softmax(s.trace.scaled_scores, s.temperature)
    s.context = s.weights @ s.value
    s.sums = sums_of_rows(s.weights)


s = record(attending, FIELDS, constants=(*vocabulary.CONSTANTS, "axes"))
WEIGHT = s.weights[s.word, s.other]


def example(of: Callable[[State], Part | Sequence[Part]]) -> Callable[[State], Part | Sequence[Part]]:
    """Enter a function as the example of the part of the same name."""
    PARTS[of.__name__] = of
    return of


def on_a_plane(state: State, *marks: Part) -> Part:
    """A plane with some marks."""
    return figure.plane(state, ("tech", "fruit"), list(marks), low=-1, high=6, hint="")


@example
def plane(state: State) -> Part:
    """Two axes and the marks that lie on them."""
    words = figure.vectors(s.vectors, names=s.table)
    return figure.plane(state, ("tech", "fruit"), [words], low=-1, high=6, hint="")


@example
def vectors(state: State) -> Part:
    """Rows of a matrix as arrows, here with handles."""
    return on_a_plane(state, figure.vectors(s.vectors, names=s.table, through=s.ids, handles=True, focus=s.word))


@example
def displacement(state: State) -> Part:
    """An arrow from one vector to another."""
    return on_a_plane(state, figure.displacement(s.x[s.word], s.context[s.word], label="context vector"))


@example
def pulls(state: State) -> Part:
    """Lines from one vector to others, as wide as their weights."""
    return on_a_plane(state, figure.pulls(s.x[s.word], s.x, s.weights[s.word]))


@example
def angle(state: State) -> Part:
    """The angle between two vectors."""
    words = figure.vectors(s.vectors, names=s.table, through=s.ids, focus=s.word, other=s.other)
    return on_a_plane(state, figure.angle(s.x[s.word], s.x[s.other]), words)


@example
def projection(state: State) -> Part:
    """The projection of one vector on the line of another."""
    words = figure.vectors(s.vectors, names=s.table, through=s.ids, focus=s.word, other=s.other)
    return on_a_plane(state, figure.projection(s.x[s.other], onto=s.x[s.word], label="projection"), words)


@example
def chain(state: State) -> Part:
    """Rows of a matrix, each times its weight, laid tip to tail."""
    return on_a_plane(state, figure.chain(s.value, s.weights[s.word], role="value"))


@example
def distance(state: State) -> Part:
    """A line between two vectors."""
    return on_a_plane(state, figure.distance(s.x[s.word], s.x[s.other]))


@example
def hull(state: State) -> Part:
    """The convex hull of all rows."""
    return on_a_plane(state, figure.hull(s.value, role="value"), figure.hull(s.value, label="convex hull"))


@example
def diagonal(state: State) -> Part:
    """The line on which both axes count the same."""
    return on_a_plane(state, figure.diagonal())


@example
def weight_matrix(state: State) -> Part:
    """A weight matrix: the grid as the matrix maps it, and its rows as handles."""
    return on_a_plane(state, *figure.weight_matrix(s.W_value, "value", axes=s.axes))


@example
def addition(state: State) -> Part:
    """A weighted sum as arrows, tip to tail or as parallelograms."""
    return on_a_plane(
        state,
        figure.addition(
            s.value,
            s.weights[s.word],
            apart=s.drawn,
            start=s.x[s.word],
            from_start=s.drawn,
            focus=s.word,
            other=s.other,
        ),
    )


@example
def sentence(state: State) -> Part:
    """The sentence, word by word, with weights as bars."""
    return figure.sentence(s.weights[s.word], head="Choose a word.", title="The sentence")


@example
def arcs(state: State) -> Part:
    """Arcs from the query to the keys, as wide as their weights."""
    return figure.arcs({"head": s.weights}, title="Attention weights")


@example
def heatmap(state: State) -> Part:
    """A small live matrix. Screen readers say its `title`; a `heading` above it shows one."""
    settings = {"scale": "share", "form": "share", "turned": state.orientation == "columns"}
    return figure.heatmap(s.weights, title="Attention weights", what="weight", limit=1.0, **settings)


@example
def weights(state: State) -> Sequence[Part]:
    """A heading, and the weights of a trace with how each was computed."""
    return figure.weights(state, s.trace, title="Attention weights", what="weight")


@example
def edge(state: State) -> Part:
    """The weights of the word of interest along a heatmap's edge."""
    bars = figure.edge(s.weights[s.word], what="weight", title="weights")
    return figure.heatmap(s.trace.scores, title="Scores", what="score", limit=20.0, edge=bars)


@example
def row_sums(state: State) -> Part:
    """Each row's sum beside a heatmap."""
    sums = figure.row_sums(s.sums, what="sum", title="sum")
    return figure.heatmap(s.weights, title="Weights", what="weight", limit=1.0, scale="share", sums=sums)


@example
def slider(state: State) -> Part:
    """A number that can be dragged."""
    return figure.slider(s.temperature, "Temperature", axis="T", low=0.1, high=5.0, ticks=(1, 2))


@example
def options(state: State) -> Part:
    """A choice."""
    return figure.options(s.drawn, "Arrange arrows", ["tip to tail", "as parallelograms"])


@example
def presets(state: State) -> Part:
    """Buttons, each with the values that it sets."""
    cold, hot = figure.preset((s.temperature, 0.1)), figure.preset((s.temperature, 5.0))
    return figure.presets({"Cold": cold, "Hot": hot}, title="Temperature", shown=True)


@example
def formulas(state: State) -> Part:
    """Formulas with live numbers."""
    score = f.number(s.trace.scaled_scores[s.word, s.other], "scaled score", signed=False)
    weight = f.number(WEIGHT, "weight", form="share", result=True)
    return figure.formulas({"weight": f.row("softmax(…, ", score, ", …)", "=", weight)})


@example
def heading(state: State) -> Part:
    """A heading over the parts that follow."""
    return figure.heading(["Weights of ", s.words[s.word]])


@example
def remark(state: State) -> Part:
    """A sentence under the part before it."""
    return figure.remark("Every row of weights sums to 1.")


@example
def beside(state: State) -> Part:
    """Columns of parts next to one another."""
    return figure.beside(figure.Column([heading(state)]), figure.Column([remark(state)]))


@example
def fold(state: State) -> Part:
    """Columns that appear once their title is clicked, or once one of these goals is shown."""
    return figure.fold("How a weight is computed", figure.Column([formulas(state)]))


LESSON = Lesson(
    "similarity",  # whose words stand for the page's own
    FIELDS,
    calculate=lambda state: s.run(state.scope(), vocabulary.lookup(state) | {"axes": ["tech", "fruit"]}),
)


def view_of(name: str) -> View:
    """Return the view of a page that shows one example and nothing else."""
    parts = PARTS[name]

    def columns(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
        shown = parts(state)
        return [figure.Column([shown] if isinstance(shown, dict) else shown)]

    lesson = Lesson("similarity", LESSON.fields[: len(FIELDS)], calculate=LESSON.calculate, draw=columns)
    return lesson.view(lesson.parse({})[0])


def call_of(name: str) -> str:
    """Return the code of an example without its decorator and docstring."""
    body = inspect.getsource(PARTS[name]).split('"""', 2)[2].strip("\n")
    return inspect.cleandoc(re.sub(r"^    ", "", body, flags=re.MULTILINE))


def needs_sentence(name: str) -> bool:
    """Whether a part reads the text that only a page about a sentence has."""
    return '"shown":"sentence"' in view_of(name).frame.text


def page() -> str:
    """Return the text of the page."""
    lines = [
        "# Figure parts",
        "",
        "The parts that lessons can put into their figures, each with a call and what it draws. `s` is the",
        "page's recorded calculation. Made by `python -m tools.figure_parts --pictures`. A part that only",
        "one lesson draws is in that lesson's folder.",
    ]
    for name, of in PARTS.items():
        only = " Only on a page about a sentence." if needs_sentence(name) else ""
        lines += ["", f"## {name}", "", f"{of.__doc__}{only}", "", "```python", call_of(name), "```", ""]
        lines += [f"![{name}](figure_parts/{name}.png)"]
    lines += [
        "",
        "## Parts that need a page or a model around them",
        "",
        "| part | see the lesson |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | `{lesson}` |" for name, lesson in ELSEWHERE.items()]
    return "\n".join(lines) + "\n"


def draw() -> None:
    """Take a picture of each example."""
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": 560, "height": 700}, color_scheme="light")
        for name in PARTS:
            file = Path(folder) / f"{name}.html"
            file.write_text(web_page(view_of(name), name), encoding="utf-8")
            window.goto(file.as_uri())
            window.locator(".part").first.wait_for()
            window.locator("#figure").screenshot(path=PICTURES / f"{name}.png")
        browser.close()


def main() -> int:
    """Write the page, and the pictures where they are asked for."""
    PAGE.write_text(page(), encoding="utf-8")
    if "--pictures" in sys.argv:
        draw()
    return 0


if __name__ == "__main__":
    sys.exit(main())
