"""What was made on a page, step by step, to go back and on in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .permalink import Values, same

MOST_STEPS = 100  # that one can go back: of older ones nothing is kept
BACK, ON = -1, 1
LAST_TURN = 2**53  # beyond it the browser cannot count


@dataclass
class History:
    """The states of a page's settings, one for every change. Of what stayed the same they share the values."""

    now: Values | None = None
    before: deque[Values] = field(default_factory=lambda: deque(maxlen=MOST_STEPS))
    after: list[Values] = field(default_factory=list)
    turned: int = 0  # the number of the browser's last request that was answered

    def note(self, values: Values) -> None:
        """Keep how the page is now; if that is new, the way on from the state before is gone."""
        if self.now is not None:
            if all(same(values[name], value) for name, value in self.now.items()):
                return
            self.before.append(self.now)
            self.after.clear()
        self.now = values

    def turn(self, way: int) -> Values | None:
        """How the page was one step back, or is one step on; None at the end of the way."""
        come_from, go_to = (self.after, self.before) if way == BACK else (self.before, self.after)
        if not go_to:
            return None
        come_from.append(self.now)
        self.now = go_to.pop()
        return self.now

    def asked(self, commands: Any) -> Iterator[int | str]:
        """What the browser wishes and was not answered yet, whatever it has sent: ways to go, examples."""
        for wish in commands if isinstance(commands, list) else ():
            if not (isinstance(wish, list) and len(wish) == 2 and type(wish[0]) is int):
                continue
            number, what = wish
            if self.turned < number < LAST_TURN and (what in (BACK, ON) or isinstance(what, str)):
                self.turned = number
                yield what

    @property
    def told(self) -> list[int]:
        """The last request answered, and how many steps there are back and on: for the browser."""
        return [self.turned, len(self.before), len(self.after)]
