"""Learned translation under a hand: a phrase typed, a weight dragged, the words played one by one."""

import numpy as np
from playwright.sync_api import expect

from attention_core import load_translator
from tests.browser.hand import drag_and_hold, handle, live, painted, rerun_by_drag
from tests.browser.harness import arrived, axe, rerun_by_key


def says(page, words):
    """Wait until these are the French words, before the end."""
    expect(page.locator(".links button.word.asks")).to_have_text([*words, "(end)"])


def test_a_lesson_draws_with_its_own_parts_after_another_and_a_link_holds_what_was_made(open_page):
    page = open_page("cross_attention?model=aligned")
    expect(page.locator("input[data-phrase]")).to_be_visible()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Inside a small language model").click()
    arrived(page, "**/trained_model*")
    page.locator("summary", has_text="Change the text").click()
    expect(page.locator("input.text-of")).to_be_visible()
    page.go_back()
    arrived(page, "**/cross_attention*")
    expect(page.locator("input[data-phrase]")).to_be_visible()
    field = page.locator("input[data-phrase]")
    field.fill("some big blue cats")
    rerun_by_key(field, "Enter")
    expect(field).to_be_focused()
    rerun_by_drag(page, handle(page, "some"), 100, 0)
    assert "bent=" in page.url
    expect(page.locator(".row-in-hand .badge")).to_have_text("yours")
    other = open_page(page.url.split("/", 3)[3])
    expect(other.locator("input[data-phrase]")).to_have_value("some big blue cats")
    assert live(other) == live(page)


def test_a_phrase_is_typed_and_its_translation_follows(open_file):
    page = open_file("cross_attention?model=aligned")
    model, field = load_translator("aligned"), page.locator("input[data-phrase]")
    field.fill("")
    expect(page.locator(".phrase .wrong")).to_contain_text("Enter at least one English word")
    field.press_sequentially("some big blue ca")
    expect(page.locator(".phrase .offered button")).to_have_text(["cat", "cats"])
    field.press("ArrowDown")
    field.press("Tab")
    field.press_sequentially("s", delay=0)
    field.press("Backspace")
    field.fill("some big blue cats")
    says(page, model.translate(["some", "big", "blue", "cats"]).words)
    field.press("Enter")
    expect(field).to_be_focused()
    field.fill("Ｔｈｅ　cat，and\u200e the cats。")
    says(page, model.translate(["the", "cat", "and", "the", "cats"]).words)
    field.fill("some big blue cats")
    says(page, model.translate(["some", "big", "blue", "cats"]).words)

    field.fill("some big creatur")
    field.press("Enter")
    wrong = page.locator(".phrase .wrong")
    expect(wrong.locator("button")).to_have_text(["creature", "creatures"])
    field.fill("some big elefants")
    field.press("Enter")
    expect(wrong).to_contain_text("doesn’t know “elefants”")
    assert wrong.locator("button").count() == 0, "no word is near"
    expect(wrong).not_to_contain_text("Similar words")
    says(page, model.translate(["some", "big", "blue", "cats"]).words)
    expect(field).to_have_value("some big elefants")
    field.fill("the cat and the " + "big " * 9)
    field.press("Enter")
    expect(wrong).to_contain_text("13 words are too many")
    # no heading stands between the title of a file's page and those of its figure
    assert [finding for finding in axe(page) if "heading-order" not in finding] == []


def test_a_weight_is_dragged_and_another_word_comes_out(open_file):
    page = open_file("cross_attention?model=aligned&step=0")
    model, words = load_translator("aligned"), ["the", "fluffy", "blue", "creature"]
    translated = model.translate(words)
    numbers = live(page)
    seen = [float(numbers[f"weight la {word}"]) for word in words]
    np.testing.assert_allclose(seen, translated.weights[0, 0], atol=1e-5)
    assert [numbers[f"{name} aligned 1"] for name in ("right", "wrong", "missed")] == ["4", "0", "0"]

    drag_and_hold(page, handle(page, "the"), 200, 0)
    expect(page.locator(".next-words .instead")).to_have_text("With its own weights, the model predicts: la")
    bent = model.translate(words, bent=[[0, 0, 1]])
    says(page, bent.words)
    assert bent.words != translated.words
    page.mouse.up()
    painted(page)
    assert "bent=0_0_1000_0" in page.url

    page.get_by_role("button", name="Reset my weights").click()
    says(page, translated.words)
    page.get_by_role("button", name="Play word by word").click()
    expect(page.locator(".links button.word.asks").nth(1)).to_have_css("visibility", "hidden")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Next word").click()
    expect(page.locator(".row-in-hand .says")).to_contain_text("Weights while predicting créature")

    page.get_by_role("button", name="the only head").or_(page.get_by_role("radio", name="the only head")).click()
    expect(page.locator(".row-in-hand .says")).to_contain_text("The head is off")
    own, beside = page.locator(".alignment").nth(0), page.locator(".alignment").nth(1)
    expect(own.locator(".counts")).to_be_hidden()
    expect(own.locator(".means")).to_have_text("This head is off, so its weights have no effect.")
    expect(beside.locator(".means")).to_contain_text("Only weights of at least 50% count")
    assert page.locator(".links.learned.pale path.astray").count() == 0
