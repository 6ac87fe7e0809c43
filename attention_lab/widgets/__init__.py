"""The Streamlit side of a page: its session, layout, pickers, editors, predictions, the frame around it."""
