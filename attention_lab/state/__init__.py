"""What a page holds: its fields, its link, its history, its goals."""
