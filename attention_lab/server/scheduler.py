"""Whose turn is next, where more want to work than work well at the same time.

Requests take their turns on the event loop, scripts in their threads. Network addresses get equal shares; within
one address whoever has used least is first.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count

import attention_lab.streamlit_internals as streamlit

Clock = Callable[[], float]
REMEMBERED = 1000  # flows whose use is remembered
RUN_SHARE = 1.0  # s after which a script no longer keeps others waiting
PAUSE_HALF_LIFE = 10.0  # s after which half of what a session has used is forgotten, while it pauses
BUSY_HALF_LIFE = 200.0  # s: the same while it wants to run; so one who never pauses is last, but not for ever
EXPECTED = 0.02  # s that a run counts with until it has ended
PATIENCE = 10.0  # s that long work waits at most for scripts that wait
NEWCOMER = 0.5  # s that a new session counts with: it comes after those who pause, before those who never do


@dataclass(eq=False)
class Turn:
    """A wish for a turn. `changed` is called, in any thread, once it is granted or ended."""

    scheduler: "Scheduler"
    flow: Hashable
    rank: Callable[[], float]
    changed: Callable[[], None]
    cost: float  # of its flow, as far as it is known before
    granted: bool = False
    ended: bool = False
    began: float = 0.0


class Scheduler:
    """Grant a few turns at a time. Flows get equal shares; in a flow the least rank is first, then the oldest."""

    def __init__(self, slots: int, longest: float = float("inf"), clock: Clock = time.monotonic) -> None:
        """Begin with nobody waiting. A turn of more than `longest` seconds no longer keeps others waiting."""
        self._slots, self._longest, self._clock = slots, longest, clock
        self._lock = threading.Lock()
        self._at_work: set[Turn] = set()
        self._waiting: dict[Hashable, list[Turn]] = {}
        # What each flow has used. One that nobody waited for begins where the others are, and so neither owes nor
        # is owed.
        self._used: dict[Hashable, float] = {}
        self._now = 0.0

    @property
    def is_wanted(self) -> bool:
        """Whether anybody waits."""
        return bool(self._waiting)

    def ask(self, turn: Turn) -> None:
        """Let a turn wait until it is granted."""
        with self._lock:
            if turn.flow not in self._waiting:
                self._used[turn.flow] = max(self._used.get(turn.flow, 0.0), self._now)
            self._waiting.setdefault(turn.flow, []).append(turn)
        self.serve()

    def end(self, turn: Turn, cost: float | None = None) -> None:
        """Give a turn back, with its `cost` as known now, or give up waiting for it. Twice does no harm."""
        with self._lock:
            if turn.ended:
                return
            turn.ended = True
            self._at_work.discard(turn)
            if turn.granted:
                more = 0.0 if cost is None else cost - turn.cost
                self._used[turn.flow] = self._used.get(turn.flow, self._now) + more
            else:
                self._remove(turn)
        if not turn.granted:
            turn.changed()
        self.serve()

    def serve(self) -> None:
        """Grant what can be granted now."""
        granted = []
        with self._lock:
            now = self._clock()
            self._at_work = {each for each in self._at_work if now - each.began < self._longest}
            while self._waiting and len(self._at_work) < self._slots:
                flow = min(self._waiting, key=self._used.__getitem__)
                turn = min(self._waiting[flow], key=lambda each: each.rank())
                self._now = max(self._now, self._used[flow])
                self._used[flow] += turn.cost
                self._remove(turn)
                turn.granted, turn.began = True, now
                self._at_work.add(turn)
                granted.append(turn)
        for turn in granted:
            turn.changed()

    def _remove(self, turn: Turn) -> None:
        self._waiting[turn.flow].remove(turn)
        if not self._waiting[turn.flow]:
            del self._waiting[turn.flow]
            if len(self._used) > REMEMBERED:
                self._used = {flow: self._used[flow] for flow in self._waiting}

    @asynccontextmanager
    async def turn(
        self, flow: Hashable, rank: float, lost: asyncio.Future[None] | None = None
    ) -> AsyncIterator[Turn]:
        """Wait on the event loop for a turn that counts as one, and hold it; `end` gives it back earlier.

        A turn whose client is `lost` while it waits is not granted any more, and keeps nobody waiting.
        """
        changed = asyncio.Event()
        turn = Turn(self, flow, lambda: rank, changed.set, cost=1)

        def leave(_: object) -> None:
            if not turn.granted:
                self.end(turn)

        loop = asyncio.get_running_loop()
        lost = lost or loop.create_future()
        self.ask(turn)
        lost.add_done_callback(leave)
        try:
            await changed.wait()
            yield turn
        except GeneratorExit:  # collected as garbage, perhaps by a thread that holds the lock just now
            with suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(self.end, turn)
            raise
        except BaseException:
            self.end(turn)
            raise
        else:
            self.end(turn)
        finally:
            lost.remove_done_callback(leave)


class Session:
    """One session's scripts: how many seconds they have used of late, and the turns that they have or want.

    What a session has used is forgotten while it pauses. By time alone, those who never pause could not be told
    from those who change something now and then, where the processor is too slow for all.
    """

    def __init__(self, address: str, clock: Clock = time.monotonic) -> None:
        self.address, self._clock = address, clock
        self._used, self._seen, self._half_life = NEWCOMER, clock(), PAUSE_HALF_LIFE
        self.turns: set[Turn] = set()
        self.answered = threading.Event()  # set when the last message of a run has been sent
        self.has_left = False

    def used(self) -> float:
        """Return the seconds used and not forgotten yet."""
        now = self._clock()
        self._used *= 0.5 ** ((now - self._seen) / self._half_life)
        self._seen = now
        return self._used

    def ask(self, scheduler: Scheduler, changed: Callable[[], None]) -> Turn:
        """Let one of its scripts wait for a turn."""
        self.used()
        self._half_life = BUSY_HALF_LIFE
        turn = Turn(scheduler, self.address, self.used, changed, EXPECTED)
        self.turns.add(turn)
        scheduler.ask(turn)
        if self.has_left:
            scheduler.end(turn)
        return turn

    def end(self, turn: Turn) -> None:
        """Give its turn back."""
        self.turns.discard(turn)
        seconds = self._clock() - turn.began if turn.granted else 0.0
        self._used = self.used() + seconds
        if not self.turns:
            self._half_life = PAUSE_HALF_LIFE
        turn.scheduler.end(turn, seconds)


class ScriptTurns:
    """The turns of scripts, each in its own thread, and of `calculation.long_work`, one piece at a time."""

    def __init__(self, slots: int, took: Callable[[float], None] = lambda seconds: None) -> None:
        """Let `slots` scripts run at a time; `took` is called with the seconds that each run took."""
        self.runs, self.long_work, self._took = Scheduler(slots, RUN_SHARE), Scheduler(1), took
        self._sessions: dict[str, Session] = {}  # by the names of their sockets
        self._names = map(str, count(1))

    @contextmanager
    def session(self, address: str) -> Iterator[tuple[str, Session]]:
        """Know a session by a name while it is open. Afterwards its scripts get no turn."""
        name, session = next(self._names), Session(address)
        self._sessions[name] = session
        try:
            yield name, session
        finally:
            del self._sessions[name]
            session.has_left = True
            session.answered.set()
            for turn in list(session.turns):
                turn.scheduler.end(turn)

    def run(self, script: Callable[[], None]) -> None:
        """Run the calling thread's script in its session's turn; one whose reader has left does not run."""
        session = self._current()
        if session is None:  # the warm-up's
            script()
            return
        asked = time.perf_counter()
        turn = self._take(self.runs, session)
        try:
            if turn.granted:
                session.answered.clear()
                script()
                session.answered.wait(RUN_SHARE)  # sending takes as long as running, on the one event loop
        finally:
            for each in list(session.turns):
                session.end(each)
        self._took(time.perf_counter() - asked)

    @contextmanager
    def release_turn(self) -> Iterator[None]:
        """Let others run while the calling script waits; take a turn again at the end."""
        session = self._current()
        if session is None:
            yield
            return
        for turn in list(session.turns):
            session.end(turn)
        try:
            yield
        finally:
            self._take(self.runs, session)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Wait for the turn to do something long. A reader who has left meanwhile ends the script."""
        session = self._current() or Session("")
        turn = self._take(self.long_work, session)
        try:
            if not turn.granted:
                streamlit.end_script()
            patience = time.monotonic() + PATIENCE
            while self.runs.is_wanted and time.monotonic() < patience:
                time.sleep(0.01)
            yield
        finally:
            session.end(turn)

    def _current(self) -> Session | None:
        return self._sessions.get(streamlit.running_socket())

    def _take(self, scheduler: Scheduler, session: Session) -> Turn:
        there = threading.Event()
        turn = session.ask(scheduler, there.set)
        while not there.wait(RUN_SHARE):
            scheduler.serve()  # others may have had their share
        return turn
