"""No goal is met on arrival, and each can be reached: by a way given here, or by one that a search finds."""

import json
from functools import partial

import numpy as np
import pytest

from attention_core import causal_mask
from attention_lab.calculation.operations import read_text
from attention_lab.state import permalink
from attention_lab.state.state import OWN
from tests.visit import PAGES, Visit, calculated, fields_of, lesson_of, parts_of, short_of

# Words of one's own: new ones, known ones that lie at a right angle or alike, little ones, one alone, many.
OWN_WORDS = [
    ("moon", "tide", "shore"),
    ("orange", "phone"),
    ("phone", "android", "microsoft"),
    ("apple", "and", "an"),
    ("moon",),
    ("moon", "moon"),
    tuple(f"w{k}" for k in range(12)),
]


def examples_of(path):
    """Every choice of words that a page is opened with."""
    by_name = {f.name: f for f in fields_of(path)}
    if "experiment" in by_name:  # each with the texts that it can begin with
        experiments = by_name["experiment"].options({})
        texts = {name: by_name["opening"].options({"experiment": name}) for name in experiments}
        return [{"experiment": name, "opening": text} for name in experiments for text in texts[name]]
    if "opening" in by_name:  # a pair of texts that a trained model reads
        return [{"opening": name} for name in by_name["opening"].options({})]
    if "example" not in by_name:
        return [{}] if "model" not in by_name else [{"model": name} for name in by_name["model"].options({})]
    found = [{"example": permalink.escape(name)} for name in by_name["example"].options({}) if name != OWN]
    if "words" in by_name:
        found += [{"example": OWN, "words": by_name["words"].write(words)} for words in OWN_WORDS]
    if path.stem.endswith("queries_keys"):  # one matrix for both: two ways more
        found += [found[0] | {"way": "one"}, found[0] | {"way": "one", "start": "squashed"}]
    if path.stem.endswith("cross_attention"):
        found += [each | {"looks": "itself"} for each in found]
    return found


def goals_of(stage):
    return next(part for column in stage["columns"] for part in column["parts"] if part["kind"] == "goals")[
        "goals"
    ]


def missing(goal, stage, **moved):
    """How much is missing for a goal, once the hand has moved so much."""
    pose = {name: value for name, value in moved.items() if name in stage["pose"]}
    constants = {name: value for name, value in moved.items() if name in stage["constants"]}
    shown = {**stage, "pose": {**stage["pose"], **pose}, "constants": {**stage["constants"], **constants}}
    with np.errstate(all="ignore"):
        scope = calculated(shown)
    return sum(short_of(condition, scope) for condition in goal["conditions"])


# Ways that are given: the fields moved, or what is to be found by the search that moves so many fields alone.


def alone(stage, place=1):
    """A mask under which one word sees itself alone."""
    n = len(stage["constants"]["words"])
    grid = np.ones((n, n))
    grid[place] = np.eye(n)[place]
    return {"mask": 4, "own": grid.tolist()}


def dark(stage):
    n = len(stage["constants"]["words"])
    return {"mask": 4, "own": [[0.0] * n, *np.ones((n - 1, n)).tolist()]}


def shuffled(stage):
    return {"order": [np.roll(np.sort(stage["pose"]["order"][0]), 1).tolist()]}


def in_line(stage):
    """The words that answer in the order in which they are asked for."""
    strongest = np.asarray(calculated(stage)["strongest"])
    first = [
        strongest.tolist().index(place) if place in strongest else 99
        for place in range(len(stage["pose"]["seats"][0]))
    ]
    order = np.argsort(first, kind="stable")
    return {"seats": [(order + 1.0).tolist()]}


def at_last(stage):
    """A causal mask, and the words that answer the other way round."""
    seats = stage["pose"].get("seats")
    return {"mask": 1} | ({"seats": [seats[0][::-1]]} if seats else {})


def one_head(stage, of, on):
    which, count = int(calculated(stage)[of]), len(stage["pose"]["heads"][0])
    return {"heads": [[float((k == which) == on) for k in range(count)]]}


def one_head_off(stage):
    """The head without which the senses of a word are most alike."""
    ways = [{"dimmed": np.eye(10)[k].reshape(2, 5).tolist(), "sense": 0} for k in range(10)]
    return min(ways, key=lambda way: calculated({**stage, "pose": {**stage["pose"], **way}})["apart"])


def head_needed_most(stage):
    """The head without which the answer loses most."""
    ways = [{"dimmed": np.eye(10)[k].reshape(2, 5).tolist()} for k in range(10)]
    return min(ways, key=lambda way: said_with(stage, **way)[stage["constants"]["answer"]])


def heads_one_by_one(stage):
    """Heads off, always the one that costs the answer least."""
    dimmed, count = np.zeros((2, 5)), 10 - stage["constants"]["heads_to_keep"]
    while dimmed.sum() < count:
        ways = []
        for k in np.flatnonzero(dimmed.ravel() == 0):
            way = dimmed.copy()
            way.ravel()[k] = 1
            ways.append(way)
        dimmed = max(ways, key=lambda way: said_with(stage, dimmed=way)[stage["constants"]["answer"]])
    return {"dimmed": dimmed.tolist()}


def other_word(stage):
    """One word of the other text of the pair in one place of this one."""
    twins = next(part for part in parts_of(stage["columns"]) if part["kind"] == "written")
    now, there = stage["pose"]["tokens"][0], set(twins["twins"][1]["tokens"])
    ways = []
    for place in range(len(now)):
        for word in there - {now[place]}:
            tokens = [*now[:place], word, *now[place + 1 :]]
            ways.append({"tokens": [tokens], "before": [now]})
    return max(ways, key=lambda way: said_with(stage, tokens=way["tokens"])[stage["constants"]["twin_answer"]])


def said_with(stage, **moved):
    """The shares of the next word of a text in a trained model."""
    pose = {**stage["pose"], **moved}
    strengths = 1 - np.asarray(pose["dimmed"])
    return read_text.function(stage["constants"]["learned"], pose["tokens"], strengths).next_word[-1]


def head_with_most(stage, of):
    """The head of a real model with the most of something."""
    return {"head": int(np.argmax(of(stage["constants"])))}


def raised_pair(stage):
    """The least pair of a head, its score raised as far as it can be."""
    weights = calculated(stage)["unraised"]
    word, other = np.unravel_index(np.argmax(np.where(weights <= 0.04, weights, 0)), weights.shape)
    return {"word": int(word), "other": int(other), "raised": 8.0}


GIVEN_WAYS = {
    "look_back": partial(head_with_most, of=lambda constants: np.array(constants["does"])[:, 0]),
    "rests": partial(head_with_most, of=lambda constants: np.array(constants["does"])[:, 2]),
    "noun": partial(head_with_most, of=lambda constants: constants["moves"]),
    "together": lambda stage: {
        "sense": int(np.argmin(stage["constants"]["gaps"])),
        "depth": stage["constants"]["layers"],
    },
    "half": raised_pair,
    "other_answer": other_word,
    "undecided": one_head_off,
    "few_heads": heads_one_by_one,
    "ratio_moves": lambda stage: {"layers": 1},
    "blindfold": lambda stage: {"layers": 1, "mask": 1},
    "whole_way": lambda stage: {"steps_seen": 7},
    "causal_by_hand": lambda stage: {
        "mask": 4,
        "own": causal_mask(len(stage["constants"]["words"])).astype(float).tolist(),
    },
    "dark_row": dark,
    "shuffle": shuffled,
    "far_places": lambda stage: {"alike": 0.5},
    "straighten": in_line,
    "only_adjectives": partial(one_head, of="adjective_head", on=True),
    "only_texture": partial(one_head, of="texture_head", on=True),
    "greatest_loss": partial(one_head, of="longest_delta", on=False),
    "longer_text": lambda stage: {"context": 10 * stage["pose"]["context"]},
    "same_parameters": lambda stage: {"num_heads": 1, "d_k": stage["pose"]["num_heads"] * stage["pose"]["d_k"]},
    "small_cache": lambda stage: {"num_heads": 16, "num_kv_heads": 1},
    "attention_majority": lambda stage: {"num_heads": 256, "d_k": 4096, "vocabulary": 16},
    "all_right": lambda stage: {"step": 40},
    "ablate": head_needed_most,
    "arrange": lambda stage: {"right_in_time": 0.99, "moved_words": 3},  # test_train_a_head moves them
    "one_switch": lambda stage: {"switched": 1, "right_at_end": 0.72},  # and switches
    "other_arrangement": lambda stage: {"apart": -0.7},  # and finds a seed
    "in_doubt": lambda stage: {"sentence": [[0, 9, 13, 13, 13, 10]], "asks": 0, "step": 40},
    "cold": lambda stage: {"temperature": 0.05},
}


# Ways that are tried one after another.


def sentences(stage):
    """What a small head is asked, with every word in the third place, and with one that tells in the fourth."""
    the = stage["constants"]["vocabulary"].index("the")
    for third in range(len(stage["constants"]["vocabulary"])):
        for fourth in (the, *range(1, 9)):
            yield {"tokens": [[the, the, third, fourth, the, stage["pose"]["tokens"][0][-1]]]}


def third_answer(stage):
    return ({**way, "answers": 1} for way in sentences(stage))


def weight_given_away(stage):
    """More and more of the weight of a word that is found, given to all others."""
    found, the = stage["constants"]["found"], stage["constants"]["vocabulary"].index("the")
    telling = next(k for k, tells in enumerate(stage["constants"]["tells_of"]) if tells[found])
    for taken in np.linspace(0.02, 0.98, 49):
        tokens = [the, the, telling, the, the, stage["pose"]["tokens"][0][-1]]
        yield {"tokens": [tokens], "shifted": [[0.0, 0.0, -taken, 0.0, 0.0, 0.0]]}


def all_weight_on_one(stage):
    """All weight of the last word on one, in every head."""
    for head in range(10):
        own = np.asarray(calculated({**stage, "pose": {**stage["pose"], "head": head}})["own"])
        for row in np.eye(own.shape[1]):
            yield {"head": head, "shifted": (row - own).round(3).tolist()}


def flat_heads(_):
    return ({"head": head, "swap": 2, "where": 1} for head in range(10))


def words_out(stage):
    """One word out, or all at which next to nothing of the weight lies."""
    weight = np.array(stage["constants"]["weighed"][10])
    ways = [*(1 - np.eye(len(weight))), weight > 0.02, weight > 0.01]
    return ({"whose": 0, "kept": [np.asarray(way, dtype=float).tolist()]} for way in ways)


def words_out_of_a_head(stage):
    for head in range(10):
        for way in words_out(stage):
            yield {**way, "whose": 1, "head": head}


def exchanges(stage):
    tokens = stage["pose"]["tokens"][0]
    among = next(part for c in stage["columns"] for part in c["parts"] if part["kind"] == "lanes")["swap"][
        "among"
    ]
    for place, words in enumerate(among):
        for word in words:
            yield {"tokens": [[*tokens[:place], word, *tokens[place + 1 :]]]}


def places_of_heads(stage):
    count = len(stage["pose"]["tokens"][0])
    return ({"head": head, "word": word} for head in range(5) for word in range(count))


def each_head_off(_):
    return ({"dimmed": row.reshape(2, 5).tolist()} for row in np.eye(10))


TRIED = {
    "blind": sentences,
    "looks": third_answer,
    "waver": weight_given_away,
    "unlike": all_weight_on_one,
    "by_hand": all_weight_on_one,
    "flat": flat_heads,
    "disagree": sentences,
    "alike": sentences,
    "light": words_out,
    "heavy": words_out_of_a_head,
    "through": exchanges,
    "own": places_of_heads,
    "needed": each_head_off,
    "idle": each_head_off,
}
SEARCHED = {  # by page or by goal: what a hand moves
    "home": ["vectors"],
    "embeddings": ["vectors"],
    "similarity": ["vectors"],
    "queries_keys": ["W_query", "W_key"],
    "values": ["W_value"],
    "cross_attention": ["pushed"],
    "eighty": ["scores"],
    "even": ["temperature"],
    "one_fifth": ["temperature"],
    "middle": ["temperature"],
}


def found(goal, stage, fields, tries=4000):
    """Whether a hand that keeps what brings it nearer gets there: a search that widens and narrows its steps."""
    random = np.random.default_rng(3)
    ranges = [part["ranges"] for c in stage["columns"] for part in parts_in(c) if part["kind"] == "plane"]
    low, high = (min(r[0][0] for r in ranges), max(r[0][1] for r in ranges)) if ranges else (-2.0, 4.0)
    sliders = sliders_of(stage)
    rows = {name: np.atleast_2d(np.asarray(start_of(stage, name), dtype=float)) for name in fields}
    free = np.concatenate([each.ravel() for each in rows.values()])
    others = kept_alone(goal, stage, fields, rows)

    def moved(x):
        told, begin = {}, 0
        for name, each in rows.items():
            part = x[begin : begin + each.size].reshape(each.shape)
            told[name] = float(part[0, 0]) if name in sliders else part.tolist()
            begin += each.size
        return told

    def bounds(side, otherwise):
        return np.concatenate(
            [np.full(each.size, sliders.get(name, {}).get(side, otherwise)) for name, each in rows.items()]
        )

    low, high = bounds("low", low), bounds("high", high)
    best, least, step = free, missing(goal, stage, **moved(free)), 1.0
    for turn in range(tries):
        if least == 0:
            return True
        change = step * random.standard_normal(free.size) * (random.random(free.size) < 0.5) * others
        x = np.round(
            np.clip((free if turn % 500 == 499 else best) + change, low, high),
            2,
        )
        x = np.where(others > 0, x, free)
        now = missing(goal, stage, **moved(x))
        if now < least:
            best, least, step = x, now, step * 1.5
        else:
            step = step * 0.97 if step > 0.02 else 3.0
    return False


def start_of(stage, name):
    if name == "scores":  # nobody has pulled a bar yet
        return np.nan_to_num(np.asarray(calculated(stage)["score"], dtype=float))
    return stage["pose"][name]


def kept_alone(goal, stage, fields, rows):
    """Which numbers may be moved: where a goal says that the word of interest stays, not its own."""
    free = np.ones(sum(each.size for each in rows.values()))
    if fields == ["vectors"] and "moved_here" in json.dumps(goal["conditions"]) and goal["name"] != "alone":
        width, row = rows["vectors"].shape[1], stage["constants"]["ids"][stage["pose"]["word"]]
        free[row * width : (row + 1) * width] = 0
    return free


def sliders_of(stage):
    """The page's sliders by the fields that they hold."""
    return {
        part["of"]: part for column in stage["columns"] for part in parts_in(column) if part["kind"] == "slider"
    }


def parts_in(column):
    for part in column["parts"]:
        yield part
        if part["kind"] == "beside":
            for inner in part["columns"]:
                yield from parts_in(inner)
        for group in part.get("groups", ()):
            for station in group:
                yield from parts_in(station)


def can_be_reached(page, goal, stage):
    name = goal["name"]
    if page == "masking" and name == "alone":
        return missing(goal, stage, **alone(stage)) == 0
    if name in ("newcomer", "of_its_kind"):  # a word is written in
        by_name = {f.name: f for f in fields_of(next(p for p in PAGES if p.stem.endswith(page)))}
        return "words" in by_name
    if name == "lost":  # of any word that asks, perhaps once its query was dragged
        words = range(len(stage["constants"]["words"]))
        asking = [{**stage, "pose": {**stage["pose"], "mask": 1, "word": word}} for word in words]
        ways = [at_last(stage), {"mask": 1}]
        return any(missing(goal, each, **way) == 0 for each in asking for way in ways) or any(
            found(goal, each, SEARCHED[page]) for each in asking[:1]
        )
    if name == "tell_apart":  # in one order or in another
        return any(missing(goal, stage, positions=1, **order) == 0 for order in ({}, shuffled(stage)))
    if name == "wider":  # it begins with the squashed space
        return found(goal, {**stage, "pose": {**stage["pose"], "start": 0}}, SEARCHED[page])
    if page == "misleading":
        return any(missing(goal, stage, **way) == 0 for way in TRIED[name](stage))
    if name in GIVEN_WAYS:
        return missing(goal, stage, **GIVEN_WAYS[name](stage)) == 0
    if page == "home":
        return found(goal, stage, SEARCHED[page])
    return found(goal, stage, SEARCHED.get(name) or SEARCHED.get(page) or [*sliders_of(stage), "vectors"])


@pytest.mark.parametrize("path", PAGES, ids=[path.stem.lstrip("0123456789_") for path in PAGES])
def test_no_goal_is_met_on_arrival_and_each_can_be_reached(path):
    for address in examples_of(path):
        visit = Visit(path, **address)
        if visit.at.warning:  # words that this page cannot use
            continue
        stage = visit.stage
        assert stage["completed_goals"] == [], address
        for goal in goals_of(stage):
            assert missing(goal, stage) > 0, (address, goal["name"])
            assert can_be_reached(visit.name, goal, stage), (address, goal["name"])


@pytest.mark.parametrize("path", PAGES, ids=[path.stem.lstrip("0123456789_") for path in PAGES])
def test_every_goal_is_offered_on_some_words(path):
    """One that is met before anything was moved is offered on none."""
    lesson, named, offered = lesson_of(path).LESSON, set(), {"idle"}  # only of a model with such a head
    for address in examples_of(path):
        state, _ = lesson.parse(address)
        named |= set(state.options("goal"))
        offered |= {goal["name"] for goal in goals_of(json.loads(lesson.view(state).payload))}
    assert named <= offered


def test_only_the_goal_that_is_shown_is_ticked():
    """One matrix meets two goals; the second waits until it is shown and reached again."""
    visit = Visit(next(path for path in PAGES if path.stem.endswith("queries_keys")))
    begun, both = visit.stage["pose"], {"W_query": [[1.5, 1.5], [-1, 0.5]], "W_key": [[1.5, 1], [1.5, 0]]}
    visit.drag(**both)
    assert {"phone_80", "one_way"} <= set(visit.reached)
    assert visit.stage["completed_goals"] == ["phone_80"]
    assert visit.drag(goal=1).stage["completed_goals"] == ["phone_80"]
    visit.drag(W_query=begun["W_query"], W_key=begun["W_key"])
    assert visit.drag(**both).stage["completed_goals"] == ["one_way", "phone_80"]
