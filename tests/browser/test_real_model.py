"""A real model in the browser: the first move, a hint after two moves away, and folds that a goal opens."""

import pytest
from playwright.sync_api import expect

from tests.browser.harness import rerun


def test_the_first_move_shows_a_sink_and_two_moves_away_bring_a_hint(open_page):
    page = open_page("real_model")
    ringed = page.locator(".tiny-head.cue")
    expect(ringed).to_have_count(1)
    with rerun(page):
        ringed.click()
    expect(page.locator(".does-most")).to_contain_text("is an attention sink")
    expect(page.locator(".goals .note")).to_contain_text("to the previous token. Goal: 90%")
    expect(page.locator(".goals .advice")).to_be_empty()
    for head in ("6.1", "6.3"):
        with rerun(page):
            page.locator(f"[data-handle='head {head}']").click()
    expect(page.locator(".goals .note")).to_contain_text("a dark line beside the diagonal")
    with rerun(page):
        page.locator("[data-handle='head 1.3']").click()
    expect(page.locator(".goals .why")).to_contain_text("position is enough for that")


@pytest.mark.parametrize(
    ("goal", "fold"),
    [
        ("half", "One head in detail"),
        ("together", "One word, several senses"),
        ("noun", "What does “it” refer to?"),
    ],
)
def test_a_goal_opens_the_fold_that_it_needs(open_page, goal, fold):
    page = open_page("real_model")
    expect(page.locator("details.fold[open]")).to_have_count(0)
    page = open_page(f"real_model?goal={goal}")
    expect(page.locator("details.fold[open] > summary")).to_have_text([fold])


def test_the_slider_names_the_pair_whose_score_it_raises(open_page):
    page = open_page("real_model")
    label = page.locator(".slider .line").first
    expect(label).to_contain_text("Raise the score “bank” → “che”")
    page = open_page("real_model?word=paid&other=bank")
    label = page.locator(".slider .line").first
    expect(label).to_contain_text("Raise the score “paid” → “bank”")
