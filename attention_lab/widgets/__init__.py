"""The Streamlit side of a page: its layout, pickers, editors, predictions, the frame around it."""

from attention_lab.state.page_state import open_page

__all__ = ["open_page"]
