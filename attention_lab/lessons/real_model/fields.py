"""What the address of the page holds: the sentence, who looks at whom in which head, a word in its senses."""

from dataclasses import replace

from attention_lab.state import permalink

from . import galleries, live
from .galleries import SHIPPED

GOAL_NAMES = ("look_back", "rests", "together", "half", "noun")
HIGHEST = 8.0  # by which a score can be raised: e to it is near three thousand
FIRST_SENTENCE = "bank_money"
NOTHING = ("–",)  # where there is no gallery, so that the page can say so


def models(_: permalink.Values) -> tuple[str, ...]:
    """The models that can be chosen."""
    return (SHIPPED, live.LIVE) if live.there() else (SHIPPED,)


def sentences(values: permalink.Values) -> tuple[str, ...]:
    """The sentences that can be chosen."""
    own = (live.OWN,) if values.get("model") == live.LIVE else ()
    return (*galleries.sentences(values.get("model", SHIPPED)), *own) or NOTHING


def tokens(values: permalink.Values) -> tuple[str, ...]:
    """A name for each token of the sentence."""
    return NOTHING if galleries.fault() else galleries.sentence_of(values).names


def heads(values: permalink.Values) -> tuple[str, ...]:
    """Every head by its layer and its number."""
    return NOTHING if galleries.fault() else galleries.measured_gallery(values["model"]).head_names


def senses(values: permalink.Values) -> tuple[str, ...]:
    """The words that are shown in their senses."""
    return NOTHING if galleries.fault() else tuple(galleries.measured_gallery(values["model"]).senses) or NOTHING


def _depth() -> permalink.Field:
    """After how many layers a word is shown in its senses."""

    def rules(values: permalink.Values) -> permalink.Rules:
        layers = 0 if galleries.fault() else galleries.measured_gallery(values["model"]).layers
        return permalink.Rules((permalink.Range(0, layers),))

    return permalink.ruled(
        "depth",
        "the number of layers after which its senses are shown",
        lambda _: 0,
        rules,
        permalink.numeral,
        animated=True,
    )


def middle(values: permalink.Values) -> str:
    """What is looked at before anything is chosen: a token in the middle."""
    return tokens(values)[(len(tokens(values)) - 1) // 2]


FIELDS = (
    permalink.choice(
        "model", "the model whose attention is shown; live: the one installed on the server", models
    ),
    permalink.version(lambda values: galleries.fingerprint(values["model"])),
    permalink.Field(
        "written",
        "the reader's own text, if a model is installed on the server",
        lambda _: "" if galleries.fault() else galleries.first_text(),
        lambda text, _: live.check(permalink.unescape(text)),
        permalink.escape,
    ),
    permalink.choice("text", "the sentence that the model reads", sentences, FIRST_SENTENCE),
    permalink.choice("head", "the head shown in detail: layer and number", heads, interactive=True),
    permalink.choice(  # at first the last one but for the mark at the end
        "word", "the query token", tokens, lambda values: tokens(values)[-2:][0], interactive=True
    ),
    permalink.choice("other", "the key token", tokens, middle, interactive=True),
    replace(
        permalink.number(
            "raised", "the number added to the score of these two", -HIGHEST, HIGHEST, 0.0, interactive=True
        ),
        from_example=True,
    ),
    permalink.choice("sense", "the word whose senses are shown", senses, interactive=True),
    _depth(),
    permalink.goal_field(GOAL_NAMES),
)
