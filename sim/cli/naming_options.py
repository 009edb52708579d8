"""Options for the columns of a foreign table, for every command that reads one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sim.cli.arguments import add_repeated

if TYPE_CHECKING:
    from sim.foreign import Naming


def add_naming_options(group: argparse._ActionsContainer) -> None:
    """Add the options for the columns of a foreign table."""
    add_repeated(
        group,
        "--map",
        "THEIRS=OURS",
        "read column THEIRS as channel OURS (t: time); -OURS reverses the sign, OURS+90deg "
        "shifts the zero; repeatable",
        dest="maps",
    )
    add_repeated(
        group,
        "--unit",
        "THEIRS=UNIT",
        "unit of column THEIRS: deg, mm, N*mm, inch, lbf, …; repeatable",
        dest="units",
    )
    group.add_argument("--mapping", metavar="FILE.toml", help="file with columns and units")
    group.add_argument(
        "--sheet", "--topic", metavar="NAME", help="sheet of a spreadsheet, or topic of a ROS bag"
    )


def naming_from(options: argparse.Namespace) -> Naming:
    """Return the naming of a table's columns by the options.

    Raises
    ------
    ForeignError
        If an option or the mapping file is malformed.
    """
    from pathlib import Path

    from sim.foreign import naming_of

    file = None if options.mapping is None else Path(options.mapping)
    return naming_of(options.maps, options.units, file, options.start, options.sheet)


def has_mapping(options: argparse.Namespace) -> str | None:
    """Return the first given option about a file, or None."""
    for name, option in (
        ("maps", "--map"),
        ("units", "--unit"),
        ("mapping", "--mapping"),
        ("start", "--start"),
        ("sheet", "--sheet"),
    ):
        if getattr(options, name) not in (None, []):
            return option
    return None
