"""Attention Lab: understand attention in transformers by moving it.

The entry of `streamlit run app.py`, which looks for `app` here. The script that every visit runs lies in a
folder of its own: with `pages/` beside it, Streamlit would take that for its older kind of menu until the first
visit has run.
"""

import operator

import streamlit as st

from attention_lab import own_model, streamlit_internals
from attention_lab.classroom.rooms import Limits, Rooms
from attention_lab.root import PACKAGE
from attention_lab.server import heap, index_page, interrupt, room_socket

heap.limit_threads()
streamlit_internals.look_up_no_address()
streamlit_internals.advertise_nothing()
streamlit_internals.keep_what_python_sets()
streamlit_internals.take_turns(operator.call)  # else the second of two inputs ends the callback of the first
own_model.announce()
interrupt.exit_cleanly()
app = st.App(PACKAGE / "main.py", routes=room_socket.routes(Rooms(Limits())), middleware=index_page.MIDDLEWARE)
