"""Columns of ADAMS as requests of a run, by the request's name, or by kind.

A column ``tip.X`` or ``REQ/3.X`` names a request and a component. A column such as ``X_Pos``,
``VX`` or ``e0`` states only its kind: it belongs to the request whose function is of that kind, if
any.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.matching import channel_of_title
from sim.foreign.naming import Naming
from sim.recording.schema.request_facts import RequestFacts

Kind = tuple[str, str]
"""What a curve is, and which of its components."""

STEMS: Mapping[str, str] = {
    "D": "position",
    "V": "velocity",
    "ACC": "acceleration",
    "W": "angular velocity",
    "WDT": "angular acceleration",
    "F": "force",
    "T": "torque",
}
WORDS: Mapping[str, str] = {
    "POS": "position",
    "VEL": "velocity",
    "ACC": "acceleration",
    "ANGVEL": "angular velocity",
    "ANGACC": "angular acceleration",
    "FORCE": "force",
    "TORQUE": "torque",
}
ANGLES = ("PSI", "THETA", "PHI", "YAW", "PITCH", "ROLL")
ONE = ("SFORCE", "JOINT", "MOTION")

_CALL = re.compile(r"\s*([A-Z]+)\s*\(([^()]*)\)\s*", re.IGNORECASE)
_AXIS_AND_WORD = re.compile(r"([XYZ])_?([A-Z]+)", re.IGNORECASE)
_STEM_AND_AXIS = re.compile(r"(D|V|ACC|W|WDT?|F|T)_?([XYZ])", re.IGNORECASE)
_EULER_PARAMETER = re.compile(r"E([0-3])", re.IGNORECASE)
_OF_REQUEST = re.compile(r"(?:.*[./])?([^./]+)[./]([^./]+)")
_OF_FILE = {"R1": 3, "R2": 4, "R3": 5, "X": 0, "Y": 1, "Z": 2}


def name_columns(
    table: ForeignTable,
    naming: Naming,
    requests: Collection[RequestFacts],
    units: Mapping[str, str],
) -> Naming:
    """Return the naming with the columns that are requests of the run.

    Columns named by the user, or with the name of a channel, are unchanged.

    Parameters
    ----------
    table : ForeignTable
    naming : Naming
        The user's naming.
    requests : collection of RequestFacts
    units : mapping of str to str
        Unit of each channel of the run.

    Raises
    ------
    ForeignError
        If a column matches several curves of the run; the message names them.
    """
    by_kind: dict[Kind, list[str]] = {}
    for of, channel in _kinds(requests):
        by_kind.setdefault(of, []).append(channel)
    assigned = {channel.removeprefix("-") for channel in naming.channels.values()}
    channels: dict[str, str] = {}
    for column in table.columns:
        title = column.title
        if title in naming.channels or channel_of_title(title, units) is not None:
            continue
        by_name = _by_request(title, requests)
        kind = _kind_of_title(title)
        candidates = [by_name] if by_name else by_kind.get(kind, []) if kind else []
        free = [channel for channel in candidates if channel not in assigned]
        if len(free) > 1:
            raise ForeignError(
                f"{table.source}: column {title!r} may be {', '.join(free[:-1])} or {free[-1]}; "
                f"choose with --map {title}={free[0]}"
            )
        if free:
            channels[title] = free[0]
    return replace(naming, channels={**naming.channels, **channels})


def _kinds(requests: Collection[RequestFacts]) -> Iterator[tuple[Kind, str]]:
    for request in requests:
        for component, text in request.functions.items() if not request.group else ():
            if kind := _kind_of_function(text):
                yield kind, request.channel(component)


def _kind_of_function(text: str) -> Kind | None:
    """Return the kind of a function that is a single call; else None."""
    if (match := _CALL.fullmatch(text)) is None:
        return None
    name, arguments = match[1].upper(), [one.strip() for one in match[2].split(",")]
    if name in ONE and len(arguments) > 2:
        component = int(arguments[2]) if arguments[2].isdigit() else 0
        what = "force" if component < 5 else "torque"
        return (what, "XYZ"[(component - 2) % 4]) if component not in (0, 1, 5) else None
    if name == "ORIENT" and arguments[:1] == ["27"]:
        return "Euler parameter", str(int(arguments[1]) - 1)
    if name in ANGLES:
        return "angle", name
    stem, axis = name[:-1], name[-1]
    return (STEMS[stem], axis) if stem in STEMS and axis in "XYZ" else None


def _kind_of_title(title: str) -> Kind | None:
    """Return the kind of a column by its title, if that names nothing else."""
    if (match := _AXIS_AND_WORD.fullmatch(title)) and match[2].upper() in WORDS:
        return WORDS[match[2].upper()], match[1].upper()
    if match := _EULER_PARAMETER.fullmatch(title):
        return "Euler parameter", match[1]
    if match := _STEM_AND_AXIS.fullmatch(title):
        stem = {"WD": "WDT"}.get(match[1].upper(), match[1].upper())
        return (STEMS[stem], match[2].upper()) if stem in STEMS else None
    return ("angle", title.upper()) if title.upper() in ANGLES else None


def _by_request(title: str, requests: Collection[RequestFacts]) -> str | None:
    """Return the channel of a title that ends in a request's name and component, as in ADAMS."""
    if (match := _OF_REQUEST.fullmatch(title)) is None:
        return None
    of, component = match[1].upper(), match[2].upper()
    for request in requests:
        names = list(request.functions)
        if request.group or request.name.upper() not in (of, f"REQUEST_{of}"):
            continue
        for name in names:
            # F2 of an expression is U2; angular accelerations are WDX in results
            if component in (
                name.upper(),
                name.upper().replace("F", "U"),
                name.replace("WDT", "WD"),
            ):
                return request.channel(name)
        three = [name for name in names if not name.endswith(("M", "MAG"))]
        if component in _OF_FILE and len(three) == 6 and not names[0].startswith("F2"):
            return request.channel(three[_OF_FILE[component]])
    return None
