"""Titles of a recorder's table and the joint channels that they name, and its times."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.errors import ForeignError
from sim.foreign import ForeignColumn, ForeignTable, Naming
from sim.foreign.matching import TIME, is_time
from sim.foreign.unit_names import SMALL_TIMES, Powers, is_unit, unit_named
from sim.maths.arrays import Array

# Names by recorders of a group of numbered columns, actual_q_0 … or joint_1_position …
GROUPS: Mapping[str, tuple[str, ...]] = {
    "q": (
        "q", "position", "positions", "pos", "angle", "angles", "state", "winkel", "theta", "qm",
        "qpos", "aipos",
    ),
    "qd": (
        "qd", "dq", "velocity", "velocities", "vel", "speed", "speeds", "v", "geschwindigkeit",
        "qdot", "q_dot", "thetadot", "theta_dot", "dqm", "qp", "qvel",
    ),
    "tau": (
        "tau", "torque", "torques", "effort", "efforts", "trq", "moment", "drehmoment", "taum",
        "tau_m", "current_as_torque", "eff", "qfrc",
    ),
    "current": ("current", "currents", "i", "motor_current", "motor_currents", "macur"),
}  # fmt: skip
_SAY_NOTHING = {
    "joint", "joints", "j", "axis", "a", "actual", "act", "measured", "meas", "msr", "observation",
    "actuator", "actuators", "feedback", "present", "states", "rad", "s", "nm", "n", "m", "deg",
    "degree", "degrees", "dps", "rpm", "mrad", "nmm", "mnm", "ncm", "knm",
}  # fmt: skip
_WANTED = {
    "action", "target", "command", "commanded", "desired", "reference", "setpoint", "cmd", "des",
    "ref", "soll", "d",
}  # fmt: skip
_COMPUTED = {"ext", "external", "est", "estimated", "model", "disturbance", "friction", "gravity",
             "error", "residual", "acc", "acceleration", "motor"}  # fmt: skip
_UNITS = {
    "deg": "deg", "degree": "deg", "degrees": "deg", "dps": "deg/s", "rpm": "rpm", "mrad": "mrad",
    "nmm": "N*mm", "mnm": "mNm", "ncm": "N*cm", "knm": "kNm",
}  # fmt: skip
_DIMENSIONS = {
    group: tuple(unit_named(unit).dimension for unit in units)
    for group, units in {
        "q": ("rad", "m"), "qd": ("rad/s", "m/s"), "tau": ("N*m", "N"), "current": ("A",)
    }.items()
}  # fmt: skip

SHORTEST = 50  # samples of a recording among others
APART = 10.0  # [s] inserted between episodes
MOST_STEP = {"s": 0.999, "ms": 100.0, "us": 1e5}  # of times without a unit, else ns
EPOCH = 1e9, 4.2e9  # [s] since 1970, the years 2001 to 2102
UNITS_OF_TIME = {"s", "sec", "ms", "us", "ns", "min"}


def add_titles(table: ForeignTable, names: tuple[str, ...]) -> tuple[ForeignTable, tuple[str, ...]]:
    """Return the table with titles; an untitled one gets them by its number of columns."""
    titles = table.titles()
    if titles != [str(k + 1) for k in range(len(titles))]:
        return table, ()
    n = len(names)
    groups = column_groups(n)
    if len(titles) not in groups:
        raise ForeignError(
            f"{table.source} has {len(titles)} columns without titles; of {n} joints they may be "
            f"t, q, tau ({1 + 2 * n} columns), t, q, qd, tau ({1 + 3 * n}) or t, q, qd, current, "
            f"target current, target torque ({1 + 5 * n}); otherwise write titles in its first line"
        )
    chosen = groups[len(titles)]
    channels = ["t", *(f"{group}.{name}" for group in chosen for name in names)]
    columns = [replace(c, title=title) for c, title in zip(table.columns, channels, strict=False)]
    layout = ", ".join(("t", *(f"{group} of {n} joints" for group in chosen)))
    return replace(table, columns=tuple(columns)), (f"no titles; taken as {layout}",)


def column_groups(n: int) -> dict[int, tuple[str, ...]]:
    """Return the groups of columns of an untitled table of n joints, by its number of columns."""
    recorded = ("q", "qd", "current", "target_current", "target_moment")
    return {
        1 + 2 * n: ("q", "tau"), 1 + 3 * n: ("q", "qd", "tau"),
        1 + 6 * n: recorded, 1 + 5 * n: recorded,
    }  # fmt: skip


def numbered_channels(
    columns: Sequence[ForeignColumn], names: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return channels of numbered columns, and units that their titles have outside brackets.

    A group has all joints, numbered from 0 or 1 on. It is known by its words, or, if only one has
    such a unit, by its unit alone, as ``A1 [deg]`` and ``T1 [Nm]``. Groups of several arms, as
    ``arm1.q1`` and ``arm2.q1`` or ``left.q1`` and ``right.q1``, are not chosen between.
    """
    own_names = {f"{group}.{name}".casefold() for group in GROUPS for name in names}
    numbered: dict[tuple[str, tuple[str, ...], Powers | None], dict[int, str]] = {}
    ambiguous = set()
    units: dict[str, str] = {}
    for column in columns:
        title = column.title
        *others, number = re.findall(r"\d+", title) or [""]
        if not number or title.strip().casefold() in own_names:
            continue
        unit = column.unit or _unit_in(title)
        if column.unit is None and unit is not None:
            units[title] = unit
        dimension = unit_named(unit).dimension if unit is not None and is_unit(unit) else None
        key = _word(title), tuple(others), dimension
        first = numbered.setdefault(key, {}).setdefault(int(number), title)
        if _specific_words(first) != _specific_words(title):
            ambiguous.add(key)
    sets = {
        key: [titles[k] for k in sorted(titles)]
        for key, titles in numbered.items()
        if min(titles) < 2 and sorted(titles) == list(range(min(titles), min(titles) + len(names)))
    }
    channels: dict[str, str] = {}
    for group, synonyms in GROUPS.items():
        fits = {key: of for key, of in sets.items() if key[2] in (None, *_DIMENSIONS[group])}
        ways = [{key: of for key, of in fits.items() if key[0] == word} for word in synonyms]
        by_unit = {key: of for key, of in fits.items() if key[2] and _is_unspecific(key[0])}
        if group == "q":  # a name of the joints alone: J1, Axis 1
            by_unit = by_unit or {key: of for key, of in fits.items() if key[0] == ""}
        if len(by_unit) == 1:
            ways.append(by_unit)
        if way := next((way for way in ways if way), None):
            fewest = min(len(others) for _, others, _ in way)
            least = [key for key in way if len(key[1]) == fewest]
            if len({others for _, others, _ in least}) == 1 and not ambiguous & {*least}:
                titles = way[least[0]]
                channels |= {t: f"{group}.{n}" for t, n in zip(titles, names, strict=True)}
    return channels, {title: unit for title, unit in units.items() if title in channels}


def _is_unspecific(word: str) -> bool:
    """Whether a word names no group, and no quantity that is not measured."""
    known = {word for synonyms in GROUPS.values() for word in synonyms}
    return word not in known and not {*word.split("_")} & (_WANTED | _COMPUTED)


def _unit_in(title: str) -> str | None:
    """Return the unit among the words of a title, as in ``joint1_pos_deg``; None if it is SI."""
    words = _words(title)
    unit = next((_UNITS[word] for word in words if word in _UNITS), None)
    is_rate = words[-1:] == ["s"] or _group(title) == "qd"
    return f"{unit}/s" if is_rate and unit in ("deg", "mrad") else unit


def _word(title: str) -> str:
    """Return the keyword of a numbered title: itself, its part as in ActPos1, or its last part.

    The last part of a path such as ``data.q(1)`` does not count if the path contains a command.
    """
    known = {word for synonyms in GROUPS.values() for word in synonyms}
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title)
    last = re.split(r"[./]", title)[-1]
    ways = [title, spaced] if _WANTED & {*_words(title)} else [title, spaced, last]
    says = [_specific_words(way) for way in ways]
    return next((word for word in says if word in known), says[0])


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def _specific_words(text: str) -> str:
    return "_".join(word for word in _words(text) if word not in _SAY_NOTHING)


def channels_of_joints(titles: Collection[str], names: tuple[str, ...]) -> dict[str, str]:
    """Return channels of paths with a joint: ``observation.state.elbow``, ``/elbow/position``."""
    channels: dict[str, str] = {}
    for title in titles:
        parts = re.split(r"[./:]+", title)
        name = next((part for part in parts if part in names), None)
        rest = [part.casefold() for part in parts if part != name]
        if name is None or _WANTED & {word for part in rest for word in part.split("_")}:
            continue
        group = next(filter(None, map(_group, rest)), None)
        if group is not None and title != f"{group}.{name}":
            channels[title] = f"{group}.{name}"
    twice = [ours for ours in channels.values() if [*channels.values()].count(ours) > 1]
    return {theirs: ours for theirs, ours in channels.items() if ours not in twice}


def _group(text: str) -> str | None:
    """Return the group named by a text without digits, or None."""
    word = _specific_words(text)
    return next((group for group, same in GROUPS.items() if word in same), None)


def with_clock(table: ForeignTable, naming: Naming) -> tuple[ForeignTable, tuple[str, ...]]:
    """Return the table with the unit of its times, where it follows from steps of whole seconds.

    The size of times since 1970 shows their unit. Recorders of robots write 10 to 10 000 samples
    per second: of other times without a unit, a step of 1 to 100 is in ms, one up to 1e5 in us, and
    a larger one in ns.
    """
    clock = next(
        (
            column
            for column in table.columns
            if (naming.channels.get(column.title) == TIME)
            or (TIME not in naming.channels.values() and is_time(column.title))
        ),
        None,
    )
    if clock is None or clock.unit or clock.title in naming.units or clock.fault:
        return table, ()
    if clock.values.size < 2 or any(part in UNITS_OF_TIME for part in _words(clock.title)):
        return table, ()
    step = float(np.median(np.diff(clock.values)))
    unit = _unit_since_1970(clock.values) or next(
        (unit for unit, most in MOST_STEP.items() if step <= most), "ns"
    )
    if unit == "s":
        return table, ()
    columns = tuple(replace(c, unit=unit) if c is clock else c for c in table.columns)
    return replace(table, columns=columns), (
        f"times are taken as {unit}: they have no unit, and steps of {step:.4g}",
    )


def _unit_since_1970(t: Array) -> str | None:
    """Return the unit of times since 1970; None if they fit none."""
    for second, unit in ((1.0, "s"), *SMALL_TIMES.items()):
        if EPOCH[0] < t.min() / second and t.max() / second < EPOCH[1]:
            return unit
    return None


def since_first_sample(t: Array, start: float) -> tuple[Array, tuple[str, ...]]:
    """Return times [s]; those since 1970 from the first sample on, unless `start` is since 1970."""
    if abs(start) > EPOCH[0] or not t.size or not EPOCH[0] < t[0] < EPOCH[1]:
        return t, ()
    return t - t[0], (f"times count from the first sample, {t[0]:.6f} s since 1970",)


def one_after_the_other(table: ForeignTable) -> tuple[ForeignTable, tuple[str, ...]]:
    """Concatenate episodes whose times restart, with a gap between them."""
    by_title = {column.title.casefold(): column for column in table.columns}
    episode = by_title.get("episode_index")
    clock = next((column for column in table.columns if is_time(column.title)), None)
    if clock is None or clock.fault or clock.values.size < 2:
        return table, ()
    t = clock.values
    if episode is None:
        begins = _begun_anew(t)
    elif episode.values.size == t.size:
        begins = np.flatnonzero(np.diff(episode.values)) + 1
    else:
        return table, ()
    anew = begins[t[begins] <= t[begins - 1]]
    if not anew.size:
        return table, ()
    t = t.copy()
    for k in anew:
        t[k:] += t[k - 1] - t[k] + APART
    columns = tuple(replace(c, values=t, texts=None) if c is clock else c for c in table.columns)
    count = begins.size + 1
    return replace(table, columns=columns), (
        f"{count} episodes one after the other, {APART:g} s apart",
    )


def _begun_anew(t: Array) -> NDArray[np.intp]:
    """Return indices where times return to their first one; empty if any returns elsewhere.

    Concatenated recordings do so, samples out of order do not.
    """
    back = np.flatnonzero(np.diff(t) < 0) + 1
    step = float(np.median(np.diff(t)))
    lengths = np.diff([0, *back, t.size])
    is_anew = bool((np.abs(t[back] - t[0]) <= step).all()) and int(lengths.min()) >= SHORTEST
    return back if is_anew else back[:0]


def without_repeats(
    table: ForeignTable, t: Array, values: Mapping[str, Array]
) -> tuple[Array, dict[str, Array], tuple[str, ...]]:
    """Return samples with new times; a recorder that lags writes some samples twice."""
    table.require_ascending(t)
    keep = np.concatenate([[True], np.diff(t) > 0])
    count = int((~keep).sum())
    note = (f"{count} samples repeat the time of the one before and are left out",) if count else ()
    return t[keep], {name: value[keep] for name, value in values.items()}, note
