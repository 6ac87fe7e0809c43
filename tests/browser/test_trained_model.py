"""Inside a trained model, under a hand: the dimmer, swapped words, a text that is written with completion."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_language_model
from tests.browser.hand import handle, live, painted, place, take
from tests.browser.harness import rerun_by_click, rerun_by_key

MODEL = load_language_model()
ON = "the soccer player took a deep breath and walked out onto the"


def said(text, dimmed=()):
    """The shares of the next word by the core's own calculation; of dimmed heads, (head, strength)."""
    strengths = np.ones((2, 5))
    for head, strength in dimmed:
        strengths[divmod(head, 5)] = strength
    return dict(zip(MODEL.words, MODEL.run(text.split(), strengths=strengths).next_word[-1], strict=True))


def shown(page):
    """The shares of the next word on screen."""
    numbers = live(page)
    return {
        what.split()[1]: float(x)
        for what, x in numbers.items()
        if what.startswith("next ") and what.count(" ") == 1
    }


def unfold(page, title):
    page.locator("details.fold > summary", has_text=title).click()


def agrees(page, text, dimmed=()):
    painted(page)
    ours, theirs = shown(page), said(text, dimmed)
    assert ours
    assert ours == pytest.approx({word: theirs[word] for word in ours}, abs=1e-5)
    assert max(theirs, key=theirs.get) in ours


def test_the_dimmer_and_swapped_words_are_followed_at_once(open_file):
    page = open_file("trained_model?opening=walkers")
    agrees(page, ON)
    first = page.locator(".cue").get_attribute("data-handle")
    assert first == f"head {page.locator('.small-head.shown').get_attribute('data-head')}"
    head = [f"head {layer}.{k}" for layer in (1, 2) for k in range(1, 6)].index(first)
    dimmer = handle(page, first)
    x, y = take(page, dimmer)
    for far in (30, 90):
        page.mouse.move(x - far, y, steps=3)
        painted(page)
        (strength,) = place(dimmer)
        assert 0 < strength < 1
        agrees(page, ON, [(head, strength)])
    page.mouse.move(x - 320, y, steps=3)
    agrees(page, ON, [(head, 0)])
    expect(page.locator(".arcs-title")).to_contain_text("this head is off")
    assert set(page.locator(".arc-word .number").all_text_contents()) == {"–"}
    page.mouse.move(x, y, steps=3)
    page.mouse.up()
    agrees(page, ON)

    unfold(page, "Change the text")
    expect(page.locator(".ripple-field")).to_be_hidden()
    page.locator(".swap-words button", has_text="soccer").click()
    assert page.locator(".arc-word").last.get_attribute("aria-pressed") == "true", "the query stays"
    page.locator(".kin-words button", has_text="musician").click()
    other = ON.replace("soccer", "musician")
    agrees(page, other)
    expect(page.locator(".text-of")).to_have_value(other)
    expect(page.locator(".arc-word[aria-pressed=true]")).to_have_count(1)
    assert page.locator(".arc-word").last.get_attribute("aria-pressed") == "true", "what the answer is made of"
    expect(page.locator(".exchanging .which")).to_contain_text("musician")
    page.locator(".arc-word").first.click()
    expect(page.locator(".exchanging .which")).to_contain_text("musician")
    page.locator(".arc-word").last.click()
    painted(page)
    moved = {what: float(x) for what, x in live(page).items() if what.startswith("moved ")}
    assert not [what for what in moved if what.startswith("moved the ")], "nothing before it"
    before, after = (MODEL.run(text.split()).states for text in (ON, other))
    changed = np.linalg.norm(after - before, axis=-1) / np.linalg.norm(before, axis=-1)
    assert moved["moved musician 0"] == pytest.approx(changed[0, 1], rel=1e-4)
    assert moved["moved the₂ 2"] == pytest.approx(changed[2, -1], rel=1e-4)
    assert "moved player 0" not in moved
    expect(page.locator(".reason")).to_contain_text(re.compile(r"Head [12]\.[1-5] caused \d+\.\d"))
    page.get_by_role("button", name="Undo the swap").click()
    agrees(page, ON)
    page.locator(".exchanging input").click()
    page.keyboard.type("music")
    page.locator(".exchanging [role=option]").first.click()
    agrees(page, other)
    expect(page.locator(".exchanging .offered")).to_be_hidden()


def test_a_text_is_written_with_completion_and_what_it_cannot_read_is_named(open_file):
    page = open_file("trained_model?opening=walkers")
    unfold(page, "Change the text")
    field, note = page.locator(".text-of"), page.locator(".written .note")
    field.click()
    field.fill("")
    expect(note).to_contain_text("Write at least one word")
    agrees(page, ON)  # what was read last stays
    page.keyboard.type("with the cash and the w")
    shares = said("with the cash and the")
    offered = page.locator(".written .writing [role=option] span").all_text_contents()
    fitting = sorted((word for word in MODEL.words if word.startswith("w")), key=shares.get, reverse=True)
    assert offered[:3] == fitting[:3]
    page.keyboard.press("Tab")
    expect(field).to_have_value(f"with the cash and the {fitting[0]} ")
    page.keyboard.type(", the bank ")
    agrees(page, f"with the cash and the {fitting[0]} , the bank")
    offered = page.locator(".written .writing [role=option] span").all_text_contents()
    shares = said(f"with the cash and the {fitting[0]} , the bank")
    assert offered == sorted(shares, key=shares.get, reverse=True)[: len(offered)]
    page.keyboard.type("musicin。 ")
    expect(note).to_contain_text("“musicin”")
    page.locator(".note .near", has_text="musician").hover()
    page.mouse.down()
    painted(page)  # the answer to what was typed takes nothing from under the press
    page.mouse.up()
    text = f"with the cash and the {fitting[0]} , the bank musician ."
    agrees(page, text)
    expect(note).to_be_empty()
    field.click()
    field.fill("the dog didn’t cross the street ")  # as a phone writes it
    agrees(page, "the dog didn't cross the street")
    field.fill("Ｔｈｅ　dog\u200e didn’t cross the street。")
    agrees(page, "the dog didn't cross the street .")
    expect(note).to_be_empty()
    field.fill(" ".join(["the"] * 40))
    expect(note).to_contain_text("40 words are too many")
    page.keyboard.press("Enter")
    agrees(page, " ".join(["the"] * 32))


def test_a_head_among_all_is_shown_and_switched(open_page):
    page = open_page("trained_model")
    expect(page.get_by_role("heading", name="All ten heads")).to_be_visible()
    expect(page.locator("details .small-head")).to_have_count(0)
    unfold(page, "Attention pattern of this head")
    card = page.locator(".small-head[data-head='1.1']")
    rerun_by_click(card.locator(".strength"))
    expect(card.locator(".strength")).to_have_text("off")
    agrees(page, "ana ben eva tim : ana ben", [(0, 0)])
    assert "dimmed=" in page.url
    assert f"version={MODEL.fingerprint}" in page.url
    dimmer = page.locator(".head-dimmer [data-handle]")
    expect(dimmer).to_have_attribute("data-handle", "head 2.2")
    rerun_by_click(card.locator(".choose-head"))
    expect(dimmer).to_have_attribute("data-handle", "head 1.1")
    assert place(dimmer) == [0]
    expect(page.locator(".small-head.shown")).to_have_attribute("data-head", "1.1")
    expect(page.locator("details.fold", has_text="Attention pattern of this head")).to_have_attribute("open", "")
    rerun_by_click(page.get_by_role("button", name="Switch on", exact=True))
    agrees(page, "ana ben eva tim : ana ben")
    rerun_by_key(page, "Control+z")
    agrees(page, "ana ben eva tim : ana ben", [(0, 0)])
    unfold(page, "Change the text")
    rerun_by_click(page.locator(".twin").nth(1))
    other = page.locator(".text-of").input_value()
    assert other != "ana ben eva tim : ana ben"
    agrees(page, other, [(0, 0)])


def test_predictions_layer_by_layer_appear_on_request_with_a_number_in_each_state(open_file):
    page = open_file("trained_model?opening=bank")
    head = page.locator(".next-words .next.head")
    expect(head).to_be_hidden()
    numbers = page.locator(".next-words button.next .number").all_text_contents()
    assert len(numbers) == 5 * 3
    assert all("%" in number for number in numbers), numbers
    page.get_by_role("button", name="Layer by layer").click()
    expect(head).to_be_visible()
