"""The words of the pages are sections by name."""

import os

import pytest

from attention_lab import text as prose


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Write a page's text and read it."""
    monkeypatch.setattr(prose, "HERE", tmp_path)
    monkeypatch.setattr(prose, "LOOK_AGAIN", 1e-9)
    (tmp_path / prose.ENGLISH).mkdir()
    return lambda text: (tmp_path / prose.ENGLISH / "p.md").write_text(text, "utf-8") and prose.read("p")


def test_sections_parts_and_their_order(page):
    text = page("# Title\nlost\n\n## b\n\none\n\ntwo\n\n## a\n### x\nthree\n### y\nfour\n## c\n")
    assert dict(text) == {"b": "one\n\ntwo", "a": "", "a/x": "three", "a/y": "four", "c": ""}
    assert next(iter(text)) == "b"
    assert text.parts("a") == {"x": "three", "y": "four"}


def test_plain_text_has_no_emphasis(page):
    assert page("## a\nsee *this* and **that**, `x`\n").plain("a") == "see this and that, x"
    assert page("## a\n*w* is {own_one}, $W_O$\n").plain("a", own_one="0.2") == "w is 0.2, W_O"


def test_what_a_section_leaves_open_stands_between_its_pieces(page):
    text = page("## a\n{x} is not {y}.\n")
    assert text.around("a", x=("shape", "x"), y=2) == [("shape", "x"), " is not ", 2, "."]


def test_what_is_emphasized_says_so_whether_text_or_a_number(page):
    text = page("## a\nLet *{x}* or *the b* of {y} give `{z}`, *{y}*.\n")
    given = {"x": {"of": ["x"]}, "y": {"em": "yes"}, "z": "no"}
    said = [
        "Let ",
        {"of": ["x"], "em": True},
        " or ",
        {"em": "the b"},
        " of ",
        {"em": "yes"},
        " give ",
        "no",
        ", ",
        {"em": "yes"},
        ".",
    ]
    assert text.marked("a", **given) == said


COUNTED = "## here\n### one\n{count} *person* in {room}\n### other\n{count} *people* in {room}\n"


def test_a_count_takes_its_plural_form(page):
    text = page(COUNTED)
    for count, said in (("0", "0 people"), ("1", "1 person"), ("2", "2 people"), ("1,001", "1,001 people")):
        assert text.plain("here", count=count, room="x") == f"{said} in x"
        assert text.filled("here", count=count, room="x").replace("*", "") == f"{said} in x"


def test_a_section_without_plural_forms_is_the_same_for_every_count(page):
    assert page("## a\n{count} in all\n").filled("a", count="1") == "1 in all"


def test_a_page_without_a_file_has_no_words_yet():
    assert prose.read("no_such_page") == {}


def test_a_file_that_was_written_again_is_read_again(page, tmp_path):
    page("## a\nold\n")
    os.utime(tmp_path / prose.ENGLISH / "p.md", ns=(1, 1))
    assert page("## a\nnew\n")["a"] == "new"


def test_a_file_from_the_beginning_of_time_has_its_words(page, tmp_path):
    """Some images give every file the time zero."""
    page("## asked\none")
    os.utime(tmp_path / prose.ENGLISH / "p.md", (0, 0))
    assert prose.read("p")["asked"] == "one"


def test_what_is_missing_is_looked_for_among_its_neighbours(page):
    """A goal that has no sentence is not meant to have that which says why it was met."""
    text = page("## goals\n### small\nMake it small.\n## why\n### arrives\nIt came near.\n")
    with pytest.raises(LookupError, match=r"'goals/arrives' is not a section of .*'goals/small'"):
        text["goals/arrives"]
    with pytest.raises(LookupError, match="did you mean 'goals/small'"):
        text["goals/smal"]
    with pytest.raises(LookupError, match="did you mean 'why'"):
        text["whi"]


def test_every_goal_has_a_live_number_a_hint_and_a_reason():
    pages = [path.stem for path in (prose.HERE / prose.ENGLISH).glob("*.md")]
    texts = {page: prose.read(page) for page in pages if {"minutes", "goals"} <= set(prose.read(page))}
    goals = [(page, name.split("/")[1]) for page in texts for name in texts[page] if name.startswith("goals/")]
    assert len(goals) > 15
    wanted = [(page, f"{kind}/{goal}") for page, goal in goals for kind in ("now", "hints", "why")]
    assert [(page, name) for page, name in wanted if name not in texts[page]] == []
