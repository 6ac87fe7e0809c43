"""Part 1 · Meaning as geometry."""
