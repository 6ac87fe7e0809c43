"""The page at /worksheets, from top to bottom."""

import attention_lab.lessons.worksheets as lesson
from attention_lab.widgets import class_link, page_layout, paper, settings


@page_layout.fragment
def under_the_pen() -> None:
    """The sheet of one reader, checked while it is filled in."""
    page.sync_inputs()
    paper.filled_in(page, lesson.sheet(page.state, page.state.seed))


page = page_layout.open_page(lesson.LESSON)
page_layout.head(page)
with page_layout.tools("_below"):
    settings.select(page, "topic", {topic: lesson.PAGES[topic].title for topic in lesson.TOPICS})
    settings.whole(page, "seed", 1, lesson.LAST_SEED, width=130)
    settings.button(page, "another", "casino", lesson.another)
    settings.whole(page, "sheets", 1, lesson.MOST_SHEETS, width=160)
    settings.switch(page, "key")
    paper.print_button(page)
class_link.say_if_only_here()
if page.state.sheets == 1:
    under_the_pen()
else:
    paper.to_be_printed(page, lesson.sheets(page.state))
if page.state.values["key"]:
    paper.answer_key(page, lesson.sheets(page.state))
page_layout.badge("random")
