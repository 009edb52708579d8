"""Motor and gear catalogues: CSV files whose first line, a comment, gives the units.

::

    # torque N·m; speed 1/min; inertia kg·cm²; mass kg. Any text may follow the full stop.
    name,torque_continuous,torque_peak,speed_rated,inertia,mass,source
    motor A,0.40,1.2,4000,0.25,0.6,made up

An empty cell is unknown. Columns have the units of their quantity; those of motors are fields of
`Motor`, those of gears of `Gear`. Further comments and empty lines may be anywhere below.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

from sim.errors import ForeignError
from sim.foreign.text_file import text_of
from sim.foreign.unit_names import factor_between
from sim.maths.arguments import checked
from sim.sizing.parts import Gear, Motor

# Quantities in the first line, with our units. Those of electricity and heat are not converted.
SI: Mapping[str, str] = {
    "torque": "N*m",
    "speed": "rad/s",
    "inertia": "kg*m^2",
    "mass": "kg",
    "resistance": "ohm",
    "torque_constant": "N·m/A",
    "thermal": "K/W",
    "temperature": "°C",
    "power": "W",
}
FIXED: Mapping[str, tuple[str, ...]] = {
    "resistance": ("ohm", "Ω", "Ohm"),
    "torque_constant": ("N·m/A", "Nm/A", "N*m/A"),
    "thermal": ("K/W",),
    "temperature": ("°C", "degC"),
}
PER_MINUTE = ("1/min", "min-1", "min^-1", "min⁻¹")  # revolutions, as on data sheets
EXAMPLE = "# torque N·m; speed 1/min; inertia kg·cm²; mass kg"
# Quantities of the columns; other columns have no unit.
MEASURES: Mapping[str, str] = {
    "torque_continuous": "torque",
    "torque_standstill": "torque",
    "torque_peak": "torque",
    "torque_average": "torque",
    "friction": "torque",
    "speed_rated": "speed",
    "speed_max": "speed",
    "speed_peak": "speed",
    "speed_average": "speed",
    "inertia": "inertia",
    "mass": "mass",
    "resistance": "resistance",
    "torque_constant": "torque_constant",
    "thermal_winding_housing": "thermal",
    "thermal_housing_ambient": "thermal",
    "temperature_max": "temperature",
    "power_peak": "power",
    "speed_no_load": "speed",
    "speed_corner": "speed",
}
MAY_BE_ZERO = ("inertia", "friction", "speed_corner")

Part = TypeVar("Part", Motor, Gear)


@checked
def read_motors(path: str | Path) -> tuple[Motor, ...]:
    """Read the motors of a catalogue.

    Raises
    ------
    ForeignError
        If the file is invalid; the message names line, column and unit.
    """
    motors = _read(Path(path), Motor)
    for line, motor in motors:
        at = f"{path}, line {line}, {motor.name!r}:"
        if motor.torque_peak < motor.torque_continuous:
            raise ForeignError(f"{at} torque_peak is below torque_continuous; they may be swapped")
        if motor.highest_speed < motor.speed_rated:
            raise ForeignError(f"{at} speed_max is below speed_rated; they may be swapped")
        if (motor.speed_corner or 0.0) >= (motor.speed_no_load or math.inf):
            raise ForeignError(f"{at} speed_corner is not below speed_no_load")
        if motor.speed_corner is not None and motor.speed_no_load is None:
            raise ForeignError(f"{at} speed_corner requires speed_no_load")
    return tuple(motor for _, motor in motors)


@checked
def read_gears(path: str | Path) -> tuple[Gear, ...]:
    """Read the gears of a catalogue.

    Raises
    ------
    ForeignError
        If the file is invalid; the message names line, column and unit.
    """
    return tuple(gear for _, gear in _read(Path(path), Gear))


def _read(path: Path, part: type[Part]) -> list[tuple[int, Part]]:
    """Return rows with their lines; names are unique."""
    lines = text_of(path).splitlines()
    units = _units(path, lines[0] if lines else "")
    rows = [
        (k, _cells(path, k, line))
        for k, line in enumerate(lines[1:], 2)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if len(rows) < 2:
        kind = f"{part.__name__.lower()}s"
        raise ForeignError(f"{path} has no {kind}: a line with column names must follow the units")
    (line, heads), *data = rows
    columns = _columns(path, line, heads, part)
    factors = {name: _factor(path, line, name, units) for name in columns}
    parts: list[tuple[int, Part]] = []
    names: set[str] = set()
    for line, cells in data:
        if len(cells) != len(columns):
            raise ForeignError(
                f"{path}, line {line}: {len(cells)} cells for {len(columns)} columns; leave the "
                "cell of an unknown "
                "number empty and write decimals with a point"
            )
        texts = dict(zip(columns, map(str.strip, cells), strict=True))
        one = part(**_values(path, line, texts, factors, part))
        if one.name in names:
            raise ForeignError(f"{path}, line {line}: {one.name!r} is listed twice")
        names.add(one.name)
        parts.append((line, one))
    return parts


def _cells(path: Path, k: int, line: str) -> list[str]:
    try:
        return next(csv.reader([line], skipinitialspace=True))
    except csv.Error as error:
        raise ForeignError(f"{path}, line {k} is not a row of the table: {error}") from None


def _units(path: Path, line: str) -> dict[str, str]:
    """Return units by quantity, from the first line."""
    line = line.strip(' ",')  # a spreadsheet may have added quotes
    if not line.startswith("#"):
        raise ForeignError(
            f"{path}, line 1: {line[:60]!r} names no units; write a comment such as {EXAMPLE!r}"
        )
    units = {}
    for item in line.lstrip("#").partition(". ")[0].rstrip(". ").split(";"):
        quantity, _, unit = item.strip().partition(" ")
        if not quantity:
            continue
        if quantity not in SI or not unit.strip():
            raise ForeignError(
                f"{path}, line 1: {item.strip()!r} is not a quantity with its unit; quantities: "
                f"{', '.join(SI)}; example: {EXAMPLE!r}"
            )
        units[quantity] = unit.strip()
    return units


def _columns(path: Path, line: int, heads: Sequence[str], part: type[Part]) -> list[str]:
    known = {field.name: field.default is MISSING for field in fields(part)}
    names = [head.strip() for head in heads]
    for name in names:
        if name not in known or names.count(name) > 1:
            why = "is listed twice" if name in known else "is unknown"
            why += "; commas separate columns" if ";" in name or "\t" in name else ""
            raise ForeignError(
                f"{path}, line {line}: column {name!r} {why}; columns of "
                f"{part.__name__.lower()}s: {', '.join(known)}"
            )
    if missing := [name for name, is_needed in known.items() if is_needed and name not in names]:
        raise ForeignError(f"{path}, line {line}: missing column {', '.join(missing)}")
    return names


def _factor(path: Path, line: int, column: str, units: Mapping[str, str]) -> float:
    """Return the number of SI units in a unit of the column."""
    if (quantity := MEASURES.get(column)) is None:
        return 1.0
    if (unit := units.get(quantity)) is None:
        raise ForeignError(
            f"{path}, line 1: no unit of {quantity}, which column {column!r} of line {line} uses; "
            f"write '{quantity} {FIXED.get(quantity, (SI[quantity],))[0]}' there"
        )
    if quantity in FIXED:
        if unit not in FIXED[quantity]:
            raise ForeignError(
                f"{path}, line 1: {quantity} is in {FIXED[quantity][0]}, and not in {unit!r}"
            )
        return 1.0
    plain = "rpm" if unit in PER_MINUTE else unit
    try:
        return factor_between(plain, SI[quantity], quantity)
    except ForeignError as error:
        reason = str(error).partition("; state")[0]
        raise ForeignError(f"{path}, line 1: {reason} (column {column!r})") from None


def _values(
    path: Path, line: int, texts: Mapping[str, str], factors: Mapping[str, float], part: type[Part]
) -> dict[str, Any]:
    """Return the fields of a row in SI; empty ones are left out."""
    needed = {field.name for field in fields(part) if field.default is MISSING}
    values: dict[str, Any] = {}
    for column, text in texts.items():
        at = f"{path}, line {line}, column {column!r}"
        if not text:
            if column in needed:
                raise ForeignError(f"{at}: empty, but required of every {part.__name__.lower()}")
        elif column in ("name", "source"):
            values[column] = text
        else:
            values[column] = _number(at, column, text) * factors[column]
    return values


def _number(at: str, column: str, text: str) -> float:
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ForeignError(f"{at}: {text!r} is not a number; leave the cell empty if unknown")
    if column == "ratio":
        if value == 0:
            raise ForeignError(f"{at}: the ratio (motor speed / joint speed) must not be 0")
    elif value < 0 or (value == 0 and column not in MAY_BE_ZERO):
        raise ForeignError(f"{at}: {text} must be above 0")
    elif column.startswith("efficiency") and value > 1:
        raise ForeignError(f"{at}: {text} is above 1; divide a percentage by 100")
    return value
