"""A page from right to left: nothing is cut, words run as their script does, planes stay as they are."""

import pytest
from playwright.sync_api import expect

from attention_lab.state.permalink import escape
from tests.browser.hand import handle, place, rerun_by_drag
from tests.browser.harness import Tabs, rerun, rerun_by_key, settled
from tests.browser.test_layout import expect_clear

RIGHT_TO_LEFT = """(() => {
  const turn = () => {
    const page = document.documentElement;
    if (page && page.dir !== 'rtl') page.dir = 'rtl';
  };
  turn();
  new MutationObserver(turn).observe(document, { childList: true, subtree: true, attributeFilter: ['dir'] });
})()"""
PAGES = (
    "",
    "similarity",
    "softmax",
    "self_attention",
    "masking",
    "position",
    "multi_head",
    "cross_attention",
    "test",
)
ARABIC = ("اشتر", "تفاحة", "وبرتقالة", "من", "السوق")
OWN = f"example=own&words={'.'.join(map(escape, ARABIC))}"
BOX = "e => e.getBoundingClientRect().toJSON()"


class MirroredTabs(Tabs):
    """Tabs in which every page runs from right to left."""

    def _new(self, touch):
        page = super()._new(touch)
        page.context.add_init_script(RIGHT_TO_LEFT)
        return page


@pytest.fixture(scope="module")
def mirrored(browser, server):
    tabs = MirroredTabs(browser, server)
    yield tabs
    tabs.close()


def box(found):
    return found.first.evaluate(BOX)


def centre(found):
    of = box(found)
    return (of["left"] + of["right"]) / 2


def lefts(found):
    """Where elements begin, in the order of the document."""
    return found.evaluate_all("all => all.map(e => e.getBoundingClientRect().left)")


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_cut_or_lies_on_another(open_page, mirrored, path):
    expect_clear(open_page(path, server=mirrored), (1440, 900), (390, 844))


def test_the_sidebar_stands_at_the_right_and_leaves_to_the_right(open_page, mirrored):
    page = open_page("similarity", server=mirrored)
    assert box(page.get_by_test_id("stSidebar"))["right"] == 1440
    assert box(page.get_by_test_id("stMain"))["right"] <= box(page.get_by_test_id("stSidebar"))["left"] + 1
    page.get_by_test_id("stSidebar").hover()
    page.get_by_test_id("stSidebarCollapseButton").locator("button").click()
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    page.wait_for_function(
        "document.querySelector('[data-testid=stMain]').getBoundingClientRect().right === innerWidth"
    )
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    assert box(page.get_by_test_id("stExpandSidebarButton"))["left"] > 1300


@pytest.mark.parametrize("path", ["masking", "self_attention", "multi_head"])
@pytest.mark.parametrize("way", ["rtl", "ltr"])
def test_an_arabic_sentence_begins_at_the_right_on_every_page(open_page, mirrored, path, way):
    page = open_page(f"{path}?{OWN}", server=mirrored if way == "rtl" else None)
    words = page.locator("[data-stage] .arc-word")
    if words.count():
        assert lefts(words) == sorted(lefts(words), reverse=True)
    if path == "multi_head":
        page.get_by_role("button", name="Show all attention patterns").click()
    pattern = page.locator("svg.matrix:visible").first
    expect(pattern).to_be_visible()
    first, last = (box(pattern.locator(f"[data-as=asks][data-about={ARABIC[k]}]")) for k in (0, -1))
    assert first["top"] < last["top"]
    keys = [box(pattern.locator(f"[data-as=answers][data-about={word}]"))["right"] for word in ARABIC]
    assert keys == sorted(keys, reverse=True)


def test_under_the_causal_mask_the_future_is_at_the_left(open_page, mirrored):
    page = open_page(f"masking?{OWN}", server=mirrored)
    first_row = page.locator("svg.matrix.toggle [role=group]").first.locator("[role=button]")
    assert lefts(first_row) == sorted(lefts(first_row), reverse=True)
    assert first_row.evaluate_all("all => all.map(e => e.getAttribute('aria-pressed'))") == [
        "true",
        *["false"] * 4,
    ]
    assert f"{ARABIC[0]} ← {ARABIC[1]}" in first_row.nth(1).get_attribute("aria-label")
    first_row.first.focus()
    page.keyboard.press("ArrowLeft")
    expect(first_row.nth(1)).to_be_focused()


def test_english_words_run_from_left_to_right(open_page, mirrored):
    page = open_page("self_attention", server=mirrored)
    words = page.locator("[data-stage] .arc-word")
    assert lefts(words) == sorted(lefts(words))
    queries = page.locator("svg.matrix [data-as=asks]")
    keys = page.locator("svg.matrix [data-as=answers]")
    assert box(queries)["right"] < box(keys)["left"]


def test_planes_are_not_mirrored_and_a_drag_follows_the_pointer(open_page, mirrored):
    page = open_page("similarity", server=mirrored)
    phone, apple = handle(page, "phone"), handle(page, "apple")
    assert place(phone)[0] > place(apple)[0] > 0
    assert centre(phone) > centre(apple) > centre(handle(page, "orange"))
    before, at = place(apple), centre(apple)
    rerun_by_drag(page, apple, 60, 0)
    assert place(apple)[0] > before[0]
    assert centre(apple) == pytest.approx(at + 60, abs=3)
    before = place(phone)[0]
    phone.focus()
    rerun_by_key(page, "ArrowLeft")
    assert place(phone)[0] < before


def test_a_slider_grows_to_the_right(open_page, mirrored):
    page = open_page("softmax", server=mirrored)
    slider = page.locator("[data-handle=temperature]")
    track = box(slider)
    with rerun(page):
        page.mouse.click(
            track["left"] + 0.9 * (track["right"] - track["left"]), (track["top"] + track["bottom"]) / 2
        )
    assert place(slider)[0] > 3


def test_the_way_back_is_at_the_right_and_both_arrows_point_outward(open_page, mirrored):
    page = open_page("similarity", server=mirrored)
    links = page.locator("[class*=st-key-neighbours] [data-testid=stPageLink]")
    back, onward = links.first, links.last
    assert "Embeddings" in back.inner_text()
    assert box(onward)["right"] < box(back)["left"]
    for link, icon in ((back, "arrow_back"), (onward, "arrow_forward")):
        sign = link.get_by_test_id("stIconMaterial")
        assert sign.inner_text() == icon  # drawn for pages from left to right
        assert sign.evaluate("e => getComputedStyle(e).transform") == "matrix(-1, 0, 0, 1, 0, 0)"


def test_a_number_keeps_its_minus_before_it(open_page, mirrored):
    page = open_page("similarity?vectors=-3_1__2_2__4_0", server=mirrored)
    settled(page)
    cell = page.locator("td[data-value='dot orange apple'], td[data-value='dot apple orange']").first
    assert cell.inner_text() == "−4"
    wide = cell.evaluate(
        """cell => [0, 1].map(k => { const range = document.createRange();
          range.setStart(cell.firstChild, k); range.setEnd(cell.firstChild, k + 1);
          return range.getBoundingClientRect().left; })"""
    )
    assert wide[0] < wide[1]


# Of each text in a drawing: its letters as they stand from left to right, and their style.
AS_READ = """texts => texts.filter(text => text.textContent.trim()).map(text => {
  const middle = ({ x, width }) => x + width / 2,
    letters = [...text.textContent].map((letter, i) => [middle(text.getExtentOfChar(i)), letter]),
    read = letters.sort(([a], [b]) => a - b).map(([, letter]) => letter);
  return [read.join(''), getComputedStyle(text).fontStyle];
})"""
SAVE = """page => {
  const host = document.body.appendChild(document.createElement('div'));
  attention_lab.modules.export_image.save_picture(host, { page, svg: 'SVG', png: 'PNG' });
}"""


def saved_picture(page, name):
    """Save a page's picture as SVG, and return a page that shows it."""
    page.evaluate(SAVE, name)
    with page.expect_download() as file:
        page.get_by_role("button", name="SVG").click()
    picture = page.context.new_page()
    picture.set_content(file.value.path().read_text("utf-8"))
    return picture


def test_a_saved_picture_reads_as_the_page_does(open_file):
    page = open_file("similarity?lang=ar")
    shown = page.locator("[data-pictured] svg text:visible").evaluate_all(AS_READ)
    picture = saved_picture(page, "similarity")
    assert picture.locator("svg svg text:visible").evaluate_all(AS_READ) == shown
    assert {style for _, style in shown} == {"normal", "italic"}
    picture.close()
    picture = saved_picture(open_file("trained_model?lang=ar"), "trained_model")
    ((read, _),) = picture.locator("svg > text", has_text="eva».").evaluate_all(AS_READ)
    assert read == ".»eva«", "the sentence ends at the left"
    picture.close()
