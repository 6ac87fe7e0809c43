"""Collect the calls that should be refused and are not."""

import re


def not_refused(cases):
    """Return a line for each case, a call and a pattern, that raises no `ValueError` which matches."""
    wrong = []
    for call, pattern in cases:
        try:
            call()
        except ValueError as error:
            if not re.search(pattern, str(error)):
                wrong.append(f"{pattern!r} is not in {str(error)!r}")
        else:
            wrong.append(f"{pattern!r}: no error")
    return wrong
