"""The pre-test and post-test: ten questions with their options in words, and the key for the teacher."""

from attention_lab import course
from attention_lab.export import qr
from attention_lab.lesson import Lesson
from attention_lab.quiz import TEST_ITEMS
from attention_lab.quiz.answers import letter
from attention_lab.root import ROOT
from attention_lab.state import permalink
from attention_lab.state.state import State

WHEN = ("before", "after")
PAGES = {link.page: link for link in course.page_links(ROOT / "pages")}

FIELDS = (
    permalink.choice("when", "whether the test is taken before or after the course", WHEN),
    permalink.flag("key", "1: with the scoring key, for the teacher"),
)


def students_path(state: State) -> str:
    """The link for students: it hides the settings, the switch of the scoring key among them."""
    return qr.address("test", {"when": state.when, "hide": "settings"} | state.of_language)


def key_lines(state: State) -> list[str]:
    """The scoring key: for each question its letter and page, and the misconceptions behind the other letters."""
    text, lines = state.text, []
    for number, item in enumerate(TEST_ITEMS, 1):
        others = [
            f"{letter(item, option)}: {text[f'{item.name}/misconception/{option}']}"
            for option in item.options
            if option != item.right
        ]
        right = {"letter": letter(item, item.right), "page": PAGES[item.page].title}
        lines.append(f"{number}. {text.filled('key_line', **right)} {' '.join(others)}")
    return lines


LESSON = Lesson("test", FIELDS, own_parts=qr.QR)
