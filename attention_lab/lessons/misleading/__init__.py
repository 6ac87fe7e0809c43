"""Is attention an explanation? Experiments on trained heads: what weights tell of an answer, and what not."""

from attention_core.models.language_model import NAMES
from attention_lab import language_models
from attention_lab import text as prose
from attention_lab.lesson import Lesson
from attention_lab.state import permalink
from attention_lab.state.state import YOURS, State

from . import elimination, head_importance, heads, second_hand, seeds, swap, token_ablation, trained
from .experiment import experiment
from .fields import DELETION, ELIMINATION, FIELDS, SECOND_HAND, SEED, SMALL, SWAP, SWAPS, TELLS, texts_of

EXPERIMENTS = {
    ELIMINATION: experiment(
        elimination,
        lambda _, now: heads.program(now, [now.trained]),
        first_text=lambda now: "first" if heads.telling_word(now) in heads.TECH_WORDS else "first_any",
        first_move=lambda _, now: f"word {heads.telling_word(now)}",
    ),
    SWAP: experiment(
        swap,
        lambda state, now: trained.program(state, now, pattern=now.looks.tolist()),
        first_move=lambda _, now: now.words[int(now.own[0].argmax())],
    ),
    SEED: experiment(
        seeds,
        lambda _, now: heads.program(now, [now.one, now.beside]),
        first_move=lambda _, now: f"word {heads.telling_word(now)}",
    ),
    DELETION: experiment(
        token_ablation,
        lambda state, now: trained.program(state, now, kept=now.kept[0].tolist(), reader=int(now.reader)),
        first_move=lambda _, now: now.words[int(now.effect.argmax())],
    ),
    SECOND_HAND: experiment(
        second_hand,
        lambda state, now: trained.program(state, now, place=int(now.word)),
        first_move=lambda state, now: f"word {now.words[second_hand.source_of(state)[1]]}",
    ),
    TELLS: experiment(
        head_importance,
        lambda state, now: trained.program(state, now, strengths=now.strengths.tolist()),
        first_move=lambda state, _: head_importance.most_needed(state),
    ),
}
SEED_FIELDS = {ELIMINATION: ("seed",), SEED: ("seed", "other_seed")}  # that can be chosen
LAST_SEED = heads.SEEDS - 1
STAYS = {  # what of the page stays when another of these is chosen; all else begins anew
    "experiment": ("model", "seed", "other_seed"),
    "model": ("experiment", "opening"),
    "opening": ("experiment", "model", "seed", "other_seed"),
    "seed": ("experiment", "model", "opening", "other_seed"),
    "other_seed": ("experiment", "model", "opening", "seed"),
}


def missing_file(state: State) -> str:
    """The file of weights without which the experiment cannot be made; empty where it can."""
    missing = state.experiment not in SMALL and language_models.fault(state.model)
    return f"{state.model}.npz" if missing else ""


def comes_from(values: permalink.Values) -> str | None:
    """Other weights than a head's own are nobody's who learned: they were put there by hand."""
    return YOURS if values["experiment"] == SWAP and values["swap"] != SWAPS[0] else None


def model_names(state: State) -> dict[str, str]:
    """Both models in words; none where a head is trained here."""
    said = prose.read("trained_model")
    return {} if state.experiment in SMALL else {name: said.plain(f"models/{name}") for name in NAMES}


def opening_names(state: State) -> dict[str, str]:
    """The texts that the experiment can begin with: a sentence as it is, a longer text by its name."""
    names = state.text.parts("text_names")
    return {name: names.get(name, " ".join(words)) for name, words in texts_of(state.experiment).items()}


def settings(state: State) -> dict[str, dict[str, str]]:
    """What can be chosen beside the figure: the experiment, and the text that it begins with."""
    return {"experiment": state.text.parts("experiments"), "opening": opening_names(state)}


def choose(name: str, state: State, chosen: str | int) -> permalink.Values:
    """The page with another experiment, model, text or seed."""
    return state.anew(*STAYS[name], **{name: chosen})


LESSON = Lesson(
    "misleading",
    FIELDS,
    variant=lambda state: EXPERIMENTS[state.experiment],
    settings=settings,
    missing_file=missing_file,
    provenance="learned",
    comes_from=comes_from,
)
