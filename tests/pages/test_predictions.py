"""Predict first: what pages ask, what they say of a guess, and what a second question still hides."""

from urllib.parse import parse_qsl

import pytest

from tests.visit import PATHS, Visit, as_shown


def asked(link):
    page, _, settings = link.partition("?")
    return Visit(PATHS[page], predict="1", **dict(parse_qsl(settings)))


NONE, LAST = "“**none**”. That is correct", "“**only the last**”. That is correct"
LESS, FOUR = "“**less**”. That is correct", "The answer is “**four times as many**”"
OLD = "The answer is “**the word’s old vector**”"
EQUAL = "You predicted “**equal, up to rounding**”. That is correct"
RISES, STAYS = "Every score rises by 2", "“**it stays the same**”. That is correct."
LARGEST, WEIGHT = "largest dot product with *apple*", "Which other word has the largest weight for *apple*"
EARLIER, CACHE = "What happens to what was summed before?", "How large would its KV cache be?"
APART = "how far apart are *mole* in *take a biopsy of the mole*"


@pytest.mark.parametrize(
    ("link", "question", "place", "verdict"),
    [
        ("home", "which word does *apple* attend to most?", 2, "You predicted “**phone**”. That is correct."),
        ("embeddings", WEIGHT, 6, "“**orange**”. That is correct."),
        ("embeddings?example=biopsy_of_the_mole", APART, 2, "“far”. The answer is “**not at all**”."),
        ("similarity", LARGEST, 0, "You predicted “orange”. The answer is “**phone**”"),
        ("similarity", LARGEST, 2, "You predicted “**phone**”. That is correct"),
        ("similarity?vectors=0_0__2_2__4_0", "largest dot product", 0, "The answer is “**phone**”"),
        ("softmax", "a score of 0 with *apple*", 0, "You predicted “zero”. The answer is “**more than 10%**”."),
        ("softmax", "a score of 0 with *apple*", 2, "You predicted “**more than 10%**”. That is correct."),
        ("softmax?scores=1_2_3_4_5", RISES, 1, STAYS),
        ("softmax?example=own&words=pear.plum", RISES, 1, STAYS),
        ("values?example=money_bank", "7.0711", 0, "The answer is “**less than one"),
        ("values?example=money_bank", "7.0711", 2, "That is correct"),
        ("values?example=one_head", "longer than the longest", 0, "You predicted “yes”. The answer is “**no**”"),
        ("long_texts", EARLIER, 2, "multiplied by one factor below 1**”. That is correct"),
        ("long_texts?scores=1_3_2_7_0_4_5_1_1", EARLIER, 2, "The answer is “**It stays as it is**”"),
        ("long_texts?experiment=window", "perplexity?", 2, "“**It falls by more than 30%**”. That is correct"),
        ("long_texts?experiment=shared", CACHE, 1, "“**Half as large**”. That is correct"),
        ("long_texts?experiment=shared&model=gpt3&kv_heads=3", CACHE, 0, "The answer is “**Half as large**”"),
        ("modern_model?text=france", "What happens to “Paris”?", 2, "a tenth is left**”. That is correct"),
        ("modern_model?text=germany", "What happens to “Berlin”?", 0, "are left**”. That is correct"),
        ("modern_model?text=italy", "What happens to “Rome”?", 0, "are left**”. That is correct"),
        ("modern_model?text=australia", "What happens to “Sydney”?", 1, "a tenth is left**”. That is correct"),
        ("modern_model?text=japan", "What happens to “Tokyo”?", 2, "a tenth is left**”. That is correct"),
    ],
)
def test_a_page_asks_hides_its_results_and_tells_the_answer(link, question, place, verdict):
    visit = asked(link)
    assert question in visit.text
    assert visit.stage["results_hidden"]
    assert "0.000018%" not in visit.text, "a weight that is the answer on the page of values"
    assert verdict in as_shown(visit.press(f"guess.{place}").text)
    assert not visit.stage["results_hidden"]


@pytest.mark.parametrize(
    ("link", "of", "first", "second"),
    [
        ("masking", "cut weight", (0, NONE), (1, LAST)),
        ("scale", "growth", (1, LESS), (0, FOUR)),
        ("multi_head?example=creature_until_it_slept", "join", (0, OLD), (0, EQUAL)),
    ],
)
def test_a_second_question_hides_what_the_first_does_not(link, of, first, second):
    visit = asked(link)
    for (place, verdict), veiled in ((first, True), (second, False)):
        assert verdict in as_shown(visit.press(f"guess.{place}").text)
        assert not visit.stage["results_hidden"]
        drawn = [each for part in visit.parts for each in (part, *part.get("cases", []))]
        part = next(each for each in drawn if of in (each.get("kind"), each.get("what")))
        assert bool(part.get("veiled")) == veiled
