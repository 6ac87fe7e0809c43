"""Self-attention, step by step.

What happens to one word?
"""

import pandas as pd
import streamlit as st

from attention_core import causal_mask, load_example, window_mask
from controls import furniture, matrix, permalink, predict, stage, take_away, vocabulary
from controls.calculation import calculate
from controls.goals import AT_LEAST, AT_MOST, WITHIN, Condition, Estimate, Goal, Guess
from controls.lesson import base_example, open_lesson
from controls.stage import steps

EXAMPLES = ("animal_tired", "animal_wide", "money_bank", "fluffy_blue_creature", "knight_in_shining")
BESIDE = ("animal_words",)  # the words that the head of the animal's two sentences knows
LAYER_BEFORE = load_example("animal_first_layer")
ASKS, RIVALS, ENDINGS = "it", ("animal", "street"), ("tired", "wide")
MATRICES = {"W_query": "W_Q", "W_key": "W_K", "W_value": "W_V", "W_output": "W_O"}
MASKS = {"none": "all words", "causal": "itself & earlier", "earlier": "earlier"}
MASK = ("masks", "$mask")
PATTERNS = (  # the numbers for all pairs of words that each step shows, and their name
    ("scores", "scores"),
    ("scores", "scores"),
    ("scaled_scores", "scaled scores"),
    ("masked_scores", "masked scores"),
    *[("weights", "weights")] * 3,
)
FULL = 16.0  # scores of this size have the full colour
EQUAL = 1e-12  # two ratios of one layer differ by rounding alone

ADDS, REPLACES = steps.layer("x"), steps.layer("x", adds=False)
FIRST = steps.layer("x", "first_", name="layer 1", matrices="before_")
SECOND = steps.layer("first_made", "second_", name="layer 2")


def of_ending(ending: str) -> tuple:
    """One layer and two for one ending of the sentence, and the ratio of what *it* gives to its rivals."""
    alone = steps.layer(f"{ending}_x", f"{ending}_one_")
    first = steps.layer(f"{ending}_x", f"{ending}_first_", matrices="before_")
    second = steps.layer(first["made"], f"{ending}_second_")
    row = (f"{ending}_weights", f"${ASKS}")
    return (
        (f"{ending}_x", "rows", ("vectors", f"{ending}_places")),
        *(step for layer in (alone, first, second) for step in steps.attention(layer, MASK)),
        (f"{ending}_weights", "pick", ("layers", (alone["trace"], "weights"), (second["trace"], "weights"))),
        (f"ratio_{ending}", "ratio", tuple((*row, f"${rival}") for rival in RIVALS)),
    )


X = (("x", "rows", ("vectors", "places")),)
ONE = (("shown", "pick", ("nothing", ("trace",))), ("pattern", "pick", ("nothing", ("trace",))))
TWO = (*steps.attention(FIRST, MASK), *steps.attention(SECOND, MASK))
SHOWN = (
    ("shown", "pick", ("layers", ("trace",), ("second_trace",))),
    ("of_layer", "pick", ("layer", ("first_trace",), ("second_trace",))),
    ("pattern", "pick", ("layers", ("trace",), ("of_layer",))),
)
NO_RIVALS = (("change", "ratio", ("nothing", "nothing")),)
COMPARED = (
    *of_ending("tired"),
    *of_ending("wide"),
    ("times", "ratio", ("ratio_tired", "ratio_wide")),
    ("growth", "ratio", ("ratio_wide", "ratio_tired")),
    ("change", "relative_difference", ("ratio_tired", "ratio_wide")),
)
REPLACING = (*X, *steps.attention(REPLACES, MASK), *ONE, *NO_RIVALS)
ADDING = (*X, *steps.attention(ADDS, MASK), *ONE, *NO_RIVALS)
DEEP = (*X, *steps.attention(ADDS, MASK), *TWO, *SHOWN, *NO_RIVALS)
WHOLE = (*X, *steps.attention(ADDS, MASK), *TWO, *SHOWN, *COMPARED)

TWO_LAYERS = Condition(("layers",), AT_LEAST, 1)
GOALS = (
    Goal("whole_way", (Condition(("seen",), AT_LEAST, len(steps.STEPS)),)),
    Goal("ratio_moves", (TWO_LAYERS, Condition(("mask",), AT_MOST, 0), Condition(("change",), AT_LEAST, 0.05))),
    Goal("blindfold", (TWO_LAYERS, Condition(("mask",), AT_LEAST, 1), Condition(("change",), WITHIN, 0, EQUAL))),
)
MOST_WEIGHT = Guess("most_weight", ("shown", "weights", "$word"))
WIDE = Estimate(
    "wide",
    (
        ("grows", Condition(("growth",), AT_LEAST, 1 + EQUAL)),
        ("stays", Condition(("growth",), WITHIN, 1, EQUAL)),
        ("shrinks", Condition(("growth",), AT_MOST, 1 - EQUAL)),
    ),
)
WORDS = vocabulary.fields(
    EXAMPLES,
    word=(ASKS, "bank", "creature", "shining"),
    other=("animal", "money", "fluffy", "knight"),
    sentence=True,
    beside=BESIDE,
    features=True,
)


def layers_offered(values) -> list[str]:
    """How many layers there may be: two where a layer before the head has been made."""
    return ["1", "2"] if base_example(WORDS, values).axes == LAYER_BEFORE.axes else ["1"]


def mask_of_example(values) -> str:
    """The example's own mask."""
    return "none" if base_example(WORDS, values).mask is None else "causal"


FIELDS = (
    *WORDS,
    *(matrix.field(name, f"the matrix {label}", WORDS) for name, label in MATRICES.items()),
    permalink.choice("layers", "how many layers", layers_offered, hand=True),
    permalink.choice("layer", "of two layers, the one shown", ["1", "2"], "2", hand=True),
    permalink.choice("mask", "whom a word may look at", list(MASKS), mask_of_example, hand=True),
    permalink.choice("step", "the step shown", steps.STEPS, hand=True),
    stage.goal_field(GOALS),
)


@st.fragment
def under_the_hand(lesson) -> None:
    """The stage, and what follows it on release."""
    lesson.listen()
    given, calculation = what_is_given(lesson), calculation_of(lesson)
    scope = calculate(calculation, lesson.scope() | given)
    hidden = predict.ask(lesson, MOST_WEIGHT, scope)
    unsure = hidden or (asks_about_ratio(lesson) and predict.ask(lesson, WIDE, scope))
    without_features(lesson)
    stage.show(
        lesson,
        [
            stage.Column([whose_way(), stepper(lesson), ledger(lesson)], share=1.75, least=340),
            stage.Column(
                [switches(lesson), opened(lesson), *rivals(lesson, unsure), goals(lesson, scope, given)],
                least=300,
            ),
            stage.Column(all_words(lesson), least=stage.WHOLE_WIDTH),
        ],
        calculation,
        title=lesson.text.plain("figure"),
        given=given,
        veil=hidden,
    )


def is_compared(lesson) -> bool:
    """Whether the sentence has *it*, its two rivals and one of the two endings, each once."""
    once = [word for word in lesson.words if lesson.words.count(word) == 1]
    return (
        len(lesson.options("layers")) > 1 and {ASKS, *RIVALS} <= set(once) and len(set(once) & set(ENDINGS)) == 1
    )


def asks_about_ratio(lesson) -> bool:
    """The question what the other ending does to the ratio is for one layer that sees all."""
    return is_compared(lesson) and lesson.layers == "1" and lesson.mask == "none"


def calculation_of(lesson) -> tuple:
    """The steps for the sentence at hand."""
    if lesson.worked_example.W_output is None:
        return REPLACING
    if len(lesson.options("layers")) == 1:
        return ADDING
    return WHOLE if is_compared(lesson) else DEEP


def layers_shown(lesson) -> list:
    """The layers to show, for one layer and, where there may be, for two."""
    if lesson.worked_example.W_output is None:
        return [[REPLACES]]
    return [[ADDS], [FIRST, SECOND]][: len(lesson.options("layers"))]


def what_is_given(lesson) -> dict:
    """What the calculation reads and no hand can change."""
    n = len(lesson.words)
    causal = causal_mask(n)
    earlier = causal & ~window_mask(n, 0)
    given = vocabulary.lookup(lesson, BESIDE)
    given |= {"masks": [None, causal.tolist(), earlier.tolist()], "nothing": 0, "seen": 1}
    given |= {"patterns": [shown for _, shown in PATTERNS]}
    given |= {f"before_{name}": getattr(LAYER_BEFORE, name).tolist() for name in MATRICES}
    if is_compared(lesson):
        among = vocabulary.neighbours(BESIDE, lesson.worked_example)
        given |= {word: lesson.words.index(word) for word in (ASKS, *RIVALS)}
        for ending in ENDINGS:
            words = [ending if word in ENDINGS else word for word in lesson.words]
            given[f"{ending}_places"] = vocabulary.places(words, among)
    return given


def whose_way() -> dict:
    """The sentence; choosing a word makes it the one whose way is shown."""
    return stage.sentence(head=[], title="The sentence: choose a word")


def stepper(lesson) -> dict:
    """The graph of operations, the scrubber and play."""
    text = lesson.text
    words = text.parts("stepper") | {f"replaced_{name}": said for name, said in text.parts("replaced").items()}
    return steps.stepper(layers_shown(lesson), text.parts("steps"), words, title=text.plain("figure"))


def ledger(lesson) -> dict:
    """All numbers of the chosen word, made step by step."""
    axes, text = lesson.worked_example.axes, lesson.text
    words, cells = text.parts("ledger"), text.parts("cell")
    title, hint = text.plain("figure"), text.plain("hint")
    return steps.ledger(layers_shown(lesson), axes, words, cells, title=title, hint=hint)


def opened(lesson) -> dict:
    """The products that made one cell."""
    axes, text = lesson.worked_example.axes, lesson.text
    words = text.parts("opened") | {"nothing": text["ledger/nothing"], "replaced": text["replaced/how"]}
    return steps.opened(layers_shown(lesson), axes, words, text.parts("cell"))


def switches(lesson) -> dict:
    """How many layers, and whom a word may look at."""
    mask = stage.options("mask", "A word may look at", list(MASKS.values()))
    if len(lesson.options("layers")) == 1:
        return mask
    layers = stage.options("layers", "Layers", ["one", "two"])
    return stage.beside(stage.Column([layers], share=0, least=130), stage.Column([mask], least=270))


def rivals(lesson, veiled: bool) -> list:
    """What *it* gives to its two rivals under either ending."""
    if not is_compared(lesson):
        return []
    words = {name: lesson.text.plain(f"compare/{name}") for name in lesson.text.parts("compare")}
    endings = [
        steps.ending(
            ending,
            [(f"{ending}_weights", f"${ASKS}", f"${rival}") for rival in RIVALS],
            (f"ratio_{ending}",),
            own=ending in lesson.words,
        )
        for ending in ENDINGS
    ]
    head = [f"{ASKS} →", *RIVALS, " ÷ ".join(RIVALS)]
    return [steps.rivals(ASKS, RIVALS, endings, equal=EQUAL, head=head, words=words, veiled=veiled)]


def shown_matrices(lesson) -> dict[str, str]:
    """The head's matrices and their names."""
    return {name: label for name, label in MATRICES.items() if getattr(lesson, name).size}


def goals(lesson, scope, given) -> dict:
    """What to try: the whole way, a ratio that moves, a blindfold."""
    return stage.goals(lesson, GOALS, calculation_of(lesson), scope, given=given)


def without_features(lesson) -> None:
    """A word that nobody has said anything about."""
    words = vocabulary.without_features(lesson, BESIDE)
    if words:
        st.info(lesson.text.filled("unknown", words=furniture.as_text(", ".join(words))), icon=":material/edit:")


def all_words(lesson) -> list:
    """The step shown, for all words at once; choosing a cell chooses who asks and whom."""
    return [
        stage.heading(["All words at once: ", ("patterns", "$step")]),
        stage.heatmap(
            "",
            title="",
            what="",
            limit=FULL,
            by="step",
            cases=[_case(of, shown) for of, shown in PATTERNS],
            turned=lesson.orientation == "columns",
            badge=True,
        ),
        stage.remark(lesson.text["all_words"]),
    ]


def _case(of: str, shown: str) -> dict:
    """How the pattern shows one kind of numbers."""
    case = {"of": ("pattern", of), "title": f"All words at once: {shown}", "what": f"{shown} of all:"}
    return case | ({"limit": 1.0, "scale": "share", "form": "percent"} if of == "weights" else {})


def tables(lesson) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures, for each layer."""
    scope = calculate(calculation_of(lesson), lesson.scope() | what_is_given(lesson))
    layers, axes, found = layers_shown(lesson)[scope["layers"]], lesson.worked_example.axes, {}
    names = scope["words"]
    for layer in layers:
        trace, of = scope[layer["trace"]], f" of {layer['name']}" if layer["name"] else ""
        found[f"words{of}"] = pd.DataFrame(scope[layer["x"]], names, axes)
        for shown, numbers in (("queries", trace.query), ("keys", trace.key), ("values", trace.value)):
            found[shown + of] = pd.DataFrame(numbers, names, range(1, numbers.shape[1] + 1))
        for kind, shown in dict.fromkeys(PATTERNS):
            found[shown + of] = pd.DataFrame(getattr(trace, kind), names, names)
        found[f"sums{of}"] = pd.DataFrame(trace.context, names, range(1, trace.context.shape[1] + 1))
        found[f"new vectors{of}"] = pd.DataFrame(
            scope[layer["made"]] if layer["made"] else trace.context, names, axes
        )
    return found


def program_given(lesson) -> dict:
    """The lines that the programs begin with."""
    scope = lesson.scope() | what_is_given(lesson)
    n = len(lesson.words)
    may_look = scope["masks"][scope["mask"]] or [[True] * n] * n
    head = [[lesson.scope()[name].tolist() for name in MATRICES]]
    if lesson.worked_example.W_output is None:
        head[0][3] = None
    before = [[scope[f"before_{name}"] for name in MATRICES]] if lesson.layers == "2" else []
    x = lesson.vectors[scope["places"]]
    return {"words": list(lesson.words), "x": x, "may_look": may_look, "layers": before + head}


furniture.head("self_attention", __doc__)
lesson = open_lesson("self_attention", FIELDS)
furniture.notices(lesson)
with furniture.tools():
    vocabulary.example_picker(lesson, sentence=True, width=450)
    vocabulary.editor(lesson, sentence=True, beside=BESIDE, features=True)
    matrix.editor(lesson, shown_matrices(lesson))
    take_away.menu(lesson, lambda: tables(lesson), program_given(lesson))
    furniture.reset(lesson)
under_the_hand(lesson)
with st.expander("Why one layer cannot tell *tired* from *wide*, and two can", icon=":material/layers:"):
    st.markdown(lesson.text["two_layers"])
furniture.words(lesson)
