"""The values page: the temperature, the value matrix, the arrows and their sum."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_example, scaled_dot_product_attention
from attention_lab.state import permalink
from tests.browser.hand import (
    drag,
    drag_and_hold,
    expect_numbers,
    handle,
    line_ends,
    middle,
    number,
    number_text,
    painted,
    place,
)

MONEY = load_example("money_bank")
TEMPERATURE = MONEY.expected["temperature"]
BANK = "values?example=money_5f_bank"
AT = f"temperature={permalink.numeral(TEMPERATURE)}"
NAMES = MONEY.words
ADDENDS = """groups => groups.map(group => [
    ['x1', 'y1'].map(k => Number(group.querySelector('line').getAttribute(k))),
    group.querySelector('path').getAttribute('d').match(/L(\\S+) (\\S+)/).slice(1).map(Number),
])"""


def addends(page):
    """Where the arrows that are added begin and end."""
    painted(page)
    return page.locator("g.addend:visible").evaluate_all(ADDENDS)


def total(page):
    """Where their sum begins and ends."""
    return line_ends(page, "line.displaced.context:not(.ghost)")[0]


def test_the_worked_numbers_are_in_sight_and_printed_sums_come_to_what_is_printed(open_file):
    page = open_file(BANK)
    assert [number_text(page, f"score bank {word}") for word in NAMES] == ["10", "32"]
    assert [number_text(page, f"weight bank {word}") for word in NAMES] == ["0.000018%", "99.999982%"]
    assert [f"{number(page, f'scaled bank {word}'):.4f}" for word in NAMES] == ["7.0711", "22.6274"]
    for text in ("article: 7.09", "article: 22.69", "article: 0.2", "article: 0.8"):
        expect(page.get_by_text(text, exact=True)).to_be_visible()
    on_screen = page.locator('[data-value="scaled bank bank"]')
    on_screen.hover()
    expect(on_screen).to_have_attribute("title", re.compile(r"^22\.6274169979695"))
    page = open_file(f"values?example=river_5f_bank&{AT}")
    assert [number(page, f"context bank {axis}") for axis in MONEY.axes] == pytest.approx([8, 0.8], abs=0.005)
    page = open_file(f"{BANK}&word=money")
    assert 0 < abs(number(page, "score money bank")) < 1e-12
    assert number_text(page, "score money bank") == "0", "what rounding leaves is nothing"
    for link in ("apple_5f_unveiled&temperature=0.5", "orange_5f_apple_5f_phone&word=phone"):
        page = open_file(f"values?example={link}")
        page.locator("details").evaluate("fold => (fold.open = true)")
        added, result = (
            [
                float(
                    re.sub(r" × 10⁻(.)", lambda size: f"e-{'⁰¹²³⁴⁵⁶⁷⁸⁹'.index(size[1])}", text.replace("−", "-"))
                )
                for text in page.locator(f".formula .line[data-line='{line}'] mn:visible").all_text_contents()
            ]
            for line in ("", "replace")
        )
        terms = np.reshape(added, (-1, 3))
        printed = terms[:, 0] @ terms[:, 1:]
        assert printed == pytest.approx(result, rel=0.005), f"{link}: of factors with three digits"
    lines = page.locator(".formula .line:visible")
    expect(lines).to_contain_text(["context vector", "weighted sum"])
    page.get_by_text("is added: x + Δx", exact=True).click()
    expect(lines).to_contain_text(["x +Δx", "weighted sum"])


def test_the_temperature_is_live_under_the_hand_and_a_button_sets_the_articles(open_file):
    page = open_file(BANK, reduced_motion=False)
    box = handle(page, "temperature").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, y := box["y"] + box["height"] / 2)
    page.mouse.down()
    weights = []
    for part in (0.7, 0.8, 0.9, 0.999):
        page.mouse.move(box["x"] + part * box["width"], y, steps=4)
        painted(page)
        weights.append(number(page, "weight bank money"))
    page.mouse.up()
    assert weights == sorted(weights)
    assert number(page, "temperature") >= 12
    assert weights[-1] > 0.2
    button = page.get_by_role("button", name="T = 11.2215")
    button.click()
    expect(page.locator("[data-value='context bank first']")).to_have_text("7.6")
    expect(page.locator("[data-value='context bank second']")).to_have_text("3.8")
    assert number(page, "context bank first") == pytest.approx(7.6, abs=1e-12)
    assert number(page, "temperature") == TEMPERATURE
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".goals .why")).to_be_visible()


def test_values_and_their_sum_are_the_cores_as_a_basis_vector_or_a_word_moves(open_file):
    page = open_file(f"{BANK}&{AT}")
    basis = handle(page, "W_value first")
    drag_and_hold(page, basis, -30, -25)
    W_value = np.array([place(basis), [0, 1]])
    assert W_value[0].tolist() != [1, 0]
    query, key, value = (MONEY.embeddings @ W for W in (MONEY.W_query, MONEY.W_key, W_value))
    trace = scaled_dot_product_attention(query, key, value, scale=2**-0.5 / TEMPERATURE)
    expected = {f"context bank {axis}": trace.context[1, k] for k, axis in enumerate(MONEY.axes)}
    expect_numbers(page, expected | {f"value money {axis}": value[0, k] for k, axis in enumerate(MONEY.axes)})
    page.mouse.up()
    page.get_by_role("button", name="identity").click()
    painted(page)
    assert number(page, "context bank first") == pytest.approx(7.6, abs=1e-9)
    other = handle(page, "W_value second")
    for key, second in (("ArrowUp", 1.1), ("Shift+ArrowDown", 0.1)):
        other.press(key)
        painted(page)
        assert place(other) == [0, second]
    assert number(page, "value money second") == pytest.approx(0.7)
    page.get_by_role("button", name="identity").click()
    drag(page, handle(page, "money"), 60, 40)
    painted(page)
    x, y = place(handle(page, "money"))
    assert [number(page, f"value money {axis}") for axis in MONEY.axes] == pytest.approx([x, y])
    assert number(page, "share of money") == number(page, "weight bank money")


def test_the_arrows_add_up_to_their_sum_however_they_are_drawn(open_file):
    page = open_file(f"{BANK}&{AT}")
    (first, second), at_zero = addends(page), total(page)
    assert first[0] == pytest.approx(at_zero[:2], abs=0.2)
    assert second == [pytest.approx(first[1], abs=0.2), pytest.approx(at_zero[2:], abs=0.2)], "tip to tail"
    sides = page.locator(".sides")
    expect(sides).to_have_css("opacity", "0")
    page.locator("summary").click()
    page.get_by_text("as a parallelogram").click()
    first, second = addends(page)
    assert first[0] == pytest.approx(second[0], abs=0.2)
    across = np.subtract(first[1], first[0]) + np.subtract(second[1], second[0])
    length = np.subtract(at_zero[2:], at_zero[:2])
    np.testing.assert_allclose(across, length, atol=0.2)
    expect(sides).to_have_css("opacity", "1")
    page.get_by_text("is added: x + Δx").click()
    at_word = total(page)
    np.testing.assert_allclose(np.subtract(at_word[2:], at_word[:2]), length, atol=0.2)
    picture = page.locator("svg.picture").first.bounding_box()
    tip = middle(handle(page, "bank"))
    assert [picture["x"] + at_word[0], picture["y"] + at_word[1]] == pytest.approx(tip, abs=1.5)
    assert [number(page, f"new bank {axis}") for axis in MONEY.axes] == pytest.approx([16.6, 6.8])
    assert addends(open_file(f"{BANK}&predict=1")) == [], "before the guess"
