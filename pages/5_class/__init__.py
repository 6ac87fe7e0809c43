"""For a class."""
