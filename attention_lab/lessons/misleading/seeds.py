"""Another seed: two heads that give the same answers and look elsewhere."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core.models import explanations
from attention_core.models.language_model import NAMES
from attention_core.training import forward
from attention_lab import figure, language_models
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import attention_network, dot_product, row, token_names
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State
from attention_lab.text import listed, ui_text
from attention_lab.text.number_format import format_fixed, format_percentage

from . import heads, parts
from .elimination import LAST
from .fields import FIELDS, FIRST_SEED, SECOND_SEED, SENTENCES
from .heads import FIRST_SEEDS, OUTPUTS, WORDS
from .operations import total_variation_distance

NEAR, FAR = 0.15, 0.5
ANSWERS = ("title", "before", "after", "still", "instead")
TOGETHER, PARTED = 0.9, 0.1
CONSTANTS = ("vocabulary", "outputs", "one", "beside", "overlap", "matched_names", "matched_apart")


def seeds(s) -> None:
    """Two small heads on the same sentence."""
    s.words = token_names(s.vocabulary, s.tokens)
    for end, trained in (("", s.one), ("_2", s.beside)):
        seen = attention_network(trained, trained["embeddings"], s.tokens, True, False)
        setattr(s, f"row{end}", row(seen.layers[0]["weights"][0], LAST))
        setattr(s, f"answer{end}", row(seen.probabilities[0], LAST))
    s.apart = total_variation_distance(s.row, s.row_2)
    s.agree = dot_product(s.answer, s.answer_2)[0, 0]


CALCULATION = s = record(seeds, FIELDS, CONSTANTS)
GOALS = (
    Goal("disagree", s.agree <= PARTED, names={"agree": (s.agree, "share"), "apart": (s.apart, "share")}),
    Goal("alike", s.apart <= NEAR, names={"apart": (s.apart, "share")}),
)
GUESS = ChoiceQuestion("seeds", most=s.overlap >= 0.7, half=s.overlap >= 0.3, little=s.overlap >= 0)
CASES = {
    "seeds/what/disagree": [s.agree <= PARTED],
    "seeds/what/apart": [s.agree >= 1 - 2 * PARTED, s.apart >= FAR],
    "seeds/what/alike": [s.agree >= 1 - 2 * PARTED],
    "seeds/what/unsure": [],
}


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    one, other = (heads.small_head(seed) for seed in (state.seed, state.other_seed))
    there = matching()
    return {
        "vocabulary": list(WORDS),
        "outputs": list(OUTPUTS[:2]),
        "one": heads.to_lists(one.parameters),
        "beside": heads.to_lists(other.parameters),
        "overlap": 1 - heads.compared(state.seed, state.other_seed)["apart"],
        "matched_names": [f"{a} ~ {b}" for a, b, _ in there.pairs] if there else [],
        "matched_apart": [apart for *_, apart in there.pairs] if there else [],
    }


def matching() -> heads.Matched | None:
    """The two shipped models, head by head; none where the weights of one are missing."""
    return None if any(map(language_models.fault, NAMES)) else heads.matched(*NAMES)


def names(state: State) -> dict[str, str]:
    """The two seeds."""
    return {
        "seed": str(state.seed),
        "other": str(state.other_seed),
        "count": str(len(heads.small_head(state.seed).answers)),
        "agree": format_fixed(100 * heads.compared(state.seed, state.other_seed)["agree"], 0),
        "same": format_fixed(100 * heads.compared(state.seed, state.other_seed)["agree"], 0),
        "near": format_percentage(NEAR),
        "parted": format_fixed(100 * PARTED, 0),
    }


def reachable_goals(state: State) -> list[Goal]:
    """The goals that one of the ready-made sentences shows can be reached."""
    one, other = (heads.small_head(seed) for seed in (state.seed, state.other_seed))
    tokens = np.array([[WORDS.index(word) for word in words] for words in SENTENCES.values()])
    seen = [forward(head.parameters, tokens) for head in (one, other)]
    rows = [each.layers[0].weights[:, 0, LAST] for each in seen]
    said = [each.probabilities[0, :, LAST] for each in seen]
    apart = [explanations.total_variation_distance(*pair) for pair in zip(*rows, strict=True)]
    reached = {"alike": min(apart) <= NEAR, "disagree": (said[0] * said[1]).sum(axis=1).min() <= PARTED}
    return [goal for goal in GOALS if reached[goal.name]]


def columns(state: State, guessed: bool) -> list[figure.Column]:
    """The same sentence under both heads; below, all pairs of seeds, and the two shipped models."""
    text, named = state.text, names(state)
    vocabulary = list(range(len(WORDS)))
    beside = [
        parts.lane(s.row, text.plain("seeds/of", seed=named["seed"]), what="weight"),
        parts.lane(s.row_2, text.plain("seeds/of", seed=named["other"]), what="other weight"),
    ]
    left = parts.lanes(
        state,
        s.words,
        beside,
        title=text.plain("seeds/title"),
        swap=parts.swap(s.tokens, s.vocabulary, [*[vocabulary] * LAST, [WORDS.index(heads.ASKS)]]),
    )
    answers = parts.before_after(state, s.answer[0], s.answer_2[0], s.outputs, small=True)
    sentence = {name: text.plain(f"seeds/answers/{name}", **named) for name in ANSWERS}
    tells = {**named, "apart": (s.apart, "share"), "agree": (s.agree, "share")}
    right = [answers | {"texts": sentence}]
    if guessed:
        right += parts.concluded(state, CASES, tells, [figure.remark(figures(state))])
    result = parts.abreast([figure.pictured(left)], right)
    there = matching()
    if not guessed:
        return result
    if there is None:
        missing = listed(f"{name}.npz" for name in NAMES if language_models.fault(name))
        return [*result, figure.Column([figure.remark(ui_text("weights_missing/figure", file=missing))], turn=3)]
    table = parts.lanes(
        state,
        s.matched_names,
        [parts.lane(s.matched_apart, text.plain("seeds/distance"), what="apart", kind="plain")],
        title=text.plain("seeds/models"),
    )
    mean = np.mean([apart for *_, apart in there.pairs])
    sentence = text.plain(
        "seeds/matched",
        agree=format_fixed(100 * there.agree, 0),
        apart=format_fixed(100 * mean, 0),
        count=str(len(heads.held_out())),
    )
    fold = figure.fold(
        text.plain("seeds/models"),
        figure.Column([table], share=1.2, least=parts.LEFT),
        figure.Column([figure.remark(sentence)], share=1, least=parts.RIGHT),
    )
    return [*result, figure.Column([fold], least=figure.WHOLE_WIDTH, turn=3)]


def figures(state: State) -> str:
    """How far these two are apart over all held-out sentences, and every two of the first seeds."""
    here, pairs = heads.compared(state.seed, state.other_seed), heads.every_pair()
    placeholders = {
        "apart": format_fixed(100 * here["apart"], 0),
        "pairs": str(len(pairs)),
        "seeds": str(FIRST_SEEDS),
        "least": format_fixed(100 * min(each["apart"] for each in pairs), 0),
        "most": format_fixed(100 * max(each["apart"] for each in pairs), 0),
        "median": format_fixed(100 * np.median([each["apart"] for each in pairs]), 0),
        "worst": format_fixed(100 * min(each["agree"] for each in pairs), 0),
    }
    paragraphs = [state.text.plain("seeds/figures", **placeholders, **names(state))]
    if (state.seed, state.other_seed) == (FIRST_SEED, SECOND_SEED):
        paragraphs.append(chosen(state))
    return "\n\n".join(paragraphs)


def chosen(state: State) -> str:
    """That these seeds are no random ones: how many of the first are like them."""
    here, pairs = heads.compared(state.seed, state.other_seed), heads.every_pair()
    own = [float(heads.small_head(seed).share.min()) for seed in (state.seed, state.other_seed)]
    placeholders = {
        "far": str(sum(each["apart"] >= here["apart"] for each in pairs)),
        "pairs": str(len(pairs)),
        "seeds": str(FIRST_SEEDS),
        "own_one": format_fixed(own[0]),
        "own_other": format_fixed(own[1]),
        "middle": format_fixed(np.median([heads.small_head(seed).share.min() for seed in range(FIRST_SEEDS)])),
    }
    return state.text.plain("seeds/chosen", **placeholders, **names(state))


def tables(state: State, now: Results) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    text, named = state.text, names(state)
    titles = [text.plain("seeds/of", seed=named[name]) for name in ("seed", "other")]
    pairs = [heads.compared(state.seed, state.other_seed), *heads.every_pair()]
    result = {
        text["tables/weights"]: pd.DataFrame(np.array([now.row[0], now.row_2[0]]).T, now.words, titles),
        text["tables/answers"]: pd.DataFrame(np.array([now.answer[0], now.answer_2[0]]).T, OUTPUTS[:2], titles),
        text["tables/pairs"]: pd.DataFrame(pairs).rename(
            columns={"apart": text["tables/apart"], "agree": text["tables/agree"]}
        ),
    }
    if there := matching():
        apart = {text["tables/apart"]: [apart for *_, apart in there.pairs]}
        result[text["seeds/models"]] = pd.DataFrame(apart, now.matched_names)
    return result
