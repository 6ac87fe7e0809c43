"""How much memory is free."""

import pytest

from attention_core.models import memory


def test_free_memory_is_the_lesser_of_machine_and_container(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "SYSTEM", tmp_path)
    assert memory.free_bytes() is None
    memory.check_memory(10**15, "model.gguf")
    for name, content, free in (
        ("proc/meminfo", "MemTotal: 9 kB\nMemAvailable: 900000 kB\n", 921_600_000),
        ("proc/self/cgroup", "4:cpu,memory:/host\n0::/app/x\n", 921_600_000),
        ("sys/fs/cgroup/app/memory.max", "600000000\n", 921_600_000),
        ("sys/fs/cgroup/app/memory.current", "400000000\n", 200_000_000),
        ("sys/fs/cgroup/app/memory.stat", "anon 1\ninactive_file 100000000\n", 300_000_000),
        ("sys/fs/cgroup/app/x/memory.max", "max\n", 300_000_000),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "70000000\n", 300_000_000),
        ("sys/fs/cgroup/memory/memory.usage_in_bytes", "60000000\n", 10_000_000),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
        assert memory.free_bytes() == free, name
    with pytest.raises(ValueError, match=r"^model.gguf needs 0.6 GB of memory; 0.0 GB are free$"):
        memory.check_memory(600_000_000, "model.gguf")
