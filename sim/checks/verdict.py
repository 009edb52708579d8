"""check: every general check of a recording, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.checks.audit import audit_checks, energy_moved
from sim.checks.corners import corner_samples, distance
from sim.checks.limits import (
    FORMULATIONS,
    FORMULATIONS_FLOOR,
    RANGE_ROUNDING,
    Limits,
    bend,
    limits_of,
    rounding,
)
from sim.checks.outcome import Check
from sim.checks.reference import judge_reference
from sim.errors import RecordingError
from sim.recording import Recording
from sim.spatial import Array

if TYPE_CHECKING:
    import pandas as pd


def verdict(checks: Iterable[Check]) -> str:
    """Word for a run: ``pass`` if all checks are ok, else ``fail``."""
    return "pass" if all(check.ok for check in checks) else "fail"


def check(recording: Recording) -> tuple[Check, ...]:
    """All general checks of a recording, from its tables and description alone.

    Every value is a number. Recorded against analytic: position, velocity, acceleration, torque,
    energies and tool. Recorded by itself: work against energy, convergence, and the joints'
    ratings. And the analytic model against its second formulation.

    Raises
    ------
    RecordingError
        If a channel that a check needs is not there.
    """
    run = _Run(recording)
    parts: tuple[Callable[[_Run], Iterator[Check]], ...] = (
        _numbers,
        _agreement,
        _energies,
        _audit,
        _formulations,
        _convergence,
        _ratings,
        _reference,
    )
    return tuple(found for part in parts for found in part(run))


class _Run:
    """Columns of a recording by name, with what the checks ask of them."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.info = recording.info
        self.limits: Limits = limits_of(recording.info)
        self.t: Array = recording.recorded.index.to_numpy(dtype=np.float64)
        self.joints: list[dict[str, Any]] = recording.info["robot"]["joints"]
        self.corner = corner_samples(recording.info, self.t)

    def recorded(self, channel: str) -> Array:
        return _column(self.recording.recorded, channel)

    def analytic(self, channel: str) -> Array:
        return _column(self.recording.analytic, channel)

    def own_joints(self) -> list[str]:
        """Names of the joints that are moved on their own."""
        return [str(joint["name"]) for joint in self.joints if joint["mimic"] is None]

    def judged(self, name: str, channel: str, error: Array, limit: float) -> Check:
        """The largest of non-negative errors against a limit; NaN is never ok."""
        k = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
        worst = float(error[k])
        unit = self.recording.units.get(channel, "1")
        return Check(name, channel, worst, limit, unit, float(self.t[k]), worst <= limit)

    def compared(self, name: str, channel: str, limit: float) -> Check:
        """Recorded against analytic; at a corner the analytic values around it count."""
        error = distance(self.recorded(channel), self.analytic(channel), self.corner)
        return self.judged(name, channel, error, limit)

    def peaks(self, group: str, joints: list[str]) -> tuple[dict[str, float], float]:
        """Largest analytic magnitude of each joint, and of all."""
        peaks = {j: float(np.max(np.abs(self.analytic(f"{group}.{j}")))) for j in joints}
        return peaks, max(peaks.values(), default=0.0)

    def bend(self, channel: str) -> float:
        """How fast an analytic curve bends for its step, in the unit of the channel."""
        return bend(self.analytic(channel), self.corner)

    def energy_moved(self) -> float:
        """Scale of the energies [J]."""
        return energy_moved(self.analytic("ke"), self.analytic("pe"))

    def last_digits(self, joint: str) -> float:
        """Rounding in the acceleration of a joint."""
        return rounding(self.info, self.analytic(f"q.{joint}"), self.analytic(f"qd.{joint}"))

    def torque_noise(self) -> float:
        """Rounding in a torque: that of the accelerations times the inertia that moves."""
        fastest = max(float(np.max(np.abs(self.analytic(f"qd.{j}")))) for j in self.own_joints())
        if fastest == 0:
            return 0.0
        inertia = 2 * float(np.max(self.analytic("ke"))) / fastest**2
        return inertia * max(self.last_digits(str(joint["name"])) for joint in self.joints)


def _column(table: pd.DataFrame, channel: str) -> Array:
    if channel not in table:
        raise RecordingError(f"The recording has no channel {channel!r}, which a check needs")
    return table[channel].to_numpy(dtype=np.float64)


def _numbers(run: _Run) -> Iterator[Check]:
    """How many values of the two tables are no finite numbers, and where the first is."""
    tables = (run.recording.recorded, run.recording.analytic)
    bad = sum(~np.isfinite(table.to_numpy(dtype=np.float64)) for table in tables)
    k, column = np.unravel_index(int(np.argmax(bad > 0)), bad.shape)
    channel, count = str(tables[0].columns[int(column)]), float(np.sum(bad))
    yield Check("finite numbers", channel, count, 0.0, "1", float(run.t[k]), count == 0)


def _agreement(run: _Run) -> Iterator[Check]:
    limits = run.limits
    names = [str(joint["name"]) for joint in run.joints]
    for name in names:
        yield run.compared("position", f"q.{name}", limits.position)
    for name in names:
        yield run.compared("velocity", f"qd.{name}", limits.velocity)
    peaks, highest = run.peaks("qdd", names)
    for name in names:
        limit = limits.acceleration * peaks[name] + limits.floor * max(highest, 1.0)
        limit += limits.bend_acceleration * run.bend(f"qdd.{name}") + run.last_digits(name)
        yield run.compared("acceleration", f"qdd.{name}", limit)
    own = run.own_joints()
    peaks, highest = run.peaks("tau", own)
    for name in own:
        limit = limits.torque * peaks[name] + limits.floor * highest + run.torque_noise()
        # friction is known to the engine exactly, however sharply it bends
        useful = run.analytic(f"tau.{name}") - run.analytic(f"friction.{name}")
        limit += limits.bend_torque * bend(useful, run.corner)
        yield run.compared("torque", f"tau.{name}", limit)
    if "tool.x" in run.recording.recorded:
        away = [run.recorded(f"tool.{c}") - run.analytic(f"tool.{c}") for c in "xyz"]
        yield run.judged("tool position", "tool.x", np.sqrt(sum(x * x for x in away)), limits.tool)
    if "target.x" in run.recording.recorded:
        asked = run.info["settings"]["path_tolerance"]
        away = [run.recorded(f"tool.{c}") - run.analytic(f"target.{c}") for c in "xyz"]
        limit = limits.tool if asked is None else float(asked)
        yield run.judged("tool on its path", "target.x", np.sqrt(sum(x * x for x in away)), limit)


def _energies(run: _Run) -> Iterator[Check]:
    limit = run.limits.energy * run.energy_moved()
    for channel in run.recording.recorded.columns:
        if channel.startswith("ke."):
            yield run.compared("kinetic energy", channel, limit)
    yield run.compared("potential energy", "pe", limit)


def _audit(run: _Run) -> Iterator[Check]:
    return audit_checks(run.recording)


def _reference(run: _Run) -> Iterator[Check]:
    return iter(judge_reference(run.recording))


def _formulations(run: _Run) -> Iterator[Check]:
    """Torque by Lagrange's equation against the axis component of the Newton–Euler reaction."""
    robot = run.info["robot"]
    tree = np.stack([_axis_component(run, joint) for joint in run.joints])
    newton_euler = np.asarray(robot["coupling"], dtype=np.float64).T @ tree
    own = run.own_joints()
    peaks, highest = run.peaks("tau", own)
    scale = max(highest, *(float(np.max(np.abs(run.analytic(c)))) for c in ("ke", "pe")))
    for name, row in zip(own, newton_euler, strict=True):
        lagrange = run.analytic(f"tau.{name}") - run.analytic(f"friction.{name}")
        if f"stop.{name}" in run.recording.analytic:
            lagrange = lagrange + run.analytic(f"stop.{name}")
        limit = FORMULATIONS * peaks[name] + FORMULATIONS_FLOOR * scale
        yield run.judged("Lagrange and Newton-Euler", f"tau.{name}", np.abs(lagrange - row), limit)


def _axis_component(run: _Run, joint: dict[str, Any]) -> Array:
    kind = "f" if joint["kind"] == "prismatic" else "m"
    axis = np.asarray(joint["axis"], dtype=np.float64)
    rows = [run.analytic(f"reaction.{joint['name']}.{kind}{c}") for c in "xyz"]
    return np.asarray(axis @ np.stack(rows))


def _convergence(run: _Run) -> Iterator[Check]:
    if run.limits.halving == 0.0:
        return
    own = run.own_joints()
    peaks, highest = run.peaks("tau", own)
    quiet = ~run.corner  # at a corner the two steps see different slopes
    for name in own:
        estimate = run.recorded(f"tau_error.{name}") * quiet
        limit = run.limits.halving * peaks[name] + run.limits.floor * highest + run.torque_noise()
        yield run.judged("step halving", f"tau.{name}", estimate, limit)


def _ratings(run: _Run) -> Iterator[Check]:
    for joint in run.joints:
        name = str(joint["name"])
        q = run.recorded(f"q.{name}")
        for sign, end in ((-1.0, joint["lower"]), (1.0, joint["upper"])):
            if end is not None:
                k = int(np.argmax(sign * q))
                ok = bool(sign * q[k] <= sign * float(end) + RANGE_ROUNDING)
                unit = run.recording.units[f"q.{name}"]
                where = "lower end of range" if sign < 0 else "upper end of range"
                yield Check(where, f"q.{name}", float(q[k]), float(end), unit, float(run.t[k]), ok)
        if joint["velocity"] is not None:
            speed = np.abs(run.recorded(f"qd.{name}"))
            yield run.judged("rated speed", f"qd.{name}", speed, float(joint["velocity"]))
        if joint["effort"] is not None and joint["mimic"] is None:
            effort = np.abs(run.recorded(f"tau.{name}"))
            yield run.judged("rated torque", f"tau.{name}", effort, float(joint["effort"]))
