"""What Embeddings asks for before the result is shown, and what there is to reach."""

import numpy as np

from attention_core import scaled_dot_product_attention
from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.calculation.result_cache import run_cached
from attention_lab.state.goals import ArgmaxQuestion, ChoiceQuestion, Goal
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import OWN, State
from attention_lab.text.number_format import format_fixed

from . import calculation
from .calculation import CALCULATION as s

LEFT_ALONE = s.moved_here[s.word] <= 0.05
LEAN, LENGTH = s.lean[s.word, 0], s.shift_length[s.word]
OWN_WEIGHT = s.trace.weights[s.word, s.word]
END = {"x": (s.trace.context[s.word, 0], "signed"), "y": (s.trace.context[s.word, 1], "signed")}
MOVED = s.moved_here[s.word]
ADDED = {"added": s.newcomers, "kept": (s.farthest_kept, "steady")}
GOALS = (
    Goal(
        "stay_put",
        LEFT_ALONE,
        LENGTH <= 0.1 * LENGTH.at_start,
        names={"own": (OWN_WEIGHT, "share"), "length": (LENGTH, "steady")},
        own=OWN_WEIGHT >= 0.9,
    ),
    Goal("other_side", LEFT_ALONE, LEAN <= -0.01 * LEAN.at_start, names=END),
    Goal("newcomer", s.newcomers >= 1, s.farthest_kept <= 0.05, LEAN <= -0.01, names=END | ADDED, written=True),
    Goal("alone", MOVED >= 1, names={"moved": (MOVED, "steady")}),
    Goal(
        "outpulled",
        LEFT_ALONE,
        s.moved_here[s.rival] <= 0.05,
        s.outpulled >= 1.05,
        names={"times": (s.outpulled, "steady")},
    ),
    Goal(
        "of_its_kind",
        s.newcomers >= 1,
        s.farthest_kept <= 0.05,
        s.outpulled >= 1.05,
        names={"times": (s.outpulled, "steady")} | ADDED,
        written=True,
    ),
)
PULL = ArgmaxQuestion("strongest_pull", s.trace.weights[s.word], shares=True)
APART = calculation.ENTRIES.apart[0]
START = ChoiceQuestion("same_start", not_at_all=APART <= 0.0, a_little=APART <= 1.0, far=APART >= 1.0)


def question(state: State, now: Results) -> Prediction:
    """What is asked, and what its answer is read from.

    Which word has the largest weight; or, of a word in three phrases, how far apart it is in two of them before
    any context.
    """
    others = [phrase for phrase in calculation.phrases_elsewhere(state) if state.spoken("word") in phrase.words]
    if len(others) < 2 or state.example == OWN:
        return Prediction(PULL, now)
    names = {"here": " ".join(state.words), "there": " ".join(others[-1].words)}
    return Prediction(START, calculation.calculate_entries(state, now, others[-1]), names=names)


def on_offer(state: State, now: Results) -> figure.Column:
    """What to try: hardly moved, across the diagonal, moved by a newcomer."""
    axes, example = state.worked_example.axes, state.worked_example.words
    chosen = {name: now[name] for name in ("word", "other") if name in now}
    at_first = run_cached(now.calculation, state.scope(state.defaults()), now.constants, {}, chosen)
    here, there = (calculation.side_at_first(state, now, words) for words in (state.words, example))
    names = {
        "first": axes[0],
        "second": axes[1],
        "side": axes[1 - here],
        "back": axes[here],
        "across": axes[1 - there],
        "here": axes[there],
        "tenth": format_fixed(0.1 * float(at_first[LENGTH])),
        "sentence": " ".join(example),
        "rival": now.words[now.rival],
    }
    offered = [goal for goal in GOALS if goal.name in state.options("goal")]
    if not can_cross(state.defaults()["vectors"], now):
        offered = [goal for goal in offered if goal.name != "other_side"]
    first = "first_learned" if state.worked_example.learned else "first"
    if [goal.name for goal in offered] == ["alone"]:
        first = "first_alone"
    return figure.goals(state, offered, now, names=names, first=first)


def can_cross(home: np.ndarray, now: Results) -> bool:
    """Whether the other words, wherever they are put, can move the word of interest to the other side.

    Beside a word that lies far out, on the plane's edge, nobody has enough to say.
    """
    place, leans = now.ids[now.word], []
    for corner in (np.array([along, out]) for along in np.linspace(-1, 6, 15) for out in (-1.0, 6.0)):
        for there in (home, corner, corner[::-1]):
            x = np.array([home[row] if row == place or there is home else there for row in now.ids])
            leans.append(float((scaled_dot_product_attention(x, x, x).context @ now.sides)[now.word, 0]))
    return min(leans) <= -0.05 if leans[0] >= 0 else max(leans) >= 0.05
