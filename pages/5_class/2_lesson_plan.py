"""A lesson of 45 minutes.

What do we do in class?
"""

import lessons.lesson_plan as lesson
from controls import page_layout, plan, settings
from controls.page_state import open_page

page = open_page(lesson)
page_layout.head(page, __doc__)
with page_layout.tools():
    page_layout.choose(page, "route", page.text["settings/route"], page.text.parts("route"), outside=True)
    settings.switch(page, "guess")
    settings.switch(page, "answers")
    plan.print_button(page)
plan.stops(page, lesson.stops(page))
