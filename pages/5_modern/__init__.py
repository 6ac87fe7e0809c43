"""Pages of one group in the menu; text/en/parts.md has its name."""
