"""Columns of a recorder's table as positions, velocities and torques of a robot's joints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sim.errors import ForeignError
from sim.foreign import ForeignColumn, ForeignTable, Naming, channel_columns
from sim.foreign.matching import is_time, matches_of
from sim.identification.arm_chain import arm_rows
from sim.identification.log_titles import (
    GROUPS,
    add_titles,
    channels_of_joints,
    column_groups,
    numbered_channels,
    one_after_the_other,
    since_first_sample,
    with_clock,
    without_repeats,
)
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.showing.one_line import shorten_list

_CLOCK = re.compile(r"(t|time|timestamp)_(s|ms|us|ns)", re.IGNORECASE)
MODEL_TORQUE = "target_moment"  # from the controller's own model: no measurement


@dataclass(frozen=True, eq=False)
class JointColumns:
    """Rows of a log in SI units, with the source of the torques and the omissions."""

    t: Array
    q: Array
    qd: Array | None
    tau: Array
    torque_from: str
    notes: tuple[str, ...]


def joint_columns(
    table: ForeignTable,
    robot: Robot,
    naming: Naming,
    gains: Mapping[str, float],
    held: Mapping[str, float],
) -> JointColumns:
    """Select the columns of a table that are joint channels, by the user's naming or their names.

    ``held`` joints have no columns: their position is constant and their torque 0.

    Raises
    ------
    ForeignError
        If a joint has no position or no torque, currents have no gain, or a needed column has a gap
        or a non-numeric value.
    """
    names = robot.row_names
    table = _without_cut_line(table)
    held = {**_gripper(table, robot, naming, held), **held}
    logged = tuple(name for name in names if name not in held)
    table, notes = add_titles(table, logged)
    table, episodes = one_after_the_other(_with_clock(table, naming))
    unit = {row.name: row for row in robot.coordinates}
    units = {
        f"{group}.{name}": _unit(group, is_angle=unit[name].is_angle)
        for group in GROUPS
        for name in names
    }
    numbered, in_titles = numbered_channels(table.columns, logged)
    numbered |= channels_of_joints(table.titles(), logged)
    numbered_names = {
        theirs: ours for theirs, ours in numbered.items() if theirs not in naming.channels
    }
    known = replace(
        naming,
        channels={**numbered_names, **naming.channels},
        units={**in_titles, **naming.units},
    )
    table, clock = with_clock(table, known)
    table, begun = _without_start(table, known, units)
    t, values = channel_columns(table, known, units)
    t, since = since_first_sample(t, naming.start)
    t, values, repeated = without_repeats(table, t, values)
    _require_sensible_hold(table, values, held, logged)
    rows = {group: [values.get(f"{group}.{name}") for name in logged] for group in GROUPS}
    q = _whole(table, "q", rows["q"], logged)
    tau, torque_from = _torques(table, rows, logged, gains)
    qd = None if any(row is None for row in rows["qd"]) else np.stack(rows["qd"])  # type: ignore[arg-type]
    place = [names.index(name) for name in logged]

    def all_joints(of_logged: Array, others: Mapping[str, float]) -> Array:
        every = np.tile([[others.get(name, 0.0)] for name in names], t.size)
        every[place] = of_logged
        return every

    q, tau = all_joints(q, held), all_joints(tau, {})
    qd = None if qd is None else all_joints(qd, {})
    held_notes = tuple(
        f"{name} is not in the log; taken as held at {x:g}" for name, x in held.items()
    )
    remarks = (*table.notes, *notes, *clock, *since, *begun, *episodes, *repeated, *held_notes)
    return JointColumns(t - naming.start, q, qd, tau, torque_from, remarks)


def _gripper(
    table: ForeignTable, robot: Robot, naming: Naming, held: Mapping[str, float]
) -> dict[str, float]:
    """Return positions of gripper joints without a column in the table: 0, or the nearest allowed.

    Only joints beyond the first branch of the robot's tree belong to a gripper; a table without a
    joint of the arm is not sufficient for a fit.
    """
    arm = arm_rows(robot)
    rest = [row for row in robot.coordinates if row.name not in arm and row.name not in held]
    arm_names = tuple(name for name in arm if name not in held)
    titles = table.titles()
    is_untitled = titles == [str(k + 1) for k in range(len(titles))]
    if (
        not arm_names
        or not rest
        or (is_untitled and len(titles) not in column_groups(len(arm_names)))
    ):
        return {}
    texts = [*titles, *naming.channels.values()]
    named = [row.name for row in rest if any(row.name in text for text in texts)]
    every, _ = numbered_channels(table.columns, tuple(n for n in robot.row_names if n not in held))
    if named or any(channel.startswith("q.") for channel in every.values()):
        return {}
    return {row.name: _nearest_to_zero(robot, row.name) for row in rest}


def _nearest_to_zero(robot: Robot, name: str) -> float:
    limits = next(joint.limits for joint in robot.independent_joints if joint.name == name)
    return 0.0 if limits is None else float(np.clip(0.0, limits.lower, limits.upper))


def _require_sensible_hold(
    table: ForeignTable,
    values: Mapping[str, Array],
    held: Mapping[str, float],
    logged: tuple[str, ...],
) -> None:
    if has := [name for name in held if f"q.{name}" in values]:
        raise ForeignError(
            f"{table.source} has the position of {', '.join(has)}; --hold is for joints that a log "
            "does not have"
        )
    if not logged:
        raise ForeignError(f"--hold of every joint leaves nothing of {table.source} to look at")


def _unit(group: str, *, is_angle: bool) -> str:
    angle = {"q": "rad", "qd": "rad/s", "tau": "N*m", "current": "A"}
    length = {"q": "m", "qd": "m/s", "tau": "N", "current": "A"}
    return (angle if is_angle else length)[group]


def _without_cut_line(table: ForeignTable) -> ForeignTable:
    """Return the table without an incomplete last line."""
    size = max(column.values.size for column in table.columns)
    short = [c.values.size for c in table.columns if c.values.size == size - 1]
    broken = [c for c in table.columns if c.values.size == size and _ends_in_fault(c)]
    if not short and not broken:
        return table
    columns = [_truncate(column, size - 1) for column in table.columns]
    return replace(table, columns=tuple(columns))


def _without_start(
    table: ForeignTable, naming: Naming, units: Mapping[str, str]
) -> tuple[ForeignTable, tuple[str, ...]]:
    """Return the table without leading samples in which a channel has no number yet."""
    places = {match.place for match in matches_of(table, naming, units)}
    late = {place: _numbers_from(table.columns[place]) for place in places}
    if not (first := max(late.values(), default=0)):
        return table, ()
    columns = [
        replace(
            column,
            values=column.values[first:],
            texts=None if column.texts is None else column.texts[first:],
            fault="" if late.get(place) else column.fault,
        )
        for place, column in enumerate(table.columns)
    ]
    last = max(late, key=lambda place: late[place])
    return replace(table, columns=tuple(columns), places=table.places[first:]), (
        f"the first {first} samples are left out: {table.columns[last].title} has no number yet",
    )


def _numbers_from(column: ForeignColumn) -> int:
    """Return the number of leading non-numeric values if all others are numbers; else 0."""
    finite = np.isfinite(column.values)
    first = int(np.argmax(finite)) if finite.any() else 0
    return first if finite[first:].all() else 0


def _ends_in_fault(column: ForeignColumn) -> bool:
    """Whether only the last value is non-numeric."""
    finite = np.isfinite(column.values)
    return bool(column.fault) and not finite[-1] and bool(finite[:-1].all())


def _truncate(column: ForeignColumn, size: int) -> ForeignColumn:
    fault = "" if _ends_in_fault(column) and column.values.size > size else column.fault
    texts = None if column.texts is None else column.texts[:size]
    return replace(column, values=column.values[:size], texts=texts, fault=fault)


def _with_clock(table: ForeignTable, naming: Naming) -> ForeignTable:
    """Split title and unit of the table's only time, as in ``time_ns``."""
    plain = any(is_time(column.title) and not _CLOCK.fullmatch(column.title.strip())
                for column in table.columns)  # fmt: skip
    clocks = [column for column in table.columns if _CLOCK.fullmatch(column.title.strip())]
    if plain or len(clocks) != 1 or {clocks[0].title, "t"} & {
        *naming.channels, *naming.channels.values(), *naming.units
    }:  # fmt: skip
        return table
    title, _, unit = clocks[0].title.strip().rpartition("_")
    clock = replace(clocks[0], title=title, unit=unit.casefold())
    return replace(table, columns=tuple(clock if c is clocks[0] else c for c in table.columns))


def _whole(
    table: ForeignTable, group: str, rows: list[Array | None], names: tuple[str, ...]
) -> Array:
    """Return the rows of a group, one for each joint."""
    if missing := [name for name, row in zip(names, rows, strict=True) if row is None]:
        what = {"q": "position", "tau": "torque"}[group]
        model = any(MODEL_TORQUE in title for title in table.titles()) and group == "tau"
        hint = "; target_moment is the controller's own model and no measurement" if model else ""
        hold = "" if group == "tau" else f", or --hold {missing[0]}=POSITION if it stood still"
        raise ForeignError(
            f"{table.source} has no {what} of {', '.join(missing)}{hint}. Columns: "
            f"{shorten_list(table.titles())}. Name it with --map THEIRS={group}.{missing[0]}{hold}"
        )
    return np.stack(rows)  # type: ignore[arg-type]


def _torques(
    table: ForeignTable,
    rows: Mapping[str, list[Array | None]],
    names: tuple[str, ...],
    gains: Mapping[str, float],
) -> tuple[Array, str]:
    """Return torques from their own columns or from currents with gains, and their source."""
    torques, currents = rows["tau"], rows["current"]
    have_currents = all(row is not None for row in currents)
    if gains and not have_currents:
        raise ForeignError(f"{table.source} has no motor currents that --gain could multiply")
    if gains:
        if missing := [name for name in names if name not in gains]:
            raise ForeignError(
                f"--gain of {', '.join(missing)} is missing; every joint's current needs its own "
                "[N·m/A]"
            )
        factors = np.array([gains[name] for name in names])
        gains_text = ", ".join(f"{gain:g}" for gain in factors)
        words = f"motor currents times {gains_text} N·m/A; results scale with these gains"
        return factors[:, None] * np.stack(currents), words  # type: ignore[arg-type]
    if all(row is None for row in torques) and have_currents:
        raise ForeignError(
            f"{table.source} has motor currents and no torques: give the torque at the joint for "
            "an ampere by --gain JOINT=NUMBER for each joint [N·m/A]"
        )
    tau = _whole(table, "tau", torques, names)
    return tau, "logged torques are assumed to be drive torques at the joints"
