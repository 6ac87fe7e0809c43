"""Queries and keys.

Who looks at whom?
"""

import pandas as pd
import streamlit as st

from attention_core import causal_mask
from charts import heatmap, landscape
from controls import furniture, matrix, permalink, picture, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.figures import figure, products
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal, Guess
from controls.lesson import base_example, open_lesson
from controls.stage import formula as f

PLANES = ("orange_apple_phone", "apple_unveiled", "buy_an_apple")
FEATURES = ("fluffy_blue_creature", "knight_in_shining")
WAYS = {"two": "Two matrices", "one": "One for both", "features": "By features"}
REACH = {"apple_unveiled": 6, "buy_an_apple": 6}  # of the words; 5 where nothing is said
RANGES = {  # of queries and keys; as far as the words where nothing is said
    "orange_apple_phone": [[-3.5, 3.5], [-3.5, 3.5]],
    "apple_unveiled": [[-4, 4], [-4, 4]],
    "buy_an_apple": [[-4, 4], [-4, 4]],
    "fluffy_blue_creature": [[-2.5, 11.5], [-7, 7]],
    "knight_in_shining": [[-2, 7], [-3.5, 5.5]],
}
ONE_SPACE = [[-4.5, 7], [-4.5, 7]]
LIMITS = {"apple_unveiled": 20.0, "buy_an_apple": 20.0, "fluffy_blue_creature": 16.0}

# Ready-made matrices to begin with. The spaces leave areas as they are, so that none of them merely enlarges.
AS_IT_IS = [[1.0, 0.0], [0.0, 1.0]]
BY_HAND = {"W_query": [[0.75, 0.25], [-0.5, 0.75]], "W_key": [[0.75, -0.25], [0.0, 0.75]]}
SPACES = {
    "squashed": [[1.25, 0.75], [0.75, 1.25]],
    "between": AS_IT_IS,
    "stretched": [[1.25, -0.75], [-0.75, 1.25]],
}
STARTS = {
    "hand": "made by hand",
    "raw": "none, the words as they are",
    "squashed": "squashed",
    "between": "in between",
    "stretched": "stretched apart",
}

MOVED = (
    ("moves", "difference", ("vectors", "home")),
    ("distances", "lengths", ("moves",)),
    ("moved", "largest", ("distances",)),
)
STEPS = (
    ("x", "rows", ("vectors", "places")),
    ("query", "product", ("x", "W_query")),
    ("key", "product", ("x", "W_key")),
    ("trace", "scaled_dot_product_attention", ("query", "key", "x", "mask")),
    *MOVED,
)
ONE_FOR_BOTH = tuple((*step[:2], ("x", "W_query")) if step[0] == "key" else step for step in STEPS)
FRUIT, TECH = ("among fruit", "context", 0), ("among tech", "context", 0)  # apple in either sentence
ORANGE, APPLE, PHONE = (("query", f"$at {word}") for word in ("orange", "apple", "phone"))
SEPARATION = (
    ("fruit", "rows", ("query", "apple and orange")),
    ("tech", "rows", ("query", "apple and phone")),
    ("among fruit", "scaled_dot_product_attention", ("fruit", "fruit", "fruit")),
    ("among tech", "scaled_dot_product_attention", ("tech", "tech", "tech")),
    ("separation", "separation_ratio", (FRUIT, TECH, ORANGE, PHONE)),
    ("apples", "difference", (("among fruit", "context"), ("among tech", "context"))),
    ("ends", "difference", ("fruit", "tech")),
    ("apples apart", "lengths", ("apples",)),
    ("ends apart", "lengths", ("ends",)),
)
# What the fold computes: the scores of the asking word with every place of a plane, and W_query W_keyᵀ.
LANDSCAPE = (
    ("keys", "product", ("grid", "W_key")),
    ("axes' keys", "product", ("unit", "W_key")),
    ("asks", "rows", ("query", "asking")),
    ("heights", "dot_product", ("asks", "keys")),
    ("slope", "dot_product", ("asks", "axes' keys")),
)
# What the guess needs: the scores with the two matrices exchanged, against A → B and against B → A.
SWAPPED = (
    ("asking", "product", ("x", "W_key")),
    ("answering", "product", ("x", "W_query")),
    ("swapped", "dot_product", ("asking", "answering")),
    ("gain", "difference", ("swapped", ("trace", "scores"))),
    ("backwards", "dot_product", ("key", "query")),
    ("off", "difference", ("swapped", "backwards")),
)
BILINEAR = (("both", "dot_product", ("W_query", "W_key")),)


def weight(asks: str, answers: str) -> tuple:
    """Where the weight that one named word gives another is found."""
    return ("trace", "weights", f"$at {asks}", f"$at {answers}")


def score(asks: str, answers: str) -> tuple:
    """Where the score of one named word with another is found."""
    return ("trace", "scores", f"$at {asks}", f"$at {answers}")


SCORE, BACK = ("trace", "scores", "$word", "$other"), ("trace", "scores", "$other", "$word")
WEIGHT, SCALED = ("trace", "weights", "$word", "$other"), ("trace", "scaled_scores", "$word", "$other")
STAYED = Condition(("moved",), AT_MOST, 0.05)
SQUASHED = Condition(("start",), WITHIN, list(SPACES).index("squashed"))


def positive(path: tuple) -> Condition:
    """The number there is above zero."""
    return Condition(path, AT_LEAST, 0.01)


def negative(path: tuple) -> Condition:
    """The number there is below zero."""
    return Condition(path, AT_MOST, -0.01)


def most(path: tuple) -> Condition:
    """The weight there is at least 80 %."""
    return Condition(path, AT_LEAST, 0.8)


GOALS = {
    "phone_80": (most(weight("apple", "phone")), STAYED),
    "one_way": (positive(score("apple", "orange")), negative(score("orange", "apple"))),
    "give_80": (most(WEIGHT),),
    "there_not_back": (positive(SCORE), negative(BACK)),
    "turn_away": (Condition(WEIGHT, AT_MOST, 0.05),),
    "wider": (SQUASHED, Condition(("separation",), AT_LEAST, 1.01, relative=True)),
    "opposed": (negative(SCORE),),
    "green_creature": (most(weight("creature", "verdant")), STAYED),
    "in_the": (most(weight("in", "The")), STAYED),
    "articles": (most(weight("creature", "a")), most(weight("forest", "the")), STAYED),
}
SUITING = {
    ("two", "orange_apple_phone"): ("phone_80", "one_way"),
    ("two", "apple_unveiled"): ("phone_80", "there_not_back"),
    ("two", "buy_an_apple"): ("turn_away", "one_way"),
    ("two", None): ("give_80", "there_not_back"),
    ("one", "orange_apple_phone"): ("wider", "opposed"),
    ("one", None): ("opposed",),
    ("features", "fluffy_blue_creature"): ("green_creature", "articles"),
    ("features", "knight_in_shining"): ("in_the", "turn_away"),
    ("features", None): ("give_80", "turn_away"),
}
NEEDED = {
    "phone_80": {"apple", "phone"},
    "one_way": {"apple", "orange"},
    "wider": {"orange", "apple", "phone"},
    "green_creature": {"creature", "verdant"},
    "articles": {"creature", "a", "forest", "the"},
    "in_the": {"in", "The"},
}
SAYS = {"two": ["library"], "one": ["best_space"], "features": ["features"]}
MOST = Guess("who_gets_most", ("trace", "weights", "$word"))
SWAP = Estimate(
    "swap",
    (
        ("stays", Condition(("gain", "$word", "$other"), WITHIN, 0.0, 1e-9)),
        ("turned", Condition(("off", "$word", "$other"), WITHIN, 0.0, 1e-9)),
        ("sign", Condition(("off", "$word", "$other"), AT_LEAST, 1e-9)),
    ),
)


def ways(values) -> list[str]:
    """What can be done with the words: on a plane two matrices or one, else by features."""
    return ["two", "one"] if values["vectors"].shape[1] == 2 else ["features"]


def starts(values) -> list[str]:
    """The ready-made matrices that suit the way."""
    return {"two": ["hand", "raw"], "one": list(SPACES), "features": ["hand"]}[values["way"]]


def goals(values) -> tuple[str, ...]:
    """The goals that suit the way and the words."""
    suiting = SUITING.get((values["way"], values["example"]), ())
    there = tuple(name for name in suiting if NEEDED.get(name, set()) <= set(values["words"]))
    return there or SUITING[values["way"], None]


def begun(name: str):
    """The matrix as it was before anything was moved."""

    def ready(values):
        if name == "W_key" and values["way"] == "one":
            return values["W_query"]
        of_example = getattr(base_example(WORDS, values), name)
        by_hand = BY_HAND[name] if of_example is None else of_example
        return {"hand": by_hand, "raw": AS_IT_IS, **SPACES}[values["start"]]

    return ready


WORDS = vocabulary.fields(
    PLANES + FEATURES,
    word=("apple", "creature", "shining"),
    other=("phone", "orange", "fluffy", "knight"),
    sentence=True,
)
FIELDS = (
    *WORDS,
    permalink.choice("way", "two matrices, one for both, or by features", ways),
    permalink.choice(
        "start",
        "the ready-made matrices to begin with",
        starts,
        lambda values: "between" if values["way"] == "one" else "hand",
        hand=True,
    ),
    permalink.matrix("W_query", "the query matrix", begun("W_query"), limit=matrix.LARGEST),
    permalink.matrix("W_key", "the key matrix", begun("W_key"), limit=matrix.LARGEST),
    permalink.choice("feature", "the feature in the hand", lambda v: base_example(WORDS, v).axes, hand=True),
    permalink.choice("scores", "how scores are drawn", ["numbers", "dots"]),
    permalink.choice("goal", "the goal set", goals, hand=True),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """What the hand moves, and what follows it on release."""
    lesson.listen()
    given, steps = reads(lesson), steps_of(lesson)
    scope = calculate(steps, lesson.scope() | given)
    hidden = guess_first(lesson, scope)
    stage.show(
        lesson,
        columns(lesson, steps, scope, given),
        steps,
        title=lesson.text.plain("figure_by_features" if lesson.way == "features" else "figure"),
        given=given,
        veil=hidden,
    )
    shape(lesson)
    if not hidden:
        further(lesson, scope)


def guess_first(lesson, scope) -> bool:
    """Who gets most? With two matrices that differ: what if they change places?"""
    word, other = scope["word"], scope["other"]
    there, back = scope["trace"].scores[word, other], scope["trace"].scores[other, word]
    if lesson.way != "two" or abs(there - back) < 1e-9:
        return predict.ask(lesson, MOST, scope)
    exchanged = calculate(SWAPPED, scope) if lesson.predict else scope
    return predict.ask(lesson, SWAP, exchanged, other=furniture.as_text(lesson.other))


def reads(lesson) -> dict:
    """What the calculation reads besides what a hand can change."""
    found = vocabulary.lookup(lesson)
    names, example = found["words"], lesson.worked_example
    found |= {"axes": example.axes, "mask": None if example.mask is None else causal_mask(len(names))}
    found |= {f"at {word}": place for place, word in enumerate(names)}
    if has_apples(lesson):
        for word in ("orange", "phone"):
            found[f"apple and {word}"] = [names.index("apple"), names.index(word)]
        for name, space in SPACES.items():
            there = calculate(steps_of(lesson), lesson.scope() | found | {"W_query": space})
            found[f"separation {name}"] = float(there["separation"])
    return found


def has_apples(lesson) -> bool:
    """Whether there is one space whose separation can be told."""
    return lesson.way == "one" and {"orange", "apple", "phone"} <= set(lesson.words)


def steps_of(lesson) -> tuple:
    """The page's calculation."""
    steps = ONE_FOR_BOTH if lesson.way == "one" else STEPS
    return (*steps, *SEPARATION) if has_apples(lesson) else steps


def columns(lesson, steps, scope, given) -> list[stage.Column]:
    """The stage: what the words are; what they ask and answer; the scores."""
    words = features(lesson) if lesson.way == "features" else words_on_the_plane(lesson)
    among = [Goal(name, GOALS[name]) for name in goals(lesson.memory.values)]
    before = {"W_query": AS_IT_IS, "W_key": AS_IT_IS} if lesson.way == "one" else {}
    aims = stage.goals(lesson, among, steps, scope, given=given | before)
    beside = [separation(lesson)] if has_apples(lesson) else []
    return [
        stage.Column([words, aims], share=1.0, least=270, turn=3),
        stage.Column([queries_and_keys(lesson)], share=1.25, least=330, turn=1),
        stage.Column(
            [scores(lesson), *beside, with_numbers(lesson)],
            share=1.3 if lesson.orientation == "columns" else 1.1,
            least=280,
            turn=2,
        ),
    ]


def words_on_the_plane(lesson) -> dict:
    """The words at their embeddings."""
    return stage.plane(
        lesson,
        lesson.worked_example.axes,
        [stage.vectors("vectors", names="table", handles=True, focus="word", through="places", little=0.6)],
        low=-0.4 * reach(lesson),
        high=reach(lesson),
        title=lesson.text.plain("figure_words"),
        hint="hint_words",
    )


def reach(lesson) -> int:
    """How far the plane of the words goes."""
    return REACH.get(lesson.worked_example.name, 5)


def features(lesson) -> dict:
    """The words as rows of named features; choosing a cell takes its feature into the hand."""
    return stage.heatmap(
        "x",
        title=lesson.text.plain("figure_features"),
        what="feature",
        limit=4.0,
        columns="axes",
        row_title="word",
        column_title="feature",
        column="feature",
        badge=True,
        turned=lesson.orientation == "columns",
    )


def queries_and_keys(lesson) -> dict:
    """The words again, as queries and as keys, and the matrices that make them so."""
    marks = {"two": two_matrices, "one": one_for_both, "features": by_features}[lesson.way](lesson)
    return stage.plane(
        lesson,
        ("first", "second"),
        marks,
        low=-reach(lesson),
        high=reach(lesson),
        ranges=ONE_SPACE if lesson.way == "one" else RANGES.get(lesson.worked_example.name),
        title=lesson.text.plain("figure_queries_keys"),
        hint={"two": "hint", "one": "hint_one", "features": "hint_features"}[lesson.way],
    )


def two_matrices(lesson) -> list[dict]:
    """Queries and keys, each matrix with its grid and its rows; of many queries only the asking word's."""
    asking, asking_rows = stage.weight_matrix("W_query", "query", reach=reach(lesson))
    found, found_rows = stage.weight_matrix("W_key", "key", reach=reach(lesson), beside="W_query")
    queries = all_queries(only="word") if len(lesson.words) > 5 else all_queries()
    return [asking, found, *how_they_meet(), *all_keys(), *queries, asking_rows, found_rows]


def by_features(lesson) -> list[dict]:
    """The asking word's query among all keys; in the hand is where the chosen feature is sent."""
    _, asking_rows = stage.weight_matrix("W_query", "query", only="feature")
    _, found_rows = stage.weight_matrix("W_key", "key", beside="W_query", only="feature")
    return [*how_they_meet(), *all_keys(), *all_queries(only="word"), asking_rows, found_rows]


def how_they_meet() -> list[dict]:
    """How the chosen query and key are made of the features, and the shadow of the one on the other."""
    return [
        {"kind": "chain", "of": "W_query", "weights": ("x", "$word"), "role": "query"},
        {"kind": "chain", "of": "W_key", "weights": ("x", "$other"), "role": "key"},
        {"kind": "projection", "of": ("key", "$other"), "onto": ("query", "$word")},
    ]


def all_keys() -> list[dict]:
    """Every word's key."""
    return [stage.vectors("key", role="key", prefix="k", focus="other", little=0.5)]


def all_queries(**more) -> list[dict]:
    """Every word's query; the asking word's stands out."""
    return [stage.vectors("query", role="query", prefix="q", focus="word", aside=True, little=0.5, **more)]


def one_for_both(lesson) -> list[dict]:
    """The words in the one space, and in it the two apples, each moved by its sentence."""
    grid, rows = stage.weight_matrix("W_query", "word", reach=reach(lesson), also=["W_key"])
    apples = [
        {"kind": "distance", "between": (ORANGE, PHONE)},
        stage.displacement(APPLE, FRUIT, result=True, label="with orange"),
        stage.displacement(APPLE, TECH, result=True, label="with phone"),
        {"kind": "distance", "between": (FRUIT, TECH), "role": "context", "result": True},
    ]
    words = stage.vectors("query", focus="word", other="other", little=0.5)
    return [grid, *(apples if has_apples(lesson) else []), words, rows]


def scores(lesson) -> dict:
    """Who looks at whom: all scores, and along their edge the weights of the word of interest."""
    return stage.heatmap(
        ("trace", "scores"),
        title=lesson.text.plain("figure_scores"),
        what="score",
        limit=LIMITS.get(lesson.worked_example.name, 16.0 if lesson.way == "one" else 8.0),
        dots=lesson.scores == "dots",
        mask="mask",
        closed="closed: it comes later",
        made=("query", "key"),
        idle="Point at a square to see how its number was made.",
        mirror=True,
        edge=stage.edge(("trace", "weights", "$word"), what="weight", title="weights"),
        turned=lesson.orientation == "columns",
    )


def separation(lesson) -> dict:
    """How well the present space keeps the two apples apart, next to the ready-made ones."""
    marks = [(STARTS[name], f"separation {name}") for name in SPACES]
    return stage.ruler("separation", marks, what="separation", title="separation", low=0.2, high=0.6)


def with_numbers(lesson) -> dict:
    """A → B and B → A with their present numbers, and what becomes of them."""

    def dot(line: str, asks: str, answers: str, path: tuple) -> f.Tree:
        def at(matrix: str, who: str, k: int) -> f.Tree:
            return f.number((matrix, who, k), [f"{line} {matrix} ", ("words", who), f" {k + 1}"])

        terms = [f.row(at("query", asks, k), "×", at("key", answers, k)) for k in range(2)]
        asking = f.index("q", f.name(("words", asks), "query"))
        pair = f.row(asking, "·", f.index("k", f.name(("words", answers), "key")))
        return f.row(pair, "=", f.joined("+", terms), "=", result(path, f"line {line}", form="settled"))

    def result(path, what: str, **more) -> f.Tree:
        return f.number(path, what, result=True, **more)

    lines = {
        "there": dot("there", "$word", "$other", SCORE),
        "back": dot("back", "$other", "$word", BACK),
        "weight": f.row(
            f.fraction(result(SCORE, "over root", form="settled"), f.root("2")),
            "=",
            result(SCALED, "line scaled", form="settled"),
            "→",
            "softmax",
            "→",
            result(WEIGHT, "line weight", form="share"),
        ),
    }
    if has_apples(lesson):
        ratio = f.fraction(result(("apples apart", 0), "apples apart"), result(("ends apart", 1), "ends apart"))
        lines["weight"] = f.row("separation", "=", ratio, "=", result("separation", "line separation"))
    return {
        "kind": "formula",
        "small": True,
        "lines": [{"name": name, "tree": tree} for name, tree in lines.items()],
    }


def begin_with(lesson) -> None:
    """The ready-made matrices to begin with."""

    def chosen() -> None:
        lesson.put(start=lesson.heard("start"))
        lesson.start_over("W_query", "W_key")

    if len(lesson.options("start")) > 1:
        st.segmented_control(
            "The space" if lesson.way == "one" else "Begin with matrices",
            lesson.options("start"),
            format_func=STARTS.get,
            on_change=chosen,
            required=True,
            **lesson.widget("start"),
        )


def shape(lesson) -> None:
    """The matrices, ready-made or typed, and how scores are drawn."""
    shown = {"one": {"W_query": "W, the one matrix"}}.get(lesson.way, {"W_query": "W_query", "W_key": "W_key"})
    with furniture.tools():
        if lesson.way == "two":
            begin_with(lesson)
        matrix.editor(
            lesson,
            shown,
            along=("W_key",) if lesson.way == "one" else (),
        )
        st.segmented_control("Scores as", lesson.options("scores"), key=lesson.key("scores"), required=True)


def way_in(lesson) -> None:
    """Two matrices, one for both, or by features; the last has words of its own."""

    def chosen() -> None:
        known, way = dict(lesson.memory.values), lesson.heard("way")
        if way not in ways(known):
            known = {"example": FEATURES[0] if way == "features" else PLANES[0]}
        elif all(permalink.same(known[name], begun(name)(known)) for name in ("W_query", "W_key")):
            known = {name: value for name, value in known.items() if not name.startswith("W_")}
        elif way == "one":  # what was made of the one serves for both
            known["W_key"] = known["W_query"]
        known = {name: value for name, value in known.items() if name not in ("start", "goal")} | {"way": way}
        lesson.put(**permalink.read_address(lesson.fields, {}, known)[0])

    st.segmented_control(
        "The way in", list(WAYS), format_func=WAYS.get, on_change=chosen, required=True, **lesson.widget("way")
    )


def further(lesson, scope) -> None:
    """Only the product of the two matrices counts: as a landscape on a plane, as a table of features."""
    fold = st.expander(
        lesson.text["further/title"], icon=":material/landscape:", on_change="rerun", key=lesson.key("further")
    )
    if not fold.open:
        return
    with fold:
        drawn, words = st.columns([3, 2], gap="large")
        with words:
            furniture.badge(lesson)
            st.markdown(lesson.text["further/features" if lesson.way == "features" else "further/landscape"])
        with drawn:
            (which_features if lesson.way == "features" else one_query_sees)(lesson, scope)


def one_query_sees(lesson, scope) -> None:
    """The landscape of scores that the asking word sees over the plane."""
    asking = scope["words"].index(lesson.word)
    given = {"grid": landscape.grid(reach(lesson)), "unit": AS_IT_IS, "asking": [asking]}
    given["W_key"] = scope["W_query" if lesson.way == "one" else "W_key"]
    seen = calculate(LANDSCAPE, scope | given)
    places = vocabulary.places(lesson.words)
    first = [places.index(row) for row in range(len(lesson.vectors))]
    data = landscape.rows(
        seen["heights"][0],
        seen["slope"][0],
        reach(lesson),
        names=scope["table"],
        places=lesson.vectors,
        texts=[figure(scope["trace"].scores[asking, place]) for place in first],
        axes=scope["axes"],
        asks=places[asking],
        write=figure,
    )
    picture.draw(data, landscape.spec(reach(lesson)), key=lesson.key("landscape"))


def which_features(lesson, scope) -> None:
    """W_query W_keyᵀ: which feature asks for which."""
    query, key = lesson.W_query, lesson.W_key
    picture.square(
        lesson,
        heatmap,
        calculate(BILINEAR, scope)["both"],
        scope["axes"],
        limit=10.0,
        made=lambda asks, answers: products(query[asks], key[answers]),
        key="product",
    )


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    scope = calculate(steps_of(lesson), lesson.scope() | reads(lesson))
    names, axes, two = scope["words"], scope["axes"], ["first", "second"]
    found = {"words": pd.DataFrame(scope["x"], names, axes)}
    found |= {name: pd.DataFrame(scope[name], axes, two) for name in ("W_query", "W_key")}
    found |= {name: pd.DataFrame(scope[name], names, two) for name in ("query", "key")}
    found |= {name: pd.DataFrame(getattr(scope["trace"], name), names, names) for name in ("scores", "weights")}
    if "separation" in scope:
        found["separation"] = pd.DataFrame({"separation": [float(scope["separation"])]})
    return found


def for_programs(lesson) -> dict:
    """What the two programs begin with."""
    read = reads(lesson)
    return {
        "words": list(read["words"]),
        "vectors": lesson.vectors[read["places"]],
        "W_query": lesson.W_query,
        "W_key": lesson.W_query if lesson.way == "one" else lesson.W_key,
        "only_earlier": read["mask"] is not None,
        "apart": ["orange", "apple", "phone"] if has_apples(lesson) else None,
    }


furniture.head("queries_keys", __doc__)
lesson = open_lesson("queries_keys", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    way_in(lesson)
    if lesson.way == "one":
        begin_with(lesson)
    vocabulary.example_picker(lesson)
    vocabulary.word_picker(lesson)
    vocabulary.editor(lesson, sentence=True)
    take_away.menu(lesson, lambda: tables(lesson), for_programs(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
furniture.words(lesson, *SAYS[lesson.way])
