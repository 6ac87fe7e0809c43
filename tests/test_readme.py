"""The README and the documentation tell the truth."""

import re

from lab import ROOT
from tools import architecture, permalinks, pictures

DOCUMENTS = [ROOT / "README.md", ROOT / "deploy" / "README.md", *(ROOT / "docs").glob("*.md")]
OF_A_NEW_PAGE = re.compile(r"\bmy_page\b|\btest_my_page\b")


def test_the_permalink_table_lists_every_setting_of_every_page():
    assert permalinks.stands() == permalinks.table(), "run `python -m tools.permalinks` to renew it"


def test_every_file_that_is_named_or_linked_is_there():
    name = re.compile(r"`((?:attention_core|attention_lab|pages|tests|tools|deploy|docs)/[\w/.]+)`")
    link = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
    files = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        files += [(document, ROOT / path) for path in name.findall(text) if not OF_A_NEW_PAGE.search(path)]
        files += [(document, document.parent / path) for path in link.findall(text)]
    assert len(files) > 50
    assert [(document, path) for document, path in files if not path.exists()] == []


def test_the_picture_of_the_packages_is_that_of_the_imports():
    assert architecture.stands() == architecture.drawing(), "run `python -m tools.architecture` to draw it again"


def test_the_readme_is_one_short_page_and_its_pictures_are_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 100
    shown = [row for row in text.splitlines() if "<img" in row]  # a page that is new may wait for its picture
    assert len(shown) == len(pictured := {*(ROOT / "docs" / "pages").glob("*.png")}) >= 16
    assert {*shown} <= {*pictures.table().splitlines()}, "run `python -m tools.pictures pages`"
    found = re.findall(r"!\[([^]]+)\]\(([^)]+)\)", text)
    found += [(label, path) for path, label in re.findall(r'<img src="([^"]+)" .*alt="([^"]+)"', text)]
    assert len(found) == 2 + len(pictured)
    assert all(label and (ROOT / path).exists() for label, path in found)
    assert sum(file.stat().st_size for file in pictured) <= 500_000
    assert (ROOT / "docs" / "drag.webp").stat().st_size <= 1_000_000
