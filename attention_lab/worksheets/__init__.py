"""Worksheets: tasks to be done by hand, with numbers of one's own, and whether an answer is right.

`make_worksheet(topic, seed)` gives the same tasks for the same seed, on every machine. Their numbers are small
and mostly whole; each answer is computed by the functions that the pages use. `check_answer` reads what somebody
wrote. No sentence is here: tasks, slips and verdicts have names, and whoever shows them has the words.
"""

from random import Random
from types import MappingProxyType

from attention_core import checks
from attention_lab.worksheets import (
    generating,
    geometry,
    learned,
    long_texts,
    modern_model,
    one_head,
    whole_layer,
)
from attention_lab.worksheets.answers import Verdict, check_answer
from attention_lab.worksheets.task import Task, Worksheet

OF_PARTS = (geometry, one_head, whole_layer, learned, generating, modern_model, long_texts)
RECIPES = MappingProxyType({name: recipe for part in OF_PARTS for name, recipe in part.RECIPES.items()})
WORKSHEET_TOPICS = tuple(RECIPES)
LAST_SEED = 9999


def make_worksheet(topic, seed):
    """The worksheet of a topic with the numbers of a seed, a `Worksheet`.

    Raises `ValueError` for another topic than those in `WORKSHEET_TOPICS`, and for a seed that is no whole number
    from 1 to 9999.
    """
    if topic not in RECIPES:
        raise ValueError(f"no worksheet is about {topic!r}; there are {', '.join(RECIPES)}")
    seed = checks.whole_number(seed, "seed", 1)
    if seed > LAST_SEED:
        raise ValueError(f"seed must be at most {LAST_SEED}, got {seed}")
    givens, tasks = RECIPES[topic](Random(f"{topic} {seed}"))
    return Worksheet(topic, seed, MappingProxyType(givens), tuple(tasks))
