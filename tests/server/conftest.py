"""Fixtures of the hosted app's tests: a shared server, coroutine tests, and an event loop with simulated time."""

import asyncio
import inspect
import selectors

import pytest

from tests.server.harness import Host, watch_connections


@pytest.fixture(scope="package")
def host(tmp_path_factory):
    """The launcher with its default settings; it may fail in nothing and reach no other machine while it runs."""
    server = Host()
    reached = watch_connections(server, tmp_path_factory.mktemp("watch"))
    with server as running:
        yield running
        assert not [name for name in running.metrics() if name.startswith("errors_total{")]
        assert running.faults() == ""
    assert reached() == []


class SimulatedTimeSelector(selectors.DefaultSelector):
    """Instead of waiting for a timer, let the time pass that is left until it fires."""

    now = 1000.0

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("the test waits for something that never happens")
        self.now += 1e-6  # as on a real clock, no two moments are the same
        if not ready and timeout:
            self.now += timeout
        return ready


class SimulatedTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock stands still while anything is left to do, then jumps to the next timer."""

    def __init__(self):
        self._clock = SimulatedTimeSelector()
        super().__init__(self._clock)

    def time(self):
        return self._clock.now


@pytest.fixture
def simulated_time():
    """Run the test in a SimulatedTimeLoop; the value is its clock."""
    return lambda: asyncio.get_running_loop().time()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a coroutine test to its end."""
    if inspect.iscoroutinefunction(pyfuncitem.function):
        loop = SimulatedTimeLoop if "simulated_time" in pyfuncitem.fixturenames else None
        names = inspect.signature(pyfuncitem.function).parameters
        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(pyfuncitem.function(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True
    return None
