"""The floor: the least a page with one control and one picture costs in Streamlit."""

import gc

import pandas as pd
import streamlit as st

SPEC = {
    "mark": "bar",
    "encoding": {
        "x": {"field": "name", "type": "nominal"},
        "y": {"field": "value", "type": "quantitative", "scale": {"domain": [0, 10]}},
    },
}


@st.cache_resource
def freeze_heap():
    """As the app's frame does, once: what start-up made is never collected again."""
    gc.collect()
    gc.freeze()


freeze_heap()
value = st.slider("Value", 0, 10, 5)
st.vega_lite_chart(pd.DataFrame({"name": list("abc"), "value": [value, 10 - value, 5]}), SPEC, key="chart")
