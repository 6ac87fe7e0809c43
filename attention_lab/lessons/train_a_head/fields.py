"""What the address of a trained head holds: its task, its settings, its seed, the moment, and what a hand did."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core import task_names
from attention_lab.state import permalink
from attention_lab.state.permalink import Range, Rules
from attention_lab.state.state import State

from .runs import Moves, Run, find_run, task_of

SEEDS, MOST_MOVES = 10_000, 48
STEPS = ("50", "100", "150", "300", "600")
RATES = ("0.001", "0.003", "0.01", "0.02", "0.05", "0.1", "0.3", "1", "10", "1e9")
ON, OFF = "on", "off"
# Settings as the address knows them, by their names in `attention_core.train`.
SWITCHES = {"positions": "positions", "scaled": "scaled", "shared": "shared_query_key", "causal": "causal"}
SIZES = {"heads": "num_heads", "layers": "num_layers", "rate": "learning_rate"}
SETTINGS = (*SWITCHES, *SIZES)
NOTHING, SEED, HAND = "nothing", "seed", "hand"
DIFFERENCES = (NOTHING, SEED, HAND, *SETTINGS)  # in what a second run may differ from the first
GOAL_NAMES = ("all_right", "other_arrangement", "one_switch", "in_doubt", "arrange")


def default_of(setting: str, values: permalink.Values) -> str:
    """A setting as the task has it."""
    task = task_of(values["task"])
    if setting in SWITCHES:
        return ON if task.settings.get(SWITCHES[setting], setting in ("positions", "scaled")) else OFF
    if setting == "rate":
        return f"{task.settings.get('learning_rate', 0.02):g}"
    return str(task.settings.get(SIZES[setting], 1))


def heads_offered(values: permalink.Values) -> list[str]:
    """One head, or one for each thing that the task asks of a word."""
    return [str(n + 1) for n in range(len(task_of(values["task"]).outputs))]


def seconds_offered(values: permalink.Values) -> list[str]:
    """In what a second run may differ: in heads where there can be several, in moves where there are some."""
    possible = {"heads": len(heads_offered(values)) > 1, HAND: len(values["moves"]) > 0}
    return [name for name in DIFFERENCES if possible.get(name, True)]


def _sentence() -> permalink.Field:
    """The sentence that is asked about, as numbers of the task's words: one row for each feature of a token."""

    def first(values: permalink.Values) -> np.ndarray:
        return sentences_of(values["task"])[0].astype(float)

    return permalink.ruled(
        "sentence",
        "the sentence shown, as word numbers",
        first,
        lambda values: Rules((permalink.numbered(len(task_of(values["task"]).words)),), first(values).shape),
    )


def sentences_of(task: str) -> list[np.ndarray]:
    """A few sentences that are never trained on, each with a row for each feature of its tokens."""
    known = task_of(task)
    return [np.atleast_2d(sentence.T) for sentence in known.sentences[known.shown]]


def _moves(values: permalink.Values) -> Rules:
    """A step, a word, and how far it was moved to the right and up."""
    last = len(task_of(values["task"]).words) - 1
    why = "no_move", {"most": last}
    step, word = Range(0, whole=True, why=why), Range(0, last, whole=True, why=why)
    return Rules((step, word, permalink.ANYWHERE), (None, 4), MOST_MOVES)


def first_asked(values: permalink.Values) -> str:
    """The first place at which the task asks something of the sentence that opens it."""
    task = task_of(values["task"])
    return str(int(np.argmax((task.targets[task.shown[0]] >= 0).any(axis=-1))) + 1)


def field(name: str, meaning: str, options: Any) -> permalink.Field:
    """A setting of a run, by default as the task has it."""
    return permalink.choice(name, meaning, options, lambda values: default_of(name, values))


FIELDS = (
    permalink.choice("task", "the task that the head learns", task_names()),
    permalink.whole_number(
        "seed",
        "the seed of the first parameters and of the sentences' order",
        0,
        SEEDS - 1,
        lambda _: 0,
        interactive=False,
    ),
    permalink.choice("steps", "the maximum number of steps", STEPS, "150"),
    field("positions", "whether each position has a learned vector", (ON, OFF)),
    field("scaled", "whether scores are divided by √d", (ON, OFF)),
    field("shared", "whether one matrix makes both queries and keys", (OFF, ON)),
    field("causal", "whether a causal mask hides later words", (OFF, ON)),
    field("heads", "the number of heads", heads_offered),
    field("layers", "the number of layers", ("1", "2")),
    field("rate", "the learning rate", RATES),
    permalink.own_matrix(
        "moves",
        "the reader's moves: step, word, distance to the right and upwards",
        _moves,
        from_example=True,
        retrains=True,
    ),
    permalink.choice("second", "the setting in which a second run differs", seconds_offered, NOTHING),
    permalink.whole_number(
        "other_seed", "the seed of a second run", 0, SEEDS - 1, lambda _: 1, interactive=False
    ),
    permalink.choice("other_rate", "the learning rate of a second run", RATES, "0.1"),
    permalink.whole_number("step", "the step shown", 0, 60_000, lambda _: 0),
    _sentence(),
    permalink.choice(
        "asks",
        "the position of the query word",
        lambda values: [str(place + 1) for place in range(values["sentence"].shape[1])],
        first_asked,
        interactive=True,
    ),
    permalink.choice(
        "head", "the head shown", lambda values: heads_offered(values)[: int(values["heads"])], interactive=True
    ),
    permalink.choice(
        "layer",
        "the layer shown",
        lambda values: ["1", "2"][: int(values["layers"])],
        lambda values: values["layers"],
        interactive=True,
    ),
    permalink.choice("force", "whether every word's negative gradient is shown", (OFF, ON), interactive=True),
    permalink.goal_field(GOAL_NAMES),
)


# From settings to runs -------------------------------------------------------------------------------------


def settings_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as `attention_core.train` wants them."""
    result: dict[str, Any] = {name: values[field] == ON for field, name in SWITCHES.items()}
    result |= {name: int(values[field]) for field, name in SIZES.items() if field != "rate"}
    return result | {"learning_rate": float(values["rate"])}


def moves_of(values: Mapping[str, Any]) -> Moves:
    """What a hand did, in the order of the steps."""
    return tuple(sorted(tuple(float(number) for number in row) for row in values["moves"]))


def run_of(values: Mapping[str, Any], moves: Moves | None = None) -> Run:
    """The run of a page's values."""
    settings = tuple(sorted(settings_of(values).items()))
    by_hand = moves_of(values) if moves is None else moves
    return find_run(values["task"], values["seed"], int(values["steps"]), settings, by_hand)


def second_values(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values of the second run: the first one's, but for one."""
    second, result = values["second"], dict(values)
    if second == NOTHING:
        return None
    if second == SEED:
        result["seed"] = values["other_seed"]
    elif second == HAND:
        result["moves"] = np.empty((0, 4))
    elif second == "rate":
        result["rate"] = values["other_rate"]
    elif second in SWITCHES:
        result[second] = OFF if values[second] == ON else ON
    else:
        result[second] = "2" if values[second] == "1" else "1"
    return result


def second_run(state: State) -> Run | None:
    """The second run, where one is wanted."""
    values = second_values(state.values)
    return None if values is None else run_of(values)
