"""Who has room, and how fast: shares of an address, paces, descriptors."""

import json
import resource
import subprocess
import sys

import pytest

from attention_lab.server import capacity
from attention_lab.server.capacity import Addresses, FullError, RateLimiter, SeatPool, TokenBucket
from attention_lab.server.descriptors import OWN, fewer
from attention_lab.server.settings import Settings
from tests.server.harness import Clock


def test_session_holds_a_slot_until_it_ends_even_by_an_exception():
    room = SeatPool(2, share=2)
    with room.take("a"), room.take("a"), pytest.raises(FullError, match="full"), room.take("b"):
        pass
    with pytest.raises(ZeroDivisionError), room.take("a"):
        raise ZeroDivisionError
    assert (room.taken, room.lacking("a")) == (0, "")


def test_address_has_its_share_and_leaves_the_rest():
    room = SeatPool(5, share=3)
    for _ in range(3):
        room.enter("a")
    assert room.lacking("a") == "share"
    assert room.lacking("b") == ""
    assert room.lacking("a", shared=False) == "", "a proxy stands for many"
    room.leave("a")
    assert room.lacking("a") == ""


def test_requests_beyond_the_burst_wait():
    clock = Clock()
    pace = TokenBucket(rate=10, burst=5, clock=clock)
    assert [pace.wait() for _ in range(7)] == pytest.approx([0, 0, 0, 0, 0, 0.1, 0.2])
    clock.now += 60
    assert [pace.wait() for _ in range(6)] == pytest.approx([0, 0, 0, 0, 0, 0.1]), "a pause never saves up more"
    clock.now += 60
    assert pace.wait(6) == pytest.approx(0.1), "a heavy one counts as several"


def test_each_address_has_its_own_rate_and_only_the_latest_are_remembered(monkeypatch):
    monkeypatch.setattr(capacity, "KEPT", 2)
    pace = RateLimiter(rate=10, burst=1, clock=Clock())
    assert [pace.of(address).wait() for address in "aaba"] == pytest.approx([0, 0.1, 0, 0.2])
    assert pace.of("c").wait() == 0
    assert pace.of("a").wait() > 0, "who asks again is not forgotten"
    assert set(pace._paces) == {"c", "a"}, "though all of them are still waiting"


def test_client_of_a_connection_is_its_host_unless_a_trusted_proxy_names_another():
    connections = [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),  # anybody can write that
        ("10.0.0.2", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.2", "203.0.113.9, 198.51.100.7", "198.51.100.7"),  # the rest anybody can write
        ("10.0.0.2", "", "10.0.0.2"),
        ("10.0.0.2", "nonsense", "unknown"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ("", "", "unknown"),
    ]
    for host, forwarded, client in connections:
        assert Addresses(["10.0.0.0/8"]).of(host, forwarded) == client


def test_with_few_descriptors_fewer_sessions_are_held():
    asked = Settings()
    few = fewer(asked, 100)
    assert (few.connections, few.sessions) == (100, 50)
    assert few.connections_per_address <= 50
    assert fewer(asked, 1_000).sessions == asked.sessions


FIT = """
import json, resource
from attention_lab.server import descriptors
from attention_lab.server.settings import Settings
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
fit = descriptors.fit(Settings())
print(json.dumps([resource.getrlimit(resource.RLIMIT_NOFILE)[0], fit.sessions, fit.connections]))
"""


def test_limit_of_open_files_is_raised_as_far_as_possible():
    asked, highest = Settings(), resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for hard, fitting in ((656, [150, 300]), (highest, [asked.sessions, asked.connections])):
        script = FIT.format(soft=256, hard=hard)
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert json.loads(ran.stdout) == [min(asked.connections + OWN, hard), *fitting]
