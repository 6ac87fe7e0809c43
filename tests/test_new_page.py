"""`lab.py new`: the page that it makes passes all tests of pages; where it can make none, it says why."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from lab import ROOT
from tools import scaffold

WORDS, SENTENCE = "a_page_about_some_words", "a_page_on_whole_sentence"
IN_A_BROWSER = "one_sentence"  # as long a title as those would leave the toolbar no room in its line
LONGEST_LESSON = 95  # lines
# What a new page could fail. Whatever these files test of every page, they shall test of home and the new pages.
TESTS = ["test_architecture.py", "test_readme.py", "test_words.py", "text/test_style.py", "text/test_prose.py"]
TESTS += ["pages/test_every_page.py", f"pages/test_{WORDS}.py", f"pages/test_{SENTENCE}.py"]
ONLY_NEW_PAGES = f"""
def pytest_collection():
    from tests import visit

    for pages in (visit.EVERY, visit.PAGES, visit.LESSONS):
        pages[:] = [path for path in pages if path.stem.endswith(("home", "{WORDS}", "{SENTENCE}"))]
    visit.NAMES[:] = ["{SENTENCE}", "{WORDS}"]
"""


def no_part_of_the_source(folder, names):
    """What a copy of the repository goes without: history, caches, environments."""
    hidden = {name for name in names if name[0] == "." and name != ".streamlit"}
    environments = {name for name in names if os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))}
    return hidden | environments | {"__pycache__", "out"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository."""
    return shutil.copytree(ROOT, tmp_path_factory.mktemp("new") / "lab", ignore=no_part_of_the_source)


def files(root):
    return {path for path in root.rglob("*.*") if "__pycache__" not in path.parts}


def python(root, *arguments):
    """Run Python there, as if nothing of this run were around it, and return what it printed."""
    around = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CI"))}
    around["PYTHONPATH"] = os.pathsep.join([str(root), str(root.parent)])
    ran = subprocess.run([sys.executable, *arguments], cwd=root, env=around, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_what_cannot_be_made_is_said_in_a_sentence_and_nothing_is_written(copy):
    before = files(copy)
    for line, said in (
        ("similarity", "similarity.py is there already"),
        ("every_page", "test_every_page.py is there already"),
        ("glossary", "glossary.md is there already"),
        ("class", "Python has that word"),
        ("health", "the server has that address"),
        ("Words", "small letters"),
        ("1st", "small letters"),
        ("../words", "small letters"),
        ("x" * 25, "25 letters, and 24 fit"),
        ("fine --part 4_none", "There is no part '4_none': there are 1_geometry, 2_one_head"),
        ("fine --part 0_start", "There is no part '0_start'"),
    ):
        with pytest.raises(SystemExit) as ended:
            scaffold.new_page(copy, line.split())
        assert said in ended.value.code
        assert "\n" not in ended.value.code
    assert files(copy) == before


def test_a_part_has_no_tenth_page(copy):
    ninth = copy / "pages" / "2_one_head" / "9_last.py"
    ninth.touch()
    with pytest.raises(SystemExit, match="nine pages"):
        scaffold.new_page(copy, ["fine", "--part", "2_one_head"])
    ninth.unlink()


@pytest.fixture(scope="module")
def new_files(copy):
    """The files of a page of each kind, made in the copy as the README says."""
    found = []
    for arguments in ([WORDS, "--words"], [SENTENCE, "--sentence", "--part", "1_geometry"]):
        before = files(copy)
        *paths, next_step = python(copy, "lab.py", "new", *arguments).splitlines()
        new = {path.relative_to(copy).as_posix() for path in files(copy) - before}
        assert set(paths) == new | {"docs/ADDRESSES.md"}
        assert "lab.py open" in next_step
        found += sorted(new)
    return found


def test_new_pages_of_both_kinds_pass_all_tests_and_are_well_formatted(copy, new_files):
    assert {path.split("/")[0] for path in new_files} == {"attention_lab", "pages", "tests"}
    lessons = [copy / path for path in new_files if "/lessons/" in path]
    assert len(lessons) == 2
    assert max(len(path.read_text("utf-8").splitlines()) for path in lessons) <= LONGEST_LESSON
    code = [path for path in new_files if path.endswith(".py")]
    python(copy, "-m", "ruff", "check", *code)
    python(copy, "-m", "ruff", "format", "--check", *code)
    (copy.parent / "only_new_pages.py").write_text(ONLY_NEW_PAGES)
    tests = [f"tests/{name}" for name in TESTS]
    ran = python(copy, "-m", "pytest", "-p", "only_new_pages", "-n", "0", "-q", *tests)
    assert " passed" in ran


def test_a_new_page_passes_the_tests_in_a_browser_once_its_heights_are_measured(copy):
    python(copy, "lab.py", "new", IN_A_BROWSER, "--sentence")
    python(copy, "-m", "tools.heights", IN_A_BROWSER)
    tests = [f"tests/browser/test_{name}.py" for name in ("every_page", "first_picture", "layout")]
    ran = python(copy, "-m", "pytest", "-n", "0", "-q", *tests, "-k", IN_A_BROWSER)
    assert re.search(r"\d+ passed", ran)
