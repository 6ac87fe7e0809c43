"""The page at /test, from top to bottom."""

import attention_lab.teaching.test as lesson
from attention_lab.widgets import page_layout, paper, pre_post, settings


@page_layout.fragment
def under_the_pen() -> None:
    """The questions, answered by one student."""
    page.sync_inputs()
    pre_post.questions(page)


page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(page, "when", page.text.parts("when"))
    settings.switch(page, "key")
    paper.print_button(page)
under_the_pen()
if page.state.values["key"]:
    pre_post.scoring_key(page, lesson.key_lines(page.state), lesson.students_path(page.state))
