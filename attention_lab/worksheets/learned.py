"""Tasks on what is learned: a loss and its slope, what heads add, two rows that rise together or not."""

import itertools
import math

import numpy as np

from attention_core.models.explanations import rearranged, shifted_row, total_variation_distance
from attention_core.similarity import cosine_similarity, rank_correlation
from attention_core.softmax import softmax
from attention_lab.worksheets.geometry import QUARTERS
from attention_lab.worksheets.task import chosen, differ, exact, named, rounded, until, vector

ANSWERS = (("fruit", "company", "town"), ("red", "green", "blue"), ("cat", "dog", "bird"))
NEXT = (("field", "stage"), ("river", "money"), ("sky", "sea"), ("door", "window"))
TEXTS = (("never", "so", "happy"), ("dull", "first", "act"), ("the", "plot", "shines"), ("slow", "but", "wise"))
VERDICTS = (("good", "bad"), ("yes", "no"), ("true", "false"))
SENTENCES = (
    ("the", "animal", "was", "too", "tired"),
    ("she", "put", "money", "in", "banks"),
    ("old", "ships", "cross", "wide", "seas"),
)


def train_a_head(random):
    """A loss, its slope, and one step downhill."""
    words = random.choice(ANSWERS)
    scores = tuple(random.sample(range(4), 3))
    shares = softmax(np.array(scores, dtype=float))
    place = random.choice(np.argsort(scores)[:2].tolist())  # not the one it would have said
    right = np.arange(3) == place
    slope = shares - right
    rate = random.choice((1, 2))
    answers, of, got = random.randint(2, 8), random.choice((8, 10, 16, 20)), random.randint(1, 7)
    loss = -math.log(shares[place])
    return {"scores": named(words, scores), "right": words[place]}, [
        rounded("share", shares[place], {"not_exponentials": scores[place] / sum(scores)}),
        rounded("loss", loss, {"base_2": loss / math.log(2), "base_10": loss / math.log(10)}, tolerance=0.03),
        rounded("slope", slope, {"shares_alone": shares, "turned_round": -slope}, tolerance=0.0101),
        rounded(
            "step",
            scores[place] - rate * slope[place],
            {"uphill": scores[place] + rate * slope[place]},
            tolerance=0.03,
            rate=rate,
        ),
        rounded("chance", math.log(answers), {"one_in": 1 / answers}, answers=answers),
        rounded("accuracy", got / of, {"wrong_ones": 1 - got / of}, got=got, of=of),
    ]


def trained_model(random):
    """What each head adds to the next word."""
    words = random.choice(NEXT)

    def draw():
        start = tuple(random.randint(-1, 2) for _ in words)
        return start, tuple(tuple(random.randint(-2, 3) for _ in words) for _ in range(3))

    def fits(data):
        start, added = map(np.array, data)
        total = start + added.sum(axis=0)
        lead = total[0] - total[1]
        without = [lead - (head[0] - head[1]) for head in added]
        turning = [k for k, other in enumerate(without) if other * lead < 0]
        return 1 <= abs(lead) <= 3 and len(turning) == 1 and all(without)

    start, added = until(draw, fits)
    total = np.sum([start, *added], axis=0)
    shares = softmax(total.astype(float))
    leading = int(total.argmax())
    turning = next(k for k, head in enumerate(added) if int((total - head).argmax()) != leading)
    off = random.randrange(3)
    data = {"start": named(words, start)} | {f"head_{k + 1}": named(words, head) for k, head in enumerate(added)}
    return data, [
        exact("totals", total, {"without_start": total - start}),
        chosen("next", words[leading], words),
        rounded(
            "share",
            shares[leading],
            {"not_exponentials": total[leading] / total.sum() if total.sum() else 0.0},
            first=words[leading],
        ),
        exact("off", total - added[off], {"head_alone": added[off]}, head=off + 1),
        exact("turning", turning + 1),
        rounded(
            "share_off",
            softmax((total - added[turning]).astype(float))[1 - leading],
            {"still_on": shares[1 - leading]},
            head=turning + 1,
            first=words[1 - leading],
        ),
    ]


def misleading(random):
    """What a head hands over and what its weights say: a word taken out, weights exchanged, spread evenly."""
    words, (one, other) = random.choice(TEXTS), random.choice(VERDICTS)

    def exchanged(shares):
        """The largest weight and the one after it change places."""
        order, largest = np.arange(3), int(np.argmax(shares))
        order[[largest, (largest + 1) % 3]] = (largest + 1) % 3, largest
        return rearranged([shares], [order])

    def draw():
        return tuple(vector(random, 2, -6, 8) for _ in words), random.choice(QUARTERS), random.choice(QUARTERS)

    def fits(data):
        handed, shares, apart = data
        leads = np.array(handed) @ (1, -1)
        parts, ordered = np.abs(shares * leads), sorted(shares)
        sure = (shares @ leads) * (exchanged(shares)[0] @ leads) * leads.sum() != 0
        another_tells = differ(parts, 0.5) and parts.argmax() != np.argmax(shares)
        return sure and another_tells and ordered[-1] > ordered[-2] and shares != apart

    handed, shares, apart = until(draw, fits)
    row, rows = np.array([shares]), np.array(handed, dtype=float)
    leads, largest = rows @ (1, -1), int(np.argmax(shares))
    off = row * (np.arange(3) == largest)

    def predicted(weights):
        return (one, other)[int((weights @ rows)[0].argmax())]

    data = {"handed": named(words, handed), "shares": named(words, shares), "one": one, "other": other}
    first, second = words[largest], words[(largest + 1) % 3]
    return data, [
        exact("added", row @ rows, {"sum_not_mix": rows.sum(axis=0), "evenly": rows.mean(axis=0)}),
        exact("parts", row[0] * leads, {"not_weighted": leads}),
        chosen("tells_most", words[int(np.abs(row[0] * leads).argmax())], words, {"largest_share": first}),
        exact("taken_out", shifted_row(row, -off) @ rows, {"not_shared_out": (row - off) @ rows}, first=first),
        chosen("exchanged", predicted(exchanged(shares)), (one, other), first=first, second=second),
        chosen("evenly_says", predicted(np.full((1, 3), 1 / 3)), (one, other)),
        exact(
            "apart",
            total_variation_distance(row, [apart]),
            {"not_halved": 2 * total_variation_distance(row, [apart])},
            apart=apart,
        ),
    ]


def percentages(random, count):
    """So many whole percentages that sum to 100."""
    ends = [0, *sorted(random.choices(range(101), k=count - 1)), 100]
    return tuple(end - begin for begin, end in itertools.pairwise(ends))


def real_model(random):
    """Weight and effect: two rows, and whether they rise together."""
    words = random.choice(SENTENCES)
    weights = until(lambda: percentages(random, 5), lambda five: min(five) >= 4 and len(set(five)) == 5)
    effects = tuple(random.sample(range(1, 30), 5))
    layers, heads = random.choice((6, 12, 24)), random.choice((8, 12, 16))
    layer, head = random.randint(2, layers), random.randint(1, heads)
    rest, others = random.choice((60, 70, 75, 80, 90)), random.choice((4, 5, 10))

    def vectors():
        return tuple(tuple(random.randint(-2, 4) for _ in range(3)) for _ in range(2))

    def fits(two):
        return all(map(any, two)) and differ([abs(cosine_similarity([two[0]], [two[1]])[0, 0]), 1], 0.02)

    one, other = until(vectors, fits)
    ranks = 1 + np.argsort(np.argsort(np.negative(weights)))
    of_effects = 1 + np.argsort(np.argsort(np.negative(effects)))
    return {"weights": named(words, weights), "effects": named(words, effects)}, [
        exact("ranks", ranks, {"from_the_least": 6 - ranks}),
        exact("ranks_of_effects", of_effects, {"from_the_least": 6 - of_effects}),
        exact("squares", ((ranks - of_effects) ** 2).sum(), {"not_squared": np.abs(ranks - of_effects).sum()}),
        rounded(
            "together",
            rank_correlation(weights, effects),
            {"not_from_one": 1 - rank_correlation(weights, effects)},
        ),
        rounded(
            "cosine",
            cosine_similarity([one], [other])[0, 0],
            {"not_divided": np.dot(one, other)},
            one=one,
            other=other,
        ),
        exact(
            "which_head",
            (layer - 1) * heads + head,
            {"layer_not_done": layer * heads + head},
            layers=layers,
            heads=heads,
            layer=layer,
            head=head,
        ),
        exact("others", (100 - rest) / others, {"the_rest_whole": 100 - rest}, rest=rest, others=others),
    ]


RECIPES = {recipe.__name__: recipe for recipe in (train_a_head, trained_model, misleading, real_model)}
