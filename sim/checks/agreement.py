"""Recorded against analytic: motion, torques, tool and energies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.judgement import Judgement, share
from sim.checks.limits import bend
from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.recording.verdicts import Check


def numbers(view: RunView) -> Iterator[Judgement]:
    """How many values of the two tables are no finite numbers, and where the first is."""
    tables = [view.table(analytic=analytic) for analytic in (False, True)]
    bad = sum(~np.isfinite(table.to_numpy(dtype=np.float64)) for table in tables)
    k, column = np.unravel_index(int(np.argmax(bad > 0)), bad.shape)
    channel, count = str(tables[0].columns[int(column)]), float(np.sum(bad))
    at, ok, used = float(view.t[k]), count == 0, share(count, 0.0)
    yield Judgement(Check("finite numbers", channel, count, 0.0, "1", at, ok, used, channel))


def agreement(view: RunView) -> Iterator[Judgement]:
    """Motion, torques and tool."""
    yield from _motion(view)
    yield from _torques(view)
    limits = view.limits
    if view.has("tool.x"):
        off = tool_error(view)
        yield view.judged(
            "tool position", "tool.x", off, limits.tool, plot="tool.error", bounds="error"
        )
    if view.has("target.x"):
        asked = view.run.settings.path_tolerance
        limit, off = limits.tool if asked is None else asked, path_error(view)
        yield view.judged(
            "tool on its path", "target.x", off, limit, plot="path.error", bounds="error"
        )


def tool_error(view: RunView) -> Array:
    """Distance of the recorded tool from the analytic one, shape (N,) [m]."""
    return _apart(view, "tool")


def path_error(view: RunView) -> Array:
    """Distance of the recorded tool from its target, shape (N,) [m]."""
    return _apart(view, "target")


def energies(view: RunView) -> Iterator[Judgement]:
    """Kinetic energy of each link, and potential energy of all."""
    limit = view.limits.energy * view.energy_moved()
    for channel in view.recording.recorded.columns:
        if channel.startswith("ke."):
            yield view.compared("kinetic energy", channel, limit)
    yield view.compared("potential energy", "pe", limit)


def _motion(view: RunView) -> Iterator[Judgement]:
    limits, names = view.limits, [joint.name for joint in view.joints]
    for name in names:
        yield view.compared("position", f"q.{name}", limits.position)
    for name in names:
        yield view.compared("velocity", f"qd.{name}", limits.velocity)
    peaks, highest = view.peaks("qdd", names)
    for name in names:
        limit = limits.acceleration * peaks[name] + limits.floor * max(highest, 1.0)
        limit += limits.bend_acceleration * view.bend(f"qdd.{name}") + view.last_digits(name)
        yield view.compared("acceleration", f"qdd.{name}", limit)


def _torques(view: RunView) -> Iterator[Judgement]:
    limits = view.limits
    peaks, highest = view.peaks("tau", view.own_joints)
    for name in view.own_joints:
        limit = limits.torque * peaks[name] + limits.floor * highest + view.torque_noise()
        # friction is known to the engine exactly, however sharply it bends
        useful = view.analytic(f"tau.{name}") - view.analytic(f"friction.{name}")
        limit += limits.bend_torque * bend(useful, view.corner)
        yield view.compared("torque", f"tau.{name}", limit)


def _apart(view: RunView, aim: str) -> Array:
    away = np.stack([view.recorded(f"tool.{c}") - view.analytic(f"{aim}.{c}") for c in "xyz"])
    return np.asarray(np.sqrt(np.sum(away**2, axis=0)))
