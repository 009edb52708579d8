"""Which part of what takes long is run: the commit says."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import pytest

from tests.helpers.examples import EXPLORES

PARTS = 240
ALL = "SIM_ALL_MUTATIONS"  # set in the environment: all are run

Row = TypeVar("Row")


def part() -> tuple[int, str]:
    """The part that is run now, 0 to `PARTS` - 1, and what says so."""
    number, why = drawn()
    return number % PARTS, why


def drawn() -> tuple[int, str]:
    """A number that changes from commit to commit, and what says so.

    The hash of the commit, or where there is no git the date: the same for all processes of a run
    of the tests.
    """
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        return int(head, 16), f"commit {head[:8]}"
    except (OSError, subprocess.CalledProcessError, ValueError):
        today = datetime.now(UTC).date()
        return today.toordinal(), f"date {today}"


def chosen(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows that are run now."""
    return rows if ALL in os.environ else rows[part()[0] :: PARTS]


def headline() -> str:
    """What is run now, in words."""
    if ALL in os.environ:
        return "mutations: all"
    number, why = part()
    return f"mutations: part {number + 1} of {PARTS} ({why}); {ALL}=1 runs all"


def without_turn(items: list[pytest.Item]) -> set[pytest.Item]:
    """Those of the tests marked `rotates(parts)` that are left out now.

    Of the parameters of each test every so many is taken, the same ones by all tests with the same
    parameters; a test without parameters has its turn each so many commits, by its name. `make
    explore` leaves out none.
    """
    rotating = defaultdict(list)
    for item in items if not EXPLORES else ():
        if mark := item.get_closest_marker("rotates"):
            rotating[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    number = drawn()[0] if rotating else 0
    taken = set[pytest.Item]()
    for (name, n), each in rotating.items():
        turn = crc32(name.encode()) if len(each) == 1 else 0
        taken.update(each[(number + turn) % n :: n])
    return {item for each in rotating.values() for item in each} - taken
