"""Another seed: two heads that give the same answers and look elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from attention_core.models import explanations
from attention_core.models.language_model import NAMES
from attention_core.training import forward
from attention_lab import figure
from attention_lab.calculation import Calculation, Results, record
from attention_lab.calculation.operations import (
    attention_network,
    dot_product,
    row,
    token_names,
    weights_apart,
)
from attention_lab.lessons.trained_model import models
from attention_lab.state.goals import Estimate, Goal
from attention_lab.state.state import State

from . import heads, parts
from .elimination import LAST
from .experiment import Experiment
from .fields import FIELDS, FIRST_SEED, SECOND_SEED, SENTENCES
from .heads import FIRST_SEEDS, OUTPUTS, WORDS

NEAR, FAR = 0.15, 0.5
TOGETHER, PARTED = 0.9, 0.1
GIVEN = ("vocabulary", "outputs", "one", "beside", "overlap", "matched_names", "matched_apart")


def seeds(s) -> None:
    """Two small heads on the same sentence."""
    s.words = token_names(s.vocabulary, s.tokens)
    for end, trained in (("", s.one), ("_2", s.beside)):
        seen = attention_network(trained, trained["embeddings"], s.tokens, True, False)
        setattr(s, f"row{end}", row(seen.layers[0]["weights"][0], LAST))
        setattr(s, f"answer{end}", row(seen.probabilities[0], LAST))
    s.apart = weights_apart(s.row, s.row_2)
    s.agree = dot_product(s.answer, s.answer_2)[0, 0]


CALCULATION: Calculation = record(seeds, FIELDS, GIVEN)
s = CALCULATION
GOALS = (
    Goal("disagree", s.agree <= PARTED, tells={"agree": (s.agree, "share"), "apart": (s.apart, "share")}),
    Goal("alike", s.apart <= NEAR, tells={"apart": (s.apart, "share")}),
)
GUESS = Estimate("seeds", most=s.overlap >= 0.7, half=s.overlap >= 0.3, little=s.overlap >= 0)
CASES = {
    "seeds/what/disagree": [s.agree <= PARTED],
    "seeds/what/apart": [s.agree >= 1 - 2 * PARTED, s.apart >= FAR],
    "seeds/what/alike": [s.agree >= 1 - 2 * PARTED],
    "seeds/what/unsure": [],
}


def given(state: State) -> dict[str, Any]:
    """What the calculation reads and no hand can change."""
    one, other = (heads.small_head(seed) for seed in (state.seed, state.other_seed))
    there = matching()
    return {
        "vocabulary": list(WORDS),
        "outputs": list(OUTPUTS[:2]),
        "one": heads.told(one.parameters),
        "beside": heads.told(other.parameters),
        "overlap": 1 - heads.compared(state.seed, state.other_seed)["apart"],
        "matched_names": [f"{a} ~ {b}" for a, b, _ in there.pairs] if there else [],
        "matched_apart": [apart for *_, apart in there.pairs] if there else [],
    }


def matching() -> heads.Matched | None:
    """The two shipped models, head by head; none where the weights of one are missing."""
    return None if any(map(models.fault, NAMES)) else heads.matched(*NAMES)


def names(state: State) -> dict[str, str]:
    """The two seeds."""
    return {
        "seed": str(state.seed),
        "other": str(state.other_seed),
        "count": str(len(heads.small_head(state.seed).said)),
        "agree": f"{100 * heads.compared(state.seed, state.other_seed)['agree']:.0f}",
        "same": f"{100 * heads.compared(state.seed, state.other_seed)['agree']:.0f}",
    }


def suiting(state: State) -> list[Goal]:
    """The goals that one of the ready-made sentences shows can be reached."""
    one, other = (heads.small_head(seed) for seed in (state.seed, state.other_seed))
    tokens = np.array([[WORDS.index(word) for word in words] for words in SENTENCES.values()])
    seen = [forward(head.parameters, tokens) for head in (one, other)]
    rows = [each.layers[0].weights[:, 0, LAST] for each in seen]
    said = [each.probabilities[0, :, LAST] for each in seen]
    apart = [explanations.weights_apart(*pair) for pair in zip(*rows, strict=True)]
    reached = {"alike": min(apart) <= NEAR, "disagree": (said[0] * said[1]).sum(axis=1).min() <= PARTED}
    return [goal for goal in GOALS if reached[goal.name]]


def columns(state: State, guessed: bool) -> list[figure.Column]:
    """The same sentence under both heads; below, all pairs of seeds, and the two shipped models."""
    text, named = state.text, names(state)
    vocabulary = list(range(len(WORDS)))
    beside = [
        parts.lane(s.row, text.plain("seeds/of", seed=named["seed"]), what="weight"),
        parts.lane(s.row_2, text.plain("seeds/of", seed=named["other"]), what="other weight", kind="other"),
    ]
    left = parts.lanes(
        state,
        s.words,
        beside,
        title=text.plain("seeds/title"),
        exchange=parts.exchange(s.tokens, s.vocabulary, [*[vocabulary] * LAST, [WORDS.index(heads.ASKS)]]),
    )
    answers = parts.before_after(state, s.answer[0], s.answer_2[0], s.outputs, small=True)
    said = {name: text.plain(f"seeds/answers/{name}", **named) for name in answers["texts"]}
    tells = {**named, "apart": (s.apart, "share"), "agree": (s.agree, "share")}
    right = [
        answers | {"texts": said},
        parts.follows(state, CASES, tells),
        figure.remark(figures(state) if guessed else text["waits"]),
    ]
    found = [
        figure.Column([figure.pictured(left)], share=1.2, least=parts.LEFT, turn=1),
        figure.Column(right, share=1, least=parts.RIGHT, turn=2),
    ]
    there = matching()
    if not guessed:
        return found
    if there is None:
        missing = ", ".join(f"{name}.npz" for name in NAMES if models.fault(name))
        return [*found, figure.Column([figure.remark(text.plain("missing", file=missing))], turn=3)]
    table = parts.lanes(
        state,
        s.matched_names,
        [parts.lane(s.matched_apart, text.plain("seeds/distance"), what="apart", kind="other")],
        title=text.plain("seeds/models"),
    )
    mean = np.mean([apart for *_, apart in there.pairs])
    said = text.plain(
        "seeds/matched",
        agree=f"{100 * there.agree:.0f}",
        apart=f"{100 * mean:.0f}",
        count=str(len(heads.held_out())),
    )
    return [
        *found,
        figure.Column([figure.heading(text["seeds/models"]), table], share=1.2, least=parts.LEFT, turn=3),
        figure.Column([figure.remark(said)], share=1, least=parts.RIGHT, turn=4),
    ]


def figures(state: State) -> str:
    """How far these two are apart over all held-out sentences, and every two of the first seeds."""
    here, pairs = heads.compared(state.seed, state.other_seed), heads.every_pair()
    told = {
        "apart": f"{100 * here['apart']:.0f}",
        "pairs": str(len(pairs)),
        "seeds": str(FIRST_SEEDS),
        "least": f"{100 * min(each['apart'] for each in pairs):.0f}",
        "most": f"{100 * max(each['apart'] for each in pairs):.0f}",
        "median": f"{100 * np.median([each['apart'] for each in pairs]):.0f}",
        "worst": f"{100 * min(each['agree'] for each in pairs):.0f}",
        "chosen": chosen(state) if (state.seed, state.other_seed) == (FIRST_SEED, SECOND_SEED) else "",
    }
    return state.text.plain("seeds/figures", **told, **names(state)).strip()


def chosen(state: State) -> str:
    """That these seeds are no random ones: how many of the first are like them."""
    here, pairs = heads.compared(state.seed, state.other_seed), heads.every_pair()
    own = [float(heads.small_head(seed).share.min()) for seed in (state.seed, state.other_seed)]
    told = {
        "far": str(sum(each["apart"] >= here["apart"] for each in pairs)),
        "pairs": str(len(pairs)),
        "seeds": str(FIRST_SEEDS),
        "own": " and ".join(f"{share:.2f}" for share in own),
        "middle": f"{np.median([heads.small_head(seed).share.min() for seed in range(FIRST_SEEDS)]):.2f}",
    }
    return state.text.plain("seeds/chosen", **told, **names(state))


def tables(state: State, now: Results) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    text, named = state.text, names(state)
    titles = [text.plain("seeds/of", seed=named[name]) for name in ("seed", "other")]
    pairs = [heads.compared(state.seed, state.other_seed), *heads.every_pair()]
    found = {
        text["tables/weights"]: pd.DataFrame(np.array([now.row[0], now.row_2[0]]).T, now.words, titles),
        text["tables/answers"]: pd.DataFrame(np.array([now.answer[0], now.answer_2[0]]).T, OUTPUTS[:2], titles),
        text["tables/pairs"]: pd.DataFrame(pairs).rename(
            columns={"apart": text["tables/apart"], "agree": text["tables/agree"]}
        ),
    }
    if there := matching():
        apart = {text["tables/apart"]: [apart for *_, apart in there.pairs]}
        found[text["seeds/models"]] = pd.DataFrame(apart, now.matched_names)
    return found


EXPERIMENT = Experiment(
    calculation=CALCULATION,
    constants=given,
    question=GUESS,
    goals=suiting,
    names=names,
    columns=columns,
    tables=tables,
    first_move=lambda _, now: f"word {heads.telling_word(now)}",
    seeds=("seed", "other_seed"),
)
