"""Part 3 · The whole layer."""
