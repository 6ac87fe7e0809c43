"""What a program needs that trains the same head from the same start, in values that Python writes and reads."""

import numpy as np

LETTERS = ".abcdefghijklmnopqrstuvwxyz"


def for_programs(run, begun=0):
    """A run's start, settings and sentences, for ``attention_lab/export/programs/…/train_a_head.py``.

    `begun` is the step at which it begins, where it goes on with another.
    Sentences are written with a letter for each word of the task (two for a token of two features),
    what must be said with a letter for each answer and a dot where nothing is asked; a space after each.
    """
    task = run.task
    features = task.sentences.shape[2] if task.sentences.ndim == 3 else 1
    given = {
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
        given[name], given[f"{name}_answers"] = _written(task.sentences[part]), _written(task.targets[part])
    return given


def _written(indices):
    return " ".join("".join(LETTERS[i + 1] for i in row) for row in indices.reshape(len(indices), -1).tolist())
