"""How much memory is free, so that a model that does not fit is refused before it is read."""

from collections.abc import Iterator
from pathlib import Path

SYSTEM = Path("/")
# Folders and files of a control group's limit, use, and that part of the use that is only a cache of files: of
# version 2, and of version 1, which has a line of its own for memory in /proc/self/cgroup.
VERSION_2 = "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
VERSION_1 = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"


def free_bytes() -> int | None:
    """Return how much memory this process may still take: the machine's or its container's, whichever is less.

    None where the system does not say.
    """
    available = _entry(SYSTEM / "proc/meminfo", "MemAvailable:")
    machine = [] if available is None else [1024 * available]
    return min([*machine, *_containers()], default=None)


def check_memory(needed: int, what: str) -> None:
    """Raise `ValueError` where more bytes are needed than are free."""
    free = free_bytes()
    if free is not None and needed > free:
        raise ValueError(
            f"{what} needs {format_gigabytes(needed)} of memory; {format_gigabytes(max(free, 0))} are free"
        )


def format_gigabytes(size: int) -> str:
    """Return a number of bytes as text.

    >>> format_gigabytes(540_000_000)
    '0.5 GB'
    """
    return f"{size / 1e9:.1f} GB"


def _containers() -> Iterator[int]:
    """What each control group that this process is in has left."""
    for line in _lines(SYSTEM / "proc/self/cgroup"):
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, limit, use, cache = VERSION_1 if controllers else VERSION_2
        # In a container the path may be the host's, and not be there: then the root is the container's own.
        folder = SYSTEM / root / group.lstrip("/")
        for each in (folder, *folder.parents):  # what limits a group limits all in it
            most, used = (next(iter(_lines(each / name)), "") for name in (limit, use))
            if most.isdecimal() and used.isdecimal():
                yield int(most) - int(used) + (_entry(each / "memory.stat", cache) or 0)


def _entry(path: Path, name: str) -> int | None:
    """The number after a name in a file of such lines."""
    values = (line.split()[1] for line in _lines(path) if line.startswith(f"{name} "))
    return next(map(int, values), None)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
