"""Part 2 · One head."""
