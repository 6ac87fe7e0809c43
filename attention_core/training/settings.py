"""The settings of training: defaults and validation."""

import numpy as np

from attention_core import checks

SETTINGS = {
    "d_model": 16,  # components of a word's vector
    "d_k": 2,  # components of a query, a key and a value: d_v is the same
    "num_heads": 1,  # at most one for each group of the task
    "num_layers": 1,
    "learning_rate": 0.02,
    "positions": True,  # add a learned vector for each position
    "scaled": True,  # divide scores by √d_k
    "shared_query_key": False,  # one matrix for queries and keys
    "causal": False,  # mask later words
    "own_heads": True,  # with as many heads as groups, each group reads one head; otherwise all heads
    "entropy_penalty": 0.0,  # factor of the weights' mean entropy in the loss
    "stop_when_learned": True,
}

LARGEST_WIDTH, LAYERS = 128, (1, 2)


def validate_settings(settings):
    """Return the settings; refuse unknown names and impossible values."""
    return {name: _validate(name, value) for name, value in settings.items()}


def _validate(name, value):
    if name not in SETTINGS:
        raise ValueError(f"no setting is called {name!r}; there are {', '.join(SETTINGS)}")
    if isinstance(SETTINGS[name], bool):
        if not isinstance(value, (bool, np.bool)):
            raise ValueError(f"{name} must be True or False, got {value!r}")
        return bool(value)
    if name == "learning_rate":
        return checks.positive_number(value, name)
    if name == "entropy_penalty":
        if (number := checks.real_number(value, name)) < 0:
            raise ValueError(f"{name} must be 0 or more, got {value!r}")
        return number
    if name != "num_layers":
        return checks.whole_number(value, name, 1, LARGEST_WIDTH)
    if (number := checks.whole_number(value, name, 1)) not in LAYERS:
        raise ValueError(f"num_layers must be 1 or 2, got {value!r}")
    return number


def settings_for(task, settings):
    """Return all settings of a run: the defaults, the task's own and `settings`, the last taking precedence."""
    merged = SETTINGS | validate_settings(task.settings) | validate_settings(settings)
    groups = len(task.outputs)
    if merged["num_heads"] > groups:
        possible = "1" if groups == 1 else f"1 to {groups}"
        raise ValueError(
            f"num_heads must be {possible} for {task.name}, which asks {groups} thing{'s' * (groups > 1)} "
            f"of a word, got {merged['num_heads']}"
        )
    return merged
