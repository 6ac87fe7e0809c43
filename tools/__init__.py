"""What developers run: benches, training scripts, the templates of a new page."""
