"""The page at /similarity, from top to bottom."""

import attention_lab.lessons.similarity as lesson
from attention_lab.widgets import export, figure, page_layout, predict, vocabulary


@page_layout.fragment
def figure_and_charts() -> None:
    """Draw the figure and everything that depends on it."""
    page.sync_inputs()
    figure.show(page, page.view())


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page)
    vocabulary.word_picker(page, lesson.choose_word)
    vocabulary.editor(page)
    export.menu(page)
    page_layout.reset(page)
predict.ask(page)
figure_and_charts()
if len(page.worked_example.axes) == 3:
    with page_layout.tools("_below"):
        page_layout.choose(page, "axes", page.text["axes"], lesson.axes_names(page.state), outside=True)
page_layout.words(page)
