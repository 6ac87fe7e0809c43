"""Long texts: tiles end at plain softmax, windows have the recorded numbers, goals can be met."""

import numpy as np
import pytest

from attention_core import (
    SHAPES,
    TransformerShape,
    count_parameters,
    key_value_cache_bytes,
    load_recorded_runs,
    softmax,
    softmax_in_tiles,
)
from attention_lab import text as prose
from attention_lab.lessons.long_texts.calculation import FIRSTS, GOALS, LONGEST, MODELS, TOKENS, WINDOWS
from attention_lab.state import permalink
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["long_texts"]
VALUES = np.arange(1.0, 10)[:, None]


def scores_with(view, **changed):
    """The row of scores with some keys, by their number, at other scores."""
    row = list(view.stage["pose"]["scores"][0])
    for key, score in changed.items():
        row[int(key.removeprefix("key")) - 1] = score
    return [row]


def test_the_worked_numbers_are_on_the_page():
    tables = LessonView(PATH).tables
    steps = tables["after each tile"]
    assert steps["m"].tolist() == [3, 7, 7]
    np.testing.assert_allclose(steps["ℓ"], [1.5032, 1.0782, 1.5839], atol=5e-5)
    np.testing.assert_allclose(steps["o ÷ ℓ"], [2.1547, 4.0461, 5.2246], atol=5e-5)


@pytest.mark.parametrize(
    "scores", [[0] * 9, [12] * 9, [1, 3, 2, 7, 0, 4, 5, 6, 1], [12, 0, 0.25, 0, 0, 0, 0, 0, 12]]
)
def test_tiles_end_at_the_context_of_plain_softmax(scores):
    view = LessonView(PATH).drag(scores=[scores])
    np.testing.assert_allclose(view.scope["tiles"].total, softmax_in_tiles([scores], VALUES, 3).total)
    np.testing.assert_allclose(view.scope["context"], softmax([scores]) @ VALUES)
    assert view.scope["difference"] < 1e-12


def test_the_goals_of_tiles_are_met_by_dragging():
    view = LessonView(PATH)
    assert view.drag(scores=scores_with(view, key8=11.5)).reached == []
    assert view.drag(scores=scores_with(view, key8=12)).reached == ["shrink"]
    assert view.drag(scores=scores_with(view, key2=12)).reached == ["never"]


@pytest.mark.parametrize("window", WINDOWS)
def test_each_window_has_the_perplexity_that_was_recorded(window):
    recorded = load_recorded_runs().window_perplexities
    for first in FIRSTS:
        view = LessonView(PATH, experiment="window", window=window, first=first)
        key = (None, 0) if window == "all" else (int(window), int(first))
        assert view.scope["perplexity"] == recorded[key]
        width = TOKENS if window == "all" else int(window)
        assert view.scope["width"] == width
        back = width - 1 - (int(first) if window != "all" else 0)
        assert (view.scope["back"], view.scope["reach"]) == (back, back if window == "all" else 30 * back)


def test_the_text_quotes_recorded_numbers():
    runs, text = load_recorded_runs(), prose.read("long_texts")
    recorded, record, on_first = runs.window_perplexities, runs.record, runs.measures["first"]
    per_token = 2 * 2 * record["layers"] * record["kv_heads"] * record["d_model"] // record["heads"]
    quoted = [
        *(f"{recorded[key]:.1f}" for key in ((64, 0), (64, 1), (None, 0))),
        f"{runs.controls['fifth_kept']:.1f}",
        f"{(on_first > 0.25).sum()} of its {on_first.size} heads",
        f"{per_token:,} bytes",
        f"{100_000 * per_token / 1e9:.1f} GB",
        f"{128 * per_token / 1e6:.1f} MB",
    ]
    assert [number for number in quoted if number not in text["window_text"]] == []


def test_a_window_is_found_with_and_without_a_first_token():
    view = LessonView(PATH, experiment="window")
    found = {
        name: [
            (width, first)
            for w, width in enumerate(WINDOWS)
            for f, first in enumerate(FIRSTS)
            if name in view.drag(window=w, first=f).reached
        ]
        for name in view.goals
    }
    assert found == {"one_first": [("64", "1")], "no_first": [("256", "0")]}, "each has one answer"


def cache(model, kv_heads, tokens=1):
    """The bytes of a published model's cache with another number of KV heads."""
    published = SHAPES[model]
    return key_value_cache_bytes(TransformerShape(**vars(published) | {"num_kv_heads": kv_heads}), tokens)


@pytest.mark.parametrize("model", MODELS)
def test_the_cache_of_each_model_is_the_cores_for_every_number_of_kv_heads(model):
    heads, address = SHAPES[model].num_heads, {"experiment": "shared", "model": permalink.escape(model)}
    assert LessonView(PATH, **address).scope["cache"] == key_value_cache_bytes(SHAPES[model], 131_072)
    divisors = [n for n in range(1, heads + 1) if heads % n == 0]
    assert LessonView(PATH, **address).scope["models"][MODELS.index(model)]["divisors"] == divisors
    for kv_heads in divisors:
        view = LessonView(PATH, **address, kv_heads=str(kv_heads), tokens="5000")
        assert not view.notices
        assert view.scope["cache"] == cache(model, kv_heads, 5000)
        assert view.scope["per_token"] == cache(model, kv_heads)
    assert len(LessonView(PATH, **address, kv_heads=str(heads - 1)).notices) == 1, "no divisor"


def test_the_text_quotes_what_the_core_computes_of_shared_keys():
    text, seventy = prose.read("long_texts")["shared_text"], count_parameters(SHAPES["llama3-70b"]).total
    quoted = [
        f"{cache('llama2-7b', 32):,} bytes",
        f"{cache('llama2-7b', 32, 131_072) / 1e9:.1f} GB",
        f"{cache('smollm2-135m', 3):,} bytes",
        f"{cache('smollm2-135m', 9):,}",
        f"{2 * seventy / 1e9:.0f} GB",
        f"{round(load_recorded_runs().controls['averaged_kv_heads'], -1):,.0f}.",
    ]
    assert [number for number in quoted if number not in text] == []
    assert 4 * cache("llama3-8b", 8) == cache("llama2-7b", 32)


def test_the_cache_fits_with_fewer_kv_heads_or_with_a_shorter_text():
    view = LessonView(PATH, experiment="shared")
    reached = {n: view.drag(kv_heads=n).reached for n in (1, 8, 16, 32)}
    assert reached == {1: ["fit"], 8: ["fit"], 16: [], 32: []}
    assert view.drag(kv_heads=8, tokens=131_000).reached == []
    longest = 24 * 10**9 // cache("llama2-7b", 32)
    for tokens, met in ((longest + 1, False), (longest, True), (longest // 2, True), (longest // 2 - 1, False)):
        assert (view.drag(kv_heads=0, tokens=tokens).reached == ["no_sharing"]) == met, tokens
    assert view.drag(kv_heads=16, tokens=longest).reached == []


@pytest.mark.parametrize("model", MODELS)
def test_the_longest_text_that_fits_without_sharing_is_named_where_the_page_has_a_longer_one(model):
    view = LessonView(PATH, experiment="shared", model=permalink.escape(model), tokens="5000")
    now = view.drag(kv_heads=SHAPES[model].num_heads, tokens=2048).lesson.calculate(view.state)
    fits = 24 * 10**9 // cache(model, SHAPES[model].num_heads)
    goal = next(goal for goal in GOALS["shared"] if goal.name == "no_sharing")
    assert goal.why(now) == ("why/no_sharing/longest" if fits > LONGEST else "why/no_sharing")
    assert fits > LONGEST or now[goal.names["longest"][0]] == fits
    assert (fits > LONGEST) == (model == "smollm2-135m")


def test_each_part_promises_what_it_shows():
    for experiment, named in (("tiles", "pattern"), ("shared", "cache")):
        view = LessonView(PATH, experiment=experiment)
        assert named in view.lesson.promise(view.state)


def test_another_model_has_the_kv_heads_that_were_published():
    view = LessonView(PATH, experiment="shared", kv_heads="16")
    assert view.badges == {"yours"}
    view.drag(model=MODELS.index("smollm2-135m"))  # 9 query heads: 16 is impossible
    assert view.scope["kv"] == 3
    assert view.drag(model=0, kv_heads=0).badges == {"published"}


def test_another_part_begins_as_it_is_and_reset_stays_in_it():
    visit = Visit(PATH).nudge()
    visit.drawn("selectbox", "experiment").select("window").run()
    assert visit.link == {"experiment": "window"}
    visit.drag(window=0)
    assert visit.press("reset").link == {"experiment": "window"}
