"""Report on stderr of URDF repairs, by commands whose results depend on them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag
from sim.errors import in_one_line

if TYPE_CHECKING:
    from sim.robots import Repair


def add_strict(command: argparse.ArgumentParser) -> None:
    """Add the option ``--strict``."""
    add_flag(command, "--strict", "refuse a robot whose URDF requires repairs")


def say_repairs(repairs: Iterable[Repair]) -> None:
    """Print a line for each repair, worded as in the summary of ``sim run``."""
    from sim.robots.repair import verb_of

    for repair in repairs:
        sys.stderr.write(f"sim: {verb_of(repair.kind)} {in_one_line(repair.text)}\n")
