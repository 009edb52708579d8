"""What typical tasks cost in calls, bytes and modules, the same on a busy and a quiet machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.work_counts import ABSOLUTE, BOUNDS, SLACK, Calls, grown

REMEDY = (
    "Make it cheaper; or, if the work is worth it, run `make work-bounds` and say why in the commit"
)


@pytest.fixture(scope="module")
def bounds():
    return json.loads(BOUNDS.read_text("utf-8"))


@pytest.fixture(scope="module")
def found():
    done = subprocess.run(
        [sys.executable, "-m", "tests.helpers.work_counts"],
        cwd=Path(__file__).parents[1],
        env={k: v for k, v in os.environ.items() if not k.startswith("COV_CORE")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_task_costs_more_than_it_did(bounds, found):
    told = grown(bounds, found)
    assert not told, "\n".join([*told, REMEDY])


def test_every_task_with_a_bound_is_counted(bounds, found):
    if "stepped run" in found:
        assert found.keys() == bounds.keys()
    for task, counts in found.items():
        assert counts.keys() == bounds[task].keys()
        assert all(count >= 0 for count in counts.values())


def test_nothing_heavy_is_loaded_to_begin_with(found):
    starts = [counts for counts in found.values() if "heavy packages" in counts]
    assert len(starts) == 3
    assert not any(counts["heavy packages"] for counts in starts)


def test_growth_is_told_with_what_from_where_to_where():
    bounds = {"page": {"peak kB": 1000, "calls": 7, "heavy packages": 0}}
    inside = {"peak kB": int(1000 * (1 + SLACK)), "calls": 7 + ABSOLUTE, "heavy packages": 0}
    assert grown(bounds, {"page": inside}) == []
    assert grown(bounds, {"page": {"peak kB": 1250}}) == [
        "page: peak kB grew from 1000 to 1250 (+25 %); at most 1100"
    ]
    assert grown(bounds, {"page": {"heavy packages": 1}}) == [
        "page: heavy packages grew from 0 to 1; at most 0"
    ]
    assert grown(bounds, {"page": {"lines": 4}}) == ["page: lines are 4 and have no bound"]


def test_a_call_is_counted_once_and_only_that_of_the_package():
    from sim.maths import pose, skew

    with Calls() as seen:
        pose()
        skew([1.0, 2.0, 3.0])
        sorted([3, 1, 2])
    assert seen.own == {"pose": 1, "skew": 1}
    assert seen.compiled.total() > 0
