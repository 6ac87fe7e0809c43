"""How many files and connections the system lets this process have open, and what that means for its settings."""

import dataclasses

try:
    import resource
except ImportError:  # Windows knows no such limit
    resource = None

from .settings import Settings

OWN = 356  # descriptors that are no reader's: files being read, threads' pipes, who is refused


def fit(settings: Settings) -> Settings:
    """Raise the limit as far as it is needed and may be; where that is too little, hold fewer than asked for."""
    if resource is None:
        return settings
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return settings
    wanted = settings.connections + OWN
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return settings if soft >= wanted else fewer(settings, soft - OWN)


def fewer(settings: Settings, connections: int) -> Settings:
    """The same settings with room for so many connections; a browser that loads a page has several."""
    connections = max(connections, 16)
    return dataclasses.replace(
        settings,
        connections=connections,
        connections_per_address=min(settings.connections_per_address, max(8, connections // 2)),
        sessions=min(settings.sessions, max(1, connections // 2)),
    )
