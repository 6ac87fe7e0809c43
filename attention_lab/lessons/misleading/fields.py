"""What the address of the page holds: which experiment, on which text, and what a hand has done there."""

import numpy as np

from attention_core.models import grammar
from attention_core.models.language_model import NAMES
from attention_lab import language_models
from attention_lab import text as prose
from attention_lab.language_models import HEAD_NAMES, HEADS, LAYERS, places_in, to_tokens
from attention_lab.state import permalink
from attention_lab.state.permalink import Range, Rules

from . import heads
from .heads import SEEDS, WORDS

ELIMINATION, SWAP, SEED, DELETION, SECOND_HAND, TELLS = EXPERIMENTS = (
    "elimination",
    "swap",
    "seeds",
    "deletion",
    "second_hand",
    "tells",
)
SMALL = (ELIMINATION, SEED)  # of heads that are trained here; the others are of a shipped model
GOAL_NAMES = {
    ELIMINATION: ("blind", "looks", "waver"),
    SWAP: ("unlike", "by_hand", "flat"),
    SEED: ("disagree", "alike"),
    DELETION: ("light", "heavy"),
    SECOND_HAND: ("through", "own"),
    TELLS: ("needed", "idle"),
}
FIRST_SEED, SECOND_SEED = 69, 105
SWAPS = ("own", "permuted", "flat", "frozen")


def _texts(section: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(text.split()) for name, text in prose.read("misleading").parts(section).items()}


SENTENCES, TEXTS, CHAINS = map(_texts, ("sentences", "texts", "chains"))
BEGIN = {SEED: "phone", SWAP: "names", DELETION: "colours", TELLS: "names"}  # else the first


def texts_of(experiment: str) -> dict[str, tuple[str, ...]]:
    """The texts on which an experiment can begin, by their names."""
    return SENTENCES if experiment in SMALL else CHAINS if experiment == SECOND_HAND else TEXTS


def words_of(values: permalink.Values) -> tuple[str, ...]:
    """The words of the text that the experiment begins with."""
    return texts_of(values["experiment"])[values["opening"]]


def tokens_of(values: permalink.Values) -> np.ndarray:
    """The same by their numbers in the vocabulary, as one row."""
    said = words_of(values)
    if values["experiment"] in SMALL:
        return np.array([[WORDS.index(word) for word in said]], dtype=float)
    return to_tokens(said)


def begun_of(values: permalink.Values) -> tuple[int, ...]:
    """The same, as a model reads them."""
    return tuple(map(int, tokens_of(values)[0]))


def openings(values: permalink.Values) -> tuple[str, ...]:
    """The texts that can be chosen."""
    return tuple(texts_of(values.get("experiment", ELIMINATION)))


def heads_offered(values: permalink.Values) -> tuple[str, ...]:
    """The heads that can be chosen: of the second layer where it is about what the first has brought there."""
    return HEAD_NAMES[HEADS:] if values["experiment"] == SECOND_HAND else HEAD_NAMES


def first_head(values: permalink.Values) -> str:
    """The head without which the text that it begins with loses most of its answer."""
    offered = heads_offered(values)
    if values["experiment"] in SMALL or language_models.fault(values["model"]):
        return offered[0]
    lost = language_models.loss_without(values["model"], begun_of(values))
    return HEAD_NAMES[max(map(HEAD_NAMES.index, offered), key=lambda head: lost[head])]


def first_word(values: permalink.Values) -> str:
    """The place that is looked at: the last, or the one at which the head chosen looks from there."""
    last = str(values["tokens"].shape[1])
    if values["experiment"] != SECOND_HAND or language_models.fault(values["model"]):
        return last
    row = heads.own_reading(values["model"], begun_of(values)).weights[HEAD_NAMES.index(values["head"]), -1]
    return str(int(row[:-1].argmax()) + 1)


def _tokens() -> permalink.Field:
    """The text, whose words can be exchanged; of a small head's sentence the last word asks, and stays."""

    def rules(values: permalink.Values) -> Rules:
        shape = tokens_of(values).shape
        if values["experiment"] not in SMALL:
            return Rules((permalink.numbered(len(grammar.WORDS)),), shape)
        asks = WORDS.index(heads.ASKS)
        last = Range(asks, asks, whole=True, why=("asks_last", {"word": heads.ASKS}))
        return Rules((*[permalink.numbered(len(WORDS))] * (shape[1] - 1), last), shape)

    return permalink.ruled("tokens", "the text, as word numbers", tokens_of, rules)


def _row_of(number: float):
    return lambda values: np.full(tokens_of(values).shape, number)


FIELDS = (
    permalink.choice("experiment", "the experiment", EXPERIMENTS),
    permalink.choice("model", "the trained model", NAMES),
    permalink.version(lambda v: "" if v["experiment"] in SMALL else language_models.fingerprint(v["model"])),
    permalink.whole_number(
        "seed", "the seed of the small head", 0, SEEDS - 1, lambda _: FIRST_SEED, interactive=False
    ),
    permalink.whole_number(
        "other_seed",
        "the seed of the second small head",
        0,
        SEEDS - 1,
        lambda _: SECOND_SEED,
        interactive=False,
    ),
    permalink.choice("opening", "the text at the start", openings, lambda v: BEGIN.get(v["experiment"], "")),
    permalink.matrix(
        "shifted",
        "what the reader has added to each weight of the row",
        _row_of(0.0),
        within=Range(-1, 1),
        animated=False,
    ),
    permalink.matrix("kept", "the fraction of each word's weight that is kept", _row_of(1.0), within=Range(0, 1)),
    permalink.matrix(
        "dimmed",
        "by how much each head is weakened, a row for each layer: 1 is off",
        lambda _: np.zeros((LAYERS, HEADS)),
        within=Range(0, 1),
    ),
    _tokens(),
    permalink.choice("head", "the head whose weights are shown", heads_offered, first_head, interactive=True),
    permalink.choice(
        "word",
        "the position of the query word, or of the word whose contribution is shown",
        places_in,
        first_word,
        interactive=True,
    ),
    permalink.choice(
        "answers", "how many answers the small head was trained to tell apart", heads.ANSWERS, interactive=True
    ),
    permalink.choice("swap", "the weights that replace the head's own", SWAPS, interactive=True),
    permalink.choice(
        "where", "which rows are replaced: the query word's, or every one", ("row", "head"), interactive=True
    ),
    permalink.choice(
        "whose", "where words are ablated: in every head, or in the one shown", ("all", "head"), interactive=True
    ),
    permalink.choice("goal", "the goal that is set", lambda v: GOAL_NAMES[v["experiment"]], interactive=True),
)
