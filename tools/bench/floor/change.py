"""The floor of a change: a fragment with one component in it, and nothing else."""

import streamlit as st

PAYLOAD = b'{"page":"home","frame":"0","version":0,"pose":{"rows":[[1,2],[3,4]]}}\n"columns":[]'
stage = st.components.v2.component("stage", js="export default () => {};")


@st.fragment
def figure_and_charts() -> None:
    """What runs at a change."""
    stage(key="home.stage", data=PAYLOAD, on_events_change=lambda: None)


figure_and_charts()
