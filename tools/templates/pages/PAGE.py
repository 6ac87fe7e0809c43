"""The page at /NAME, from top to bottom."""

import attention_lab.lessons.NAME as lesson
from attention_lab.widgets import export, page_layout, predict, vocabulary

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    vocabulary.example_picker(page)  # words
    vocabulary.example_picker(page, sentence=True)  # sentence
    with page_layout.change(page, "word", "words") as opened:
        if opened:
            vocabulary.word_picker(page)
        vocabulary.editor(page)  # words
        vocabulary.editor(page, sentence=True)  # sentence
    export.group(page)
predict.ask_and_show(page)
page_layout.words(page)
