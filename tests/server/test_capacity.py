"""Who has room, and how fast: shares of an address, paces, descriptors."""

import json
import resource
import subprocess
import sys

import pytest

from attention_lab.server import capacity
from attention_lab.server.capacity import Addresses, FullError, RequestPace, SlotPool, TokenBucket
from attention_lab.server.descriptors import OWN, fewer
from attention_lab.server.settings import Settings
from tests.server.harness import Clock


def test_a_session_has_room_from_its_beginning_to_its_end_even_a_bad_one():
    room = SlotPool(2, share=2)
    with room.take("a"), room.take("a"), pytest.raises(FullError, match="full"), room.take("b"):
        pass
    with pytest.raises(ZeroDivisionError), room.take("a"):
        raise ZeroDivisionError
    assert (room.taken, room.lacking("a")) == (0, "")


def test_one_address_has_its_share_and_leaves_the_rest():
    room = SlotPool(5, share=3)
    for _ in range(3):
        room.enter("a")
    assert room.lacking("a") == "share"
    assert room.lacking("b") == ""
    assert room.lacking("a", shared=False) == "", "a proxy stands for many"
    room.leave("a")
    assert room.lacking("a") == ""


def test_what_is_beyond_the_burst_waits():
    clock = Clock()
    pace = TokenBucket(rate=10, burst=5, clock=clock)
    assert [pace.wait() for _ in range(7)] == pytest.approx([0, 0, 0, 0, 0, 0.1, 0.2])
    clock.now += 60
    assert [pace.wait() for _ in range(6)] == pytest.approx([0, 0, 0, 0, 0, 0.1]), "a pause never saves up more"
    clock.now += 60
    assert pace.wait(6) == pytest.approx(0.1), "a heavy one counts as several"


def test_each_address_has_its_own_pace_and_idle_ones_are_forgotten(monkeypatch):
    monkeypatch.setattr(capacity, "KEPT", 2)
    clock = Clock()
    pace = RequestPace(rate=10, burst=1, clock=clock)
    assert [pace.wait("a"), pace.wait("a"), pace.wait("b")] == pytest.approx([0, 0.1, 0])
    assert pace.wait("c") == 0
    assert pace.wait("a") > 0, "who is still waiting is not forgotten"
    clock.now += 60
    pace.wait("d")
    assert set(pace._paces) == {"d"}


@pytest.mark.parametrize(
    ("host", "forwarded", "client"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),  # anybody can write that
        ("10.0.0.2", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.2", "203.0.113.9, 198.51.100.7", "198.51.100.7"),  # the rest anybody can write
        ("10.0.0.2", "", "10.0.0.2"),
        ("10.0.0.2", "nonsense", "unknown"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ("", "", "unknown"),
    ],
)
def test_whose_a_connection_is(host, forwarded, client):
    assert Addresses(["10.0.0.0/8"]).of(host, forwarded) == client


def test_with_few_descriptors_fewer_are_held():
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


@pytest.mark.parametrize("hard", [None, 656])
def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be(hard):
    hard = hard or resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    script = FIT.format(soft=256, hard=hard)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    soft, sessions, connections = json.loads(ran.stdout)
    asked = Settings()
    assert soft == min(asked.connections + OWN, hard)
    if hard == 656:
        assert (sessions, connections) == (150, 300)
    else:
        assert (sessions, connections) == (asked.sessions, asked.connections)
