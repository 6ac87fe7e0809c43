"""One number of the head: its gradient by the formulas and by finite difference, and the step that Adam takes."""

from dataclasses import dataclass

import numpy as np

from attention_core import loss_and_gradients
from attention_lab.state import permalink
from attention_lab.state.state import State
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.number_format import format_digits, format_fixed, format_number

from .fields import moves_of, run_of, settings_of, task_of
from .runs import moved

STEP = 1e-4  # by which the number is moved to try it out
SHOWN = 3  # sentences that push hardest


@dataclass(frozen=True, eq=False)
class Push:
    """The gradient of one number on the sentences that the next step of the training takes."""

    number: float
    gradient: float  # by the formulas
    above: float  # the loss with the number a little larger
    below: float  # and a little smaller
    sentences: list[tuple[str, float]]  # what each adds to the gradient, the largest first
    update: float  # what the next step adds to the number
    momentum: float  # the part of it that earlier batches push

    @property
    def tried(self) -> float:
        """The gradient by trying it out."""
        return (self.above - self.below) / (2 * STEP)


def numbers_offered(values: permalink.Values) -> list[str]:
    """Every number that is learned: the name of its array, and its place there."""
    return [
        ".".join(map(str, (name, *place)))
        for name, array in run_of(values, ()).parameters.items()
        for place in np.ndindex(array.shape[1:])
    ]


def labels(state: State) -> dict[str, str]:
    """What each number is called."""
    words, text = task_of(state.task).words, state.text
    shapes = {name: array.shape[1:] for name, array in run_of(state.values, ()).parameters.items()}
    result = {}
    for option in state.options("number"):
        name, *place = option.split(".")
        sizes = shapes[name]
        if name == "bias":
            (question, column), row = map(int, place), 0
            section = "bias_of_question" if sizes[0] > 1 else "bias"
            among = {"question": str(question + 1)}
        else:
            *which, row, column = map(int, place)
            section, among = _section(name, sizes, which)
        result[option] = text.plain(
            f"numbers/{section}",
            matrix=text.plain(f"numbers/{name}") if section.startswith("matrix") else "",
            row=words[row] if name == "embeddings" else str(row + 1),
            column=str(column + 1),
            **among,
        )
    return result


def _section(name: str, sizes: tuple[int, ...], which: list[int]) -> tuple[str, dict[str, str]]:
    """Return the section that names an entry of a table or matrix, and which of several matrices it is in."""
    if len(sizes) == 2:
        return name, {}
    numbers = [str(k + 1) for k in which]
    if len(sizes) == 3:
        return ("matrix_of_question", {"question": numbers[0]}) if sizes[0] > 1 else ("matrix", {})
    several = sizes[0] > 1 or sizes[1] > 1
    return "matrix_of_head" if several else "matrix", dict(zip(("layer", "head"), numbers, strict=True))


def push(state: State) -> Push:
    """How the number chosen is pushed at the step shown."""
    values, task = state.values, task_of(state.task)
    run = run_of(values)
    here = run.at(state.step)
    parameters = {name: array[here].astype(float) for name, array in run.parameters.items()}
    by_hand = [move for move in moves_of(values) if move[0] == run.steps[here]]
    parameters["embeddings"] = moved(parameters["embeddings"], run.axes["words"], by_hand)
    batch, settings = run.batch(here), settings_of(values)
    name, *place = state.number.split(".")
    place = tuple(map(int, place))

    def loss(number: float) -> float:
        changed = dict(parameters, **{name: parameters[name].copy()})
        changed[name][place] = number
        return loss_and_gradients(changed, task.sentences[batch], task.targets[batch], **settings)[0]

    number = float(parameters[name][place])
    _, gradients = loss_and_gradients(parameters, task.sentences[batch], task.targets[batch], **settings)
    asked = (task.targets[batch] >= 0).sum(axis=(1, 2))
    parts = [
        float(loss_and_gradients(parameters, task.sentences[[k]], task.targets[[k]], **settings)[1][name][place])
        * count
        / asked.sum()
        for k, count in zip(batch, asked, strict=True)
    ]
    order = np.argsort(-np.abs(parts), kind="stable")
    sentences = [(" ".join(task.sentence(batch[k])), parts[k]) for k in order]
    gradient = float(gradients[name][place])
    update, momentum = (float(arrays[name][place]) for arrays in run.next_step(here))
    return Push(number, gradient, loss(number + STEP), loss(number - STEP), sentences, update, momentum)


def worked(state: State) -> str:
    """The gradient as worked numbers, by the formulas and by trying it out, in words."""
    found, text = push(state), state.text
    hardest = found.sentences[:SHOWN]
    others = sum(part for _, part in found.sentences[SHOWN:])
    rows = [
        *((text.filled("gradient/sentence", sentence=escape_markdown(said)), part) for said, part in hardest),
        (text.filled("gradient/others", count=str(len(found.sentences) - len(hardest))), others),
        (text["gradient/sum"], found.gradient),
    ]
    formula = "\n".join(f"| {said} | {format_number(part)} |" for said, part in rows)
    tried = text.filled(
        "gradient/tried",
        above=format_fixed(found.above, 9),
        below=format_fixed(found.below, 9),
        step=format_digits(STEP),
        twice=format_digits(2 * STEP),
        result=format_number(found.tried),
    )
    way = "gradient/less" if found.gradient > 0 else "gradient/more" if found.gradient < 0 else "gradient/stays"
    head = text.filled("gradient/number", number=format_number(found.number), step=str(state.step))
    step = text.filled(
        "gradient/step",
        update=format_number(found.update),
        batch=format_number(found.update - found.momentum),
        momentum=format_number(found.momentum),
    )
    against = f" {text['gradient/against']}" if found.update * found.gradient > 0 else ""
    return (
        f"{head}\n\n{text['gradient/head']}\n|:---|---:|\n{formula}\n\n{tried}\n\n{text[way]}\n\n{step}{against}"
    )
