"""What is kept between processes: seen when it changes, and never more than a help."""

import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from sim import disk_cache
from sim.disk_cache import cached_arrays, entries

RESULT = (np.arange(3), np.array([[0.1, -0.0], [np.nan, 1e300]]), np.array(2.5))


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SIM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def times():
    """How often `result` computes."""
    return []


def result(times, *data, packages=()):
    def compute():
        times.append(1)
        return RESULT

    return cached_arrays(data or (b"mesh",), compute, packages)


def test_the_second_process_reads_the_same_bits(times):
    for _ in range(2):
        for array, expected in zip(result(times), RESULT, strict=True):
            assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
            assert array.tobytes() == expected.tobytes()
    assert len(times) == 1


def test_other_data_are_another_entry(times):
    for data in ((b"ab", b"c"), (b"a", b"bc"), (b"abc",)):
        result(times, *data)
    assert len(times) == 3


@pytest.mark.parametrize("changed", ["version_of", "_text"])
def test_another_version_and_other_code_are_seen(times, monkeypatch, changed):
    result(times, packages=["scipy"])
    new = {"version_of": lambda name: "9.9" if name == "scipy" else "", "_text": lambda _: b"new"}
    monkeypatch.setattr(disk_cache, changed, new[changed])
    result(times, packages=["scipy"])
    assert len(times) == 2


def only(cache):
    ((path, _),) = entries(cache)
    return path


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"x"])
def test_a_damaged_entry_is_computed_anew_and_replaced(times, cache, damage):
    result(times)
    path = only(cache)
    path.write_bytes(damage(path.read_bytes()))
    result(times)
    result(times)
    assert len(times) == 2


def test_an_entry_executes_nothing(times, cache):
    import hashlib
    import io

    class Executed:
        def __reduce__(self):
            return pytest.fail, ("the entry was executed",)

    result(times)
    block = io.BytesIO()
    np.save(block, np.array([Executed()]), allow_pickle=True)
    content = block.getvalue()
    only(cache).write_bytes(hashlib.sha256(content).digest() + content)
    result(times)
    assert len(times) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
def test_an_entry_of_another_user_is_not_read(times, monkeypatch):
    result(times)
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    result(times)
    assert len(times) == 2


def test_without_a_folder_all_is_computed(times, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SIM_CACHE", str(tmp_path / "file"))
    result(times)
    for variable in ("SIM_CACHE", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, "relative")
    assert disk_cache.cache_folder() is None
    result(times)
    assert len(times) == 2


def test_what_was_not_used_for_longest_makes_room(times, cache, monkeypatch):
    monkeypatch.setattr(disk_cache, "MOST_BYTES", 20_000)
    for k in range(400):
        result(times, b"used")
        result(times, str(k).encode())
    assert sum(status.st_size for _, status in entries(cache)) < 110_000
    assert len(times) == 401


def _write(k):
    return [array.tobytes() for array in result([], str(k % 2).encode())]


def test_processes_write_one_entry_at_the_same_time(cache):
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(_write, range(40)))
    assert all(each == [array.tobytes() for array in RESULT] for each in results)
    assert len(entries(cache)) == 2
    assert len(list(cache.iterdir())) == 2
