"""Train a head, under a hand: play and scrub, two runs, the words of the planes, the settings."""

import re

import pytest
from playwright.sync_api import expect

from attention_core import load_task, train
from tests.browser.hand import live, painted
from tests.browser.harness import open_change, rerun_by_click

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


def test_two_runs_on_one_scrubber(open_file):
    page = open_file("train_a_head?second=seed&other_seed=6&step=30")
    other = train(TASK, 6, 150)
    expect(page.get_by_role("heading", name="Seed: 6")).to_be_visible()
    for step in (30, 29):
        at_step(page, step)
        at_step(page, step, other, " 2")
        page.get_by_role("button", name="Previous step").click()
    assert other.fingerprint in page.locator(".told-of-run").text_content()


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
