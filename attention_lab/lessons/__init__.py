"""What each page is about: a module a page, imported once, that can be tested without Streamlit.

A lesson says what an address holds (``FIELDS``), what is calculated, what is asked and aimed at, what lies on the
stage, what stands in the tables, and what programs begin with. `similarity` is one to start from; a lesson with
parts of the stage, JavaScript or style of its own is a folder.
"""

from importlib import import_module

from attention_lab.lesson import Lesson


def lesson_named(name: str) -> Lesson:
    """Return the lesson of a page of the course, imported when it is first asked for."""
    return import_module(f"{__name__}.{name}").LESSON
