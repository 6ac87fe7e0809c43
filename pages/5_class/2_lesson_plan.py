"""A lesson of 45 minutes.

What do we do in class?
"""

import attention_lab.lessons.lesson_plan as lesson
from attention_lab.widgets import page_layout, plan, settings

page = page_layout.open_page(lesson.LESSON)
page_layout.head(page, __doc__)
with page_layout.tools():
    settings.select(page, "route", page.text.parts("route"))
    settings.switch(page, "guess")
    settings.switch(page, "answers")
    plan.print_button(page)
plan.stops(page, lesson.stops(page.state))
