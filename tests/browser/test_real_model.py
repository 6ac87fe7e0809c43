"""A real model: the first move, a hint after two moves away, and folds that a goal opens."""

from playwright.sync_api import expect


def test_the_first_move_shows_a_sink_and_two_moves_away_from_a_goal_bring_a_hint(open_file):
    page = open_file("real_model")
    expect(page.locator("details.fold[open]")).to_have_count(0)
    expect(page.locator(".slider .line").first).to_contain_text("Raise the score “bank” → “che”")
    ringed = page.locator(".tiny-head.cue")
    expect(ringed).to_have_count(1)
    sink = ringed.get_attribute("data-handle")
    ringed.click()
    expect(page.locator(".does-most")).to_contain_text("is an attention sink")
    expect(page.locator(".goals .note")).to_contain_text("Goal: 90%")
    expect(page.locator(".goals .advice")).to_be_empty()
    for head in ("6.1", "6.3"):
        page.locator(f"[data-handle='head {head}']").click()
    expect(page.locator(".goals .note")).to_contain_text("a dark line beside the diagonal")
    page.locator("[data-handle='head 1.3']").click()
    expect(page.locator(".goals .why")).to_contain_text("Position alone could produce this pattern")
    page.locator(".goals .next").click()
    page.locator(f"[data-handle='{sink}']").click()
    expect(page.locator(".goals .why")).to_contain_text("of its attention goes to the first token")


def test_a_goal_opens_the_fold_that_it_needs_and_the_slider_names_the_pair_of_a_link(open_file):
    for goal, fold in [
        ("half", "One head in detail"),
        ("together", "One word, several senses"),
        ("noun", "What does “it” refer to?"),
    ]:
        page = open_file(f"real_model?goal={goal}&word=paid&other=bank")
        expect(page.locator("details.fold[open] > summary")).to_have_text([fold])
        expect(page.locator(".slider .line").first).to_contain_text("Raise the score “paid” → “bank”")
