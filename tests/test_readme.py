"""The README and the documentation tell the truth."""

import re

import pytest

from lab import ROOT
from tests import permalinks

MOST_FILES_OF_A_DRAG = 16


def test_the_permalink_table_lists_every_setting_of_every_page():
    assert permalinks.stands() == permalinks.table(), "run `python -m tests.permalinks` to renew it"


@pytest.mark.parametrize("path", ["README.md", "docs/CODE.md", "docs/SECURITY.md", "deploy/README.md"])
def test_every_file_that_is_named_is_there(path):
    named = re.findall(
        r"`((?:attention_core|attention_lab|pages|tests|tools|deploy|docs)/[\w/.]+)`", (ROOT / path).read_text()
    )
    mine = {"attention_lab/lessons/my_page.py", "attention_lab/text/en/my_page.md", "tests/pages/test_my_page.py"}
    assert [name for name in named if name not in mine and not (ROOT / name).exists()] == []


def test_a_drag_passes_few_files():
    table = re.findall(r"^\| `([\w/.]+)` \|", (ROOT / "docs" / "CODE.md").read_text(), re.MULTILINE)
    assert len(set(table)) == len(table) <= MOST_FILES_OF_A_DRAG
