"""docs/FIGURE_PARTS.md shows every shared part, with the call that draws it."""

import inspect

import pytest

from attention_lab import figure
from tools import figure_parts


def builders():
    """The names of all functions of the figure package that build a part."""
    return {
        name
        for name in figure.__all__
        if inspect.isfunction(getattr(figure, name)) and name not in ("part",) and _gives_parts(name)
    }


def _gives_parts(name):
    annotation = str(inspect.signature(getattr(figure, name)).return_annotation)
    return annotation in ("Part", "list[Part]")


def test_every_part_has_an_example_or_names_a_lesson():
    assert len(builders()) > 20
    assert builders() - set(figure_parts.PARTS) - set(figure_parts.ELSEWHERE) == set()


def test_the_page_is_the_one_that_the_examples_make():
    assert figure_parts.PAGE.read_text("utf-8") == figure_parts.page(), "run `python -m tools.figure_parts`"


@pytest.mark.parametrize("name", figure_parts.PARTS)
def test_an_example_can_be_drawn_and_has_a_picture(name):
    assert figure_parts.view_of(name).payload.startswith(b"{")
    assert (figure_parts.PICTURES / f"{name}.png").stat().st_size > 500
