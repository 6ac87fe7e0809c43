def show(vector):
    """Return a vector as text, with fifteen digits."""
    return f"({', '.join(f'{number:.15g}' for number in vector)})"
