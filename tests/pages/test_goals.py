"""No goal is met on arrival, and each can be reached: by a way given here, or by one that a search finds."""

from itertools import combinations

import numpy as np

from attention_core import causal_mask, load_language_model
from attention_lab.state import permalink
from attention_lab.state.state import OWN
from attention_lab.state.update import ReachGoals, SetFields, Undo, update
from tests.pages.test_every_page import every_part
from tests.visit import PAGES, PATHS, LessonView, calculated, fields_of, on_every, short_of

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


def addresses_of(path):
    """Every choice of words that a page is opened with."""
    name, by_name = LessonView(path).name, {f.name: f for f in fields_of(path)}
    if "experiment" in by_name:  # each with the texts that it can begin with
        experiments = by_name["experiment"].options({})
        if "opening" not in by_name:
            return [{"experiment": each} for each in experiments]
        options = by_name["opening"].options
        texts = {each: options({"experiment": each}) for each in experiments}
        return [{"experiment": each, "opening": text} for each in experiments for text in texts[each]]
    if name == "generating":  # each model with its own texts
        models, texts = (by_name[subject].options for subject in ("model", "opening"))
        return [{"model": model, "opening": text} for model in models({}) for text in texts({"model": model})]
    if name == "modern_model":
        return [{"text": each} for each in by_name["text"].options({})]
    for subject in ("opening", "model"):
        if subject in by_name and "example" not in by_name:
            return [{subject: each} for each in by_name[subject].options({})]
    if "example" not in by_name:
        return [{}]
    found = [{"example": permalink.escape(each)} for each in by_name["example"].options({}) if each != OWN]
    if "words" in by_name:
        found += [{"example": OWN, "words": by_name["words"].write(words)} for words in OWN_WORDS]
    if name == "queries_keys":  # one matrix for both: two ways more
        found += [found[0] | {"way": "one"}, found[0] | {"way": "one", "start": "squashed"}]
    if name == "cross_attention":
        found += [each | {"looks": "itself"} for each in found]
    return found


def missing(goal, stage, moved):
    """How much is missing for a goal, once the hand has moved so much."""
    shown = stage | {
        where: stage[where] | {name: moved[name] for name in moved if name in stage[where]}
        for where in ("pose", "constants")
    }
    with np.errstate(all="ignore"):
        scope = calculated(shown)
    return sum(short_of(condition, scope) for condition in goal["conditions"])


# Ways that are given: of each goal, poses of which one at least has to meet it.


def mask_by_hand(stage, row=0, cells=None):
    """A mask whose cells are these; or which is open but for a row with its own cell alone, or with none."""
    n = len(stage["constants"]["words"])
    if cells is None:
        cells = np.ones((n, n))
        cells[row] = np.eye(n)[row] * (row > 0)
    return {"mask": 4, "own": cells.astype(float).tolist()}


def shuffled(stage):
    return {"order": [np.roll(np.sort(stage["pose"]["order"][0]), 1).tolist()]}


def in_line(stage):
    """The words that answer in the order in which they are asked for."""
    asked = [*np.asarray(calculated(stage)["strongest"]).tolist(), *range(len(stage["pose"]["seats"][0]))]
    first = [asked.index(place) for place in range(len(stage["pose"]["seats"][0]))]
    return {"seats": [(np.argsort(first, kind="stable") + 1.0).tolist()]}


def out_of_sight(stage):
    """A causal mask for any word that asks, and the words that answer one way round or the other."""
    for word in range(len(stage["constants"]["words"])):
        yield {"mask": 1, "word": word}
        if seats := stage["pose"].get("seats"):
            yield {"mask": 1, "word": word, "seats": [seats[0][::-1]]}


def one_head(stage):
    """One head alone, or all but one."""
    alone = np.eye(len(stage["pose"]["heads"][0]))
    return [{"heads": [row.tolist()]} for row in (*alone, *(1 - alone))]


def heads_off(stage, count=1):
    """So many of the ten heads of a trained model off."""
    for off in combinations(range(10), count):
        dimmed = np.isin(np.arange(10), off).astype(float).reshape(2, 5).tolist()
        yield {"dimmed": dimmed, "sense": 0}


def heads_of_real_model(stage):
    return [{"head": head} for head in range(len(stage["constants"]["does"]))]


def exchanges(stage, among):
    """One word of a text for another of those that may stand there."""
    tokens = stage["pose"]["tokens"][0]
    for place, words in enumerate(among):
        for word in words:
            yield {"tokens": [[*tokens[:place], word, *tokens[place + 1 :]]], "before": [tokens]}


def exchanges_between_twins(stage):
    (there,) = (part["twins"][1]["tokens"] for part in every_part(stage) if part["kind"] == "written")
    return exchanges(stage, [there] * len(stage["pose"]["tokens"][0]))


def exchanges_in_lanes(stage):
    (among,) = (part["swap"]["among"] for part in every_part(stage) if part["kind"] == "lanes")
    return exchanges(stage, among)


def raised_pairs(stage):
    """A score raised as far as it can be."""
    for word, other in np.ndindex(np.shape(calculated(stage)["unraised"])):
        yield {"word": word, "other": other, "raised": 8.0}


def sentences(stage):
    """What a small head is asked, with every word in the third place, and with one that tells in the fourth."""
    the = stage["constants"]["vocabulary"].index("the")
    for third in range(len(stage["constants"]["vocabulary"])):
        for fourth in (the, *range(1, 9)):
            yield {"tokens": [[the, the, third, fourth, the, stage["pose"]["tokens"][0][-1]]]}


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
        own = np.asarray(calculated(stage | {"pose": stage["pose"] | {"head": head}})["own"])
        for row in np.eye(own.shape[1]):
            yield {"head": head, "shifted": (row - own).round(3).tolist()}


def words_out(stage):
    """One word out, or all at which next to nothing of the weight lies: of all heads, or of one."""
    weight = np.array(stage["constants"]["weighed"][10])
    for kept in (*(1 - np.eye(len(weight))), weight > 0.02, weight > 0.01):
        for of in ({"whose": 0}, *({"whose": 1, "head": head} for head in range(10))):
            yield of | {"kept": [np.asarray(kept, dtype=float).tolist()]}


def places_of_heads(stage):
    words = range(len(stage["pose"]["tokens"][0]))
    return [{"head": head, "word": word} for head in range(5) for word in words]


def writing(stage, count, **more):
    """So many of the likeliest tokens written, and other settings."""
    tokens, model = list(map(int, stage["pose"]["tokens"][0])), load_language_model()
    for _ in range(count):
        tokens.append(int(model.run([model.words[token] for token in tokens]).next_word[-1].argmax()))
    return {"tokens": [list(map(float, tokens))], "shown": len(tokens) - 1} | more


def fewer_heads(stage):
    """As few heads as share the KV heads, and so much longer queries and keys."""
    pose = stage["pose"]
    kv_heads = pose["num_kv_heads"] or 1
    before = pose["num_heads"] + (pose["num_kv_heads"] or pose["num_heads"])
    return [{"num_heads": kv_heads, "d_k": before * pose["d_k"] // (2 * kv_heads)}]


def each_head_off(stage):
    return [{"head": head, "cut": 1} for head in range(len(stage["constants"]["head_names"]))]


WAYS = {
    "modern_model/lost": each_head_off,
    "sink": lambda stage: [{"cut": 2}],
    "missed": each_head_off,
    "induction": lambda stage: [{"off": np.ones((2, 6)).tolist()}],
    "add": lambda stage: [writing(stage, 1)],
    "same": lambda stage: [writing(stage, count, temperature=0) for count in range(7)],
    "generating/half": lambda stage: [
        writing(stage, count, temperature=t / 20) for count in range(3) for t in range(21, 81)
    ],
    "unmasked": lambda stage: [writing(stage, 3, causal=0)],
    "eight": lambda stage: [writing(stage, 8)],
    "reveal": lambda stage: [{"shown": stage["pose"]["shown"] + 1}],
    "unsure": lambda stage: [{"shown": k} for k in range(len(stage["pose"]["tokens"][0]))],
    "masking/alone": lambda stage: [mask_by_hand(stage, row=1)],
    "dark_row": lambda stage: [mask_by_hand(stage, row=0)],
    "causal_by_hand": lambda stage: [mask_by_hand(stage, cells=causal_mask(len(stage["constants"]["words"])))],
    "generator_window": lambda stage: [{"mask": 2, "width": 2, "causal": 1}],
    "ratio_moves": lambda stage: [{"layers": 1}],
    "blindfold": lambda stage: [{"layers": 1, "mask": 1}],
    "whole_way": lambda stage: [{"steps_seen": 7}],
    "shuffle": lambda stage: [shuffled(stage)],
    "tell_apart": lambda stage: [{"positions": 1}, {"positions": 1} | shuffled(stage)],
    "far_places": lambda stage: [{"alike": 0.5}],
    "straighten": lambda stage: [in_line(stage)],
    "lost": out_of_sight,
    "only_adjectives": one_head,
    "only_texture": one_head,
    "greatest_loss": one_head,
    "longer_text": lambda stage: [{"context": 10 * stage["pose"]["context"]}],
    "same_parameters": fewer_heads,
    "attention_majority": lambda stage: [{"num_heads": 256, "d_k": 4096, "vocabulary": 16}],
    "all_right": lambda stage: [{"step": 40}],
    "arrange": lambda stage: [{"right_in_time": 0.99, "moved_words": 3}],  # test_train_a_head moves them
    "one_switch": lambda stage: [{"switched": 1, "right_at_end": 0.72}],  # and switches
    "other_arrangement": lambda stage: [{"apart": -0.7}],  # and finds a seed
    "in_doubt": lambda stage: [{"sentence": [[0, 9, 13, 13, 13, 10]], "asks": 0, "step": 40}],
    "ablate": heads_off,
    "undecided": heads_off,
    "few_heads": lambda stage: heads_off(stage, 10 - stage["constants"]["heads_to_keep"]),
    "other_answer": exchanges_between_twins,
    "blind": sentences,
    "looks": lambda stage: [way | {"answers": 1} for way in sentences(stage)],
    "disagree": sentences,
    "alike": sentences,
    "waver": weight_given_away,
    "unlike": all_weight_on_one,
    "by_hand": all_weight_on_one,
    "flat": lambda stage: [{"head": head, "swap": 2, "where": 1} for head in range(10)],
    "light": words_out,
    "heavy": words_out,
    "through": exchanges_in_lanes,
    "own": places_of_heads,
    "needed": heads_off,
    "idle": heads_off,
    "look_back": heads_of_real_model,
    "rests": heads_of_real_model,
    "noun": heads_of_real_model,
    "half": raised_pairs,
    "together": lambda stage: [
        {"sense": sense, "depth": stage["constants"]["layers"]}
        for sense in range(len(stage["constants"]["gaps"]))
    ],
    "shrink": lambda stage: [{"scores": [[1, 3, 2, 7, 0, 4, 5, 12, 1]]}],
    "never": lambda stage: [{"scores": [[1, 9, 2, 7, 0, 4, 5, 6, 1]]}],
    "one_first": lambda stage: [{"window": 2, "first": 1}],
    "no_first": lambda stage: [{"window": 4}],
    "fit": lambda stage: [{"kv_heads": 8}],
    "no_sharing": lambda stage: [{"kv_heads": 0, "tokens": 32_768}],
}
TYPED = {"newcomer", "of_its_kind"}  # met by a word that is written in, which test_embeddings does


# Ways that are searched for. By page or by goal: what a hand moves; else all sliders and vectors.

SEARCHED = {
    "home": ["vectors"],
    "embeddings": ["vectors"],
    "similarity": ["vectors"],
    "queries_keys": ["W_query", "W_key"],
    "values": ["W_value"],
    "cross_attention": ["pushed"],
    "softmax/eighty": ["scores"],
    "softmax/even": ["temperature"],
    "softmax/cold": ["temperature"],
    "values/one_fifth": ["temperature"],
    "values/middle": ["temperature"],
}
BEGIN = {"lost": {"mask": 1, "word": 0}, "wider": {"start": 0}}  # where the search begins


def found(goal, stage, fields, tries=4000):
    """Whether a hand that keeps what brings it nearer gets there: a search that widens and narrows its steps."""
    random = np.random.default_rng(3)
    parts = list(every_part(stage))
    ranges = np.array([part["ranges"] for part in parts if part["kind"] == "plane"] or [[[-2.0, 4.0]]])
    sliders = {part["of"]: (part["low"], part["high"]) for part in parts if part["kind"] == "slider"}

    def moved(name, at):
        """Some of its numbers moved; of a table, often in one row alone."""
        change = step * random.standard_normal(at.shape) * (random.random(at.shape) < 0.5)
        if at.ndim == 2 and random.random() < 0.5:
            change *= (np.arange(len(at)) == random.integers(len(at)))[:, None]
        low, high = sliders.get(name, (ranges.min(), ranges.max()))
        return np.where(change, np.clip(at + change, low, high).round(2), at)

    fields = fields or [*sliders, *({"vectors"} & stage["pose"].keys())]
    best = {name: np.asarray(stage["pose"][name], dtype=float) for name in fields}
    if "scores" in best:  # nobody has pulled a bar yet
        best["scores"] = np.nan_to_num(np.atleast_2d(calculated(stage)["score"]))
    least, step = np.inf, 1.0
    for _ in range(tries):
        tried = {name: moved(name, at) for name, at in best.items()}
        now = missing(goal, stage, {name: at.tolist() for name, at in tried.items()})
        if now == 0:
            return True
        if now < least:
            best, least, step = tried, now, step * 1.5
        else:
            step = step * 0.97 if step > 0.02 else 3.0
    return False


def can_be_reached(page, goal, stage):
    name = goal["name"]
    of_page = f"{page}/{name}"
    ways = WAYS.get(of_page) or WAYS.get(name)
    if name in TYPED or (ways and any(missing(goal, stage, way) == 0 for way in ways(stage))):
        return True
    begin = stage | {"pose": stage["pose"] | BEGIN.get(name, {})}
    return found(goal, begin, SEARCHED.get(of_page) or SEARCHED.get(page))


@on_every(PAGES)
def test_no_goal_is_met_on_arrival_and_each_can_be_reached_and_is_offered_on_some_words(path):
    """A goal that is met before anything was moved is offered on no words."""
    named, offered = set(), {"idle"}  # only of a model with such a head
    for address in addresses_of(path):
        view = LessonView(path, **address)
        if view.notices:  # words that this page cannot use
            continue
        stage, goals = view.stage, view.goals
        named |= set(view.state.options("goal"))
        offered |= set(goals)
        assert stage["completed_goals"] == [], address
        for name, goal in goals.items():
            words = stage["constants"].get("words")
            on = f"with the words {', '.join(words)}" if words else f"at {address}"
            assert missing(goal, stage, {}) > 0, f"goal {name!r} is met {on} before anything was moved"
            reached = can_be_reached(view.name, goal, stage)
            assert reached, f"goal {name!r} can't be reached {on}: offer it only where it can"
    assert named <= offered


def test_a_goal_needs_python_where_it_follows_from_nothing_that_a_hand_moves():
    for path in PAGES:
        moved = {f.name for f in fields_of(path) if f.interactive} | {"steps_seen"}  # these the figure counts
        for address in addresses_of(path):
            page = LessonView(path, **address)
            steps = page.view.now.calculation
            for name, goal in page.goals.items():
                unmet = [c for c in goal["conditions"] if short_of(c | {"path": ["start"]}, c)]
                names = [c["path"] if isinstance(c["path"], str) else c["path"][0] for c in unmet]
                follows = all(steps.origins(steps[each]) & moved for each in names)
                assert ("needs_python" in goal) == (not follows), (page.name, name)


def test_a_goal_belongs_to_the_text_and_the_model_that_it_was_reached_with():
    for page, here, there in (
        ("trained_model", {"opening": "bank"}, {"opening": "names"}),
        ("trained_model", {"model": "plain"}, {"model": "readable"}),
        ("real_model", {"text": "bank_money"}, {"text": "bank_river"}),
        ("scale", {"model": "gpt2"}, {"model": "gpt3"}),
        ("train_a_head", {"task": "reverse"}, {"task": "it"}),
    ):
        view = LessonView(PATHS[page], **here)
        goal = view.state.options("goal")[0]
        reached = update(view.state, ReachGoals([goal]))
        assert reached.completed_goals == {goal}, page
        elsewhere = update(reached, SetFields(there))
        assert (elsewhere.values != reached.values, elsewhere.completed_goals) == (True, frozenset()), page
        assert update(elsewhere, SetFields(here)).completed_goals == {goal}, page
        assert update(reached, Undo()).completed_goals == {goal}, page
