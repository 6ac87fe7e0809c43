"""The page at /own_attention, from top to bottom."""

import attention_lab.lessons.own_attention as lesson
from attention_lab.widgets import export, own_file, page_layout

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    if page.state.file.view:
        export.group(page)
own_file.opener(page)
page_layout.live_figure(page)
own_file.explained(page)
