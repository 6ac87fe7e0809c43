def read(name):
    """Return the weights in a file, by their names."""
    with np.load(find(name)) as found:
        return {name: found[name].astype(float) for name in found.files if found[name].dtype.kind == "f"}
