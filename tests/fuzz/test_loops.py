"""The fuzzer itself: it finds what breaks a target, makes it small, keeps it, and says so."""

import subprocess
import sys
import time

import pytest

from sim.errors import ModelError
from tools.fuzz import limits
from tools.fuzz.limits import TooLarge, TooLong, limited
from tools.fuzz.loops import Tally, plain
from tools.fuzz.mutation import TEXT_CHANGES, text_mutated
from tools.fuzz.target import ROOT, BrokenError, refusal


class Brittle:
    """Breaks where 7 and 9 are in a text; refuses all that has no digit."""

    name = "brittle"
    suffix = ".txt"
    error: type[BaseException] = ZeroDivisionError

    def seeds(self):
        return [b"one\ntwo 1\nthree 7\nfour\nfive 5\n"]

    def mutated(self, data, chance):
        return text_mutated(data, chance, TEXT_CHANGES, 300) + b"%d\n" % chance.randrange(10)

    def tried(self, data, *, whole=False):
        if b"7" in data and b"9" in data:
            raise self.error("broken")
        if not any(48 <= c < 58 for c in data):
            return refusal(ModelError("no digit in 'this'"))
        return "sound"

    def parts(self, data):
        return data.splitlines(keepends=True)

    def joined(self, parts):
        return b"".join(parts)


def tally(tmp_path, seconds=60.0):
    return Tally(Brittle(), tmp_path, time.monotonic() + seconds)


def test_what_breaks_a_target_is_found_made_small_and_kept(tmp_path):
    found = tally(tmp_path)
    assert plain(found, "1", most=300) == 1
    (kept,) = found.found.values()
    assert sorted(kept.read_bytes()) == [ord("7"), ord("9")]
    assert kept.suffix == ".txt"
    assert not list(tmp_path.glob(".current-*"))


def test_the_same_seed_tries_the_same_inputs(tmp_path):
    outcomes = []
    for k in range(2):
        (tmp_path / str(k)).mkdir()
        found = tally(tmp_path / str(k))
        plain(found, "some seed", most=200)
        outcomes.append((found.outcomes, [path.read_bytes() for path in found.found.values()]))
    assert outcomes[0] == outcomes[1]


def test_nothing_is_found_where_nothing_breaks(tmp_path, monkeypatch):
    monkeypatch.setattr(Brittle, "error", ModelError)
    monkeypatch.setattr(Brittle, "tried", lambda self, data, whole=False: "sound")
    assert plain(tally(tmp_path), "1", most=50) == 0


@pytest.mark.parametrize("text", ["", " ", "a\nb", "\x1b[2J", "x" * 3000])
def test_a_message_that_nobody_can_read_is_a_finding(text):
    class PlainError(ModelError):
        __str__ = Exception.__str__

    with pytest.raises(BrokenError):
        refusal(PlainError(text))


def test_an_input_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(limits, "CPU_SECONDS", 0.05)
    with pytest.raises(TooLong), limited():
        while True:
            pass


def test_an_input_that_takes_too_much_memory_is_told(monkeypatch):
    peaks = iter([1e9, 1e9 + limits.MEMORY, 1e9, 1e9 + limits.MEMORY + 1, 3e9])
    monkeypatch.setattr(limits, "_peak", lambda: next(peaks))
    with limited():
        pass
    with pytest.raises(TooLarge), limited():
        pass


def test_a_finding_is_the_exit_status(tmp_path):
    case = tmp_path / "case.txt"
    case.write_text("SIN(time)")
    words = [sys.executable, "-m", "tools.fuzz", "--target", "expression", "--replay", str(case)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
