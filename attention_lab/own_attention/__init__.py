"""Anybody's attention weights as a view of all heads: in a notebook, in a file, on a page."""
