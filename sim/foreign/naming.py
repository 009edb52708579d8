"""Naming: channels and units of a table's columns, and the start of a run in the table."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sim.errors import ForeignError
from sim.foreign.text_file import text_of
from sim.robots.guarded_file import require_shallow_keys

LATEST = 1e10  # [s]; beyond any clock, the year 2286, and without overflow
KEYS = ("channels", "units", "start", "sheet")
_FORM = (
    'a mapping file has a table [channels] of "their column" = "our channel", a table [units] of '
    '"their column" = "unit", start = seconds and sheet = "name"; each may be left out'
)


@dataclass(frozen=True)
class Naming:
    """A user's naming of a table.

    Parameters
    ----------
    channels : mapping of str to str
        Our channel by their column; ``t`` is the time, ``-tau.elbow`` the channel with opposite
        sign, ``q.elbow-90deg`` one with another zero: the column is 90° less than our channel.
    units : mapping of str to str
        Unit by their column.
    start : float
        Time in the table at which the run begins [s].
    sheet : str or None
        Sheet of a spreadsheet.
    against : str
        Other side of the comparison, for messages.
    """

    channels: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    start: float = 0.0
    sheet: str | None = None
    against: str = "the run"

    def __post_init__(self) -> None:
        if not math.isfinite(self.start):
            raise ForeignError(f"start must be a finite number of seconds, got {self.start!r}")


def naming_of(
    maps: Sequence[str] = (),
    units: Sequence[str] = (),
    file: Path | None = None,
    start: float | None = None,
    sheet: str | None = None,
) -> Naming:
    """Return the naming by a mapping file and by options, which have priority.

    Parameters
    ----------
    maps, units : sequence of str
        ``theirs=ours`` and ``theirs=unit``.
    file : Path, optional
    start : float, optional
    sheet : str, optional

    Raises
    ------
    ForeignError
        If an option or the file is malformed.
    """
    naming = Naming() if file is None else read_naming(file)
    return Naming(
        {**naming.channels, **_pairs("--map", "theirs=ours", maps)},
        {**naming.units, **_pairs("--unit", "theirs=unit", units)},
        naming.start if start is None else start,
        naming.sheet if sheet is None else sheet,
    )


def _pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        # a title may contain an equals sign, a channel or unit may not
        theirs, equals, ours = text.rpartition("=")
        theirs, ours = theirs.strip(), ours.strip()
        if not (equals and theirs and ours):
            raise ForeignError(f"{option} takes {form}, got {text!r}")
        if pairs.get(theirs, ours) != ours:
            raise ForeignError(f"{option} names {theirs!r} twice: {pairs[theirs]!r} and {ours!r}")
        pairs[theirs] = ours
    return pairs


def read_naming(path: Path) -> Naming:
    """Return the naming in a TOML file.

    Raises
    ------
    ForeignError
        If it cannot be read, is not TOML, or has other content.
    """
    text = text_of(path).replace("\r\n", "\n")
    require_shallow_keys(text, str(path))
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also on thousands of digits or brackets
        raise ForeignError(f"{path} is not TOML: {error}") from None
    if strange := [key for key in content if key not in KEYS]:
        raise ForeignError(f"{path} has {strange[0]!r}; {_FORM}")
    tables = [content.get(key, {}) for key in ("channels", "units")]
    for table in tables:
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise ForeignError(f"{path}: {_FORM}; write names with a dot in quotes")
    start, sheet = content.get("start", 0.0), content.get("sheet")
    if isinstance(start, bool) or not isinstance(start, int | float):
        raise ForeignError(f"{path}: start must be a number of seconds, got {start!r}")
    if isinstance(start, int) and abs(start) > LATEST:  # it may overflow a float
        raise ForeignError(f"{path}: start must be at most {LATEST:g} s")
    if not isinstance(sheet, str | None):
        raise ForeignError(f"{path}: sheet must be a name, got {sheet!r}")
    return Naming(tables[0], tables[1], float(start), sheet)
