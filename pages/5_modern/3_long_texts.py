"""The page at /long_texts, from top to bottom."""

import attention_lab.lessons.long_texts as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(page, "experiment", width=280, on_choose=lesson.choose)
    export.group(page)
predict.ask_and_show(page)
page_layout.words(page)
