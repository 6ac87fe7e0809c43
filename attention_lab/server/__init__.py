"""The app on a shared server: how it is started, whom it lets in, what it says about itself.

`python3 lab.py serve` (or ``python -m attention_lab.server``) is the one command. Nothing here knows a page:
`streamlit run app.py` shows the same ones without it.
"""
