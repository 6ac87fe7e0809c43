"""What training can be told, what it is told by default, and what it refuses."""

import numpy as np

from attention_core import checks

SETTINGS = {
    "d_model": 16,  # numbers in a word's vector
    "d_k": 2,  # in a query, a key, and a value: d_v is the same
    "num_heads": 1,  # at most one for each group of the task
    "num_layers": 1,
    "learning_rate": 0.02,
    "positions": True,  # a learned vector for each place is added
    "scaled": True,  # scores divided by √d_k
    "shared_query_key": False,  # one matrix makes queries and keys
    "causal": False,  # nobody looks at what comes later
    "own_heads": True,  # with a head for each group, each is answered from its own; or all from all
    "entropy_penalty": 0.0,  # times the weights' mean entropy, added to the loss
    "stop_when_learned": True,
}

LARGEST_WIDTH, LAYERS = 128, (1, 2)


def known_settings(settings):
    """Refuse a setting that there is not, and a value that it cannot have; give back what is given."""
    return {name: _value(name, value) for name, value in settings.items()}


def _value(name, value):
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
    number = checks.whole_number(value, name, 1)
    if name == "num_layers" and number not in LAYERS:
        raise ValueError(f"num_layers must be 1 or 2, got {value!r}")
    if number > LARGEST_WIDTH:
        raise ValueError(f"{name} must be at most {LARGEST_WIDTH}, got {value!r}")
    return number


def settings_for(task, settings):
    """All settings of a run: the task's own, changed by those that are given."""
    settled = SETTINGS | known_settings(task.settings) | known_settings(settings)
    groups = len(task.outputs)
    if settled["num_heads"] > groups:
        possible = "1" if groups == 1 else f"1 to {groups}"
        raise ValueError(
            f"num_heads must be {possible} for {task.name}, which asks {groups} thing{'s' * (groups > 1)} "
            f"of a word, got {settled['num_heads']}"
        )
    return settled
