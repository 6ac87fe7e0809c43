"""Fixtures of the hosted app's tests: one server for all that leave it as it was."""

import asyncio

import pytest

from tests.server.harness import Host


@pytest.fixture(scope="module")
def host():
    """The launcher with its default settings; no page's script may fail while it runs."""
    with Host() as running:
        yield running
        assert not [name for name in running.metrics() if name.startswith("errors_total{")]
        assert not [line for line in running.lines() if line["level"] in ("error", "critical")]


@pytest.fixture
def run():
    """Run a coroutine to its end."""
    return asyncio.run
