"""`lab.py new`: the page that it makes passes all tests of pages; where it can make none, it says why."""

import os
import shutil
import subprocess
import sys

import pytest

from lab import ROOT
from tools import scaffold

NAMES = {"words": "a_page_about_some_words", "sentence": "a_page_on_whole_sentence"}
LONGEST_LESSON = 95  # lines
# Of the tests that no page has for itself alone: those that a new page could fail.
COMMON = "architecture or readme or every_page_stands_on_home or link_to_every_page or same_programs"
IN_PLACE = "import lab, sys; lab.environment = lambda command: sys.executable; sys.exit(lab.new(sys.argv[1:]))"


def no_part_of_the_source(folder, names):
    """What a copy of the repository goes without: history, caches, environments."""
    hidden = {name for name in names if name[0] == "." and name != ".streamlit"}
    return hidden | {name for name in names if name in ("__pycache__", "out") or is_environment(folder, name)}


def is_environment(folder, name):
    return os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository."""
    return shutil.copytree(ROOT, tmp_path_factory.mktemp("new") / "lab", ignore=no_part_of_the_source)


def files(root):
    return {path for path in root.rglob("*.*") if "__pycache__" not in path.parts}


def python(root, *arguments):
    """Run Python there, as if nothing of this run were around it, and return what it printed."""
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    ran = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env=around | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["similarity"], "similarity.py is there already"),
        (["every_page"], "test_every_page.py is there already"),
        (["glossary"], "glossary.md is there already"),
        (["class"], "Python has that word"),
        (["health"], "the server has that address"),
        (["Words"], "small letters"),
        (["1st"], "small letters"),
        (["../words"], "small letters"),
        (["x" * 25], "25 letters, and 24 fit"),
        (["fine", "--part", "4_none"], "There is no part '4_none': there are 1_geometry, 2_one_head"),
        (["fine", "--part", "0_start"], "There is no part '0_start'"),
    ],
)
def test_what_cannot_be_made_is_said_in_a_sentence_and_nothing_is_written(copy, arguments, said):
    before = files(copy)
    with pytest.raises(SystemExit) as ended:
        scaffold.new_page(copy, arguments)
    assert said in ended.value.code
    assert "\n" not in ended.value.code
    assert files(copy) == before


def test_a_part_has_no_tenth_page(copy):
    ninth = copy / "pages" / "2_one_head" / "9_last.py"
    ninth.touch()
    with pytest.raises(SystemExit, match="nine pages"):
        scaffold.new_page(copy, ["fine", "--part", "2_one_head"])
    ninth.unlink()


def test_new_pages_of_both_kinds_pass_all_tests_and_are_well_formatted(copy):
    before = files(copy)
    for kind, part in (("words", []), ("sentence", ["--part", "1_geometry"])):
        printed = python(copy, "-c", IN_PLACE, NAMES[kind], f"--{kind}", *part)
        made = {path.relative_to(copy).as_posix() for path in files(copy) - before}
        *paths, next_step = printed.splitlines()
        assert set(paths) == made | {"docs/ADDRESSES.md"}
        assert "lab.py open" in next_step
        assert {path.split("/")[0] for path in made} == {"attention_lab", "pages", "tests"}
        code = [path for path in made if path.endswith(".py")]
        python(copy, "-m", "ruff", "check", *code)
        python(copy, "-m", "ruff", "format", "--check", *code)
        lesson = (copy / "attention_lab" / "lessons" / f"{NAMES[kind]}.py").read_text("utf-8")
        assert len(lesson.splitlines()) <= LONGEST_LESSON
        before = files(copy)
    chosen = f"{COMMON} or {' or '.join(NAMES.values())}"
    tests = ["pages", "export/test_export.py", "test_architecture.py", "test_readme.py"]
    ran = python(copy, "-m", "pytest", "-n", "0", "-q", *(f"tests/{name}" for name in tests), "-k", chosen)
    assert " passed" in ran
    assert "skipped" not in ran
