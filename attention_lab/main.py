"""Attention Lab: understand attention in transformers by moving it."""

import streamlit as st

from attention_lab import course
from attention_lab.classroom import door
from attention_lab.root import ROOT
from attention_lab.widgets import app_shell, check_yourself, language, page_layout, reloading

language.enter()
menu = app_shell.menu(ROOT / "pages")
pages = [page for section in menu.values() for page in section]
*_, last = menu
join = door.join_page(pages)
menu[last] = [*menu[last], join]
page = st.navigation(menu, expanded=True)  # else it folds at the thirteenth page
name = course.window_title(page.title if page.url_path else "")
st.set_page_config(page_title=name, page_icon=app_shell.icon(), layout="wide")
app_shell.freeze_heap()
app_shell.apply_style()
app_shell.enter_page(page)
top = st.container()
reloading.LESSONS.forget_changed()
with page_layout.faults_shown():
    page.run()
if page in pages:
    with top:
        app_shell.presentation(page, pages)
    check_yourself.at_end_of_part(page)
    app_shell.previous_next(page, pages)
app_shell.sidebar()
door.offer(join)
app_shell.foot()
door.show()
