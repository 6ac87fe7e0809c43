"""docs/FIGURE_PARTS.md shows every shared part, with the call that draws it."""

import inspect
from typing import get_type_hints

from attention_lab import figure
from tools import figure_parts


def test_every_part_has_an_example_or_names_a_lesson():
    types = {name: get_type_hints(f)["return"] for name, f in vars(figure).items() if inspect.isfunction(f)}
    builders = {name for name, type_ in types.items() if type_ in (figure.Part, list[figure.Part])}
    builders -= {"part", "preset"}
    assert len(builders) > 20
    assert builders - set(figure_parts.PARTS) - set(figure_parts.ELSEWHERE) == set()


def test_the_page_is_the_one_that_the_examples_make():
    assert figure_parts.PAGE.read_text("utf-8") == figure_parts.page(), "run `python -m tools.figure_parts`"


def test_an_example_can_be_drawn_and_has_a_picture():
    for name in figure_parts.PARTS:
        assert figure_parts.view_of(name).data["columns"], name
        assert (figure_parts.PICTURES / f"{name}.png").stat().st_size > 500, name
