"""Attention Lab: understand attention in transformers by moving it.

The entry of `streamlit run app.py`, which looks for `app` here. The script that every visit runs lies in a
folder of its own: with `pages/` beside it, Streamlit would take that for its older kind of menu until the first
visit has run.
"""

import streamlit as st

import streamlit_internals
from classroom import sharing
from classroom.rooms import Limits, Rooms
from controls import own_model
from hosting import room_socket

streamlit_internals.look_up_no_address()
own_model.announce()
app = st.App("frame/main.py", routes=room_socket.routes(Rooms(Limits(), sharing)))
