"""Train a head, under a hand: play and scrub, a word that is moved, two runs, the negative gradient, the link."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_task, loss_and_gradients, train
from tests.browser.hand import handle, live, painted, place, rerun_by_drag
from tests.browser.harness import open_change, reload, rerun, rerun_by_click, rerun_by_key

TASK = load_task("which_apple", 2048)
RUN = train(TASK, 0, 150)


def scrubber(page):
    return page.locator("[data-scrubber=step]")


def fingerprint(page):
    return re.search(r"[0-9a-f]{12}", page.locator(".told-of-run").text_content())[0]


def at_step(page, step, run=RUN, end=""):
    """The measures on screen are those of the run at that step."""
    painted(page)
    here, numbers = list(run.steps).index(step), live(page)
    shown = [float(numbers[f"{what}{end}"]) for what in ("loss", "accuracy", "attention")]
    wanted = [run.loss[here], run.accuracy[here], run.attention_on_answer[here]]
    assert shown == pytest.approx(wanted, rel=1e-5)


def test_scrubbing_shows_every_step(open_file):
    page = open_file("train_a_head")
    assert fingerprint(page) == RUN.fingerprint
    expect(page.locator(".column .badge").first).to_have_text("random")
    at_step(page, 0)
    box = page.locator("svg.losses").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 3, middle)
    page.mouse.down()
    for x, step in ((5, 0), (box["width"], int(RUN.steps[-1]))):
        page.mouse.move(box["x"] + x, middle, steps=5)
        at_step(page, step)
    assert "step=" not in page.url
    page.mouse.up()
    painted(page)
    assert f"step={RUN.steps[-1]}" in page.url
    scrubber(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    at_step(page, int(RUN.steps[-4]))


def test_it_plays_and_stops_where_it_is_paused(open_file):
    page = open_file("train_a_head?step=0", clock=True)
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(1500)
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(1000)
    step = int(live(page)["step"])
    assert 0 < step < RUN.steps[-1]
    assert f"step={step}" in page.url
    page.get_by_role("button", name="Next step").click()
    page.clock.run_for(1000)
    assert int(live(page)["step"]) == step + 1
    scrubber(page).press("End")
    page.clock.run_for(1000)
    page.get_by_role("button", name="Previous step").click()
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(5000)
    assert int(live(page)["step"]) == RUN.steps[-1]
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_training_goes_on_from_a_word_that_was_moved_and_a_link_holds_it_all(open_page):
    page = open_page("train_a_head?step=20")
    hand, before = handle(page, "laptop"), fingerprint(page)
    numbers = live(page)
    rerun_by_drag(page, hand, 60, -40)
    where = place(hand)
    assert fingerprint(page) != before
    assert live(page)["loss"] != numbers["loss"]
    moved = [float(n) for n in re.search(r"moves=20_6_([^_&]+)_([^_&]+)", page.url).groups()]
    start = RUN.at(20)
    start["embeddings"] = start["embeddings"] + np.eye(15)[:, [6]] * moved
    goes_on = train(TASK, 0, 150, start=start)
    assert fingerprint(page) == goes_on.fingerprint
    scrubber(page).focus()
    rerun_by_key(page, "End")
    assert float(live(page)["loss"]) == pytest.approx(goes_on.loss[-1], rel=1e-5)
    rerun_by_key(page, "Home")
    at_step(page, 0)
    with rerun(page):
        page.get_by_label("Word 1").select_option("orange")
    assert "sentence=" in page.url
    expect(page.locator(".asked .head")).to_contain_text("Your own sentence")
    assert live(page)["answer which one fruit"] != numbers["answer which one fruit"]
    asked = live(page)
    again = open_page(f"{page.url.split('/', 3)[3]}&step=20")
    assert fingerprint(again) == goes_on.fingerprint
    assert place(handle(again, "laptop")) == where
    reload(page)
    assert live(page) == asked


def test_two_runs_on_one_scrubber(open_file):
    page = open_file("train_a_head?second=seed&other_seed=6&step=30")
    other = train(TASK, 6, 150)
    expect(page.get_by_role("heading", name="Seed: 6")).to_be_visible()
    for step in (30, 29):
        at_step(page, step)
        at_step(page, step, other, " 2")
        page.get_by_role("button", name="Previous step").click()
    assert other.fingerprint in page.locator(".told-of-run").text_content()


def test_the_negative_gradient_points_where_the_loss_falls(open_file):
    """The arrow on a word, against the loss with its two numbers a little larger and smaller."""
    page = open_file("train_a_head?step=20&force=on")
    parameters = {name: array.astype(float) for name, array in RUN.at(20).items()}
    sentences, targets = TASK.sentences[RUN.batches[20]], TASK.targets[RUN.batches[20]]

    def loss(word, column, by):
        table = parameters["embeddings"].copy()
        table[word, column] += by
        return loss_and_gradients(parameters | {"embeddings": table}, sentences, targets)[0]

    painted(page)
    arrows = page.locator("line.displaced.force").evaluate_all(
        "lines => lines.map(e => ['x1', 'y1', 'x2', 'y2'].map(name => +e.getAttribute(name)))"
    )
    assert len(arrows) == len(TASK.words)
    for word in (1, 5, 6):
        falls = [-(loss(word, k, 1e-4) - loss(word, k, -1e-4)) / 2e-4 for k in (0, 1)]
        x1, y1, x2, y2 = arrows[word]
        drawn = np.array([x2 - x1, y1 - y2])
        cosine = drawn @ falls / np.linalg.norm(drawn) / np.linalg.norm(falls)
        assert cosine > 0.999, TASK.words[word]


def test_planes_name_the_words_of_the_sentence(open_file):
    page = open_file("train_a_head")
    page.locator("[data-stage] summary", has_text="The attention pattern").click()
    keys = page.locator(".rebuild-on").first
    expect(keys.locator("text", has_text="pie")).to_have_count(0)
    page.locator(".token select").first.select_option("pie")
    expect(keys.locator("text", has_text="pie").first).to_be_visible()


def test_settings_are_those_of_the_run_and_stay_so(open_page):
    page = open_page("train_a_head")
    new_seed, drawer = page.get_by_role("button", name="New seed"), page.get_by_test_id("stPopoverBody")
    open_change(page)
    rerun_by_click(new_seed)
    expect(drawer.get_by_label("Seed")).to_have_value("1")
    expect(drawer.get_by_label("Learning rate")).to_have_value("0.02")
    rerun_by_click(drawer.get_by_role("radio", name="2"))
    for seed in (2, 3):
        rerun_by_click(new_seed)
        expect(page).to_have_url(re.compile(rf"\?seed={seed}&layers=2\b"))
