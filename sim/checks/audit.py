"""Energy audit: where the energy of a run came from, and where it went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.checks.channels import column, own_joints, times
from sim.checks.corners import corner_samples, samples_near
from sim.checks.limits import REFERENCE_STEP, bend, limits_of
from sim.checks.outcome import Check
from sim.dynamics.work import cumulative
from sim.recording import Recording
from sim.spatial import Array

if TYPE_CHECKING:
    import pandas as pd

# Of the energy moved: rounding, and what a cubic through samples leaves of a smooth power. Method
# `adaptive` integrates its works with the motion, to the same error.
EXACT = 1e-6


@dataclass(frozen=True)
class Audit:
    """Energies of a run at its end, and how well they balance at every sample, all in [J].

    At every time ``motor_work + external_work + events - friction_loss = kinetic + potential``,
    each counted from the start.

    Parameters
    ----------
    table : str
        ``recorded`` or ``analytic``.
    motor_work : float
        Work of all drives, with what they spend on friction.
    friction_loss : float
        Spent on friction in all joints.
    external_work : float
        Work of external forces, stops and contact.
    events : float
        Kinetic and potential energy that payloads brought when they were picked up, less what they
        took away when they were set down.
    kinetic, potential : float
        Change of the energies.
    residual, at : float
        Largest imbalance, and its time [s].
    moved : float
        Energy moved, see `energy_moved`.
    relative : float
        residual / moved
    limit : float
        Largest allowed residual.
    since : float or None
        First time at which the residual is beyond its limit [s].
    ok : bool
    """

    table: str
    motor_work: float
    friction_loss: float
    external_work: float
    events: float
    kinetic: float
    potential: float
    residual: float
    at: float
    moved: float
    relative: float
    limit: float
    since: float | None
    ok: bool


def audit(recording: Recording, analytic: bool = False) -> Audit:
    """Energy audit of the recorded table, or of the analytic one.

    Raises
    ------
    RecordingError
        If the work or the loss of a joint, or an energy, is not there.
    """
    table = recording.analytic if analytic else recording.recorded
    t = times(table)
    work, loss = (_sum(recording, table, group) for group in ("work", "loss"))
    external = column(table, "external") if "external" in table else np.zeros_like(t)
    ke_in, pe_in = (_put_in(recording.info, t, energy) for energy in ("ke", "pe"))
    # What an event brings at the very start is in the first sample already.
    kinetic, potential = (
        column(table, energy) - column(table, energy)[0] + put_in[0]
        for energy, put_in in (("ke", ke_in), ("pe", pe_in))
    )
    events = ke_in + pe_in
    residual = np.abs(work + external + events - loss - kinetic - potential)
    moved = energy_moved(column(recording.analytic, "ke"), column(recording.analytic, "pe"))
    limit = _limit(recording, moved, analytic)
    checked = Check.of_errors("energy audit", "ke", "J", t, residual, limit)
    beyond = np.flatnonzero(~(residual <= limit))
    return Audit(
        table="analytic" if analytic else "recorded",
        motor_work=float(work[-1]),
        friction_loss=float(loss[-1]),
        external_work=float(external[-1]),
        events=float(events[-1]),
        kinetic=float(kinetic[-1]),
        potential=float(potential[-1]),
        residual=checked.worst,
        at=checked.at,
        moved=moved,
        relative=checked.worst / moved,
        limit=limit,
        since=float(t[beyond[0]]) if beyond.size else None,
        ok=checked.ok,
    )


def energy_moved(ke: Array, pe: Array) -> float:
    """Scale of the energies [J]: the largest exchange seen, or what rounding makes of the total.

    Parameters
    ----------
    ke, pe : ndarray, shape (N,)
        Analytic kinetic and potential energy [J].
    """
    rounding = 1e-6 * float(np.max(np.abs(pe)))
    return max(float(np.max(ke)), float(np.ptp(pe)), float(np.ptp(ke + pe)), rounding, 1e-12)


def audit_checks(recording: Recording) -> Iterator[Check]:
    """The balance of both tables, and the works behind it against torque and speed.

    The balance alone would not see a torque that is wrong in the table: so the recorded work of
    each drive is held against ∫ tau qd dt, its loss against ∫ friction qd dt, and a loss must never
    be a gain.

    Raises
    ------
    RecordingError
        If a channel is not there.
    """
    for analytic, name in ((False, "energy audit"), (True, "energy audit of the model")):
        found = audit(recording, analytic)
        yield Check(name, "ke", found.residual, found.limit, "J", found.at, found.ok)
    moved = energy_moved(column(recording.analytic, "ke"), column(recording.analytic, "pe"))
    table, t = recording.recorded, times(recording.recorded)
    limit = _share(recording.info, analytic=False) * moved
    for joint in own_joints(recording.info):
        j = joint["name"]
        qd = column(table, f"qd.{j}")
        for name, group, effort in (
            ("work of the drive", "work", "tau"),
            ("loss to friction", "loss", "friction"),
        ):
            channel = f"{group}.{j}"
            energy, power = column(table, channel), column(table, f"{effort}.{j}") * qd
            error = np.abs(energy - cumulative(power, t))
            allowed = limit + _missed(recording.info, power, t, two_sided=False)
            yield Check.of_errors(name, channel, "J", t, error, allowed)
            if group == "loss":
                gain = np.maximum(-energy, 0.0) + 0.0 * energy  # NaN stays NaN
                yield Check.of_errors("friction gives nothing", channel, "J", t, gain, allowed)


def _sum(recording: Recording, table: pd.DataFrame, group: str) -> Array:
    rows = [column(table, f"{group}.{joint['name']}") for joint in own_joints(recording.info)]
    return np.sum(rows, axis=0)


def _put_in(info: Mapping[str, Any], t: Array, energy: str) -> Array:
    """Energy that events have brought up to each time; the sample at an event already has it."""
    total = np.zeros_like(t)
    for event in info.get("events", ()):
        total[t >= event["t"] - 1e-6 * info["settings"]["dt"]] += event[energy]
    return total


def _share(info: Mapping[str, Any], analytic: bool) -> float:
    """Allowed residual relative to the energy moved."""
    if info["method"] == "adaptive":
        return EXACT
    if analytic or info["method"] == "ideal":
        return EXACT * max(1.0, (info["settings"]["dt"] / REFERENCE_STEP) ** 2)
    return limits_of(info).work


def _limit(recording: Recording, moved: float, analytic: bool) -> float:
    """Largest allowed residual [J]: its share, and what an integral over samples can miss.

    Where a power jumps on a sample, the model and method `ideal` know it on both sides; the central
    differences of method `stepped` do not.
    """
    info, table = recording.info, recording.analytic
    limit = _share(info, analytic) * moved
    if info["method"] == "adaptive":
        return limit
    t = times(table)
    names = [joint["name"] for joint in own_joints(info)]
    power = np.sum([column(table, f"tau.{j}") * column(table, f"qd.{j}") for j in names], axis=0)
    two_sided = analytic or info["method"] == "ideal"
    limit += _missed(info, power, t, two_sided=two_sided)
    if two_sided:
        return limit
    # The torque of a fast drive may be off by a part of its bend, all along the way.
    corner = corner_samples(info, t)
    for j in names:
        path = float(np.sum(np.abs(np.diff(column(table, f"q.{j}")))))
        bent = bend(column(table, f"tau.{j}"), corner)
        limit += limits_of(info).bend_acceleration * bent * path
    return limit


def _missed(info: Mapping[str, Any], power: Array, t: Array, *, two_sided: bool) -> float:
    """What an integral over samples can miss of a work [J].

    The difference that leaving out every second sample makes, and what the power may do within one
    step of a corner or an event. One that is on a sample costs nothing where the work is
    `two_sided`.
    """
    h = info["settings"]["dt"]
    sudden = [*info["settings"]["corners"], *(event["t"] for event in info.get("events", ()))]
    coarse = t[::2]
    lost = np.diff(cumulative(power, t)[::2] - cumulative(power[::2], coarse))
    if two_sided:
        for corner in (c for c in sudden if np.min(np.abs(t - c)) <= 1e-6 * h):
            # cubics through every second sample reach four samples beyond their step
            lost[(coarse[:-1] < corner + 5 * h) & (coarse[1:] > corner - 5 * h)] = 0.0
        sudden = [c for c in sudden if np.min(np.abs(t - c)) > 1e-6 * h]
    near = samples_near({"dt": h, "corners": sudden}, t)
    across = np.gradient(power) * np.gradient(t)
    seen = float(np.max(np.abs(np.cumsum(lost)), initial=0.0))
    return seen + float(np.sum(np.abs(across[near])))
