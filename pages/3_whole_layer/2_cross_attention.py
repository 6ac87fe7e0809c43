"""Cross-attention.

Who looks across?
"""

import numpy as np
import pandas as pd
import streamlit as st

from attention_core import causal_mask
from controls import furniture, permalink, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal, Guess
from controls.lesson import open_lesson
from controls.stage import formula as f

EXAMPLES = ("la_creature_bleue_duveteuse", "zone_economique_europeenne")
BESIDE = ("french_creature_words", "french_area_words")  # the words, French and English, that the two heads know
LOOKS = ("across", "itself")
MASKS = ("none", "causal")
MATRICES = ("W_query", "W_key", "W_value")
SPOKEN = {"words": "French asks", "memory_words": "English answers"}

# `seats` says which of the words that answer stands at each place; `stands` is the place of each.
PLACED = (
    ("stands", "by_size", (("seats", 0),)),
    ("said", "by_size", ("stands",)),
    ("moved", "count_unlike", ("seats", "in_order")),
)
ATTEND = (
    ("x", "rows", ("vectors", "places")),
    ("memory", "rows", ("vectors", "memory_places")),
    ("answering", "rows", ("answers", "said")),
    ("asked", "product", ("x", "W_query")),
    ("query", "sum", ("asked", "pushed")),
    ("found", "product", ("memory", "W_key")),
    ("handed", "product", ("memory", "W_value")),
    ("key", "rows", ("found", "said")),
    ("value", "rows", ("handed", "said")),
    ("may_look", "pick", ("mask", "everything", "causal")),
    ("trace", "scaled_dot_product_attention", ("query", "key", "value", "may_look")),
    # the strongest link of each word that asks, and whether a mask would close it
    ("unmasked", "softmax", (("trace", "scaled_scores"),)),
    ("strongest", "largest_places", ("unmasked",)),
    ("crossings", "crossings", ("strongest",)),
    ("lost", "closed_at", ("may_look", "strongest")),
    # the chosen word's own
    ("partners", "largest_places", (("trace", "weights"),)),
    ("partner", "pick", ("nought", ("partners", "$word"))),
    ("value_columns", "transposed", ("value",)),
    ("row", "row", (("trace", "weights"), "word")),
    ("second", "largest_but", ("row", "partner")),
    ("gives", "rows", (("trace", "weights", "$word"), "stands")),
)
STEPS = {"across": (*PLACED, *ATTEND), "itself": ATTEND}

GOALS = {
    "straighten": (Condition(("moved",), AT_LEAST, 1), Condition(("crossings",), AT_MOST, 0)),
    "lost": (Condition(("mask",), AT_LEAST, 1), Condition(("lost", "$word"), AT_LEAST, 1)),
    "shared": (Condition(("mask",), AT_MOST, 0), Condition(("second",), AT_LEAST, 0.4)),
}
MOST = Guess("adjective", ("gives",), among="answers")
HOW_MANY = Estimate(
    "how_many",
    tuple((name, Condition((f"cells beyond {name}",), WITHIN, 0)) for name in ("each", "sum", "product")),
)


def goals_offered(values) -> list[str]:
    """What can be tried: only the words of another sentence can change places."""
    return list(GOALS)[values["looks"] == "itself" :]


def not_pushed(values) -> np.ndarray:
    """Every query where the words put it."""
    return np.zeros((len(values["words"]), 2))


FIELDS = (
    *vocabulary.fields(
        EXAMPLES, word=("duveteuse", "européenne"), sentence=True, beside=BESIDE, features=True, memory=True
    )[:-1],
    permalink.choice("looks", "who answers: the other sentence or the same", LOOKS),
    permalink.matrix("pushed", "how far a hand has moved each query", not_pushed),
    permalink.order("seats", "which word that answers stands at each place, by its number", "memory_words"),
    permalink.choice("mask", "whom a word may look at", MASKS, hand=True),
    permalink.choice("goal", "the goal set", goals_offered, hand=True),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """The stage; all of it follows the hand."""
    lesson.listen()
    given, steps = what_is_given(lesson), STEPS[lesson.looks]
    scope = calculate(steps, lesson.scope() | given)
    hidden, unsure = guess_first(lesson, scope)
    without_features(lesson)
    stage.show(
        lesson,
        [
            stage.Column(
                [alignment(lesson), choose_mask(lesson), *with_numbers(lesson, hidden)], share=1.5, least=560
            ),
            stage.Column([queries_and_keys(lesson, hidden), goals(lesson, steps, scope, given)], least=320),
            *([] if unsure else [weights(lesson)]),
            contexts(lesson),
        ],
        steps,
        title=lesson.text.plain("figure"),
        given=given,
        veil=hidden,
    )


def answers(lesson) -> tuple[str, ...]:
    """The words that answer, as they were given: those of the other sentence or the same again."""
    return lesson.memory_words if lesson.looks == "across" else lesson.words


def what_is_given(lesson) -> dict:
    """What the calculation reads and no hand can change."""
    example, n, said = lesson.worked_example, len(lesson.words), answers(lesson)
    m, given = len(said), vocabulary.lookup(lesson, BESIDE)
    known = given["table"]
    sizes = {"each": max(n, m), "sum": n + m, "product": n * m}
    return (
        given
        | {"axes": example.axes}
        | {name: getattr(example, name) for name in MATRICES}
        | {"memory_places": [known.index(word) for word in said], "answers": permalink.labels(said)}
        | {"everything": np.ones((n, m), dtype=bool), "causal": causal_mask(max(n, m))[:n, :m]}
        | {"in_order": permalink.in_order(len(lesson.memory_words)), "nought": 0}
        | ({} if lesson.looks == "across" else {"said": list(range(m)), "stands": list(range(m))})
        | {f"cells beyond {name}": n * m - size for name, size in sizes.items()}
    )


def guess_first(lesson, scope) -> tuple[bool, bool]:
    """Whom does the adjective find? Then: how many weights are there? What is still to be hidden."""
    hidden = predict.ask(lesson, MOST, scope, asks=furniture.as_text(lesson.word))
    n, m = len(scope["words"]), len(scope["answers"])
    sizes = {"each": max(n, m), "sum": n + m, "product": n * m}
    if hidden or len(set(sizes.values())) < len(sizes):
        return hidden, hidden
    names = {"n": n, "m": m, **sizes}
    return False, predict.ask(lesson, HOW_MANY, scope, **{name: str(size) for name, size in names.items()})


def without_features(lesson) -> None:
    """A word that nobody has said anything about."""
    words = vocabulary.without_features(lesson, BESIDE)
    if words:
        st.info(lesson.text.filled("unknown", words=furniture.as_text(", ".join(words))), icon=":material/edit:")


def alignment(lesson) -> dict:
    """Two lines of words with their links; the words that answer can change places."""
    text = lesson.text
    other = "answers" if lesson.looks == "across" else "itself"
    return stage.links(
        permalink.labels(lesson.words),
        permalink.labels(answers(lesson)),
        title=text.plain("figure"),
        heads=[text["links/asks"], text[f"links/{other}"]],
        texts={name: text[f"links/{name}"] for name in ("crossings", "lost", "kept")} | {"masked": "mask"},
        order="seats" if lesson.looks == "across" else "",
    )


def choose_mask(lesson) -> dict:
    """What a causal mask by place would hide."""
    text, before = lesson.text, "" if lesson.looks == "across" else "itself_"
    names = [text[f"mask/{name}"] for name in MASKS]
    return stage.options("mask", text["mask"], names, says=[text[f"notes_on/{before}{name}"] for name in MASKS])


def queries_and_keys(lesson, hidden: bool) -> dict:
    """The queries under the hand, among the keys of the words that answer; other words make it a new picture."""
    keys = stage.vectors(
        "found", names="answers", role="key", prefix="k", little=0.3, sparse=True, about=answers(lesson)
    )
    shadow = {"kind": "projection", "of": ("key", "$partner"), "onto": ("query", "$word")}
    queries = stage.vectors(
        "query",
        role="query",
        prefix="q",
        handles=True,
        pushed="pushed",
        base="asked",
        focus="word",
        takes=True,
        aside=True,
        sparse=True,
    )
    return stage.plane(
        lesson,
        ("first", "second"),
        [*([] if hidden else [shadow]), keys, queries],
        title=lesson.text.plain("figure_plane"),
        hint="hint" if lesson.looks == "across" else "hint_itself",
    )


def weights(lesson) -> stage.Column:
    """The alignment as a heatmap."""
    text, turned = lesson.text, lesson.orientation == "columns"
    told = "columns" if turned and lesson.looks == "across" else lesson.looks
    heat = stage.heatmap(
        ("trace", "weights"),
        title=text.plain("figure"),
        what="weight",
        limit=1.0,
        scale="share",
        form="share",
        columns="answering",
        column="",
        mask="may_look",
        closed=text["weights/closed"],
        made=[("trace", "masked_scores")],
        idle=text["weights/idle"],
        badge=True,
        turned=turned,
    )
    return stage.Column([stage.heading(text[f"weights/{told}"]), heat], share=1, least=420)


def contexts(lesson) -> stage.Column:
    """What comes out: a vector for each French word, mixed from the values of those that answer."""
    text = lesson.text
    made = stage.heatmap(
        ("trace", "context"),
        title=text["contexts"],
        what="context",
        limit=1.0,
        form="two",
        columns="axes",
        row_title=text["contexts/word"],
        column_title=text["contexts/feature"],
        column="",
        made=[("trace", "weights"), "value_columns"],
        idle=text["contexts/idle"],
        badge=True,
        turned=lesson.orientation == "columns",
    )
    return stage.Column([stage.heading(text["contexts"]), made], share=1.15, least=420)


def with_numbers(lesson, hidden: bool) -> list[dict]:
    """The chosen word's strongest link, from the score to the weight, with its present numbers."""
    if hidden:  # its names would tell whom the word finds
        return []
    asks, answer = f.name(("words", "$word"), "query"), f.name(("answering", "$partner"), "key")

    def at(of: str, who: str, k: int) -> f.Tree:
        return f.number((of, who, k), [f"{of} {k + 1} ", ("words" if of == "query" else "answering", who)])

    terms = [f.row(at("query", "$word", k), "×", at("key", "$partner", k)) for k in range(2)]
    score, scaled, weight = (
        ("trace", name, "$word", "$partner") for name in ("scores", "scaled_scores", "weights")
    )
    lines = {
        "score": f.row(
            f.row(f.index("q", asks), "·", f.index("k", answer)),
            "=",
            f.joined("+", terms),
            "=",
            f.number(score, "line score", result=True, form="settled"),
        ),
        "weight": f.row(
            f.fraction(f.number(score, "over root", result=True, form="settled"), f.root("2")),
            "=",
            f.number(scaled, "line scaled", result=True, form="settled"),
            "→",
            "softmax",
            "→",
            f.number(weight, "line weight", result=True, form="share"),
        ),
    }
    tree = [{"name": name, "tree": line} for name, line in lines.items()]
    return [{"kind": "formula", "small": True, "lines": tree}]


def goals(lesson, steps, scope, given) -> dict:
    """What to try: links that no longer cross, a word that a mask cuts off, one with two partners."""
    among = [Goal(name, GOALS[name]) for name in lesson.options("goal")]
    return stage.goals(lesson, among, steps, scope, given=given)


def who_answers(lesson) -> None:
    """The other sentence, or the one that asks: cross-attention or self-attention."""
    st.segmented_control(
        lesson.text["looks"],
        LOOKS,
        format_func=lambda way: lesson.text[f"looks/{way}"],
        required=True,
        **lesson.widget("looks"),
    )


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS[lesson.looks], lesson.scope() | what_is_given(lesson))
    asks, said, trace, axes = scope["words"], scope["answering"], scope["trace"], lesson.worked_example.axes
    two = ["first", "second"]
    return {
        "weights": pd.DataFrame(trace.weights, asks, said),
        "scores": pd.DataFrame(trace.masked_scores, asks, said),
        "queries": pd.DataFrame(scope["query"], asks, two),
        "keys": pd.DataFrame(scope["key"], said, two),
        "values": pd.DataFrame(scope["value"], said, axes),
        "contexts": pd.DataFrame(trace.context, asks, axes),
    }


def program_given(lesson) -> dict:
    """The lines that the programs begin with."""
    scope = calculate(STEPS[lesson.looks], lesson.scope() | what_is_given(lesson))
    said = scope["said"]
    given = {"words": list(lesson.words), "memory_words": [answers(lesson)[place] for place in said]}
    given |= {"x": scope["x"], "memory": scope["memory"][said]}
    given |= {name: scope[name] for name in (*MATRICES, "pushed")}
    return given | {"may_look": np.asarray(scope["may_look"]).tolist()}


furniture.head("cross_attention", __doc__)
lesson = open_lesson("cross_attention", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson, sentence=True, width=300)
    who_answers(lesson)
    vocabulary.editor(
        lesson,
        sentence=True,
        beside=BESIDE,
        features=True,
        spoken=SPOKEN,
        belongs={"pushed": "words", "seats": "memory_words"},
    )
    take_away.menu(lesson, lambda: tables(lesson), program_given(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson, "no_causal_mask", "sound")
