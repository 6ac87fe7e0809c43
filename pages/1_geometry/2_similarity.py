"""The page at /similarity, from top to bottom."""

import attention_lab.lessons.similarity as lesson
from attention_lab.widgets import export, page_layout, predict, vocabulary

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page)
    vocabulary.word_picker(page, lesson.choose_word)
    vocabulary.editor(page)
    export.menu(page)
    page_layout.reset(page)
predict.ask(page)
page_layout.live_figure(page)
if len(page.state.worked_example.axes) == 3:
    with page_layout.tools("_below"):
        page_layout.choose(page, "axes", page.text["axes"], lesson.axes_names(page.state), outside=True)
page_layout.words(page)
