"""Repairs in a URDF, reported on stderr by commands whose results depend on them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sim.errors import in_one_line

if TYPE_CHECKING:
    from sim.recording.schema.facts import RepairFacts
    from sim.robots import Repair


def add_strict(command: argparse.ArgumentParser) -> None:
    """The option ``--strict``."""
    command.add_argument(
        "--strict", action="store_true", help="refuse a robot whose URDF requires repairs"
    )


def say_repairs(repairs: Iterable[Repair | RepairFacts]) -> None:
    """Write a line for each repair, worded as ``sim run`` has it in its summary."""
    from sim.robots.repair import verb_of

    for repair in repairs:
        sys.stderr.write(f"sim: {verb_of(repair.kind)} {in_one_line(repair.text)}\n")
