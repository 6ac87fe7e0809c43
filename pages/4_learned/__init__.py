"""Part 4 · Learned, not made up."""
