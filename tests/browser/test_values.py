"""The values page under a hand: the temperature, the value matrix, the arrows and their sum."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_example, scaled_dot_product_attention
from attention_lab.state import permalink
from tests.browser.hand import drag, handle, live, middle, place, take
from tests.browser.harness import rerun, settled

MONEY = load_example("money_bank")
TEMPERATURE = MONEY.expected["temperature"]
AT = f"temperature={permalink.numeral(TEMPERATURE)}"
ARROWS = """() => {
    const within = root => [...root.querySelectorAll('*')]
        .flatMap(e => [e, ...(e.shadowRoot ? within(e.shadowRoot) : [])]);
    const all = within(document), seen = e => e.style.display !== 'none';
    const start = line => ['x1', 'y1'].map(k => Number(line.getAttribute(k)));
    const tip = head => head.getAttribute('d').match(/L(\\S+) (\\S+)/).slice(1).map(Number);
    const sums = all.filter(e => e.matches('line.displaced.context:not(.ghost)') && seen(e));
    return {
        addends: all.filter(e => e.matches('g.addend') && seen(e))
            .map(g => [start(g.querySelector('line')), tip(g.querySelector('path'))]),
        sums: sums.map(line => ['x1', 'y1', 'x2', 'y2'].map(k => Number(line.getAttribute(k)))),
        sides: Number(all.find(e => e.matches('.sides')).style.opacity),
    };
}"""


def number(page, what):
    return float(live(page)[what])


def shown(page, what):
    return page.locator(f'[data-value="{what}"]').text_content()


def test_the_scores_and_the_true_weights_on_screen(open_page):
    page = open_page("values?example=money_bank")
    assert [number(page, f"score bank {word}") for word in MONEY.words] == [10, 32]
    assert [shown(page, f"score bank {word}") for word in MONEY.words] == ["10", "32"]
    scaled = [number(page, f"scaled bank {word}") for word in MONEY.words]
    assert [f"{x:.4f}" for x in scaled] == ["7.0711", "22.6274"]
    assert shown(page, "weight bank money") == "0.00000018"
    assert shown(page, "weight bank bank") == "0.99999982"
    expect(page.get_by_text("article: 7.09")).to_be_visible()
    expect(page.get_by_text("article: 22.69")).to_be_visible()
    expect(page.get_by_text("article: 0.2")).to_be_visible()
    expect(page.get_by_text("article: 0.8")).to_be_visible()


def test_a_score_that_rounding_leaves_next_to_nothing_is_nothing(open_page):
    page = open_page("values?example=money_bank&word=money")
    assert abs(number(page, "score money bank")) < 1e-12
    assert shown(page, "score money bank") == "0"


@pytest.mark.parametrize("still", [False, True], ids=["moving", "still"])
def test_the_button_sets_the_articles_temperature(open_page, still):
    page = open_page("values?example=money_bank", reduced_motion=still)
    with rerun(page):
        page.get_by_role("button", name="T = 11.2215").click()
    assert shown(page, "context bank first") == "7.6"
    assert shown(page, "context bank second") == "3.8"
    assert number(page, "context bank first") == pytest.approx(7.6, abs=1e-12)
    assert number(page, "context bank second") == pytest.approx(3.8, abs=1e-12)
    assert float(parse_qs(urlsplit(page.url).query)["temperature"][0]) == TEMPERATURE
    expect(page.get_by_role("button", name="T = 11.2215")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".goals .why")).to_be_visible()


def test_river_bank_at_the_same_temperature(open_page):
    page = open_page(f"values?example=river_5f_bank&{AT}")
    assert number(page, "context bank first") == pytest.approx(8.00, abs=0.005)
    assert number(page, "context bank second") == pytest.approx(0.80, abs=0.005)


def test_the_temperature_is_live_under_the_hand(open_page):
    page = open_page("values?example=money_bank")
    slider = handle(page, "temperature")
    asked = page.evaluate("labRuns.asked.length")
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    weights = []
    for part in (0.7, 0.8, 0.9, 0.999):
        page.mouse.move(box["x"] + part * box["width"], y, steps=4)
        page.wait_for_function("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        weights.append(number(page, "weight bank money"))
    assert weights == sorted(weights)
    assert number(page, "temperature") >= 12
    assert weights[-1] > 0.2
    assert page.evaluate("labRuns.asked.length") == asked
    with rerun(page):
        page.mouse.up()
    assert number(page, "weight bank money") == weights[-1]


def test_a_basis_vector_shapes_the_value_matrix(open_page):
    page = open_page(f"values?example=money_bank&{AT}")
    basis = handle(page, "W_value first")
    assert place(basis) == [1, 0]
    asked = page.evaluate("labRuns.asked.length")
    x, y = take(page, basis)
    page.mouse.move(x - 30, y - 25, steps=6)
    during = place(basis)
    assert during != [1, 0]
    assert page.evaluate("labRuns.asked.length") == asked
    with rerun(page):
        page.mouse.up()
    assert place(basis) == during
    numbers = live(page)
    query = MONEY.embeddings @ MONEY.W_query
    value = MONEY.embeddings @ np.array([during, [0, 1]])
    trace = scaled_dot_product_attention(
        query, MONEY.embeddings @ MONEY.W_key, value, scale=2**-0.5 / TEMPERATURE
    )
    for k, axis in enumerate(MONEY.axes):
        assert float(numbers[f"context bank {axis}"]) == pytest.approx(trace.context[1, k], abs=1e-9)
        assert float(numbers[f"value money {axis}"]) == pytest.approx(value[0, k], abs=1e-9)
    other = open_page(page.url.split("/", 3)[3])
    assert live(other) == numbers
    expect(other.get_by_text("yours").first).to_be_visible()
    with rerun(other):
        other.get_by_role("button", name="identity").click()
    assert number(other, "context bank first") == pytest.approx(7.6, abs=1e-9)


def test_keys_shape_the_value_matrix(open_page):
    page = open_page("values?example=money_bank")
    basis = handle(page, "W_value second")
    basis.focus()
    with rerun(page):
        basis.press("ArrowUp")
    assert place(basis) == [0, 1.1]
    with rerun(page):
        basis.press("Shift+ArrowDown")
    assert place(basis) == [0, 0.1]
    assert number(page, "value money second") == pytest.approx(0.7)


def arrows(page):
    """Where the arrows begin and end, once they have come to rest."""
    before = None
    while (now := page.evaluate(ARROWS)) != before:
        before = now
        page.wait_for_timeout(200)
    return now


def test_tip_to_tail_the_arrows_end_where_their_sum_ends(open_page):
    page = open_page(f"values?example=money_bank&{AT}")
    drawn = arrows(page)
    (first, second), (total,) = drawn["addends"], drawn["sums"]
    assert first[0] == pytest.approx(total[:2], abs=0.2)
    assert second[0] == pytest.approx(first[1], abs=0.2)
    assert second[1] == pytest.approx(total[2:], abs=0.2)
    assert drawn["sides"] == 0


def test_as_a_parallelogram_they_begin_together(open_page):
    page = open_page(f"values?example=money_bank&{AT}")
    with rerun(page):
        page.get_by_text("as a parallelogram").click()
    drawn = arrows(page)
    (first, second), (total,) = drawn["addends"], drawn["sums"]
    assert first[0] == pytest.approx(second[0], abs=0.2)
    across = [a + b - 2 * c for a, b, c in zip(first[1], second[1], first[0], strict=True)]
    assert across == pytest.approx([total[2] - total[0], total[3] - total[1]], abs=0.2)
    assert drawn["sides"] == 1


def test_added_the_sum_begins_at_the_tip_of_the_word(open_page):
    page = open_page(f"values?example=money_bank&{AT}", reduced_motion=True)
    before = arrows(page)["sums"][0]
    with rerun(page):
        page.get_by_text("is added: x + Δx").click()
    drawn = arrows(page)
    total = drawn["sums"][0]
    assert [total[2] - total[0], total[3] - total[1]] == pytest.approx(
        [before[2] - before[0], before[3] - before[1]], abs=0.2
    )
    tip = middle(handle(page, "bank"))
    picture = page.locator("svg.picture").first.bounding_box()
    assert [picture["x"] + total[0], picture["y"] + total[1]] == pytest.approx(tip, abs=1.5)
    assert number(page, "new bank first") == pytest.approx(16.6)
    assert number(page, "new bank second") == pytest.approx(6.8)
    assert "change=add" in page.url


def test_a_dragged_word_takes_its_value_along(open_page):
    page = open_page(f"values?example=money_bank&{AT}")
    with rerun(page):
        drag(page, handle(page, "money"), 60, 40)
    x, y = place(handle(page, "money"))
    assert number(page, "value money first") == pytest.approx(x)
    assert number(page, "value money second") == pytest.approx(y)
    assert number(page, "share of money") == number(page, "weight bank money")


@pytest.mark.parametrize("state", ["apple_5f_unveiled&temperature=0.5", "orange_5f_apple_5f_phone&word=phone"])
def test_the_printed_sum_comes_to_what_is_printed_below_it(open_page, state):
    page = open_page(f"values?example={state}")
    added, result = (
        [
            float(re.sub(r" × 10⁻(.)", lambda size: f"e-{'⁰¹²³⁴⁵⁶⁷⁸⁹'.index(size[1])}", text.replace("−", "-")))
            for text in page.locator(f".formula .line[data-line='{line}'] mn").evaluate_all(
                "all => all.filter(e => e.getClientRects().length).map(e => e.textContent)"
            )
        ]
        for line in ("", "replace")
    )
    terms = np.reshape(added, (-1, 3))
    total = terms[:, 0] @ terms[:, 1:]
    assert [f"{x:.4g}" for x in total] == [f"{x:.4g}" for x in result]


def test_a_guess_hides_weights_and_sum(open_page):
    page = open_page("values?example=money_bank&predict=1")
    assert not [what for what in live(page) if re.match("weight|context|new|share|shift", what)]
    assert page.evaluate(ARROWS)["addends"] == []
    with rerun(page):
        page.get_by_role("button", name="less than one in a million").click()
    settled(page)
    assert shown(page, "weight bank money") == "0.00000018"


def test_the_fifty_sevenths_can_be_seen_and_typed(open_page):
    page = open_page("values?example=money_bank")
    with rerun(page):
        page.get_by_role("button", name="Matrices").click()
    area = page.get_by_role("textbox", name="Key matrix: 2 × 2")
    expect(area).to_have_value("22/57  50/57\n10/57  2/57")
    area.fill("22/57 50/57\n10/57 -2/57")
    with rerun(page):
        area.press("Control+Enter")
    assert number(page, "score bank money") != 10
    assert "W_key=" in page.url


def test_a_number_tells_all_its_digits_to_a_mouse_that_rests_on_it(open_page):
    page = open_page("values?example=money_bank")
    number_on_screen = page.locator('[data-value="scaled bank bank"]')
    number_on_screen.hover()
    expect(number_on_screen).to_have_attribute("title", re.compile(r"^22\.6274169979695"))
