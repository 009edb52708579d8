"""Errors sample by sample, as the checks judge them, and the channels that exist only for checks.

The verdicts themselves are those of the checks; this says where along a curve a limit is passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim.checks.channels import own_joints, times
from sim.checks.corners import corner_samples, distance
from sim.checks.limits import RANGE_ROUNDING
from sim.dynamics.work import cumulative
from sim.recording import Recording
from sim.spatial import Array, Mask

# Checks that are about a curve of their own rather than about the channel that they name.
OWN_CURVE = {
    "energy audit": "balance",
    "tool position": "tool.error",
    "tool on its path": "path.error",
}
# Checks of an energy against the integral of this effort times the speed.
EFFORT_OF = {"work of the drive": "tau", "loss to friction": "friction"}
AGREEMENT = (
    "position",
    "velocity",
    "acceleration",
    "torque",
    "kinetic energy",
    "potential energy",
    *OWN_CURVE,
)


def plotted_channel(check: Mapping[str, Any]) -> str:
    """The curve on which a check is seen."""
    return OWN_CURVE.get(check["name"], str(check["channel"]))


def own_curves(recording: Recording) -> dict[str, Array]:
    """Curves that only checks know: energy balance [J], tool and path error [m], shape (N,)."""
    table, model = recording.recorded, recording.analytic
    curves = {}
    balance = _balance(recording)
    if balance is not None:
        curves["balance"] = balance
    if "tool.x" in table:
        curves["tool.error"] = _apart(table, model, "tool")
        if "target.x" in table:
            curves["path.error"] = _apart(table, model, "target")
    return curves


def _balance(recording: Recording) -> Array | None:
    """Work done on the robot less friction and less the energy it gained [J]."""
    table, info = recording.recorded, recording.info
    t = times(table)
    joints = [joint["name"] for joint in own_joints(info)]
    if not {"ke", "pe", *(f"{g}.{j}" for g in ("work", "loss") for j in joints)} <= set(table):
        return None
    gained = sum(_of(table, f"work.{j}") - _of(table, f"loss.{j}") for j in joints)
    if "external" in table:
        gained = gained + _of(table, "external")
    energy = _of(table, "ke") + _of(table, "pe")
    for event in info.get("events", ()):  # the sample at an event has its energy already
        at = t >= event["t"] - 1e-6 * info["settings"]["dt"]
        energy = energy - at * (event["ke"] + event["pe"])
    return np.asarray(gained - (energy - energy[0]))


def _of(table: Any, channel: str) -> Array:
    return np.asarray(table[channel].to_numpy(dtype=np.float64))


def _apart(table: Any, model: Any, aim: str) -> Array:
    away = [_of(table, f"tool.{c}") - _of(model, f"{aim}.{c}") for c in "xyz"]
    return np.asarray(np.sqrt(sum(x * x for x in away)))


def failing_samples(
    recording: Recording, check: Mapping[str, Any], own: Mapping[str, Array]
) -> Mask:
    """The samples at which a failed check's limit is passed, shape (N,).

    Of a check that is not about samples of one curve, the sample that it names.
    """
    t = times(recording.recorded)
    error = errors_of(recording, check, own, t)
    worst = int(np.argmin(np.abs(t - check["at"])))
    if error is None:
        failing = np.zeros(t.size, dtype=bool)
        failing[worst] = True
        return failing
    failing = np.asarray(~(error <= check["limit"]))
    failing[worst] = True
    return failing


def errors_of(
    recording: Recording, check: Mapping[str, Any], own: Mapping[str, Array], t: Array
) -> Array | None:
    """What a check compares with its limit, sample by sample; None where it is about no samples."""
    name, channel = check["name"], plotted_channel(check)
    table = recording.recorded
    if channel in own:
        return np.abs(own[channel])
    if channel not in table:
        return None
    values = _of(table, channel)
    joint = channel.partition(".")[2]
    error: Array | None = None
    if name in AGREEMENT:
        corner = corner_samples(recording.info, t)
        error = distance(values, _of(recording.analytic, channel), corner)
    elif name in ("rated speed", "rated torque"):
        error = np.abs(values)
    elif name in EFFORT_OF:
        power = _of(table, f"{EFFORT_OF[name]}.{joint}") * _of(table, f"qd.{joint}")
        error = np.abs(values - cumulative(power, t))
    elif name == "step halving":
        quiet = ~corner_samples(recording.info, t)
        error = np.where(quiet, _of(table, f"tau_error.{joint}"), 0.0)
    elif name.endswith("end of range"):
        sign = -1.0 if name.startswith("lower") else 1.0
        beyond = sign * (values - check["limit"])
        error = np.where(beyond > RANGE_ROUNDING, np.inf, -np.inf)
    return error
