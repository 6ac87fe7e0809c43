def read(name):
    """Return the weights in a file, by their names."""
    with np.load(find(name)) as found:
        return {name: torch.tensor(found[name]).double() for name in found.files if found[name].dtype.kind == "f"}
