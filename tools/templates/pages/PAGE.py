"""TITLE.

How much does each word take from each other?
"""

import attention_lab.lessons.NAME as lesson

from attention_lab import export, figure
from attention_lab.widgets import open_page, page_layout, predict, vocabulary


@page_layout.fragment
def under_the_hand() -> None:
    """What the hand moves, and what follows it on release."""
    page.sync_inputs()
    now = lesson.calculate(page.state)
    hidden = predict.ask(page, lesson.GUESS, now)
    figure.show(page, lesson.on_stage(page.state, now), now, title=page.text["figure"], results_hidden=hidden)


page = open_page(lesson.LESSON)
page_layout.head(page, __doc__)
with page_layout.tools():
    vocabulary.example_picker(page)  # words
    vocabulary.example_picker(page, sentence=True)  # sentence
    vocabulary.word_picker(page)
    vocabulary.editor(page)  # words
    vocabulary.editor(page, sentence=True)  # sentence
    export_menu.menu(page)
    page_layout.reset(page)
under_the_hand()
page_layout.words(page)
