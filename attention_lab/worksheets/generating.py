"""Tasks on writing a text: which token is drawn, and which rows are computed."""

from itertools import combinations

import numpy as np

from attention_core.models.writing import Sampling, choose
from attention_core.softmax import softmax
from attention_lab.worksheets.task import chosen, exact, named, rounded

NEXT = (("was", "saw", "left"), ("cat", "tower", "robot"), ("red", "blue", "green"), ("the", "a", "very"))

# Without 2, 1, 0: there, softmax and dividing by the sum both round to 0.67.
SCORES = tuple(scores for scores in combinations(range(4, -1, -1), 3) if scores != (2, 1, 0))


def generating(random):
    """Logits of three tokens: temperature, top-k and the draw; and what a cache saves."""
    words = random.choice(NEXT)
    scores = random.choice(SCORES)
    logits = np.array(scores, dtype=float)
    temperature = random.choice((0.5, 2))
    shares, cooled = softmax(logits), Sampling(temperature).adjust(logits, 3)
    best_two = Sampling(top_k=2).adjust(logits, 3)
    tenths = random.choice(((5, 3, 2), (6, 3, 1), (4, 4, 2), (7, 2, 1)))
    draw = (2 * random.randrange(10) + 1) / 20  # never on an edge
    start, more = random.randint(3, 8), random.randint(2, 4)
    again = sum(range(start, start + more + 1))
    return {"scores": named(words, scores)}, [
        rounded("share", shares[0], {"not_exponentials": scores[0] / sum(scores)}, first=words[0]),
        rounded("cooled", cooled[0], {"not_cooled": shares[0]}, first=words[0], temperature=temperature),
        rounded("top_two", best_two[0], {"not_shared_out": shares[0]}, first=words[0]),
        chosen("drawn", words[choose(np.array(tenths) / 10, draw)], words, tenths=tenths, draw=draw),
        exact("rows_cached", start + more, {"all_again": again}, start=start, more=more),
        exact("rows_again", again, {"once_each": start + more}, start=start, more=more),
    ]


RECIPES = {"generating": generating}
