"""A page exported to one file: what it holds, and what the command says when it cannot write it."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attention_core import models
from attention_core.models import weights
from attention_lab import export_command, figure, language_models
from attention_lab.course import page_links
from attention_lab.export import web_page as export_web_page
from attention_lab.export.web_page import Site, web_page
from attention_lab.lessons import lesson_named
from attention_lab.lessons.real_model import galleries
from attention_lab.lessons.similarity import LESSON as SIMILARITY
from attention_lab.root import program
from attention_lab.text.languages import spoken
from lab import ROOT

SHORT = ("home", "scale")
OF_MODELS = ("scale", "trained_model", "misleading", "real_model", "generating")
ENGLISH = ("--language", "en")  # alone, and so in this process


@pytest.fixture
def refused(capsys):
    """Run the command; return whether it refused in one line that holds these words."""

    def run(*arguments, words):
        status = export_command.main([*map(str, arguments)])
        out, err = capsys.readouterr()
        return (
            status == 2 and not out and err.count("\n") == 1 and all(word in err for word in words.split(" … "))
        )

    return run


def links_to(names):
    return [page for page in page_links(export_web_page.PAGES, with_home=True) if page.page in names]


@pytest.fixture(autouse=True)
def short_course(monkeypatch):
    """A course of two pages."""
    monkeypatch.setattr(Site, "pages", property(lambda self: links_to(SHORT)))


@pytest.fixture(params=["missing", "cut short"])
def broken_models(request, monkeypatch, tmp_path):
    """A course of pages with models, two of whose files are missing or damaged."""

    def forget():
        for read in (models.unreadable, language_models.fault, galleries.fault, galleries.load_gallery):
            read.cache_clear()

    folder, load = tmp_path / "weights", weights.load
    shutil.copytree(weights.FOLDER, folder)
    for file in (folder / "readable.npz", folder / "gallery.npz"):
        whole = file.read_bytes()
        file.unlink()
        if request.param == "cut short":
            file.write_bytes(whole[: len(whole) // 2])
    monkeypatch.setattr(weights, "load", lambda name, known: load(name, known, folder))
    monkeypatch.setattr(Site, "pages", property(lambda self: links_to(OF_MODELS)))
    forget()
    yield
    forget()


def parts_of(file):
    """The parts of a page's figure, column by column."""
    payload = re.search('<script type="application/json" id="payload">(.*?)</script>', file.read_text("utf-8"))[1]
    return [column["parts"] for column in json.loads(payload)["columns"]]


class EndingSite(Site):
    """A short course; the process that writes its pages in German ends."""

    @property
    def pages(self):
        if spoken() == "de":
            os._exit(1)
        return links_to(SHORT)


def heading(file):
    return re.search("<h1.*?>(.*)</h1>", file.read_text("utf-8"))[1]


def test_command_writes_the_page_that_a_link_leads_to(tmp_path):
    script = [sys.executable, "-m", "attention_lab.export_command"]
    arguments = ["similarity?word=phone&colour=red", str(tmp_path / "page.html")]
    done = subprocess.run([*script, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "colour" in done.stderr, "what was not used is named"
    assert "Wrote" in done.stdout
    assert heading(tmp_path / "page.html") == "Similarity"
    assert '"word":2' in (tmp_path / "page.html").read_text("utf-8")


def test_a_wrong_page_or_place_is_named_with_a_remedy(refused, tmp_path):
    (tmp_path / "file").touch()
    unknown = "'similarty' is not a page of the course; did you mean 'similarity'?"
    assert refused("similarty", tmp_path / "page.html", words=unknown)
    assert refused("similarity", words="Name a file")
    assert refused("scale", tmp_path, words="is a folder … scale.html")
    assert refused("scale", tmp_path / "none" / "page.html", words="no folder … none")
    assert refused("scale", tmp_path / "file" / "page.html", words="no folder")
    assert refused(tmp_path / "file", words="is a file … new folder")
    assert refused(tmp_path / "file" / "course", words="can't be written … another place")
    assert refused("scale", tmp_path / ("x" * 300), words="can't be written … another place")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_name_close_to_a_page_is_a_folder_only_with_a_slash(refused, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("similarty", "similarty?word=phone", "Similarity", "similarity.html"):
        folder = name.partition("?")[0]
        assert refused(name, words=f"{folder} is not a page; did you mean similarity? … with a slash: {folder}/")
    assert [*tmp_path.iterdir()] == []
    written = []
    monkeypatch.setattr(export_web_page, "write_course", lambda folder, *_: written.append(folder.name) or {})
    for folder in ("similarty/", "attention", "course"):
        assert export_command.main([folder]) == 0
    assert written == ["similarty", "attention", "course"]


def test_only_force_writes_into_a_folder_with_files(refused, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "scale.html").write_text("mine")
    assert refused(tmp_path, "--language", "en", words="is not empty … --force")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.txt", "scale.html"]
    assert export_command.main([str(tmp_path), "--language", "en", "--force"]) == 0
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert heading(tmp_path / "scale.html") == "Scale"


def test_only_force_overwrites_a_file(refused, tmp_path):
    file = tmp_path / "page.html"
    file.write_text("mine")
    assert refused("scale", file, words="already exists … --force")
    assert file.read_text() == "mine"
    assert export_command.main(["scale", str(file), "--force"]) == 0
    assert heading(file) == "Scale"
    assert [*tmp_path.iterdir()] == [file]


def test_a_failure_while_writing_leaves_the_files_as_they_were(refused, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.html").write_text("mine")
    for number in (errno.ENOSPC, errno.EROFS):
        for arguments in (["scale", "page.html"], ["scale", "old.html", "--force"], ["course", *ENGLISH]):

            def fail(path, text, number=number, **_):
                path.touch()  # as where the disk is full before the text has ended
                raise OSError(number, os.strerror(number))

            with monkeypatch.context() as failing:
                failing.setattr(Path, "write_text", fail)
                assert refused(*arguments, words=f"{os.strerror(number)} … can't be written … another place")
            assert (tmp_path / "old.html").read_text() == "mine"
            assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == ["old.html"]


def test_a_language_whose_process_ends_is_a_sentence(refused, monkeypatch, tmp_path):
    monkeypatch.setattr(export_web_page, "Site", EndingSite)
    monkeypatch.setattr(export_command, "LANGUAGES", ("en", "de"))
    assert refused(tmp_path / "course", words="process … was ended … with --language")
    assert [*tmp_path.rglob("*.part")] == []


def test_a_page_without_its_model_says_so_and_every_page_is_written(broken_models, capsys, tmp_path):
    course = tmp_path / "course"
    assert export_command.main([str(course), *ENGLISH]) == 0
    out, err = capsys.readouterr()
    assert "Wrote 5 pages" in out
    assert err.count("\n") == 1
    lacking = "trained_model (readable.npz), misleading (readable.npz), real_model (gallery.npz)"
    assert f"missing or damaged: {lacking}, generating (readable.npz)." in err
    gone = {"trained_model": "readable.npz", "real_model": "gallery.npz", "generating": "readable.npz"}
    for name, model in gone.items():
        lesson = lesson_named(name)
        sentence = lesson.fault(lesson.parse({})[0])
        assert f"missing or damaged: {model}. To restore it" in sentence
        assert parts_of(course / f"{name}.html") == [[figure.remark(sentence)]]
        written = (course / f"{name}.html").read_text("utf-8")
        assert all(part in written for part in ('href="scale.html"', "<article>\n<p>", "neighbours", "<footer>"))
    assert "Some model files are missing or damaged: readable.npz." in (course / "scale.html").read_text("utf-8")
    assert len(parts_of(course / "misleading.html")) > 1, "its first experiment trains a head of its own"


def test_a_page_alone_says_that_its_model_is_missing(broken_models, capsys, tmp_path):
    file = tmp_path / "page.html"
    assert export_command.main(["trained_model", str(file)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Wrote")
    assert err.count("\n") == 1
    assert "missing or damaged: readable.npz" in err
    assert len(parts_of(file)) == 1
    assert export_command.main(["trained_model?model=plain", str(file), "--force"]) == 0
    assert capsys.readouterr().err == ""
    assert len(parts_of(file)) > 1


def test_a_site_has_what_a_server_and_a_link_to_it_need(tmp_path):
    assert export_command.main([str(tmp_path), "--language", "de", "--base", "https://example.org/lab"]) == 0
    scale, missing = ((tmp_path / name).read_text("utf-8") for name in ("scale.html", "404.html"))
    assert '<meta property="og:image" content="https://example.org/lab/preview.png">' in scale
    assert '<meta property="og:title" content="Größe und Aufwand">' in scale
    assert (tmp_path / "preview.png").read_bytes().startswith(b"\x89PNG")
    assert '<base href="/lab/">' in missing
    assert 'href="scale.html"' in missing
    assert (tmp_path / "robots.txt").read_text() == "User-agent: *\nDisallow:\n"
    left_out = [path for path in tmp_path.rglob("*") if path.name.startswith(("_", "."))]  # by GitHub Pages
    assert left_out == []


def test_a_base_is_a_path_or_an_address(refused, tmp_path):
    for wrong in ("lab", "javascript:alert(1)/", '/"><script>/', "ftp://example.org/"):
        assert refused(tmp_path / "site", "--base", wrong, words="can't be a base … such as /attention/")
    assert not (tmp_path / "site").exists()
    with pytest.raises(SystemExit):
        export_command.main(["scale", str(tmp_path / "scale.html"), "--base", "/lab/"])
    assert not (tmp_path / "scale.html").exists()


def test_a_page_links_back_to_where_it_was_made_and_says_how_to_start_the_app():
    view = SIMILARITY.view(SIMILARITY.parse({"word": "phone"})[0])
    text = web_page(view, "", back="https://lab.example/similarity")
    assert f"run <code>{program('open')}</code>." in text.partition("<footer>")[2]
    assert 'href="https://lab.example/similarity?word=phone"' in text
    assert "<a href" not in web_page(view, "", back="javascript:alert(1)").partition("<footer>")[2]
