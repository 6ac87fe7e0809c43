"""The page at /lesson_plan, from top to bottom."""

import attention_lab.teaching.lesson_plan as lesson
from attention_lab.widgets import page_layout, plan, settings

page = page_layout.open_page(lesson.LESSON)
with page_layout.head(page):
    settings.select(page, "route", page.text.parts("route"))
    settings.switch(page, "guess")
    settings.switch(page, "answers")
    plan.print_button(page)
plan.stops(page, lesson.stops(page.state))
if page.state.route == "start":
    plan.card(page.text["card"])
