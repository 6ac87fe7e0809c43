"""A figure in one file: no server, no network, and everything can be moved."""

from playwright.sync_api import expect

from attention_lab.export.web_page import write_course
from attention_lab.text.languages import LANGUAGES
from tests.visit import PAGES, lesson_of, words_of


def test_every_page_of_the_course_is_drawn_and_its_first_handle_moves(open_file, tmp_path):
    files = write_course(tmp_path / "course")
    assert len(files) == len(PAGES)
    for path, file in zip(PAGES, files, strict=True):
        name = lesson_of(path).LESSON.name
        assert file.stat().st_size < 400_000, name
        page = open_file(name, file)
        page.locator("[data-stage] details").evaluate_all("folds => folds.forEach(fold => { fold.open = true; })")
        handle = page.locator("[data-stage] [data-handle][aria-valuetext]:visible").first
        before = handle.get_attribute("aria-valuetext")
        handle.focus()
        for key in ("ArrowRight", "ArrowUp", "ArrowLeft"):  # one at its bound moves the other way
            handle.press(key)
            page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            if handle.get_attribute("aria-valuetext") != before:
                break
        assert handle.get_attribute("aria-valuetext") != before, name
        page.close()


def test_a_drag_changes_the_numbers_that_follow(open_file):
    page = open_file("similarity?word=phone&goal=twice")
    assert page.locator("h1").inner_text() == "Similarity"
    assert page.locator("[data-goal]").get_attribute("data-goal") == "twice"
    dot = page.locator('[data-value="dot phone apple"]').first
    before = dot.get_attribute("data-exact")
    box = page.locator('[data-handle="phone"]').bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 120, box["y"] - 80, steps=4)
    page.mouse.up()
    expect(dot).not_to_have_attribute("data-exact", before)


def test_the_page_is_dark_where_the_reader_wants_it_dark(open_file):
    page = open_file("softmax")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(18, 20, 28)"


def test_a_static_course_leads_from_page_to_page(open_file, tmp_path):
    home, *_ = write_course(tmp_path / "course")
    page = open_file("home", home)
    page.locator(".neighbours [rel=next]").click()
    expect(page.locator("h1")).to_have_text("Embeddings and context")
    page.get_by_role("navigation").get_by_text("Scale").click()
    expect(page.locator("h1")).to_have_text("Scale")
    expect(page.locator("nav [aria-current=page]")).to_have_text("Scale")
    page.locator("abbr").first.hover()
    assert page.locator("abbr").first.get_attribute("title")


def test_a_static_course_leads_from_language_to_language(open_file, tmp_path):
    write_course(tmp_path / "course", ["en", "ar"])
    page = open_file("scale", tmp_path / "course" / "scale.html")
    page.get_by_role("link", name=LANGUAGES["ar"].name).click()
    expect(page.locator("h1")).to_have_text(words_of("ar", "scale")["title"])
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert "/ar/scale.html" in page.url
    page.locator(".neighbours [rel=prev]").press("Enter")  # wherever it is while the figure above it comes
    expect(page.locator("h1")).to_have_text(words_of("ar", "cross_attention")["title"])
    page.get_by_role("link", name="English").click()
    expect(page.locator("h1")).to_have_text("Cross-attention")


def test_a_readers_words_are_text_in_the_file(open_file):
    hostile = "</script><img_src=x_onerror=alert(1)>"
    letters = "".join(c if c.isalnum() else f"_{ord(c):x}_" for c in hostile[:24])
    page = open_file(f"similarity?example=own&words={letters}.pear")
    expect(page.locator(f'[data-handle="{hostile[:24]}"]').first).to_be_visible()
    assert page.locator("img").count() == 0
