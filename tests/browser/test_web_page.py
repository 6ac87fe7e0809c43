"""A figure in one file, and a course as a folder: no server, no network, and everything can be moved."""

import os
import re
import shutil
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from attention_lab.export.web_page import write_course
from attention_lab.lessons.similarity import LESSON as SIMILARITY
from attention_lab.state.state import field_of
from attention_lab.state.update import MOST_STEPS
from attention_lab.text.languages import LANGUAGES
from tests.visit import PAGES, lesson_of, words_of

LARGEST = 400_000  # bytes of a page
PAPER = 700  # px of A4 between its margins


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Write the course in two languages, once for all processes; return its folder."""
    top = tmp_path_factory.getbasetemp()
    folder = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / "lab"
    written = folder.with_suffix(".written")
    try:
        folder.mkdir()
    except FileExistsError:  # another process writes it
        while not written.exists():
            time.sleep(0.1)
    else:
        try:
            write_course(folder, ["en", "ar"], base="/lab")
        finally:
            written.touch()
    return folder


def test_every_page_of_the_course_has_a_file_of_moderate_size(course):
    names = {lesson_of(path).LESSON.name for path in PAGES} - {"home"} | {"index"}
    files = {name: course / f"{name}.html" for name in names}
    assert {*course.glob("*.html")} == {*files.values(), course / "glossary.html", course / "404.html"}
    assert [name for name, file in files.items() if file.stat().st_size >= LARGEST] == []


def test_the_page_is_dark_where_the_reader_wants_it_dark(open_file):
    page = open_file("softmax")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(18, 20, 28)"


def test_a_static_course_leads_from_page_to_page(open_file, course):
    page = open_file("home", course / "index.html")
    page.locator(".neighbours [rel=next]").click()
    expect(page.locator("h1")).to_have_text("Embeddings and context")
    page.get_by_role("navigation").get_by_text("Scale").click()
    expect(page.locator("h1")).to_have_text("Scale")
    expect(page.locator("nav [aria-current=page]")).to_have_text("Scale")
    page.locator("abbr").first.hover()
    assert page.locator("abbr").first.get_attribute("title")
    page.get_by_role("link", name="Glossary").click()
    expect(page.locator("h1")).to_have_text("Glossary")
    expect(page.locator("dt", has_text="softmax").first).to_be_visible()
    page.get_by_role("link", name="Home").click()
    expect(page.locator("h1")).to_have_text(words_of("en", "home")["headline"])


def test_home_leads_to_every_page_by_its_question(open_file, course):
    page = open_file("home", course / "index.html")
    cards = page.locator(".course a")
    assert cards.count() == len(PAGES) - 1
    card = cards.filter(has_text=words_of("en", "masking")["question"])
    expect(card).to_contain_text(f"{words_of('en', 'masking')['minutes']} minutes")
    page.get_by_label("Predict first", exact=True).check()
    card.click()
    expect(page).to_have_url(re.compile(r"masking.html[?]predict=1$"))


def test_a_static_course_leads_from_language_to_language(open_file, course):
    page = open_file("scale", course / "scale.html")
    page.get_by_role("link", name=LANGUAGES["ar"].name).click()
    expect(page.locator("h1")).to_have_text(words_of("ar", "scale")["title"])
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert "/ar/scale.html" in page.url
    page.locator(".neighbours [rel=prev]").press("Enter")  # wherever it is while the figure above it comes
    expect(page.locator("h1")).to_have_text(words_of("ar", "cross_attention")["title"])
    page.get_by_role("link", name="English").click()
    expect(page.locator("h1")).to_have_text("Cross-attention")


def test_another_language_keeps_what_was_moved(open_file, course):
    page = open_file("similarity", course / "similarity.html", "?word=phone")
    page.locator('[data-handle="phone"]').press("ArrowUp")
    expect(page).to_have_url(re.compile("vectors="))  # the key's move is written a little later
    page.get_by_label("Predict first", exact=True).check()
    expect(page).to_have_url(re.compile("vectors=.*predict=1"))
    link, exact = page.url.partition("?")[2], page.locator('[data-value="dot phone apple"]').first
    page.get_by_role("link", name=LANGUAGES["ar"].name).click()
    expect(page).to_have_url(re.compile("/ar/similarity.html[?]"))
    assert sorted(page.url.partition("?")[2].split("&")) == sorted(link.split("&"))
    page.locator("#questions button.reveal").click()
    expect(exact).to_have_attribute("data-exact", re.compile(r"\d"))


@pytest.fixture(scope="module")
def served(course):
    """Serve a course below /lab/ as a host of static files does; yield its address."""

    class Host(SimpleHTTPRequestHandler):
        error_message_format = (course / "404.html").read_text("utf-8").replace("%", "%%")
        error_content_type = "text/html; charset=utf-8"

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=course.parent)) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/lab/"
        server.shutdown()


def test_an_unknown_address_below_a_path_of_a_server_leads_on_to_the_course(browser, served):
    with browser.new_context() as context:
        page, asked = context.new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{served}no/such/page")
        page.get_by_role("navigation").get_by_text("Scale").click()
        expect(page.locator("h1")).to_have_text("Scale")
        page.locator("[data-stage] [data-handle]").first.wait_for()
        assert [url for url in asked if not url.startswith(served)] == []


def test_a_readers_words_are_text_in_the_file(open_file):
    words = ("<!--<script>", "<script", "</script>", "</script><img_src=x_oner")
    link = urlencode({"example": "own", "words": field_of(SIMILARITY.fields, "words").write(words)})
    page = open_file(f"similarity?{link}")
    for word in words:
        expect(page.locator(f'[data-handle="{word}"]').first).to_be_visible()
    assert page.locator("img").count() == 0


def test_a_browser_that_cannot_unpack_the_figure_says_so(browser, page_file):
    context = browser.new_context(offline=True)
    context.add_init_script("delete globalThis.DecompressionStream")
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(page_file("similarity?lang=de").as_uri())
    expect(page.get_by_text("Dieser Browser ist zu alt")).to_be_visible()
    assert errors == []
    context.close()


def test_what_stands_behind_the_hash_is_a_link_too(open_file, course):
    page = open_file("similarity", course / "similarity.html", "#other=orange&word=phone")
    expect(page.locator('[data-value="dot phone orange"]').first).to_have_attribute("data-exact", "0")
    expect(page).to_have_url(re.compile("other=orange"))


def test_a_link_that_needs_the_app_is_named_with_the_command(open_file, course):
    page = open_file("softmax", course / "softmax.html", "?example=own&words=a.b")
    expect(page.locator("#notice")).to_contain_text("can’t be opened here: example, words.")
    expect(page.locator("#notice code")).to_have_text("python3 lab.py open")
    expect(page.locator("h1")).to_have_text("Softmax")
    page = open_file("softmax", course / "softmax.html", "?temperature=1e9")
    expect(page.locator("#notice")).to_contain_text("temperature")
    page = open_file("softmax", course / "softmax.html", "?utm_source=mail&constructor=1&__proto__=2")
    expect(page.locator("#notice")).to_contain_text("ask for a new link. constructor, __proto__")


def test_a_link_opens_in_the_language_that_it_asks_for(open_file, course):
    page = open_file("scale", course / "scale.html", "?lang=ar&model=gpt2")
    expect(page.locator("h1")).to_have_text(words_of("ar", "scale")["title"])
    expect(page.locator("#notice")).to_be_hidden()
    assert "model=gpt2" in page.url


def test_a_file_keeps_what_it_was_written_with_where_a_link_cannot_be_opened(open_file):
    for query, dot in (
        ("?measure=none", "dot apple phone"),
        ("?words=a.b&word=phone", "dot apple phone"),
        ("?measure=none&word=phone&vectors=0_3__2_2__3_2", "dot phone apple"),
    ):
        page = open_file("similarity?vectors=0_3__2_2__3_2", query=query)
        expect(page.locator("#notice")).to_contain_text(re.compile("measure|words"))
        expect(page.locator(f'[data-value="{dot}"]').first).to_have_attribute("data-exact", "10")


def test_another_example_is_chosen_beside_the_figure(open_file, course):
    page = open_file("self_attention", course / "self_attention.html")
    page.get_by_role("button", name="… wide").click()
    expect(page).to_have_url(re.compile("[?]example=animal_5f_wide$"))
    choice = page.get_by_label("Sentence", exact=True)
    expect(choice).to_have_value("animal_5f_wide")
    expect(page.locator("[data-stage]")).to_contain_text("“animal”: 74.5%")
    choice.focus()
    choice.press("m")
    expect(page).to_have_url(re.compile("[?]example=money_5f_bank$"))
    expect(choice).to_be_focused()
    expect(page.locator("[data-stage]")).not_to_contain_text("street")
    page.locator("[data-stage] [data-handle]:visible").first.press("ArrowRight")
    expect(page).to_have_url(re.compile("example=money_5f_bank&vectors="))
    page.reload()
    expect(choice).to_have_value("money_5f_bank")
    expect(page).to_have_url(re.compile("example=money_5f_bank&vectors="))


def test_what_can_be_chosen_follows_what_stands_before_it(open_file, course):
    page = open_file("misleading", course / "misleading.html", "?experiment=swap&opening=trophy")
    texts = page.get_by_label("Text", exact=True)
    expect(texts).to_have_value("trophy")
    page.get_by_label("Six questions, an experiment for each", exact=True).select_option("elimination")
    expect(texts).to_have_value("phone")
    expect(page.locator("#notice")).to_be_hidden()
    page = open_file("cross_attention", course / "cross_attention.html")
    expect(page.get_by_label("Sentence", exact=True)).to_be_visible()
    before = page.locator("article").inner_text()
    page.get_by_label("Model", exact=True).select_option("aligned")
    expect(page.get_by_label("Sentence", exact=True)).to_be_hidden()
    expect(page.locator("article")).not_to_have_text(before)


def test_a_goal_that_was_reached_stays_with_its_example(open_file, course):
    page = open_file("similarity", course / "similarity.html", "?goal=right_angle")
    choice = page.get_by_label("Sentence", exact=True)
    phone = page.locator('[data-handle="phone"]')
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown"):
        phone.press(f"Shift+{key}")
    expect(page.locator(".why")).to_contain_text("the projection has no length")
    expect(page).to_have_url(re.compile("vectors="))  # the hand has let go
    choice.select_option("orange apple phone and an")
    expect(page.locator(".goals .met")).to_have_count(0)
    choice.select_option("orange apple phone")
    expect(page.locator(".goals .met")).to_have_count(1)


def test_a_goal_that_only_the_app_can_reach_says_so(open_file, course):
    page = open_file("train_a_head", course / "train_a_head.html", "?goal=one_switch")
    task = page.locator(".goals .task:not(.start)")
    expect(task).to_contain_text("This goal needs the app: run python3 lab.py open.")
    page.locator(".goals .choose").first.click()
    expect(page.locator("[data-goal=all_right]")).to_be_attached()
    expect(task).not_to_contain_text("needs the app")


def test_words_whose_move_would_train_again_are_not_the_hands(open_file, course):
    page = open_file("train_a_head", course / "train_a_head.html", "?moves=0_1_1_1")
    expect(page.locator("#notice")).to_contain_text("can’t be opened here: moves.")
    page.locator("[data-stage] details").evaluate_all("folds => folds.forEach(fold => { fold.open = true; })")
    expect(page.locator("[data-handle]")).to_have_count(1)  # the step
    expect(page.locator("figure .hint").first).to_contain_text("needs the app: run python3 lab.py open.")
    expect(page.get_by_role("button", name=words_of("en", "train_a_head")["together"])).to_have_count(0)


def test_a_file_is_laid_out_for_paper(open_file, course):
    page = open_file("self_attention", course / "self_attention.html")
    ends = """() => [...document.getElementById('figure').shadowRoot.querySelectorAll('.arc-word')]
        .map(word => word.getBoundingClientRect().right)"""
    before = page.evaluate(ends)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    stage = page.locator("[data-stage]").bounding_box()
    assert stage["width"] < PAPER
    assert max(page.evaluate(ends)) <= stage["x"] + stage["width"] + 1
    assert page.evaluate("getComputedStyle(document.documentElement).printColorAdjust") == "exact"
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(ends) == before


def test_results_wait_for_a_prediction_where_the_reader_wants_to_predict(open_file, course):
    page = open_file("masking", course / "masking.html")
    expect(page.get_by_role("button", name="Show answer")).to_have_count(0)
    page.get_by_label("Predict first", exact=True).check()
    expect(page).to_have_url(re.compile(r"[?]predict=1$"))
    unknown = page.locator("[data-stage] [data-value]:visible", has_text=re.compile(r"^\?$"))
    expect(unknown.first).to_be_visible()
    page.get_by_role("button", name="all of them", exact=True).press("Enter")
    first, second = page.locator("#question_1"), page.locator("#question_2")
    expect(first).to_contain_text("You predicted “all of them”. The answer is “none”.")
    expect(first).to_be_focused()
    expect(second).to_contain_text("Which row still sums to 1?")
    second.get_by_role("button", name="Show answer").click()
    expect(second).to_contain_text("The answer is “only the last”.")
    expect(unknown).to_have_count(0)
    page.locator(".neighbours [rel=next]").click()
    expect(page).to_have_url(re.compile(r"position.html[?]predict=1$"))
    page.get_by_label("Predict first", exact=True).uncheck()
    expect(page.locator("#questions")).to_be_empty()
    expect(page).to_have_url(re.compile(r"position.html$"))


def test_a_prediction_is_asked_for_again_for_another_word(open_file):
    page = open_file("similarity?predict=1")
    page.get_by_role("button", name="phone", exact=True).click()
    expect(page.locator("#questions")).to_contain_text("✓ You predicted “phone”. That is correct.")
    page.get_by_role("button", name="orange · phone").click()
    expect(page.locator("#questions")).to_contain_text("largest dot product with orange?")
    expect(page.locator("[data-stage].veiled")).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(page.locator("#questions")).to_contain_text("You predicted “phone”")


def test_a_question_that_is_always_asked_needs_no_switch(open_file, course):
    page = open_file("misleading", course / "misleading.html")
    expect(page.locator("#question_1")).to_contain_text("what does the head predict?")
    expect(page.get_by_label("Predict first", exact=True)).to_be_hidden()
    page.get_by_role("button", name="undecided").click()
    expect(page.locator("#question_1")).to_contain_text("You predicted “undecided”.")
    expect(page.locator(".goals:not(.waits)")).to_have_count(1)
    page.get_by_label("Text", exact=True).select_option(index=1)
    expect(page.locator("#question_1")).to_contain_text("what does the head predict?")


def test_undo_goes_back_as_many_steps_as_in_the_app(open_file):
    page = open_file("similarity")
    undo, stage = page.get_by_role("button", name="Undo"), page.locator("[data-stage]")
    press = "(root, all) => all.forEach(k => root.querySelector(`[data-option='measure ${k}']`).click())"
    stage.evaluate(press, [k % 3 for k in range(1, MOST_STEPS + 5)])
    undo.evaluate("(button, times) => { while (times--) button.click(); }", MOST_STEPS - 1)
    expect(page.locator("[data-option='measure 2']")).to_be_checked()
    undo.click()
    expect(page.locator("[data-option='measure 1']")).to_be_checked()
    expect(undo).to_be_disabled()


def test_undo_leads_through_moves_examples_and_reset(open_file, course):
    page = open_file("similarity", course / "similarity.html", "?goal=twice&word=phone")
    choice, undo = page.get_by_label("Sentence", exact=True), page.get_by_role("button", name="Undo")
    first, moved, example = page.url, re.compile("[?]goal=twice&word=phone&vectors="), choice.input_value()
    page.locator('[data-handle="phone"]').press("ArrowUp")
    expect(page).to_have_url(moved)
    at = page.url
    choice.select_option("orange apple phone and an")
    expect(page).not_to_have_url(moved)
    undo.click()
    expect(page).to_have_url(at)
    expect(choice).to_have_value(example)
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile("similarity.html[?]goal=twice$"))
    page.keyboard.press("Control+z")
    expect(page).to_have_url(at)
    page.keyboard.press("Control+z")
    expect(page).to_have_url(first)
    redo = page.get_by_role("button", name="Redo")
    redo.click()
    expect(page).to_have_url(at)
    expect(redo).to_be_enabled()
    page.locator('[data-handle="phone"]').press("ArrowUp")
    expect(redo).to_be_disabled()
    undo.click()
    expect(page).to_have_url(at)
    page.reload()
    expect(page).to_have_url(at)


def test_a_link_in_a_figure_leads_to_a_file(open_file, course):
    page = open_file("home", course / "index.html", "?every_step=1")
    targets = page.locator(".page-link").evaluate_all("links => links.map(link => link.href)")
    assert (course / "queries_keys.html").as_uri() in targets
    assert [target for target in targets if not target.endswith(".html")] == []


def test_an_action_that_fails_is_reported_and_stops_no_later_one(browser, course):
    with browser.new_context(offline=True) as context:
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(error.message))
        page.goto((course / "similarity.html").as_uri() + "?word=phone")
        predict = page.locator("#predict input")
        expect(predict).to_be_visible()
        page.evaluate("""() => {
            const { stage } = attention_lab.modules, show = stage.showStage;
            stage.showStage = () => { stage.showStage = show; throw new Error('once'); };
        }""")
        predict.check()
        expect(page.locator("#questions button")).to_have_count(0)
        predict.uncheck()
        predict.check()
        expect(page.locator("#questions button").first).to_be_visible()
        assert errors == ["once"]


def test_a_file_that_is_missing_is_named(browser, course, tmp_path):
    shutil.copytree(course, tmp_path / "course")
    page_file = tmp_path / "course" / "similarity.html"
    for script in (tmp_path / "course" / "scripts").glob("similarity_en.*"):
        script.unlink()
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.goto(page_file.as_uri())
        choice = page.get_by_label("Sentence", exact=True)
        before = choice.input_value()
        choice.select_option(index=1)
        expect(page.locator("#notice")).to_contain_text("A file of this page is missing: scripts/similarity_en.")
        expect(choice).to_have_value(before)
        expect(page.locator('[data-handle="phone"]').first).to_be_visible()
