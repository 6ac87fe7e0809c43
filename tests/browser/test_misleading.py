"""Weights, words and heads under a hand in the experiments: the browser follows with the core's own numbers."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_language_model
from attention_core.models import explanations, grammar, reading
from attention_lab.lessons.misleading import fields, heads
from tests.browser.hand import drag_and_hold, handle, live, painted, place, rerun_by_drag, take
from tests.browser.harness import rerun, rerun_by_click, rerun_by_key

MODEL = load_language_model()


def numbers(page, what):
    """The live numbers of that kind, by what they belong to."""
    painted(page)
    return {name.removeprefix(what): float(x) for name, x in live(page).items() if name.startswith(what)}


def says(page, reading_now):
    """The answers on screen are those of the core."""
    shown = numbers(page, "next ")
    shown = {word: x for word, x in shown.items() if not word.startswith("before ")}
    shares = dict(zip(MODEL.words, reading_now.next_word[-1], strict=True))
    assert len(shown) == 5
    assert shown == pytest.approx({word: shares[word] for word in shown}, abs=1e-4)


def show_answer(page):
    """Answer the page's question: the tools and the goals come with it."""
    expect(page.locator(".goals")).to_be_hidden()
    rerun_by_click(page.get_by_role("button", name="Show answer", exact=True))
    expect(page.locator(".goals")).to_be_visible()


def test_a_rows_weights_are_dragged_and_the_layers_after_it_follow(open_file):
    page = open_file("misleading?experiment=swap")
    tokens = [grammar.PLACE_OF[word] for word in fields.TEXTS["names"]]
    own = reading.read_text(MODEL, tokens, np.ones((2, 5)))
    says(page, own)
    thumb = handle(page, "eva")
    assert "cue" in thumb.get_attribute("class")
    drag_and_hold(page, thumb, 0, 60)
    shown = numbers(page, "weight ")
    assert sum(shown.values()) == pytest.approx(1)
    assert place(thumb) == [pytest.approx(shown["eva"], abs=0.006)]
    assert 0.05 < shown["eva"] < 0.9
    pattern = np.array(own.weights[6], dtype=float)
    pattern[-1] = list(shown.values())
    says(page, explanations.run_with_patched_weights(MODEL, tokens, 6, pattern))
    page.mouse.up()
    painted(page)
    assert "shifted=" in page.url


def test_words_are_exchanged_in_their_place(open_file):
    page = open_file("misleading")
    expect(page.locator("[data-cell='word phone']")).to_contain_class("cue")
    page.locator("[data-cell='word phone']").select_option(label="the")
    assert numbers(page, "answer ")["tech"] > 0.9
    assert heads.small_head(fields.FIRST_SEED).missed == 1
    page = open_file("misleading?experiment=second_hand")
    expect(page.locator(".lane-row.chosen select")).to_have_value(str(grammar.PLACE_OF["tower"]))
    page.locator("[data-cell='word red']").select_option(label="black")
    text = [*fields.CHAINS["tower"]]
    text[text.index("red")] = "black"
    says(page, reading.read_text(MODEL, [grammar.PLACE_OF[word] for word in text], np.ones((2, 5))))
    expect(page.locator(".before-after .says")).to_contain_text("Now it predicts “black”")


def test_words_and_heads_are_thinned_out(open_file):
    page = open_file("misleading?experiment=deletion&opening=names")
    tokens = [grammar.PLACE_OF[word] for word in fields.TEXTS["names"]]
    first = fields.TEXTS["names"].index("ben")
    x, y = take(page, handle(page, "ben"))
    for far in (12, 400):
        page.mouse.move(x, y + far, steps=3)
        kept = np.ones(len(tokens))
        kept[first] = numbers(page, "kept ")["ben"]
        assert kept[first] < 1
        says(page, explanations.run_with_scaled_weights(MODEL, tokens, explanations.EVERY_HEAD, kept))
    assert kept[first] == 0
    page.mouse.up()


def test_the_question_stands_above_the_result_and_the_tools_come_with_its_answer(open_page):
    for link, width, height in [("&present=1", 1280, 720), ("", 390, 844)]:
        page = open_page(f"misleading?experiment=elimination{link}", width=width, height=height)
        question = page.get_by_role("button", name="Show answer", exact=True).bounding_box()
        result = page.locator(".before-after").bounding_box()
        assert question["y"] + question["height"] < result["y"], link
    show_answer(page)
    with rerun(page):
        page.locator("[data-cell='word phone']").select_option(label="the")
    expect(page.locator(".follows")).to_contain_text("recognising one is enough")
    assert "tokens=" in page.url
    rerun_by_click(page.locator(".options label", has_text="unclear"))
    assert numbers(page, "answer ")["unclear"] > 0.9
    page = open_page("misleading?experiment=swap")
    show_answer(page)
    rerun_by_drag(page, handle(page, "eva"), 0, 60)
    assert "shifted=" in page.url
    rerun_by_click(page.locator(".chooser button", has_text="1.1"))
    assert "shifted=" not in page.url, "another head has its own row"
    own = numbers(page, "weight ")
    rerun_by_click(page.get_by_role("button", name="uniform", exact=True))
    assert numbers(page, "weight ") == pytest.approx(dict.fromkeys(own, 1 / 7))
    rerun_by_key(page, "Control+z")
    assert numbers(page, "weight ") == pytest.approx(own)


def test_the_question_of_another_experiment_comes_into_sight_on_a_phone(open_page):
    page = open_page("misleading", width=390, height=700)
    experiments = page.locator(".st-key-tools").get_by_role("combobox").first
    experiments.scroll_into_view_if_needed()
    painted(page)  # a list that opens while the page scrolls is closed by that
    experiments.click()
    rerun_by_click(page.get_by_role("option", name="Do two seeds agree?"))
    expect(page.locator(".st-key-asked")).to_be_in_viewport(ratio=1)
