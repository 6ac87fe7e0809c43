"""Whether a page of this very server asks, as the browser says it."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers


def network_location(origin: str) -> str | None:
    """The host and port of an origin, or None where it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def is_own(asked: Headers, others: Sequence[str] = ()) -> bool:
    """Whether a request comes from a page of this server, of one of the `others`, or of none at all."""
    origin = asked.get("origin")
    return not origin or origin in others or network_location(origin) == asked.get("host")
