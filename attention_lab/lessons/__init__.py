"""What each page is about: a module a page, imported once, that can be tested without Streamlit.

A lesson says what an address holds (``FIELDS``), what is calculated, what is asked and aimed at, what lies on the
stage, what stands in the tables, and what programs begin with. `similarity` is one to start from; a lesson with
parts of the stage, JavaScript or style of its own is a folder.
"""
