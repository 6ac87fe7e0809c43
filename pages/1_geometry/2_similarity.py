"""The page at /similarity, from top to bottom."""

import attention_lab.lessons.similarity as lesson
from attention_lab.widgets import export, page_layout, predict, vocabulary

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page)
    with page_layout.change(page, "word", "words", "settings") as opened:
        if opened:
            vocabulary.word_picker(page, lesson.choose_word)
            if len(page.state.worked_example.axes) == 3:
                page_layout.choose(page, "axes", page.text["axes"], lesson.axes_names(page.state), outside=True)
        vocabulary.editor(page)
    export.group(page)
predict.ask_and_show(page)
page_layout.words(page)
