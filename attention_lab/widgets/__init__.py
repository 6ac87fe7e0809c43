"""The Streamlit side of a page: its session, layout, pickers, editors, predictions, the frame around it."""

from .session import open_page

__all__ = ["open_page"]
