"""The README and the documentation tell the truth."""

import re

import pytest

from lab import ROOT
from tests import permalinks
from tools import architecture

MOST_FILES_OF_A_DRAG = 16
DOCUMENTS = sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))


def test_the_permalink_table_lists_every_setting_of_every_page():
    assert permalinks.stands() == permalinks.table(), "run `python -m tests.permalinks` to renew it"


@pytest.mark.parametrize("path", ["README.md", "deploy/README.md", *DOCUMENTS])
def test_every_file_that_is_named_is_there(path):
    named = re.findall(
        r"`((?:attention_core|attention_lab|pages|tests|tools|deploy|docs)/[\w/.]+)`", (ROOT / path).read_text()
    )
    mine = {"attention_lab/lessons/my_page.py", "attention_lab/text/en/my_page.md", "tests/pages/test_my_page.py"}
    assert [name for name in named if name not in mine and not (ROOT / name).exists()] == []


def test_a_drag_passes_few_files():
    table = re.findall(r"^\| `([\w/.]+)` \|", (ROOT / "docs" / "CODE.md").read_text(), re.MULTILINE)
    assert len(set(table)) == len(table) <= MOST_FILES_OF_A_DRAG


def test_the_picture_of_the_packages_is_that_of_the_imports():
    assert architecture.stands() == architecture.drawing(), "run `python -m tools.architecture` to draw it again"


def test_the_readme_is_one_short_page_and_its_pictures_are_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 100
    pictures = re.findall(r"!\[([^]]+)\]\(([^)]+)\)", text)
    assert len(pictures) == 5
    assert all(label and (ROOT / path).exists() for label, path in pictures)
    assert (ROOT / "docs" / "drag.webp").stat().st_size <= 1_000_000


@pytest.mark.parametrize("path", ["README.md", "deploy/README.md", *DOCUMENTS])
def test_every_link_between_documents_leads_to_a_file(path):
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", (ROOT / path).read_text(encoding="utf-8"))
    assert [link for link in links if not ((ROOT / path).parent / link).exists()] == []
