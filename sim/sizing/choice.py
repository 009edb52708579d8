"""Selection of the smallest pair of motor and gear that suffices for each drive of a run.

Pairs are tried in ascending order: by mass if every motor and gear of the catalogues has one,
otherwise by the motor's continuous torque at the joint plus the gear's peak torque. The run's
recorded table decides; the analytic one is evaluated with the same pair as a cross-check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

import numpy as np
from msgspec import UNSET

from sim.checks.robot_by_description import motor_ratios, stages
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.dynamics.lagrange import mass_matrix
from sim.errors import ModelError, ScenarioError
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.newton import pseudo_inverse
from sim.recording.held_tables import as_held
from sim.recording.recorded_robot import with_kept_loops
from sim.recording.recording import Recording
from sim.robots.coordinate import Coordinate
from sim.robots.drive_train import DriveTrain
from sim.robots.payload import motor_of, spin_joint
from sim.sizing.pair import Pair
from sim.sizing.parts import Gear, Motor
from sim.sizing.screening import ROUNDING, Pairs
from sim.sizing.shaft import JointDuty, ShaftLoad, difference, shaft_load, shares

MOST_SAMPLES = 2001  # of M along a run; inertia varies only with the posture
RATIO = "inertia ratio"


@dataclass(frozen=True)
class MotorChoice:
    """Choice for a joint: the smallest pair that suffices, or the nearest if none does.

    Parameters
    ----------
    joint : str
    pair : Pair
    load : ShaftLoad
        From the recorded table.
    shares : mapping of str to float
        Used share of each known rating, 1 at the rating.
    holds : bool
        Whether no share exceeds its limit.
    inertia_ratio : float or None
        Largest inertia of the links about the joint over that of rotor and gear at the joint; None
        if it is unknown.
    differs : float
        Largest difference of torques, speeds and powers by the model, relative to their peaks.
    smaller : Pair or None
        The nearest of the smaller pairs, none of which suffices.
    smaller_lacks : tuple of (str, float) or None
        The rating that it exceeds most, and its used share.
    duty : JointDuty
    """

    joint: str
    pair: Pair
    load: ShaftLoad
    shares: Mapping[str, float]
    holds: bool
    inertia_ratio: float | None
    differs: float
    smaller: Pair | None = None
    smaller_lacks: tuple[str, float] | None = None
    duty: JointDuty = field(repr=False, kw_only=True)

    @property
    def tightest(self) -> str:
        """Rating with the largest used share."""
        return max(self.shares, key=self.shares.__getitem__)

    @property
    def train(self) -> DriveTrain:
        """Drive train of the pair; its continuous rating is that at the mean speed."""
        rated = self.pair.motor.continuous_at(self.load.mean_speed)
        return replace(self.pair.train, motor_rated_torque=rated)


@dataclass(frozen=True)
class MotorSizing:
    """Motors and gears for a run, joint by joint.

    Parameters
    ----------
    scenario : str
    verdict : str or None
        Of the run; values from a failed run are unreliable. None if it was not judged.
    choices : tuple of MotorChoice
    left_out : mapping of str to str
        Reason why a drive has no pair, by its name.
    rank : {"mass", "torque"}
        Criterion of the order.
    without_mass : tuple of str
        Motors and gears without a mass, because of which the order is by torque.
    reserve : float
        Share of each rating to be kept in reserve.
    """

    scenario: str
    verdict: str | None
    choices: tuple[MotorChoice, ...]
    left_out: Mapping[str, str]
    rank: Literal["mass", "torque"]
    without_mass: tuple[str, ...]
    reserve: float

    @property
    def holds(self) -> bool:
        """Whether each joint has a suitable pair."""
        return all(choice.holds for choice in self.choices)

    @property
    def mass(self) -> float | None:
        """Mass of all pairs [kg]; None if one is unknown."""
        masses = [choice.pair.mass for choice in self.choices]
        known = [mass for mass in masses if mass is not None]
        return sum(known) if len(known) == len(masses) else None

    @property
    def drives(self) -> dict[str, DriveTrain]:
        """Return drive trains for `Robot.with_drives`; a run with them checks the selection."""
        return {choice.joint: choice.train for choice in self.choices}


@checked
def size_motors(
    recording: Recording,
    motors: Sequence[Motor],
    gears: Sequence[Gear],
    *,
    reserve: float = 0.0,
    inertia_ratio: float | None = None,
) -> MotorSizing:
    """Select the smallest suitable motor and gear for each rotary drive of a run.

    Parameters
    ----------
    recording : Recording
        Of any engine; drive trains of its robot are replaced by the pairs.
    motors, gears : sequence
    reserve : float
        Share of each rating to be kept in reserve, such as 0.2.
    inertia_ratio : float, optional
        Largest inertia ratio of a pair.

    Raises
    ------
    ScenarioError
        If a limit is invalid, there is nothing to choose from, or no drive is rotary.
    RecordingError
        If a channel is missing, or the run has no stored robot.
    """
    if not 0.0 <= reserve < 1.0:
        raise ScenarioError(f"reserve {reserve:g} must be at least 0 and below 1, such as 0.2")
    if inertia_ratio is not None and not inertia_ratio > 0.0:
        raise ScenarioError(f"inertia_ratio {inertia_ratio:g} must be above 0, such as 10")
    if not motors or not gears:
        raise ScenarioError("Empty catalogue: give at least one motor and one gear")
    view = RunView(recording)
    parts: tuple[Motor | Gear, ...] = (*motors, *gears)
    without_mass = tuple(part.name for part in parts if part.mass is None)
    pairs = Pairs.in_order(motors, gears, by_mass=not without_mass)
    rows, left_out = _rotating_drives(view)
    inertia = _inertia_of_links(view)
    if inertia_ratio is not None and not inertia:
        raise ScenarioError(
            f"The links' inertia of {recording.run.scenario!r} is unknown, so inertia_ratio cannot "
            "limit it; omit inertia_ratio"
        )
    return MotorSizing(
        recording.run.scenario,
        recording.run.verdict,
        tuple(
            _choose(view, row, pairs, 1.0 - reserve, inertia.get(row.name), inertia_ratio)
            for row in rows
        ),
        left_out,
        "torque" if without_mass else "mass",
        without_mass,
        reserve,
    )


def _rotating_drives(view: RunView) -> tuple[list[Coordinate], dict[str, str]]:
    """Return the drives that a motor with a gear can move, and why others cannot."""
    joints = {joint.name: joint for joint in view.joints}
    has_motor = {row.name for row in view.run.driven} | {one.joint for one in view.run.drives}
    if view.run.controller is not UNSET:  # it also commands joints that merely stay in place
        has_motor |= {x for x in view.row_names if view.recorded_values(f"command.{x}").any()}
    rows, left_out = [], {}
    for row in view.run.robot.coordinates:
        drive = joints[row.joint].drive if row.joint in joints else None
        spin = spin_joint(row.name)
        if motor_of(row.name) != row.name or not ({row.name, spin} & has_motor):
            continue
        if not row.is_angle:
            left_out[row.name] = "sliding joint; catalogue gears are rotary"
        elif spin not in view.row_names and drive is not None and drive.get("gyroscopic"):
            left_out[row.name] = "its rotor is a body of the run, already part of its torque"
        else:
            rows.append(row)
    if not rows:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise ScenarioError(
            f"The run of {view.run.scenario!r} has no drive of a revolute joint; "
            f"{why or 'all joints are free'}"
        )
    return rows, left_out


def _duty(view: RunView, name: str, *, analytic: bool) -> JointDuty:
    """Return torque, speed and acceleration of a joint by one of the two tables.

    For an elastic gear the torque is the spring's, and its motor turns N times as fast.
    """
    channels, ratio = [f"{group}.{name}" for group in ("tau", "qd", "qdd")], 1.0
    if (spin := spin_joint(name)) in view.row_names:
        channels = [f"gear_spring.{name}", f"qd.{spin}", f"qdd.{spin}"]
        ratio = motor_ratios(view)[name]
    table, between = view.table(analytic=analytic), as_held(view.recording, "between")
    tau, qd, qdd = parts = [column(table, channel) for channel in channels]
    for channel, values in zip(channels, parts, strict=True):
        if not np.isfinite(values).all():
            raise ScenarioError(
                f"{channel} of the run is not finite everywhere: sim check lists where"
            )
    if between is not None and all(channel in between for channel in channels):
        tau, qd, qdd = (
            np.append(values, view.between(channel))
            for channel, values in zip(channels, parts, strict=True)
        )
    return JointDuty(view.t, tau, qd / ratio, qdd / ratio, view.velocity_limit(name))


def _choose(
    view: RunView,
    row: Coordinate,
    pairs: Pairs,
    most: float,
    inertia: float | None,
    ratio_limit: float | None,
) -> MotorChoice:
    """Return the first pair that suffices, otherwise the one with the smallest excess."""
    duty = _duty(view, row.name, analytic=False)
    least = pairs.least_shares(duty, inertia, ratio_limit)

    @cache
    def evaluate(k: int) -> tuple[ShaftLoad, dict[str, float]]:
        load = shaft_load(duty, pairs[k])
        use_of = shares(load, pairs[k])
        if inertia is not None and ratio_limit is not None:
            use_of[RATIO] = _ratio(inertia, pairs[k]) / ratio_limit
        return load, use_of

    def worst_of(k: int) -> float:
        return max(evaluate(k)[1].values())

    def nearest(count: int) -> int:
        """Return the pair with the smallest excess among the `count` smallest."""
        best, shortest = 0, np.inf
        for k in np.argsort(least[:count], kind="stable").tolist():
            if least[k] >= shortest * (1.0 - 2.0 * ROUNDING):
                break  # no better; of equal pairs the smallest is first
            best, shortest = min((best, shortest), (k, worst_of(k)), key=lambda x: (x[1], x[0]))
        return best

    candidates = np.flatnonzero(least <= most).tolist()
    first = next((k for k in candidates if worst_of(k) <= most), None)
    chosen = nearest(len(pairs)) if first is None else first
    load, use_of = evaluate(chosen)
    pair, worst = pairs[chosen], max(use_of.values())
    smaller, lacks = None, None
    if first:
        below = nearest(first)
        theirs = evaluate(below)[1]
        smaller, lacks = pairs[below], (max(theirs, key=theirs.__getitem__), worst_of(below))
    model = shaft_load(_duty(view, row.name, analytic=True), pair)
    ratio = abs(pair.gear.ratio)
    rounding = view.torque_limit(row.name) / ratio, view.velocity_limit(row.name) * ratio
    return MotorChoice(
        row.name,
        pair,
        load,
        use_of,
        worst <= most,
        None if inertia is None else _ratio(inertia, pair),
        difference(load, model, *rounding),
        smaller,
        lacks,
        duty=duty,
    )


def _ratio(inertia: float, pair: Pair) -> float:
    train_inertia = pair.train.reflected_inertia
    return inertia / train_inertia if train_inertia else np.inf


def _inertia_of_links(view: RunView) -> dict[str, float]:
    """Return the largest M_ii of the links by joint [kg·m²]; empty if it is unknown.

    Joints that loops position move along; all other joints rest.
    """
    run = view.run
    try:
        robot = with_kept_loops(view.robot.without_drives(), view.recording)
    except ModelError:  # links that carry rotors are unknown without them
        return {}
    passive = passive_joints(robot)
    if bool(run.settings.passive) != passive.any() or not set(robot.row_names) <= set(
        view.row_names
    ):
        return {}
    every = -(-view.t.size // MOST_SAMPLES)
    t = view.t[::every]
    q = np.stack([view.recorded_values(f"q.{name}")[::every] for name in robot.row_names])
    largest: Array = np.zeros(len(robot.row_names))
    for part, carrying in stages(robot, run.events, t):
        M, J = mass_matrix(carrying, q[:, part]), joint_equations(carrying, q[:, part])[1]
        Z = np.eye(passive.size)[..., None] + 0.0 * M
        Z[passive] = np.einsum("prk,rik->pik", pseudo_inverse(-J[:, passive]), J)
        Z[:, passive] = 0.0
        largest = np.maximum(largest, np.einsum("aik,abk,bik->ik", Z, M, Z).max(axis=1))
    return dict(zip(robot.row_names, largest.tolist(), strict=True))
