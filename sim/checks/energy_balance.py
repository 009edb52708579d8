"""Energy balance of a run: sources and sinks of its energy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from msgspec import Struct

from sim.checks.allowed_error import AllowedError
from sim.checks.integral_errors import EXACT, integral_error, integral_error_at_breaks
from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED
from sim.checks.motor_channels import motor_channel
from sim.checks.robot_by_description import drive_of, motor_ratios
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.maths.quadrature import cumulative
from sim.recording.recording import Recording
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.corners import samples_since
from sim.recording.schema.methods import coarseness
from sim.recording.schema.verdicts import EnergyBalance


class RunEnergies(Struct, frozen=True, eq=False):
    """Energies of a run relative to its start, at each sample, (N,) [J]; as in `EnergyBalance`."""

    work: Array
    loss: Array
    external: Array
    events: Array
    kinetic: Array
    potential: Array
    stored: Array

    @property
    def balance(self) -> Array:
        """Energy supplied minus energy removed and gained, (N,) [J]; ideally zero."""
        gained = self.work + self.external + self.events - self.loss - self.kinetic - self.potential
        return gained - self.stored


def energies_of(view: RunView, *, analytic: bool = False) -> RunEnergies:
    """Return the energies of the recorded table, or of the analytic one.

    Raises
    ------
    RecordingError
        If the work or the loss of a joint, or an energy, is missing.
    """
    table = view.table(analytic=analytic)
    work, loss = (
        _total(column(table, f"{group}.{joint}") for joint in view.row_names)
        for group in ("work", "loss")
    )
    external, stored = (
        column(table, channel) if channel in table else np.zeros_like(view.t)
        for channel in ("external", "stored")
    )
    ke_in, pe_in = (_energy_of_events(view, energy) for energy in ("ke", "pe"))
    # The first sample includes the energy of an event at the very start.
    kinetic, potential = (
        column(table, energy) - column(table, energy)[0] + put_in[0]
        for energy, put_in in (("ke", ke_in), ("pe", pe_in))
    )
    return RunEnergies(work, loss, external, ke_in + pe_in, kinetic, potential, stored - stored[0])


def _total(curves: Iterator[Array]) -> Array:
    """Return the sum of curves of equal length, of which two are in memory at a time."""
    total: Array = np.zeros(1)  # of a robot without joints
    for curve in curves:
        total = total + curve
    return total


def energy_balance(recording: Recording, analytic: bool = False) -> EnergyBalance:
    """Return the energy balance of the recorded table, or of the analytic one.

    Raises
    ------
    RecordingError
        If the work or the loss of a joint, or an energy, is missing.
    """
    return balance_of(RunView(recording), analytic=analytic)


def balance_of(view: RunView, *, analytic: bool) -> EnergyBalance:
    """Return the energy balance of `energy_balance`; that of the checks, if they ran on the view.

    Raises
    ------
    RecordingError
        If the work or the loss of a joint, or an energy, is missing.
    """
    return _judged_balance(view, analytic=analytic)[1]


def energy_balance_checks(view: RunView) -> Iterator[Judgement]:
    """Check the balance of both tables, and the works in it against torque and speed.

    The balance alone would not reveal a wrong torque in the table: hence the recorded work of each
    drive is compared with ∫ tau qd dt and its loss with ∫ friction qd dt, and a loss must never be
    negative. For a joint with a drive train these are the motor's work and the train's loss.

    Raises
    ------
    RecordingError
        If a channel is missing.
    """
    for analytic in (False, True):
        yield _judged_balance(view, analytic=analytic)[0]
    # as in the balance: a drive of a joint at rest works along the rounding of its speed
    share = _share(view, analytic=False) * view.energy_moved + CANCELLED * view.moments
    for joint in view.row_names:
        for name, group, power_of in (
            ("drive work", "work", drive_power),
            ("friction loss", "loss", _lost_power),
        ):
            channel = f"{group}.{joint}"
            energy = view.recorded_values(channel)
            if group == "work" and isinstance(view.run.controller, ControllerFacts):
                error, limit = _held_work(view, view.run.controller, joint, energy)
                yield view.judge_errors(name, channel, error, limit + share)
                continue
            power = power_of(view.recorded_values, view, joint)
            missed = integral_error_at_breaks(
                view, channel, partial(power_of, view.analytic, view, joint)
            )
            error = np.abs(energy - cumulative(power, view.t) - missed)
            limit = share + integral_error(view, power, two_sided=False)
            if isinstance(view.run.controller, ControllerFacts):
                # a jumping command causes a corner at each instant, integrated by the trapezoidal
                # rule; the second difference includes this bend and the curve's own
                limit += view.dt / 12 * float(np.sum(np.abs(np.diff(power, 2))))
                limit += _bend_within_steps(view, joint, power)
                limit += _jumping_loss(view, view.run.controller, joint)
            yield view.judge_errors(name, channel, error, limit)
            if group == "loss":
                losses = sum(
                    view.recorded_values(f"loss.{one}") for one in _rub_together(view, joint)
                )
                gain = np.maximum(-losses, 0.0) + 0.0 * energy  # NaN stays NaN
                yield view.judge_errors("dissipative friction", channel, gain, limit)


def _rub_together(view: RunView, joint: str) -> list[str]:
    """Return a joint and those sharing a bearing with it, whose total loss is never negative."""
    if all(one.mimic is None for one in view.run.robot.joints):
        return [joint]
    S, row = view.robot.coupling[0], view.row_names.index(joint)
    has_friction = np.array(
        [bool(one.damping or one.friction) for one in view.robot.tree_row_joints]
    )
    bearings = S[has_friction & (S[:, row] != 0)] != 0
    return [joint, *(view.row_names[k] for k in np.flatnonzero(bearings.any(axis=0)) if k != row)]


def _held_work(
    view: RunView, controller: ControllerFacts, joint: str, energy: Array
) -> tuple[Array, float]:
    """Return |work - sum tau (q_next - q)| of a motor (N,), and the uncertainty of the sum [J].

    The sum is the exact work, since a controller holds tau between its instants. With several
    instants per step the table has only one of their torques; the others are assumed to be between
    it and the next.
    """
    torque, q = view.recorded_values(f"tau.{joint}"), view.recorded_values(f"q.{joint}")
    if (motor := motor_channel(view, "motor_tau", joint)) is not None:
        torque = motor_ratios(view).get(joint, 1.0) * view.recorded_values(motor)
    way = np.diff(q)
    error = np.abs(energy - np.concatenate([[0.0], np.cumsum(torque[:-1] * way)]))
    if controller.sample_time >= view.dt * (1 - 1e-6):
        return error, 0.0
    return error, float(np.sum(np.abs(np.diff(torque) * way)))


def _jumping_loss(view: RunView, controller: ControllerFacts, joint: str) -> float:
    """Uncertainty of load-dependent losses between samples due to jumps of a command [J].

    They jump with the command, and the sample has the value after it: that of a gear by at most
    ``(1 - E) N dtau_m``, friction by its change from sample to sample.
    """
    way = view.dt * np.abs(view.recorded_values(f"qd.{joint}"))[1:]
    if controller.sample_time >= view.dt * (1 - 1e-6):
        way = 0.5 * way
    jumps = np.zeros_like(way)
    for one in view.joints:
        if one.name == joint and one.friction_law is not None:
            jumps += np.abs(np.diff(view.recorded_values(f"friction.{joint}")))
        if one.name == joint and one.drive is not None and not drive_of(one).is_elastic:
            (along, against), ratio = drive_of(one).efficiencies, drive_of(one).ratio
            motor = np.diff(ratio * view.recorded_values(f"motor_tau.{joint}"))
            jumps += max(1 - along, 1 / against - 1) * np.abs(motor)
    return float(np.sum(jumps * way))


def _bend_within_steps(view: RunView, joint: str, power: Array) -> float:
    """Trapezoid error of a loss whose rate bends within steps and jumps back [J].

    Friction slows a joint between commands. Samples show the mean acceleration and the acceleration
    after each command, so that it changes by twice their difference within a step; the loss rate
    changes with speed by dP/dqd, which is at most 2 P/qd: no loss grows faster than quadratically.
    """
    qd, qdd = (view.recorded_values(f"{group}.{joint}") for group in ("qd", "qdd"))
    change = 2.0 * np.abs(np.diff(qd) / view.dt - qdd[:-1])
    speed = np.abs(qd[:-1])
    torque = np.abs(power[:-1]) / np.where(speed == 0.0, 1.0, speed)
    return float(view.dt**2 / 6 * np.sum(torque * change))


def drive_power(values: Callable[[str], Array], view: RunView, joint: str) -> Array:
    """Return the power of a joint's motor, (N,) [W]; tau qd without a drive train."""
    if (motor := motor_channel(view, "motor_power", joint)) is not None:
        return values(motor)
    return values(f"tau.{joint}") * values(f"qd.{joint}")


def _lost_power(values: Callable[[str], Array], view: RunView, joint: str) -> Array:
    """Return the power lost to friction in a joint and its drive train, (N,) [W]."""
    power = values(f"friction.{joint}") * values(f"qd.{joint}")
    loss = motor_channel(view, "gear_loss", joint)
    return power if loss is None else power + values(loss)


def _judged_balance(view: RunView, *, analytic: bool) -> tuple[Judgement, EnergyBalance]:
    """Return `_judge_balance`, computed once for a view."""
    if analytic not in view.balances:
        view.balances[analytic] = _judge_balance(view, analytic=analytic)
    return view.balances[analytic]


def _judge_balance(view: RunView, *, analytic: bool) -> tuple[Judgement, EnergyBalance]:
    """Judge the balance of a table by its allowed residual, and return both."""
    energies, limit = energies_of(view, analytic=analytic), balance_limit(view, analytic=analytic)
    error = np.abs(energies.balance)
    if analytic:
        judged = view.judge_errors("energy balance of the model", "ke", error, limit)
    else:
        judged = view.judge_errors(
            "energy balance", "ke", error, limit, plot="balance", bounds="error"
        )
    check = judged.check
    balance = EnergyBalance(
        table="analytic" if analytic else "recorded",
        motor_work=float(energies.work[-1]),
        friction_loss=float(energies.loss[-1]),
        external_work=float(energies.external[-1]),
        events=float(energies.events[-1]),
        kinetic=float(energies.kinetic[-1]),
        potential=float(energies.potential[-1]),
        stored=float(energies.stored[-1]),
        residual=check.worst,
        at=check.at,
        moved=view.energy_moved,
        relative=None if check.worst is None else check.worst / view.energy_moved,
        limit=check.limit,
        since=None if check.ok else float(view.t[np.argmax(judged.failing_samples(view.t))]),
        ok=check.ok,
    )
    return judged, balance


def _energy_of_events(view: RunView, energy: str) -> Array:
    """Return the energy supplied by events up to each time, including the event at a sample."""
    total = np.zeros_like(view.t)
    for event in view.run.events:
        total[samples_since(event.t, view.t)] += getattr(event, energy)
    return total


def _share(view: RunView, *, analytic: bool) -> float:
    """Return the allowed residual relative to the energy moved."""
    if view.run.solved_by.solves_motion:
        return EXACT
    return EXACT * coarseness(view.dt) if analytic else view.limits.work


def balance_limit(view: RunView, *, analytic: bool = False) -> AllowedError:
    """Return the allowed residual [J]: a share of the energy, and sampling errors of integrals.

    If a power jumps at a sample, the model and a two-sided method have both values; central
    differences do not.
    """
    method = view.run.solved_by
    limit = AllowedError.of(
        moved=_share(view, analytic=analytic) * view.energy_moved, rounding=CANCELLED * view.moments
    )
    if method.solves_motion:
        return limit
    power = _total(drive_power(view.analytic, view, joint) for joint in view.row_names)
    two_sided = analytic or method.is_two_sided
    missed = integral_error(view, power, two_sided=two_sided)
    limit = limit.plus("sampling", missed)
    if two_sided:
        return limit
    # The torque of a fast drive may have an error by its curvature, along the whole path.
    for j in view.row_names:
        path = float(np.sum(np.abs(np.diff(view.analytic(f"q.{j}")))))
        bend = view.limits.bend_acceleration * view.curvature(f"tau.{j}")
        limit = limit.plus("discretisation", bend * path)
    return limit
