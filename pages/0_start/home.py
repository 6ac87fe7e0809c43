"""Home.

What is attention?
"""

import streamlit as st

st.title("Attention Lab", anchor=False)
