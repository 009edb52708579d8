"""RatedMotion: a prescribed motion whose torques are a polynomial in its speed.

A motion run r times as fast has ``qd -> r qd`` and ``qdd -> r² qdd`` in the same poses, hence

    tau(r) = r² D + r V + C

with D = M qdd + C(q, qd) qd of all terms of second order in time, V of viscous friction, and C of
weight, dry friction and springs. Terms that scale otherwise are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.checks.robot_by_description import robot_by_description
from sim.checks.run_view import RunView
from sim.dynamics import lagrange, newton_euler
from sim.dynamics.friction import friction_torque, viscous_torque
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import joint_elements, joint_force
from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, columns
from sim.recording.recording import Recording
from sim.robots.robot import Robot
from sim.scenario.scenario import Scenario
from sim.showing.one_line import count_text, one_line

# Times (M,) -> q, qd, qdd, each (n, M).
Between = Callable[[Array], tuple[Array, Array, Array]]


@checked
@dataclass(frozen=True, eq=False)
class RatedMotion:
    """Samples of a prescribed motion of a tree.

    Parameters
    ----------
    robot : Robot
    t : ndarray, shape (N,)
        Ascending [s].
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    gravity : tuple of float
        In the world [m/s²].
    between : callable, optional
        Motion at other times (default: only samples are known).
    scenario : Scenario, optional
        Scenario of the motion.

    Raises
    ------
    ScenarioError
        If a joint or a force does not scale with the motion, arrays have other shapes or are not
        finite, or times do not ascend.
    """

    robot: Robot
    t: Array
    q: Array
    qd: Array
    qdd: Array
    gravity: Gravity = GRAVITY
    between: Between | None = None
    scenario: Scenario | None = None

    def __post_init__(self) -> None:
        try:
            rows = columns(len(self.robot.row_names), q=self.q, qd=self.qd, qdd=self.qdd)
        except ValueError as error:
            raise ScenarioError(f"The motion cannot be used: {error}") from None
        t = np.asarray(self.t, dtype=np.float64)
        if t.shape != rows[0].shape[1:] or t.size < 2 or not (np.diff(t) > 0).all():
            raise ScenarioError(
                f"Times must ascend, one for each of {rows[0].shape[1]} samples, 2 or more; "
                f"got {t.size}"
            )
        for name, values in zip(("q", "qd", "qdd"), rows, strict=True):
            if not np.isfinite(values).all():
                row, k = np.argwhere(~np.isfinite(values))[0]
                raise ScenarioError(
                    f"{name} of joint {self.robot.row_names[row]!r} is not finite at t = {t[k]:g} s"
                )
            object.__setattr__(self, name, values)
        object.__setattr__(self, "t", t)
        _require_scaling(self.robot, self.q)

    def __repr__(self) -> str:
        size = count_text(self.t.size, "sample")
        return one_line(f"RatedMotion of {self.robot.name}:", f"{self.duration:.4g} s", size)

    @classmethod
    def of(cls, subject: Scenario | Recording | RatedMotion) -> RatedMotion:
        """Return the motion of a scenario, also between samples, or of a run's analytic model.

        Raises
        ------
        ScenarioError
            If a joint is free, or a force does not scale with the motion; names it.
        RecordingError
            If the run's description is invalid.
        """
        if isinstance(subject, RatedMotion):
            return subject
        if isinstance(subject, Scenario):
            return _of_scenario(subject)
        if isinstance(subject, Recording):
            return _of_recording(subject)
        raise ScenarioError(
            "give a sim.Scenario, a sim.Recording or a sim.RatedMotion, got "
            f"{type(subject).__name__}"
        )

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.t[-1] - self.t[0])

    @cached_property
    def parts(self) -> tuple[Array, Array, Array]:
        """D, V and C of ``tau(r) = r² D + r V + C``, each (n, N) [N·m or N]."""
        return self.parts_of(self.q, self.qd, self.qdd)

    def parts_of(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Return D, V and C at other samples of the same robot, each (n, N)."""
        robot, still = self.robot, np.zeros_like(q)
        S, _ = robot.coupling
        q_tree, qd_tree = robot.on_tree(q, qd)
        weight = newton_euler.inverse_dynamics(robot, q, still, still, self.gravity)
        D = newton_euler.inverse_dynamics(robot, q, qd, qdd, self.gravity) - weight
        at_rest = joint_force(robot, q_tree, 0.0 * qd_tree)
        viscous = viscous_torque(robot, qd_tree)
        dry = friction_torque(robot, qd_tree) - viscous
        damped = viscous - (joint_force(robot, q_tree, qd_tree) - at_rest)
        return D, np.asarray(S.T @ damped), weight + np.asarray(S.T @ (dry - at_rest))

    def torque(self, scale: float = 1.0) -> Array:
        """Return the drives' torques at a speed-up, r² D + r V + C, (n, N) [N·m or N]."""
        D, V, C = self.parts
        return np.asarray(scale**2 * D + scale * V + C)

    def torque_by_lagrange(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the drives' torques by Lagrange's equations, (n, N) [N·m or N]."""
        robot = self.robot
        q_tree, qd_tree = robot.on_tree(q, qd)
        spent = friction_torque(robot, qd_tree) - joint_force(robot, q_tree, qd_tree)
        tau = lagrange.inverse_dynamics(robot, q, qd, qdd, self.gravity)
        return np.asarray(tau + robot.coupling[0].T @ spent)

    def at(self, t: Array) -> RatedMotion:
        """Return the motion sampled at other, ascending times [s].

        Raises
        ------
        ScenarioError
            If only the samples are known.
        """
        if self.between is None:
            raise ScenarioError("Only the samples of this motion are known")
        motion = self.between(t)
        return RatedMotion(self.robot, t, *motion, self.gravity, self.between, self.scenario)


def _of_scenario(scenario: Scenario) -> RatedMotion:
    robot = scenario.robot
    path = scenario.motion.on(robot, scenario.duration)
    free = [name for name, loose in zip(robot.row_names, path.free, strict=True) if loose]
    if scenario.controller is not None:  # its motion and torques are not those of the reference
        free = list(robot.row_names)
    events = [getattr(event, "name", "a condition") for event in scenario.events]
    _refuse(free, events, list(robot.loops), [
        *(force.title(robot) for force in (*scenario.forces, *scenario.contacts)),
    ])  # fmt: skip
    t = scenario.times
    corners = path.corners[(path.corners > t[0]) & (path.corners <= t[-1])]
    # both sides of a jump: at a corner the motion is that from the right
    t = np.unique(np.concatenate([t, corners, np.nextafter(corners, 0.0)]))
    return RatedMotion(robot, t, *path.motion(t), scenario.gravity, path.motion, scenario)


def _of_recording(recording: Recording) -> RatedMotion:
    view, run = RunView(recording), recording.run
    elements = [str(facts.__struct_config__.tag or "force") for facts in run.elements]
    events = list(dict.fromkeys(event.payload for event in run.events))
    _refuse([*run.settings.free], events, list(run.robot.loops), elements)
    q, qd, qdd = (
        np.stack([view.analytic(f"{group}.{name}") for name in view.row_names])
        for group in ("q", "qd", "qdd")
    )
    return RatedMotion(robot_by_description(view), view.t, q, qd, qdd, run.settings.gravity)


def _refuse(
    free: Iterable[str], events: Iterable[str], loops: Iterable[object], forces: Iterable[str]
) -> None:
    """Check that all terms scale with the motion.

    Raises
    ------
    ScenarioError
        Names the others.
    """
    reasons = {
        "joint {} is free, so no drive sets its speed": free,
        "payload {} is attached or released at a fixed time": events,
        "{} closes a loop": (getattr(x, "name", x) for x in loops),
        "{}, which does not scale with the motion": forces,
    }
    for reason, names in reasons.items():
        for name in names:
            text = name if reason.startswith("{},") else repr(name)
            raise ScenarioError(
                f"Speed-up and payload have a closed form only if drives prescribe the whole "
                f"motion of a tree without other loads: {reason.format(text)}; simulate several "
                "speeds or loads with `sim sweep` instead"
            )


def _require_scaling(robot: Robot, q: Array) -> None:
    """Check that forces in the joints are constant or linear in speed."""
    q_tree = robot.q_tree(q)
    for joint in robot.tree_joints:
        if joint.friction_law is not None:
            raise ScenarioError(
                f"Friction of joint {joint.name!r} depends on its load and slip, not on a power of "
                "the speed; use viscous and Coulomb friction, or `sim sweep`"
            )
    for element in joint_elements(robot):
        acts = np.abs(element.efforts(q_tree, 0.0 * q_tree)) > 0
        if not element.is_linear and acts.any():
            raise ScenarioError(
                "Speed-up and payload have a closed form only if all forces scale with the "
                f"motion; {element.title(robot)} do not; use `sim sweep`"
            )
