"""Attention Lab: understand attention in transformers by moving it."""

from pathlib import Path

import streamlit as st

from controls import frame

HERE = Path(__file__).parent

st.set_page_config(page_title="Attention Lab", page_icon=str(HERE / "assets" / "favicon.png"), layout="wide")
menu = frame.menu(HERE / "pages")
page = st.navigation(menu, expanded=True)  # else it folds at the thirteenth page
frame.settle()
frame.look()
frame.turn_to(page)
top = st.container()
page.run()
with top:
    frame.presentation()
frame.way_on(page, [page for section in menu.values() for page in section])
frame.sidebar()
