"""Attention Lab: understand attention in transformers by moving it."""

from pathlib import Path

import streamlit as st

from controls import frame

ROOT = Path(__file__).parent.parent

menu = frame.menu(ROOT / "pages")
page = st.navigation(menu, expanded=True)  # else it folds at the thirteenth page
name = f"{page.title} · Attention Lab" if page.url_path else "Attention Lab"
st.set_page_config(page_title=name, page_icon=frame.icon(), layout="wide")
frame.settle()
frame.look()
frame.turn_to(page)
top = st.container()
page.run()
with top:
    frame.presentation()
frame.way_on(page, [page for section in menu.values() for page in section])
frame.sidebar()
