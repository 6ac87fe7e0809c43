"""The page at /modern_model, from top to bottom."""

import attention_lab.lessons.modern_model as lesson
from attention_lab.widgets import export, page_layout, predict, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    if not page.lesson.fault(page.state):
        settings.select(page, "text", width=420, on_choose=lesson.choose_text)
    export.group(page)
predict.ask_and_show(page)
page_layout.words(page)
