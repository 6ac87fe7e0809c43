"""docs/FIGURE_PARTS.md shows every shared part, with the call that draws it."""

import inspect

from attention_lab import figure
from tools import figure_parts


def returned(name):
    """The annotation of what a function of the figure package returns; nothing for any other name."""
    function = getattr(figure, name)
    return str(inspect.signature(function).return_annotation) if inspect.isfunction(function) else ""


def test_every_part_has_an_example_or_names_a_lesson():
    builders = {name for name in figure.__all__ if returned(name) in ("Part", "list[Part]")} - {"part"}
    assert len(builders) > 20
    assert builders - set(figure_parts.PARTS) - set(figure_parts.ELSEWHERE) == set()


def test_the_page_is_the_one_that_the_examples_make():
    assert figure_parts.PAGE.read_text("utf-8") == figure_parts.page(), "run `python -m tools.figure_parts`"


def test_parts_that_need_a_sentence_are_marked():
    marked = {name for name in figure_parts.PARTS if figure_parts.needs_sentence(name)}
    assert marked == {"sentence", "arcs"}
    assert figure_parts.page().count("Only on a page about a sentence.") == len(marked)


def test_an_example_can_be_drawn_and_has_a_picture():
    for name in figure_parts.PARTS:
        assert figure_parts.view_of(name).payload.startswith(b"{"), name
        assert (figure_parts.PICTURES / f"{name}.png").stat().st_size > 500, name
