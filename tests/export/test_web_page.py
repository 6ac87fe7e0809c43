"""A page's figure as one file: what it holds, and what is said of a link that leads nowhere."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attention_lab import export_command
from attention_lab.export.web_page import web_page
from lab import ROOT
from tests.visit import PAGES, lesson_of


@pytest.fixture
def exported(capsys):
    """Run the command here, and return its exit status and what it printed."""

    def run(*arguments):
        status = export_command.main([*map(str, arguments)])
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run


def test_the_command_writes_the_page_that_a_link_leads_to(tmp_path):
    script = [sys.executable, "-m", "attention_lab.export_command"]
    arguments = ["similarity?word=phone&colour=red", str(tmp_path / "page.html")]
    done = subprocess.run([*script, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "colour" in done.stderr, "what was not used is named"
    assert "Wrote" in done.stdout
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<h1>Similarity</h1>" in text
    assert '"word":2' in text


def test_a_page_that_is_not_there_is_named_with_the_one_that_was_meant(exported, tmp_path):
    done = exported("similarty", tmp_path / "page.html")
    assert done.returncode == 2
    assert "'similarty' is not a page of the course; did you mean 'similarity'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_runs_as_its_language_does():
    lesson = lesson_of(PAGES[0]).LESSON
    state = lesson.parse({})[0]
    assert '<html lang="en" dir="ltr">' in web_page(lesson.view(state), "")
    assert '<html lang="ar" dir="rtl">' in web_page(lesson.view(state, language="ar"), "")


def test_a_file_asks_for_nothing_from_elsewhere():
    for path in PAGES:
        lesson = lesson_of(path).LESSON
        text = web_page(lesson.view(lesson.parse({})[0]), "a <title>")
        assert not re.search(r"src=|<link|@import|url\(", text.split("<script", 1)[0])
        assert "a &lt;title&gt;" in text


def test_a_word_cannot_end_the_script_that_it_stands_in():
    lesson = lesson_of(next(path for path in PAGES if path.stem == "2_similarity")).LESSON
    hostile = {"example": "own", "words": "_3c__2f_script_3e_.b"}
    state, notices = lesson.parse(hostile)
    assert not notices
    assert state.words[0] == "</script>"
    assert web_page(lesson.view(state), "page").count("</script>") == 4, "the page's own four"


def refused(done, *words):
    """Whether the command ended with one sentence or two in one line, which holds these words."""
    return (
        done.returncode == 2
        and done.stdout == ""
        and done.stderr.count("\n") == 1
        and all(word in done.stderr for word in words)
    )


def test_a_folder_with_something_in_it_is_left_as_it_is_without_force(exported, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "scale.html").write_text("mine")
    done = exported(tmp_path, "--language", "en")
    assert refused(done, "is not empty", "--force")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.txt", "scale.html"]
    assert exported(tmp_path, "--language", "en", "--force").returncode == 0
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert "<h1>Scale</h1>" in (tmp_path / "scale.html").read_text("utf-8")


def test_a_file_is_overwritten_by_force_alone(exported, tmp_path):
    file = tmp_path / "page.html"
    file.write_text("mine")
    assert refused(exported("scale", file), "already exists", "--force")
    assert file.read_text() == "mine"
    assert exported("scale", file, "--force").returncode == 0
    assert "<h1>Scale</h1>" in file.read_text("utf-8")
    assert [*tmp_path.iterdir()] == [file]


def test_a_place_that_cannot_be_written_to_is_named_with_a_remedy(exported, tmp_path):
    (tmp_path / "file").touch()
    assert refused(exported("scale", tmp_path), "is a folder", "scale.html")
    assert refused(exported("scale", tmp_path / "none" / "page.html"), "no folder", "none")
    assert refused(exported("scale", tmp_path / "file" / "page.html"), "no folder")
    assert refused(exported(tmp_path / "file"), "is a file", "new folder")
    assert refused(exported(tmp_path / "file" / "course"), "can't be written", "another place")
    assert refused(exported("scale", tmp_path / ("x" * 300)), "can't be written", "another place")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("arguments", [["scale", "page.html"], ["scale", "old.html", "--force"], ["course"]])
def test_what_fails_while_writing_is_said_and_leaves_what_was_there(
    exported, monkeypatch, tmp_path, number, arguments
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.html").write_text("mine")

    def fail(path, text, **_):
        path.touch()  # as where the disk is full before the text has ended
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as failing:
        failing.setattr(Path, "write_text", fail)
        assert refused(exported(*arguments), os.strerror(number), "can't be written", "another place")
    assert (tmp_path / "old.html").read_text() == "mine"
    assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == ["old.html"]


def test_a_page_without_a_file_is_asked_for_one(exported):
    done = exported("similarity")
    assert done.returncode == 2
    assert "Name a file" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_leads_back_to_the_page_it_was_made_from():
    lesson = lesson_of(next(path for path in PAGES if path.stem.endswith("similarity"))).LESSON
    view = lesson.view(lesson.parse({"word": "phone"})[0])
    assert 'href="https://lab.example/similarity?word=phone"' in web_page(
        view, "", back="https://lab.example/similarity"
    )
    assert "<a href" not in web_page(view, "", back="javascript:alert(1)").partition("<footer>")[2]
