"""The data of a program that repeats a training run, in values that Python writes and reads."""

import numpy as np

LETTERS = ".abcdefghijklmnopqrstuvwxyz"


def for_programs(run, begun=0):
    """Return a run's start, settings and data, for ``attention_lab/export/programs/…/train_a_head.py``.

    `begun` is the number of steps before this run, where it continues another. A sentence has a letter for each
    word (two for a token of two features); its answers have a letter for each target, and a dot where nothing is
    asked. Spaces separate sentences.
    """
    task = run.task
    features = task.sentences.shape[2] if task.sentences.ndim == 3 else 1
    data = {
        "settings": {
            name: run.settings[name] for name in ("scaled", "causal", "learning_rate", "entropy_penalty")
        },
        "start": {name: array[0].astype(np.float64).tolist() for name, array in run.parameters.items()},
        "seed": run.seed,
        "steps": int(run.steps[-1]),
        "every": int(run.steps[min(1, len(run.steps) - 1)]) or 1,
        "begun": int(begun),
        "features": features,
    }
    for name, part in (("trained", ~task.held_out), ("held_out", task.held_out)):
        data[name], data[f"{name}_answers"] = _letters(task.sentences[part]), _letters(task.targets[part])
    return data


def _letters(indices):
    return " ".join("".join(LETTERS[i + 1] for i in row) for row in indices.reshape(len(indices), -1).tolist())
