"""Titles of a recorder's table, and the joint channels that they name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from sim.errors import ForeignError
from sim.foreign import ForeignTable

# Names by recorders of a group of numbered columns, actual_q_0 … or joint_1_position …
GROUPS: Mapping[str, tuple[str, ...]] = {
    "q": ("q", "position", "positions", "pos", "angle", "angles", "state", "winkel", "theta", "qm"),
    "qd": (
        "qd", "dq", "velocity", "velocities", "vel", "speed", "speeds", "v", "geschwindigkeit",
        "qdot", "q_dot", "thetadot", "theta_dot", "dqm",
    ),
    "tau": (
        "tau", "torque", "torques", "effort", "efforts", "trq", "moment", "drehmoment", "taum",
        "tau_m",
    ),
    "current": ("current", "currents", "i", "motor_current", "motor_currents"),
}  # fmt: skip
_SAY_NOTHING = {
    "joint", "joints", "j", "axis", "a", "actual", "act", "measured", "meas", "msr", "observation",
    "states", "rad", "s", "nm", "n", "m",
}  # fmt: skip
_WANTED = {"action", "target", "command", "commanded", "desired", "reference", "setpoint"}


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


def numbered_channels(titles: Collection[str], names: tuple[str, ...]) -> dict[str, str]:
    """Return channels of numbered columns: all of a group from 0 or 1 on, one for each joint."""
    titles_by_word: dict[str, dict[int, str]] = {}
    own_names = {f"{group}.{name}".casefold() for group in GROUPS for name in names}
    for title in titles:
        numbers = re.findall(r"\d+", title)
        if len(numbers) == 1 and title.strip().casefold() not in own_names:
            titles_by_word.setdefault(_word(title), {}).setdefault(int(numbers[0]), title)
    channels: dict[str, str] = {}
    for group, synonyms in GROUPS.items():
        for columns in (titles_by_word[word] for word in synonyms if word in titles_by_word):
            first = min(columns)
            if first < 2 and set(columns) == set(range(first, first + len(names))):
                channels |= {columns[first + k]: f"{group}.{name}" for k, name in enumerate(names)}
                break
    return channels


def _word(title: str) -> str:
    """Return the keyword of a numbered title: itself, its part as in ActPos1, or its last part.

    The last part of a path such as ``data.q(1)`` does not count if the path contains a command.
    """
    known = {word for synonyms in GROUPS.values() for word in synonyms}
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title)
    last = re.split(r"[./]", title)[-1]
    ways = [title, spaced] if _WANTED & {*_words(title)} else [title, spaced, last]
    says = ["_".join(word for word in _words(way) if word not in _SAY_NOTHING) for way in ways]
    return next((word for word in says if word in known), says[0])


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


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
    word = "_".join(word for word in _words(text) if word not in _SAY_NOTHING)
    return next((group for group, same in GROUPS.items() if word in same), None)
