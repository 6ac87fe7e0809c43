"""Values.

What is handed over?
"""

from functools import cache

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import load_example
from controls import furniture, matrix, permalink, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.figures import figure, products, weight
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal
from controls.lesson import open_lesson
from controls.stage import formula as f

BANKS = ("money_bank", "river_bank")
EXAMPLES = (*BANKS, "one_head", "orange_apple_phone", "apple_unveiled", "buy_an_apple")
FRAME, FRAME_OF_BANKS = [[-2, 8], [-2, 8]], [[-1, 18], [-9, 10]]  # where there is room for x + Δx, too
AS_IT_IS = np.eye(2)
FIFTY_SEVENTHS = 57
COLDEST, HOTTEST = 0.05, 20.0
FOR_THE_ARTICLE = load_example("money_bank").expected["temperature"]  # at which its weights come out
# What the article prints: scores divided by √2, and weights that do not follow from them.
PRINTED = {"scaled": (7.09, 22.69), "weights": ((0.2, 0.8),)}

STEPS = (
    ("x", "rows", ("vectors", "places")),
    ("query", "product", ("x", "W_query")),
    ("key", "product", ("x", "W_key")),
    ("value", "product", ("x", "W_value")),
    ("scaled", "scaled_dot_product", ("query", "key")),
    ("scale", "ratio", ("over_root_d", "temperature")),
    ("trace", "scaled_dot_product_attention", ("query", "key", "value", "mask", "scale")),
    ("new", "sum", ("x", ("trace", "context"))),
    ("replaces", "pick", ("change", "yes", "no")),
    ("leading", "pick", ("change", "replace", "add")),
    # what the goals ask for
    ("moved", "farthest", ("vectors", "home")),
    ("length", "lengths", ("value",)),
    ("most", "largest", (("trace", "weights", "$word"),)),
    ("above_equal", "difference", ("most", "equal")),
    ("lands", "row", (("trace", "context"), "word")),
    ("target", "row", ("x", "other")),
    ("off", "difference", ("lands", "target")),
    ("miss", "lengths", ("off",)),
)
AS_PRINTED = (
    ("printed_context", "product", ("printed_weights", "value")),
    ("printed_moves", "pick", ("change", "as_printed", "no")),
)
GUESSED = (
    ("at_one", "softmax", ("scaled",)),
    ("longest", "largest", ("length",)),
    ("context_length", "lengths", (("trace", "context"),)),
    ("longest_context", "largest", ("context_length",)),
    ("beyond", "difference", ("longest_context", "longest")),
)
X, CONTEXT, NEW = ("x", "$word"), ("trace", "context", "$word"), ("new", "$word")
WEIGHTS, WEIGHT = ("trace", "weights", "$word"), ("trace", "weights", "$word", "$other")

STAYED = Condition(("moved",), AT_MOST, 0.05)
GOALS = {
    goal.name: goal
    for goal in (
        Goal("one_fifth", (STAYED, Condition(WEIGHT, AT_LEAST, 0.1995))),
        Goal("middle", (STAYED, Condition(("above_equal",), AT_MOST, 0.0))),
        Goal(
            "nothing_to_say",
            (
                STAYED,
                Condition(("length", "$other"), AT_MOST, 0.2),
                Condition(("length", "$word"), AT_LEAST, 2.0),
            ),
        ),
        Goal("all_the_same", (STAYED, Condition(("miss", 0), AT_MOST, 0.4))),
    )
}
AT_ONE = ("at_one", "$word", "$other")
TRUE_SOFTMAX = Estimate(
    "true_softmax",
    (
        ("fifth", Condition(AT_ONE, WITHIN, 0.2, 0.05)),
        ("hundredth", Condition(AT_ONE, WITHIN, 0.01, 0.005)),
        ("millionth", Condition(AT_ONE, AT_MOST, 1e-6)),
    ),
)
LONGEST = Estimate(
    "longest",
    (
        ("yes", Condition(("beyond",), AT_LEAST, 1e-6)),
        ("no", Condition(("beyond",), AT_MOST, 1e-6)),
    ),
)


def goals(values) -> tuple[str, ...]:
    """The goals that suit the words."""
    first = "one_fifth" if values["example"] in BANKS else "middle"
    return (first, "nothing_to_say", "all_the_same")


WORDS = vocabulary.fields(
    EXAMPLES, word=("bank", "apple"), other=("money", "river", "phone", "orange"), sentence=True
)
FIELDS = (
    *WORDS,
    matrix.field("W_query", "the query matrix", WORDS, AS_IT_IS),
    matrix.field("W_key", "the key matrix", WORDS, AS_IT_IS),
    matrix.field("W_value", "the value matrix", WORDS, AS_IT_IS),
    permalink.number("temperature", "what the scaled scores are divided by", COLDEST, HOTTEST, 1.0, hand=True),
    permalink.choice("change", "replace or add: what becomes of the sum", ("replace", "add"), hand=True),
    permalink.choice("drawn", "how the arrows lie", ("chain", "parallelogram"), hand=True),
    permalink.choice("goal", "the goal set", goals, hand=True),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """What the hand moves, and what follows it on release."""
    lesson.listen()
    given = reads(lesson)
    steps = (*STEPS, *AS_PRINTED) if is_printed(lesson) else STEPS
    scope = calculate((*steps, *GUESSED), lesson.scope() | given)
    hidden = predict.ask(lesson, guess(scope), scope, **guessed_about(scope))
    above = st.container()
    if not hidden and lesson.example in BANKS:
        what_the_article_says(lesson)
    with above:  # drawn last: the stage has moved already, under the hand
        among = [GOALS[name] for name in goals(lesson.memory.values)]
        stage.show(
            lesson,
            [
                stage.Column([on_the_plane(lesson), ways_to_add(lesson)], share=1.1, least=320),
                stage.Column(
                    [
                        *temperature(lesson, hidden),
                        from_scores_to_weights(lesson),
                        with_numbers(lesson),
                        stage.beside(
                            stage.Column(value_matrix(lesson), share=0, least=168),
                            stage.Column(
                                [stage.goals(lesson, among, STEPS, scope, given=given)], share=1, least=220
                            ),
                        ),
                    ]
                ),
                stage.Column(all_weights(lesson), least=stage.WHOLE_WIDTH),
            ],
            steps,
            title=lesson.text.plain("figure"),
            given=given,
            veil=hidden,
        )


def reads(lesson) -> dict:
    """What the calculation reads besides what a hand can change."""
    found = vocabulary.lookup(lesson)
    found |= {"axes": lesson.worked_example.axes, "over_root_d": lesson.W_query.shape[1] ** -0.5, "mask": None}
    found |= {"yes": True, "no": False, "replace": "replace", "add": "add", "equal": 1.1 / len(found["words"])}
    if is_printed(lesson):
        found |= {f"printed_{name}": numbers for name, numbers in PRINTED.items()}
        found["as_printed"] = lesson.provenance == lesson.worked_example.provenance
    return found


def is_printed(lesson) -> bool:
    """Whether the article has numbers for what is on screen."""
    return lesson.example == "money_bank" and lesson.word == "bank"


def guess(scope) -> Estimate:
    """The question to ask: on the true weights where one of its answers is right, else on lengths."""
    return TRUE_SOFTMAX if TRUE_SOFTMAX.answer(scope, range(3)) is not None else LONGEST


def guessed_about(scope) -> dict:
    """What the question names."""
    word, other = scope["word"], scope["other"]
    scores = {"word": scope["scaled"][word, word], "other": scope["scaled"][word, other]}
    names = {"other": furniture.as_text(scope["words"][other])}
    return names | {f"scaled_{who}": f"{score:.4f}" for who, score in scores.items()}


def on_the_plane(lesson) -> dict:
    """The values, each shortened to its weight, and their sum within the hull."""
    printed = stage.displacement(
        X,
        ("printed_context", 0),
        label=lesson.text["printed"],
        tone="ghost",
        role="word",
        when="printed_moves",
        result=True,
    )
    return stage.plane(
        lesson,
        lesson.worked_example.axes,
        [
            {"kind": "hull", "of": "value"},
            stage.vectors("value", role="value", form="whole", prefix="v", unlike="x", little=0.1),
            *([printed] if is_printed(lesson) else []),
            stage.vectors(
                "vectors",
                names="table",
                handles=True,
                places=True,
                focus="word",
                through="places",
                little=0.3,
            ),
            stage.addition("value", WEIGHTS, apart="drawn", start=X, carried="change"),
            stage.displacement(None, CONTEXT, label=lesson.text["context"], when="replaces", result=True),
            stage.displacement(
                None, CONTEXT, label=lesson.text["shift"], tone="ghost", when="change", result=True
            ),
            stage.displacement(X, NEW, label=lesson.text["new"], when="change", result=True),
            {"kind": "hull", "of": "value", "label": lesson.text["hull"]},
        ],
        ranges=frame(lesson),
    )


def frame(lesson) -> list:
    """How far the plane goes: the banks lie farther out than other words."""
    example = lesson.worked_example
    return FRAME_OF_BANKS if example.name in BANKS and set(lesson.words) & set(example.words) else FRAME


def ways_to_add(lesson) -> dict:
    """How the arrows lie, and what becomes of their sum."""
    return stage.beside(
        *(
            stage.Column(
                [stage.options(name, lesson.text[name], [*lesson.text.parts(name).values()])],
                share=1,
                least=190,
            )
            for name in ("drawn", "change")
        )
    )


def temperature(lesson, hidden: bool) -> list[dict]:
    """The temperature, and the one that the article's weights need."""
    label = lesson.text["temperature"]
    if lesson.example not in BANKS:
        return [slider(label, (COLDEST, 1.0, HOTTEST))]
    money, bank = PRINTED["weights"][0]
    names = {"temperature": f"{FOR_THE_ARTICLE:.4f}", "money": str(money), "bank": str(bank)}
    plain, article = "temperature/plain", "temperature/unexplained" if hidden else "temperature/article"
    buttons = {
        lesson.text[plain]: {"temperature": 1.0},
        lesson.text.filled(article, **names): {"temperature": FOR_THE_ARTICLE},
    }
    return [slider(label, (COLDEST, 1.0, FOR_THE_ARTICLE)), stage.presets(buttons, title=label)]


def slider(label: str, ticks) -> dict:
    """The temperature under the hand, from cold to hot."""
    return stage.slider("temperature", label, axis="T", low=COLDEST, high=HOTTEST, ticks=ticks, logarithmic=True)


def from_scores_to_weights(lesson) -> dict:
    """Scores, scaled, divided by the temperature, and the weights; beside them what the article prints."""
    text, printed = lesson.text, is_printed(lesson)
    notes = {
        "scaled": {"of": "printed_scaled", "text": text["tally/printed"], "when": "as_printed"},
        "weight": {"of": ("printed_weights", 0), "text": text["tally/assumed"], "when": "as_printed"},
    }

    def column(name: str, of: tuple, **more) -> dict:
        note = {"note": notes[name]} if printed and name in notes else {}
        return stage.tallied(of, text[f"tally/{name}"], what=name, **note, **more)

    return stage.tally(
        [
            column("score", ("trace", "scores", "$word"), form="settled"),
            column("scaled", ("scaled", "$word"), form="settled"),
            column("heated", ("trace", "scaled_scores", "$word"), form="settled"),
            column("weight", WEIGHTS, form="weight", result=True, bar=True),
        ],
        head=[("words", "$word"), f" {text['tally/asks']}"],
        title=text.filled("tally", word=lesson.word),
    )


def with_numbers(lesson) -> dict:
    """The sum with its present numbers, and what becomes of it."""
    axes = lesson.worked_example.axes

    def vector(path: tuple, what: list, *, result: bool = False) -> f.Tree:
        numbers = [
            f.number((*path, k), [*what, f" {axis}"], result=result, signed=False) for k, axis in enumerate(axes)
        ]
        return f.row("(", f.joined(",", numbers), ")")

    terms = [
        f.row(
            f.number((*WEIGHTS, j), ["share of ", ("words", j)], result=True, form="weight"),
            "×",
            vector(("value", j), ["value ", ("words", j)]),
        )
        for j in range(len(lesson.words))
    ]
    word = ("words", "$word")
    lines = {
        "": f.row("sum", "=", f.most(3, WEIGHTS, terms, least=0.0)),
        "replace": f.row(f.name(word), ":", "context", "=", vector(CONTEXT, ["context ", word], result=True)),
        "add": f.row(
            f.name(word),
            ":",
            f.row("x", "+", "Δx"),
            "=",
            f.row(vector(X, ["x ", word]), "+", vector(CONTEXT, ["shift ", word], result=True)),
            "=",
            vector(NEW, ["new ", word], result=True),
        ),
    }
    return {
        "kind": "formula",
        "lines": [{"name": name, "tree": tree} for name, tree in lines.items()],
        "leading": "leading",
    }


def value_matrix(lesson) -> list[dict]:
    """The value matrix under the hand: where it sends the axes."""
    title = lesson.text["value_matrix"]
    marks = stage.weight_matrix("W_value", "value", reach=3)
    small = stage.plane(lesson, lesson.worked_example.axes, marks, low=-1.5, high=1.5, title=title, small=True)
    as_it_is = {lesson.text["value_matrix/identity"]: {"W_value": AS_IT_IS.tolist()}}
    return [stage.presets(as_it_is, title=title, shown=True), small]


def all_weights(lesson) -> list:
    """Every word's weights."""
    title = lesson.text["pattern"]
    return stage.weights(lesson, "trace", title=title, what="weight of all:", form="weight", badge=True)


def what_the_article_says(lesson) -> None:
    """The article's numbers beside the true ones, and where its scores may come from."""
    section = "money_bank_lesson" if lesson.example == "money_bank" else "river_bank"
    st.markdown(lesson.text.filled(section, **worked(lesson.example)))
    title, _ = lesson.text["matrices"].split("\n", 1)
    with st.expander(title, on_change="rerun", key=lesson.key("matrices")) as drawer:
        if drawer.open:
            st.markdown(lesson.text.filled("matrices", **worked("money_bank")).removeprefix(title))
            for line in derivation(lesson):
                st.latex(line)


def derivation(lesson) -> list[str]:
    """The word of interest's query, the two keys and the scores, as formulas, for the matrices as they are."""
    scope = calculate(STEPS, lesson.scope() | reads(lesson))
    place, names = scope["word"], scope["words"]

    def product(name: str, made: str, at: int) -> str:
        made_of = f"{matrix.tex(scope['x'][[at]])} \\, {matrix.tex(scope[f'W_{name}'], FIFTY_SEVENTHS)}"
        return rf"{made}_{{\text{{{names[at]}}}}} = {made_of} = {matrix.tex(scope[name][[at]], FIFTY_SEVENTHS)}"

    def score(at: int) -> str:
        pair = rf"q_{{\text{{{names[place]}}}}} \cdot k_{{\text{{{names[at]}}}}}"
        made = products(scope["query"][place], scope["key"][at]).replace("×", r"\times ").replace("−", "-")
        return f"{pair} = {made} = {figure(scope['trace'].scores[place, at])}"

    keys = [product("key", "k", at) for at in range(len(names))]
    return [product("query", "q", place), *keys, *map(score, range(len(names)))]


@cache
def worked(name: str) -> dict[str, str]:
    """The numbers of a worked example, for its text: at temperature 1, and at the article's."""
    example = load_example(name)
    places = {word: place for place, word in enumerate(example.words)}
    given = {name: getattr(example, name) for name in ("W_query", "W_key", "W_value")}
    given |= {"vectors": example.embeddings, "places": [*places.values()]}
    given |= {"over_root_d": example.W_query.shape[1] ** -0.5, "mask": None}
    cold = calculate(STEPS[:7], given | {"temperature": 1.0})
    warm = calculate(STEPS[:7], given | {"temperature": FOR_THE_ARTICLE})["trace"].context[places["bank"]]
    scores, scaled = cold["trace"].scores[places["bank"]], cold["scaled"][places["bank"]]
    numbers = {"x": f"{warm[0]:.2f}", "y": f"{warm[1]:.2f}", "temperature": f"{FOR_THE_ARTICLE:.4f}"}
    numbers["lead"] = figure(scaled[places["bank"]] - scaled[0])
    for word, printed, assumed in zip(("money", "bank"), PRINTED["scaled"], PRINTED["weights"][0], strict=True):
        at = places.get(word, 0)  # river stands where money stood
        numbers |= {f"score_{word}": figure(scores[at]), f"scaled_{word}": f"{scaled[at]:.4f}"}
        numbers |= {f"printed_{word}": str(printed), f"assumed_{word}": str(assumed)}
        numbers[f"weight_{word}"] = weight(cold["trace"].weights[places["bank"], at])
    return numbers


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope() | reads(lesson))
    words, axes, trace = scope["words"], lesson.worked_example.axes, scope["trace"]
    return {
        "values": pd.DataFrame(scope["value"], words, axes),
        "scores": pd.DataFrame(trace.scores, words, words),
        "scaled scores": pd.DataFrame(scope["scaled"], words, words),
        "weights": pd.DataFrame(trace.weights, words, words),
        "context": pd.DataFrame(trace.context, words, axes),
        "x plus context": pd.DataFrame(scope["new"], words, axes),
    }


def program_given(lesson) -> dict:
    """The lines that the programs begin with."""
    found = vocabulary.lookup(lesson)
    matrices = {name: getattr(lesson, name) for name in ("W_query", "W_key", "W_value")}
    table = {"sentence": list(lesson.words), "table": list(found["table"]), "vectors": lesson.vectors}
    return table | matrices | {"temperature": lesson.temperature}


furniture.head("values", __doc__)
lesson = open_lesson("values", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson, sentence=True)
    vocabulary.word_picker(lesson)
    vocabulary.editor(lesson, sentence=True)
    matrix.editor(
        lesson,
        {"W_query": "Query matrix", "W_key": "Key matrix", "W_value": "Value matrix"},
        denominator=FIFTY_SEVENTHS,
    )
    take_away.menu(lesson, lambda: tables(lesson), program_given(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson)
