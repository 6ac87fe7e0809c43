"""The page at /worksheets, from top to bottom."""

import attention_lab.teaching.worksheets as lesson
from attention_lab.widgets import page_layout, paper, settings


@page_layout.fragment
def under_the_pen() -> None:
    """The sheet of one reader, checked while it is filled in."""
    page.sync_inputs()
    paper.filled_in(page, lesson.sheet(page.state, page.state.seed))


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(page, "topic", {topic: lesson.PAGES[topic].title for topic in lesson.TOPICS})
    with page_layout.change(page, "settings") as opened:
        if opened:
            settings.whole(page, "seed", 1, lesson.LAST_SEED, width=150)
            settings.whole(page, "sheets", 1, lesson.MOST_SHEETS, width=150)
    settings.button(page, "another", "casino", lesson.another)
    settings.switch(page, "key")
    paper.print_button(page)
if page.state.sheets == 1:
    under_the_pen()
else:
    paper.to_be_printed(page, lesson.sheets(page.state))
if page.state.values["key"]:
    paper.answer_key(page, lesson.sheets(page.state))
paper.notes()
