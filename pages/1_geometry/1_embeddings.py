"""Embeddings and context.

Where does *apple* belong?
"""

import pandas as pd
import streamlit as st

from attention_core import displacements, load_example, scaled_dot_product_attention, tip_to_tail
from controls import furniture, permalink, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.goals import AT_LEAST, AT_MOST, Condition, Estimate, Goal, Guess
from controls.lesson import OWN, base_example, open_lesson
from controls.stage import formula as f

EXAMPLES = (
    "buy_an_apple",
    "apple_unveiled",
    "american_true_mole",
    "one_mole_of_carbon_dioxide",
    "biopsy_of_the_mole",
)
BESIDE = ("fruit_and_tech", *EXAMPLES)  # those on the same axes share one table of vectors
STRONG = ("orange", "phone", "true", "dioxide", "biopsy")
TOWER, HARRYS = "miniature_eiffel_tower", ("harry_wizard", "harry_queen_sussex_william")
STEPS = (
    ("x", "rows", ("vectors", "places")),
    ("trace", "scaled_dot_product_attention", ("x", "x", "x")),
    ("shift", "difference", (("trace", "context"), "x")),
    ("length", "lengths", ("shift",)),
    ("lean", "product", (("trace", "context"), "sides")),
    ("moved", "difference", ("vectors", "home")),
    ("distance", "lengths", ("moved",)),
    ("distance_here", "rows", ("distance", "places")),
    ("distance_kept", "rows", ("distance", "kept")),
    ("farthest_kept", "largest", ("distance_kept",)),
)
TOWARDS_FIRST, TOWARDS_SECOND = [[1.0], [-1.0]], [[-1.0], [1.0]]
STATIC, CONTEXT = ("x", "$word"), ("trace", "context", "$word")
WEIGHTS, LEAN = ("trace", "weights", "$word"), ("lean", "$word", 0)
LEFT_ALONE = Condition(("distance_here", "$word"), AT_MOST, 0.05)
GOALS = (
    Goal("other_side", (LEFT_ALONE, Condition(LEAN, AT_MOST, -0.01, relative=True))),
    Goal("stay_put", (LEFT_ALONE, Condition(("length", "$word"), AT_MOST, 0.1, relative=True))),
    Goal(
        "newcomer",
        (
            Condition(("newcomers",), AT_LEAST, 1),
            Condition(("farthest_kept",), AT_MOST, 0.05),
            Condition(LEAN, AT_MOST, -0.01),  # above zero on the side of the example
        ),
    ),
)
PULL = Guess("strongest_pull", WEIGHTS)
TWO_ENTRIES = (
    ("here", "rows", ("vectors", "place_here")),
    ("there", "rows", ("vectors", "place_there")),
    ("between", "difference", ("here", "there")),
    ("apart", "lengths", ("between",)),
)
START = Estimate(
    "same_start",
    (
        ("not_at_all", Condition(("apart", 0), AT_MOST, 0.0)),
        ("a_little", Condition(("apart", 0), AT_MOST, 1.0)),
        ("far", Condition(("apart", 0), AT_LEAST, 1.0)),
    ),
)
WORDS = vocabulary.fields(EXAMPLES, word=("apple", "mole"), other=STRONG, sentence=True, beside=BESIDE)


def goals_offered(values) -> list[str]:
    """All goals; but a newcomer needs an example to come to, with the word of interest in it."""
    example, words = base_example(WORDS, values).words, values["words"]
    word = words[permalink.labels(words).index(values["word"])]
    whole = word in example and set(example) <= set(words)
    return [goal.name for goal in GOALS if whole or goal.name != "newcomer"]


FIELDS = (*WORDS, permalink.choice("goal", "the goal set", goals_offered, hand=True))


@st.fragment
def under_the_hand(lesson) -> None:
    """What the hand moves, and what follows it on release."""
    lesson.listen()
    phrases = elsewhere(lesson)
    given = what_is_given(lesson)
    scope = calculate(STEPS, lesson.scope() | given)
    hidden = guess_first(lesson, scope, phrases)
    stage.show(
        lesson,
        [
            stage.Column([on_the_plane(lesson, phrases)], share=1.15, least=320),
            stage.Column(
                [who_pulls(), with_numbers(lesson), in_words(lesson, scope), goals(lesson, scope, given)]
            ),
            stage.Column(whole_pattern(lesson), least=stage.WHOLE_WIDTH),
        ],
        [*STEPS, *steps_elsewhere(phrases)],
        title=lesson.text.plain("figure"),
        given=given | given_elsewhere(lesson, phrases),
        veil=hidden,
    )


def guess_first(lesson, scope, phrases) -> bool:
    """Who pulls most; or, of a word in three phrases, how far apart it is in two of them before any context."""
    others = [phrase for phrase in phrases if lesson.words[scope["word"]] in phrase.words]
    if len(others) < 2 or lesson.example == OWN:
        return predict.ask(lesson, PULL, scope)
    row = scope["places"][scope["word"]]
    known = vocabulary.neighbours(BESIDE, lesson.worked_example)
    there = vocabulary.places(others[-1].words, known)[others[-1].words.index(lesson.words[scope["word"]])]
    entries = calculate(TWO_ENTRIES, scope | {"place_here": [row], "place_there": [there]})
    names = {"here": " ".join(lesson.words), "there": " ".join(others[-1].words)}
    return predict.ask(lesson, START, entries, **names)


def what_is_given(lesson) -> dict:
    """What the calculation reads and no hand can change: where the sentence's words stand in the table."""
    example = lesson.worked_example.words
    given = vocabulary.lookup(lesson, BESIDE)
    new = [word for word in given["table"] if word in lesson.words and word not in example]
    given |= {
        "sides": TOWARDS_FIRST,
        "kept": [row for row, word in enumerate(given["table"]) if word not in new],
        "newcomers": len(new) if set(example) <= set(lesson.words) else 0,
    }
    return given | {"sides": (TOWARDS_FIRST, TOWARDS_SECOND)[side_at_first(lesson, given, example)]}


def side_at_first(lesson, given, sentence) -> int:
    """On which axis's side of the diagonal the word of interest ends in a sentence before anything is moved."""
    word = lesson.words[given["words"].index(lesson.word)]
    sentence = sentence if word in sentence else lesson.words
    places = [given["table"].index(each) for each in sentence]
    start = calculate(STEPS, given | {"vectors": given["home"], "places": places, "sides": TOWARDS_FIRST})
    return int(start["lean"][sentence.index(word), 0] <= 0)


def elsewhere(lesson) -> list:
    """The other sentences on the same axes: a word begins there as the same vector."""
    offered = vocabulary.neighbours(EXAMPLES, lesson.worked_example)
    return [phrase for phrase in offered if phrase.words != lesson.words]


def steps_elsewhere(phrases) -> list:
    """What the sentence's words become in the other phrases."""
    lookups = [(f"x{k}", "rows", ("vectors", f"places{k}")) for k in range(len(phrases))]
    attends = "scaled_dot_product_attention"
    return lookups + [(f"trace{k}", attends, ("x", f"x{k}", f"x{k}")) for k in range(len(phrases))]


def given_elsewhere(lesson, phrases) -> dict:
    """Where the words of the other phrases stand in the table, and which of the sentence's they share."""
    beside = vocabulary.neighbours(BESIDE, lesson.worked_example)
    places = {f"places{k}": vocabulary.places(phrase.words, beside) for k, phrase in enumerate(phrases)}
    shared = {f"in{k}": [word in phrase.words for word in lesson.words] for k, phrase in enumerate(phrases)}
    return places | shared


def on_the_plane(lesson, phrases) -> dict:
    """The table of words as places under the hand; the word of interest is pulled away from its own."""
    ghosts = [
        stage.displacement(
            STATIC,
            (f"trace{k}", "context", "$word"),
            when=(f"in{k}", "$word"),
            label=" ".join(phrase.words),
            tone="ghost",
            result=True,
        )
        for k, phrase in enumerate(phrases)
    ]
    known = vocabulary.table((), vocabulary.neighbours(BESIDE, lesson.worked_example))
    new = not set(lesson.words) <= set(known)
    return stage.plane(
        lesson,
        lesson.worked_example.axes,
        [
            {"kind": "diagonal"},
            stage.pulls(STATIC, "x", WEIGHTS),
            stage.vectors(
                "vectors",
                names="table",
                handles=True,
                places=True,
                among="places",
                through="places",
                focus="word",
                little=0.75,
                little_name=lesson.text["little"],
            ),
            *ghosts,
            stage.displacement(STATIC, CONTEXT, label="in this sentence", result=True),
        ],
        low=-1,
        high=6,
        hint="new_words" if new else "hint",
    )


def who_pulls() -> dict:
    """The sentence with each word's share of the pull, following the hand."""
    return stage.sentence(
        WEIGHTS,
        head=["How hard each word pulls ", ("words", "$word")],
        ask="choose any word",
        title="The sentence, word by word",
    )


def with_numbers(lesson) -> dict:
    """The new vector, one axis a line: shares times vectors."""

    def line(axis: int, name: str) -> f.Tree:
        terms = [
            f.row(
                f.number((*WEIGHTS, place), [f"{name} share ", ("words", place)], veiled=True),
                "×",
                f.number(("x", place, axis), [f"{name} of ", ("words", place)]),
            )
            for place in range(len(lesson.words))
        ]
        result = f.number((*CONTEXT, axis), ["context ", ("words", "$word"), f" {name}"], result=True)
        return f.row(name, "=", f.most(3, WEIGHTS, terms, least=0.005), "=", result)

    return {
        "kind": "formula",
        "lines": [
            {"name": name, "tree": line(axis, name)} for axis, name in enumerate(lesson.worked_example.axes)
        ],
    }


def in_words(lesson, scope) -> dict:
    """The rule; or, where nothing moves the word of interest, that."""
    still = scope["length"][scope["word"]] < 1e-9
    return stage.remark(lesson.text.plain("still" if still else "rule", word=scope["words"][scope["word"]]))


def goals(lesson, scope, given) -> dict:
    """What to try: across the diagonal, hardly moved, moved by a newcomer."""
    axes, example = lesson.worked_example.axes, lesson.worked_example.words
    names = {
        "side": axes[1 - side_at_first(lesson, given, lesson.words)],
        "across": axes[1 - side_at_first(lesson, given, example)],
        "sentence": " ".join(example),
    }
    offered = [goal for goal in GOALS if goal.name in lesson.options("goal")]
    return stage.goals(lesson, offered, STEPS, scope, given=given, names=names)


def whole_pattern(lesson) -> list:
    """Who takes how much from whom, for every word of the sentence; choosing a cell chooses who asks."""
    weights = stage.weights(
        lesson,
        "trace",
        title="Every word at once",
        what="share of all:",
        form="percent",
        row_title="each word",
        column_title="takes from",
        badge=True,
    )
    return [*weights, stage.remark(lesson.text["pattern"])]


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(STEPS, lesson.scope() | what_is_given(lesson))
    words, axes = scope["words"], lesson.worked_example.axes
    return {
        "table of vectors": pd.DataFrame(lesson.vectors, scope["table"], axes),
        "contextual vectors": pd.DataFrame(scope["trace"].context, words, axes),
        "weights": pd.DataFrame(scope["trace"].weights, words, words),
    }


def program_given(lesson) -> dict:
    """The lines that the programs begin with."""
    given = vocabulary.lookup(lesson, BESIDE)
    return {"sentence": list(lesson.words), "table": list(given["table"]), "vectors": lesson.vectors}


def displacements_add_up(lesson) -> None:
    """Arrows laid tip to tail: two that make a tower small and Parisian, and what company does to Harry."""
    title, text = lesson.text["further/displacements_add_up"].split("\n\n", 1)
    fold = st.expander(title, icon=":material/polyline:", on_change="rerun", key=lesson.key("fold"))
    if not fold.open:
        return
    tower, given = load_example(TOWER), {name: way_of_harry(name) for name in HARRYS}
    miniature, eiffel, bare = tower.embeddings
    given |= {
        "one way": tip_to_tail(bare, [eiffel, miniature]),
        "other way": tip_to_tail(bare, [miniature, eiffel]),
    }
    given |= {"towers": tuple(tower.expected), "Harry": given[HARRYS[0]][:1], "names": ["Harry"]}
    in_paris = [
        *arrows("other way", ("miniature", "Eiffel"), apart=True, tone="ghost"),
        *arrows("one way", ("Eiffel", "miniature"), apart=True),
        stage.vectors("one way", names="towers", places=True),
    ]
    in_company = [arrow for name in HARRYS for arrow in arrows(name, load_example(name).words)]
    of_harry = stage.vectors("Harry", names="names", places=True)
    with fold:
        stage.still(
            lesson,
            "further",
            [
                stage.Column([stage.plane(lesson, axes, marks, low=-1, high=6, title=title, hint="")], least=280)
                for axes, marks in (
                    (tower.axes, in_paris),
                    (load_example(HARRYS[0]).axes, [*in_company, of_harry]),
                )
            ],
            title=title,
            given=given,
            provenance=tower.provenance,
        )
        st.markdown(text)


def way_of_harry(name: str):
    """From Harry's place in the table to his place in this company, one word's displacement after the other."""
    x = load_example(name).embeddings
    weights = scaled_dot_product_attention(x, x, x).weights
    return tip_to_tail(x[0], displacements(x[0], weights[0], x))


def arrows(way: str, words, **more) -> list:
    """A way tip to tail, each arrow with the word that adds it."""
    return [
        stage.displacement((way, k), (way, k + 1), label=f"+ {word}", halfway=True, **more)
        for k, word in enumerate(words)
    ]


furniture.head("embeddings", __doc__)
lesson = open_lesson("embeddings", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson, sentence=True)
    vocabulary.editor(lesson, sentence=True, beside=BESIDE)
    take_away.menu(lesson, lambda: tables(lesson), program_given(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson, "lookup", "tokens", "last_vector")
displacements_add_up(lesson)
