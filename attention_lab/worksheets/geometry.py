"""Tasks on meaning as geometry: words as arrows, how alike they are, scores as shares."""

import math

import numpy as np

from attention_core.geometry import angle, displacements, tip_to_tail
from attention_core.similarity import cosine_similarity, dot_product, scaled_dot_product
from attention_core.softmax import entropy, softmax
from attention_lab.worksheets.task import chosen, differ, exact, named, rounded, until, vector

WORDS = (
    ("apple", "orange", "phone"),
    ("apple", "cherry", "laptop"),
    ("mango", "melon", "android"),
    ("date", "plum", "calendar"),
    ("blackberry", "raspberry", "keyboard"),
)
PLACES = ("tower", "bridge", "station", "museum")
WHOLE_LENGTHS = ((3, 4), (4, 3), (6, 8), (8, 6), (5, 12), (12, 5))
QUARTERS = (
    (0.5, 0.25, 0.25),
    (0.25, 0.5, 0.25),
    (0.25, 0.25, 0.5),
    (0.5, 0.5, 0),
    (0.25, 0.75, 0),
    (0.5, 0, 0.5),
)
SPREADS = (  # shares that are powers of two: their entropy is a number of quarters
    (0.5, 0.5, 0, 0),
    (0.25, 0.25, 0.25, 0.25),
    (0.5, 0.25, 0.25, 0),
    (0.5, 0.25, 0.125, 0.125),
)


def length(v):
    """The length of a vector, as the pages have it: the root of its dot product with itself."""
    return math.sqrt(dot_product([v], [v])[0, 0])


def home(random):
    """Attention weights, and the average of the values that they make."""
    words = random.choice(WORDS)
    shares = random.choice([some for some in QUARTERS if min(some) > 0])

    def vectors():
        return tuple(vector(random, 2, 0, 8) for _ in words)

    values = until(vectors, lambda three: len(set(three)) == 3)
    context = np.array([shares]) @ np.array(values)
    word, one, other = words
    most = words[int(np.argmax(shares))]
    two = random.sample(range(3), 2)
    (left,) = {0, 1, 2} - {*two}
    return {"values": named(words, values), "first": word, "shares": named(words, shares)}, [
        chosen("most", most, words),
        exact("third", shares[left], {}, two=named([words[k] for k in two], [shares[k] for k in two])),
        exact("part", shares[1] * np.array(values[1]), {"whole_value": values[1]}, second=one),
        exact(
            "average",
            context,
            {"sum_not_mix": np.sum(values, axis=0), "evenly": np.mean(values, axis=0)},
        ),
        rounded("equal", 1 / 3, {}, third=other),
        exact("hidden", 0, {}, second=one),
    ]


def embeddings(random):
    """A word's vector, and what its context makes of it."""
    words = random.choice(WORDS)

    def vectors():
        return tuple(vector(random, 2, 0, 6) for _ in words)

    def fits(three):
        products = dot_product(three[:1], three)[0]
        return len(set(three)) == 3 and differ(products[1:]) and length(three[0]) > 1

    three = until(vectors, fits)
    word, one, other = words
    shares = random.choice(QUARTERS)
    mixed = np.array([shares]) @ np.array(three)
    pulls = displacements(np.array(three[0]), np.array(shares), np.array(three))
    pulled = 1 if shares[1] else 2
    step = random.choice(WHOLE_LENGTHS[:4])
    signs = random.choice(((1, 1), (1, -1), (-1, 1)))
    moved = tuple(a + b * sign for a, b, sign in zip(three[0], step, signs, strict=True))
    arrow = np.subtract(moved, three[0])
    place, first, second = random.choice(PLACES), vector(random, 2), vector(random, 2)
    start = vector(random, 2)
    products = dot_product(three[:1], three)[0]
    most = words[1 + int(products[2] > products[1])]
    return {"vectors": named(words, three), "word": word}, [
        exact("arrow", arrow, {"turned_round": -arrow}, moved=moved),
        exact("how_far", length(arrow), {"sum_of_steps": np.abs(arrow).sum()}, moved=moved),
        exact(
            "mixed",
            mixed,
            {"sum_not_mix": np.sum(three, axis=0), "evenly": np.mean(three, axis=0)},
            shares=named(words, shares),
        ),
        exact(
            "pull",
            pulls[pulled],
            {
                "whole_arrow": np.subtract(three[pulled], three[0]),
                "not_from_word": shares[pulled] * np.array(three[pulled]),
            },
            puller=words[pulled],
            share=shares[pulled],
        ),
        exact(
            "chain",
            tip_to_tail(np.array(start), np.array([first, second]))[-1],
            {"without_start": np.add(first, second)},
            place=place,
            start=start,
            first=first,
            second=second,
        ),
        chosen("pulls_most", most, (one, other)),
    ]


def similarity(random):
    """Dot product, length, cosine, angle: the measures of two arrows."""
    words = random.choice(WORDS)

    def vectors():
        a, b = random.sample(WHOLE_LENGTHS, 2)
        return a, tuple(x * random.choice((-1, 1)) for x in b), vector(random, 2, -4, 6)

    def fits(three):
        dots, cosines = dot_product(three[:1], three)[0, 1:], cosine_similarity(three[:1], three)[0, 1:]
        mixed_up = dots.argmax() != cosines.argmax()
        return mixed_up and differ(dots, 1) and differ(cosines, 0.02) and abs(cosines).max() < 0.99

    a, b, c = three = until(vectors, fits)
    word, one, other = words
    dots, cosines = dot_product([a], three)[0], cosine_similarity([a], three)[0]
    scaled = scaled_dot_product([a], three)[0]
    times, sign = random.choice((1, 2)), random.choice((-1, 1))
    across = (sign * times * a[1], -sign * times * a[0])  # at a right angle to a
    by = random.choice((2, 3))
    return {"vectors": named(words, three)}, [
        exact("dot", dots[1], {"all_added": sum(a) + sum(b)}, first=word, second=one),
        exact("dot", dots[2], {"all_added": sum(a) + sum(c)}, first=word, second=other),
        exact(
            "length", length(a), {"not_the_root": length(a) ** 2, "sum_of_steps": sum(map(abs, a))}, first=word
        ),
        rounded("cosine", cosines[1], {"not_divided": dots[1]}, first=word, second=one),
        rounded(
            "angle",
            angle(np.array(a), np.array(b)),
            {"radians": np.radians(angle(np.array(a), np.array(b)))},
            tolerance=0.6,
            places=0,
            first=word,
            second=one,
        ),
        rounded("scaled", scaled[2], {"not_scaled": dots[2], "by_d": dots[2] / 2}, first=word, second=other),
        exact("stretched", by * dots[1], {"not_stretched": dots[1]}, first=word, second=one, times=by),
        exact("right_angle", across[1], {}, first=word, across=across[0]),
        chosen("largest_dot", words[1 + dots[1:].argmax()], (one, other), first=word),
        chosen(
            "largest_cosine",
            words[1 + cosines[1:].argmax()],
            (one, other),
            {"longest": words[1 + dots[1:].argmax()]},
            first=word,
        ),
    ]


def softmax_sheet(random):
    """Scores into shares, by hand."""
    words = random.choice(WORDS)
    scores = tuple(random.sample(range(5), 3))
    shares = softmax(np.array(scores, dtype=float))
    top = int(np.argmax(scores))
    lift, times = random.randint(1, 9) * 10, random.choice((2, 3, 4, 5, 10))
    twice = tuple(2 * score for score in scores)
    out = random.choice([k for k in range(3) if k != top])
    closed = np.where(np.arange(3) == out, -np.inf, scores)
    renormed = np.where(np.arange(3) == out, 0, shares)
    spread = random.choice(SPREADS)
    by_hand = {"not_exponentials": np.array(scores) / sum(scores)}
    return {"scores": named(words, scores)}, [
        rounded("shares", shares, by_hand),
        rounded(
            "lifted",
            shares[top],
            {"it_grew": softmax(np.array(scores) + lift * (np.arange(3) == top))[top]},
            lift=lift,
            first=words[top],
        ),
        rounded(
            "hot",
            softmax(np.array(twice, dtype=float), 2.0)[top],
            {"not_cooled": softmax(np.array(twice, dtype=float))[top]},
            higher=named(words, twice),
            temperature=2,
            first=words[top],
        ),
        rounded(
            "closed",
            softmax(closed),
            {"not_shared_out": renormed, "still_there": softmax(np.where(np.arange(3) == out, 0.0, scores))},
            first=words[out],
        ),
        rounded("how_much_more", math.log(times), {"times_itself": times}, times=times),
        exact("entropy", entropy(np.array(spread)), {}, spread=spread),
    ]


RECIPES = {"home": home, "embeddings": embeddings, "similarity": similarity, "softmax": softmax_sheet}
