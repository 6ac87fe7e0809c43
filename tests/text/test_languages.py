"""Each thread speaks its own language: no word and no number of a page comes from another one."""

import json
import logging
import math
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest

from attention_lab import course, faults
from attention_lab import text as prose
from attention_lab.figure import browser_code
from attention_lab.figure.terms import displayed, in_order
from attention_lab.lesson import Lesson
from attention_lab.state import permalink
from attention_lab.state.matrix import read_rows
from attention_lab.text import languages, ui_text
from attention_lab.text.languages import LANGUAGES, speaking
from attention_lab.text.number_format import (
    format_exact,
    format_fixed,
    format_gap,
    format_number,
    format_percentage,
    format_whole,
    in_formula,
    products,
)
from attention_lab.widgets.language import of_link
from attention_lab.worksheets.answers import check_answer, read_numbers
from attention_lab.worksheets.task import Task
from lab import ROOT
from tests import pseudo
from tests.visit import EVERY, lesson_of

LESSONS: list[Lesson] = [lesson_of(path).LESSON for path in EVERY]
DATA = ("open_names/",)  # sections that repeat words of an example
ACCENTED = re.compile("[äëïöüÄËÏÖÜ]")
CHOICE = Task("any", {}, "a", options=("a", "b"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of texts, read at every look."""
    monkeypatch.setattr(prose, "HERE", tmp_path)
    monkeypatch.setattr(prose, "LOOK_AGAIN", 1e-9)

    def write(code, page, text):
        (tmp_path / code).mkdir(exist_ok=True)
        (tmp_path / code / f"{page}.md").write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def pseudo_german(tmp_path, monkeypatch):
    """Let German be English with accents on its vowels."""
    monkeypatch.setattr(prose, "HERE", pseudo.write(tmp_path, "de"))
    caches = browser_code.words, course.files
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def words_of(lesson, code):
    """All texts of a page's figure and of its own sections, in a language."""
    state = lesson.parse({"lang": code, "predict": "1"})[0]
    sections = {}
    with speaking(code):
        sections |= state.text
    payload = lesson.view(state).data if lesson.draw else {}
    return sections, json.dumps(payload.get("columns", []), ensure_ascii=False)


def test_no_word_of_a_page_is_frozen(pseudo_german):
    """Two languages, by turns: what is kept of one is never shown in the other."""
    frozen = []
    for lesson in LESSONS:
        english, other = words_of(lesson, "en"), words_of(lesson, "de")
        assert words_of(lesson, "en") == english, lesson.name
        assert words_of(lesson, "de") == other, lesson.name
        assert not ACCENTED.search(english[1].replace("naïve", "")), lesson.name
        for name, text in english[0].items():
            if len(text) > 24 and pseudo.translate(text) != text and not name.startswith(DATA):
                frozen += [(lesson.name, name)] if text in other[1] else []
    assert frozen == []


def test_threads_speak_two_languages_at_once(pseudo_german):
    def read(code):
        return [words_of(lesson, code) for lesson in LESSONS]

    with ThreadPoolExecutor(4) as readers:
        assert list(readers.map(read, ["en", "de"] * 4)) == [read("en"), read("de")] * 4


def test_menu_glossary_and_the_words_of_the_figures_are_not_frozen(pseudo_german):
    def words_of_chrome():
        glossary = prose.read("glossary")
        return (
            [link.title + link.section for link in course.page_links(ROOT / "pages", with_home=True)],
            list(course.files(ROOT / "pages")),
            [glossary[term] for term in in_order(glossary)],
            browser_code.words().text,
        )

    english = words_of_chrome()
    with speaking("de"):
        assert all(ACCENTED.search(str(each)) for each in words_of_chrome())
    assert words_of_chrome() == english
    assert not any(ACCENTED.search(str(each)) for each in english)


def test_a_view_can_be_asked_for_in_another_language():
    lesson = LESSONS[2]
    state, _ = lesson.parse({})
    german = lesson.view(state, language="de")
    assert german.data["lang"] == "de" == german.link["lang"]
    assert lesson.view(state).data["lang"] == "en"
    assert lesson.view(state, language="ar").data["dir"] == "rtl"
    with pytest.raises(faults.UnknownNameError, match="'xx' is not a language of the course"):
        lesson.view(state, language="xx")


def test_a_language_that_is_not_there_is_english_and_one_notice():
    for text in ("xx", "../en", "", "EN", "d.e", "<b>"):
        state, notices = LESSONS[2].parse({"lang": text})
        assert (state.language, len(notices)) == ("en", 1), text
    state, notices = LESSONS[2].parse({"lang": "de."})
    assert (state.language, notices, of_link({"lang": ["de."]}, None)) == ("de", [], "de")


def test_the_browsers_first_wish_counts():
    for wishes, code in (
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,en;q=0.9,de;q=0.8", ""),
        ("fr;q=0.9, es-MX", "es"),
        ("zh_TW", "zh"),
        ("tlh", ""),
        ("", ""),
        (None, ""),
        ("de;q=x", ""),
        ("../en;q=1,;q=2", ""),
        ("ar-EG;q=0.5;level=1", "ar"),
    ):
        assert languages.guess(wishes) == code, wishes


def test_english_links_are_as_short_as_ever():
    lesson = LESSONS[2]
    assert lesson.parse({})[0].link == {}
    assert lesson.parse({}, {"lang": "de"})[0].link == {"lang": "de"}, "where the browser led"
    assert lesson.parse({"lang": "en"})[0].link == {"lang": "en"}, "said against the browser"


# What a translation lacks -------------------------------------------------------------------------------


ENGLISH = "## a\none\n### b\ntwo {x}\n## here\n### one\n{count} word\n### other\n{count} words\n## c\nthree\n"


def test_english_stands_where_a_translation_lacks_something(folder, caplog):
    folder("en", "p", ENGLISH)
    folder("de", "p", "## a\neins\n### b\nzwei {y}\n## here\n### other\n{count} Wörter\n## more\nmehr\n")
    with caplog.at_level(logging.WARNING), speaking("de"):
        text = prose.read("p")
        assert dict(text) == {
            "a": "eins",
            "here": "",
            "a/b": "two {x}",  # the translation's placeholder is another
            "here/one": "{count} word",
            "here/other": "{count} Wörter",
            "c": "three",
        }
        assert prose.read("p") is text
    messages = [record.getMessage() for record in caplog.records]
    assert [message for message in messages if "lacks here/one, c" in message]
    assert [message for message in messages if "other names" in message]
    assert len(messages) == len(set(messages)), "once"


def test_a_file_that_is_missing_is_english(folder):
    folder("en", "p", ENGLISH)
    with speaking("zh"):
        assert prose.read("p")["c"] == "three"


def test_a_language_has_its_own_plural_forms(folder):
    folder("en", "p", "## words\n### one\n{count} word\n### other\n{count} words\n")
    forms = "".join(f"### {form}\n{form} {{count}}\n" for form in LANGUAGES["ar"].forms)
    folder("ar", "p", f"## words\n{forms}")
    folder("zh", "p", "## words\n### other\n{count} 个词\n")
    with speaking("ar"):
        said = [prose.read("p").filled("words", count=str(n)).split()[0] for n in (0, 1, 2, 3, 11, 100, 103)]
    assert said == ["zero", "one", "two", "few", "many", "other", "few"]
    with speaking("zh"):
        assert [prose.read("p").filled("words", count=n) for n in ("1", "2")] == ["1 个词", "2 个词"]


def test_terms_keep_their_english_keys(folder):
    english = "## one way to speak\nall\n## weights\nW.\n## zero\nZ.\n"
    folder("en", "glossary", english)
    folder("en", "controls", "")
    folder("de", "glossary", "## weights\nG.\n### name\nZöpfe\n## zero\nN.\n### name\nÄpfel, null\n")
    folder("en", "p", "## a\n[[weights]]\n")
    folder("de", "p", "## a\n[[Zöpfe|weights]]\n")
    with speaking("de"):
        assert prose.read("p")["a"] == "[Zöpfe](#term-weights)"
        text = prose.read("glossary")
        assert [displayed(text, term) for term in in_order(text)] == ["Äpfel, null", "Zöpfe"]


# Numbers ------------------------------------------------------------------------------------------------


def test_numbers_are_written_as_the_language_does():
    for code, *texts in (
        ("en", "−0.5", "1.0 × 10⁻⁵", "0.50", "80%", "1,234", "57,982,058,496", "1,234.5", "−0.23%"),
        ("de", "−0,5", "1,0 × 10⁻⁵", "0,50", "80\u00a0%", "1.234", "57.982.058.496", "1.234,5", "−0,23\u00a0%"),
        (
            "es", "−0,5", "1,0 × 10⁻⁵", "0,50", "80\u00a0%", "1234", "57\u00a0982\u00a0058\u00a0496", "1234,5",
            "−0,23\u00a0%",
        ),
        (
            "ar", "\u200e−0.5", "\u200e1.0 × 10⁻⁵", "0.50", "80٪", "1,234", "57,982,058,496", "1,234.5",
            "\u200e−0.23٪",
        ),
    ):  # fmt: skip
        with speaking(code):
            written = [format_number(-0.5), format_number(1e-5), format_fixed(0.5), format_percentage(0.8)]
            written += [
                format_whole(1234),
                format_whole(57_982_058_496),
                format_exact(1234.5),
                format_gap(0.9977),
            ]
        assert written == texts


def test_numbers_are_read_as_the_language_writes_them():
    for code, typed, *numbers in (
        ("en", "0.5 1.5", 0.5, 1.5),
        ("en", "0.5, 1.5", 0.5, 1.5),
        ("en", "1,2", 1, 2),
        ("de", "0,5 1,5", 0.5, 1.5),
        ("de", "0,5; 1,5", 0.5, 1.5),
        ("de", "0,5, 1,5", 0.5, 1.5),
        ("de", "0.5 −1.25", 0.5, -1.25),
        ("es", ",5 24/57", 0.5, 24 / 57),
        ("zh", "0.5，２", 0.5, 2),
        ("ar", "٠٫٥، ٢", 0.5, 2),
    ):
        with speaking(code):
            assert [permalink.read_typed(piece, 100) for piece in permalink.split_numbers(typed)] == numbers


def test_a_point_that_may_part_thousands_is_asked_about():
    for typed in ("1.234", "（１．２３４）"):
        with speaking("de"), pytest.raises(permalink.RefusedError, match=r"1,234 .* 1234|1,234.*1234"):
            permalink.read_typed(typed, 10_000)
    assert permalink.read_typed("1.234", 10_000) == 1.234


def test_a_comma_that_joins_two_numbers_is_explained():
    with speaking("de"), pytest.raises(permalink.RefusedError, match=re.escape(ui_text("refused/decimal_comma"))):
        read_rows("1,2\n3,4", (2, 2))


def test_a_number_is_read_as_a_page_and_an_editor_show_it():
    for code in LANGUAGES:
        with speaking(code):
            for number in (0.5, -1.234, 1.25e-7, 123.456, 3.0):
                assert permalink.read_typed(permalink.typed(number), 1000) == number, code
            assert permalink.read_typed(format_number(-0.5), 1) == -0.5, code
    with speaking("ar"):
        assert read_numbers(f"({format_number(-0.5)}، 2)", 2) == ([-0.5, 2.0], None)


def test_links_are_the_same_in_every_language():
    with speaking("de"):
        assert permalink.numeral(0.5) == "0.5"
        assert permalink.read_number("0.5", 0, 1) == 0.5


def test_a_list_of_words_has_the_comma_of_the_language():
    for code, written in (("en", "a, b"), ("de", "a, b"), ("zh", "a、b"), ("ar", "a، b")):
        with speaking(code):
            assert prose.listed(["a", "b"]) == written
            assert written in check_answer(CHOICE, "c").details["options"]
            assert browser_code.numbers()["comma"] == written[1:-1]


def test_a_number_with_a_sign_runs_from_left_to_right_in_an_arabic_sentence():
    for write, number in (
        (format_number, -0.5),
        (format_fixed, -0.5),
        (format_exact, -1234.5),
        (format_whole, -1234),
        (format_gap, 0.9),
        (format_number, -math.inf),
        (format_number, 1e-7),
        (lambda number: products([2], [number]), 4),
    ):
        with speaking("ar"):
            arabic = write(number)
            assert "\u200e" not in in_formula(arabic)
        assert arabic.replace("\u200e", "").replace("٪", "%") == write(number)
        assert unicodedata.bidirectional(arabic[0]) == "L"


def leaves(tree):
    """Every text in a tree of lists and objects."""
    if isinstance(tree, str):
        return [tree]
    inner = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return [text for branch in inner for text in leaves(branch)]


def test_a_vector_in_a_formula_has_the_comma_of_the_language():
    for lesson in (LESSONS[0], next(lesson for lesson in LESSONS if lesson.name == "values")):
        for code, comma in (("en", ","), ("de", ";"), ("es", ";"), ("ar", ",")):
            payload = lesson.view(lesson.parse({})[0], language=code).data
            assert set(leaves(payload)) & {",", ";"} == {comma}, (lesson.name, code)
