"""A page's figure as one file: what it holds, and what is said of a link that leads nowhere."""

import re
import subprocess
import sys

from attention_lab.export.web_page import web_page
from lab import ROOT
from tests.visit import PAGES, lesson_of


def exported(*arguments):
    script = [sys.executable, "-m", "attention_lab.export.web_page", *map(str, arguments)]
    return subprocess.run(script, cwd=ROOT, capture_output=True, text=True)


def test_the_command_writes_the_page_that_a_link_leads_to(tmp_path):
    done = exported("similarity?word=phone&colour=red", tmp_path / "page.html")
    assert done.returncode == 0
    assert "colour" in done.stderr, "what was not used is named"
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<h1>Similarity</h1>" in text
    assert '"word":2' in text


def test_a_page_that_is_not_there_is_named_with_the_one_that_was_meant(tmp_path):
    done = exported("similarty", tmp_path / "page.html")
    assert done.returncode == 2
    assert "'similarty' is not a page of the course; did you mean 'similarity'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_asks_for_nothing_from_elsewhere():
    for path in PAGES:
        lesson = lesson_of(path).LESSON
        text = web_page(lesson.view(lesson.parse({})[0]), "a <title>")
        assert not re.search(r"(?:src|href)=|@import|url\(", text.split("<script", 1)[0])
        assert "a &lt;title&gt;" in text


def test_a_word_cannot_end_the_script_that_it_stands_in():
    lesson = lesson_of(next(path for path in PAGES if path.stem == "2_similarity")).LESSON
    hostile = {"example": "own", "words": "_3c__2f_script_3e_.b"}
    state, notices = lesson.parse(hostile)
    assert not notices
    assert state.words[0] == "</script>"
    assert web_page(lesson.view(state), "page").count("</script>") == 3, "the page's own three"
