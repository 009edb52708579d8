"""Problem: a scenario made ready to solve, the same for the engine and for the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sim.dynamics import loops, newton_euler
from sim.dynamics.contact import contact_wrenches, stop_torque
from sim.dynamics.friction import friction_torque, needs_reaction
from sim.dynamics.mechanism import Loads
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.errors import ScenarioError
from sim.kinematics.closure import closed_beside, closed_motion
from sim.kinematics.loops import passive_joints
from sim.motion.path import JointPath, Trajectory
from sim.payload_events import Carriage, carriage
from sim.robots.model import Robot
from sim.scenario import Scenario
from sim.spatial import Array, Mask


@dataclass(frozen=True, eq=False)
class Problem:
    """Robot, prescribed motion and everything else that acts on it.

    Parameters
    ----------
    scenario : Scenario
    path : JointPath
        The motion of its joints.
    carriage : Carriage
        The robot with all payloads of the run, and when it carries which.
    t : ndarray, shape (N,)
        Sample times [s].
    """

    scenario: Scenario
    path: JointPath
    carriage: Carriage
    t: Array

    @property
    def robot(self) -> Robot:
        """The robot with every payload of the run attached."""
        return self.carriage.robot

    @property
    def gravity(self) -> tuple[float, float, float]:
        """In the world [m/s²]."""
        return self.scenario.gravity

    @cached_property
    def driven(self) -> Mask:
        """For each tree joint whether a motor holds it; a joint and its mimics go together."""
        S, _ = self.robot.coupling
        return np.asarray(~(S != 0)[:, self.path.free].any(axis=1))

    @property
    def is_solved(self) -> bool:
        """True if the model must find the motion of some joints."""
        return self.scenario.method == "adaptive" or bool(self.path.free.any())

    @property
    def broken_path(self) -> JointPath:
        """The path with every time in it at which a solver must start anew."""
        return replace(self.path, corners=self.breaks)

    @property
    def loads(self) -> Loads | None:
        """Stops, contacts and forces, for a solver; None if there are none."""
        return self.applied if self.has_surroundings else None

    @property
    def first_free(self) -> str:
        """Name of the first joint that nothing holds."""
        return self.robot.joint_names[int(np.argmax(self.path.free))]

    @cached_property
    def load_breaks(self) -> Array:
        """Times where a force is not smooth or a payload comes or goes [s]."""
        forces = [force.breaks(self.scenario.duration) for force in self.scenario.forces]
        return np.unique(np.concatenate([self.carriage.times, *forces]))

    @cached_property
    def breaks(self) -> Array:
        """Times inside the run where a drive, a force or a mass is not smooth [s]."""
        times = np.union1d(self.path.corners, self.load_breaks)
        return times[(times > self.t[0]) & (times < self.t[-1])]

    @property
    def has_surroundings(self) -> bool:
        """True if forces, stops or the ground may act."""
        stops = any(joint.stop for joint in self.robot.tree_joints)
        return bool(self.scenario.forces or self.scenario.contacts or stops)

    @cached_property
    def passive(self) -> Mask:
        """The joints whose positions closed loops decide, shape (n,)."""
        return passive_joints(self.robot)

    @cached_property
    def at_samples(self) -> Trajectory:
        """The prescribed motion at the samples, with all loops closed."""
        wanted = self._driven_motion(self.t)
        if not self.robot.loops:
            return wanted
        return Trajectory(
            self.t, *closed_motion(self.robot, self.t, wanted.q, wanted.qd, wanted.qdd)
        )

    def prescribed(self, t: Array) -> Trajectory:
        """The prescribed motion with all loops closed; a free joint stays at its start."""
        if t is self.t:
            return self.at_samples
        if not self.passive.any():
            return self._driven_motion(t)
        wanted = self._driven_motion(t)
        nearest = np.searchsorted(0.5 * (self.t[1:] + self.t[:-1]), t)
        guess = self.at_samples.q[:, nearest] + self.at_samples.qd[:, nearest] * (
            t - self.t[nearest]
        )
        return Trajectory(t, *closed_beside(self.robot, t, wanted.q, wanted.qd, wanted.qdd, guess))

    def _driven_motion(self, t: Array) -> Trajectory:
        wanted, path = self.path.at(t), self.path
        free = path.free[:, None]
        return Trajectory(
            t,
            np.where(free, path.q0[:, None], wanted.q),
            np.where(free, path.qd0[:, None], wanted.qd),
            np.where(free, 0.0, wanted.qdd),
        )

    def wrenches(self, t: Array, q: Array, qd: Array) -> tuple[AppliedWrench, ...]:
        """Forces and contacts on links at times `t` (N,) and states (n, N), world axes."""
        forces = (force.wrench(self.robot, t, q) for force in self.scenario.forces)
        return (*forces, *contact_wrenches(self.robot, self.scenario.contacts, q, qd))

    def applied(self, t: Array, q: Array, qd: Array) -> tuple[Array, tuple[AppliedWrench, ...]]:
        """Torques of the end stops (n, N) and wrenches on links; neither drive nor friction."""
        S, q_0 = self.robot.coupling
        stops = S.T @ stop_torque(self.robot, S @ q + q_0[:, None], S @ qd)
        return stops, self.wrenches(t, q, qd)

    def help(self, t: Array, q: Array, qd: Array) -> Array:
        """Joint torques of stops and wrenches together, (n, N) [N·m or N]; they help the drives."""
        stops, wrenches = self.applied(t, q, qd)
        return stops + joint_torque(self.robot, q, wrenches)

    def reaction(self, motion: Trajectory, spent: Array | None = None) -> tuple[Array, Array]:
        """Reactions of the tree joints (n_tree, 6, N) and forces of the loops (loops, 3, N).

        `spent` (n_tree, N) is what friction takes at each joint; it changes the forces in loops,
        and nothing else.
        """
        external = self.wrenches(motion.t, motion.q, motion.qd)

        def kernel(robot: Robot, part: slice) -> tuple[Array, Array]:
            here = [wrench.during(part) for wrench in external]
            q, qd, qdd = (x[:, part] for x in (motion.q, motion.qd, motion.qdd))
            if not robot.loops:
                found = newton_euler.wrenches(robot, q, qd, qdd, self.gravity, here).reaction
                return found, np.empty((0, 3, found.shape[-1]))
            taken = None if spent is None else spent[:, part]
            efforts = loops.inverse_dynamics(robot, q, qd, qdd, self.gravity, taken, here)
            return efforts.reaction, efforts.force

        reaction, force = self.carriage.over(motion.t, kernel)
        return reaction, force

    def friction(self, motion: Trajectory) -> Array:
        """What the drives of all tree joints spend on friction, (n_tree, N) [N·m or N]."""
        reaction = self.reaction(motion)[0] if needs_reaction(self.robot) else None
        return friction_torque(self.robot, self.robot.coupling[0] @ motion.qd, reaction)

    def by_drives(self, q_tree: Array, needed: Array) -> Array:
        """Torques of the drives (n, N) that do what all tree joints need (n_tree, N)."""
        if self.passive.any():
            return loops.shared_by_drives(self.robot, q_tree, needed)[0]
        return np.asarray(self.robot.coupling[0].T @ needed)


def problem_of(scenario: Scenario) -> Problem:
    """The problem that a scenario poses.

    Raises
    ------
    ScenarioError, ModelError
        If its parts do not fit together.
    """
    t = scenario.times
    carried = carriage(scenario.robot, scenario.events, t)
    path = scenario.motion.on(carried.robot, scenario.duration)
    problem = Problem(scenario, path, carried, t)
    for force in scenario.forces:
        force.require_usable(problem.robot, scenario.duration)
    for measure in scenario.measures:
        measure.require(problem.robot)
    problem.wrenches(t[:1], problem.prescribed(t[:1]).q, problem.prescribed(t[:1]).qd)
    _require_uncoupled(problem)
    _require_method(problem)
    return problem


def _require_uncoupled(problem: Problem) -> None:
    """A free joint and its mimics are left to `adaptive`."""
    robot = problem.robot
    if problem.scenario.method == "adaptive":
        return
    leaders = {joint.mimic.joint for joint in robot.tree_joints if joint.mimic}
    for joint, is_driven in zip(robot.tree_joints, problem.driven, strict=True):
        if not is_driven and (joint.mimic or joint.name in leaders):
            raise ScenarioError(
                f"Joint {joint.name!r} is free and coupled by <mimic>; drive it, or use method "
                "'adaptive'"
            )


def _require_method(problem: Problem) -> None:
    """What a method cannot do, said before it begins."""
    scenario = problem.scenario
    if problem.passive.any() and problem.is_solved:
        raise ScenarioError(
            f"Robot {problem.robot.name!r} has passive joints in closed loops; drive all others, "
            "with method 'stepped' or 'ideal'"
        )
    if scenario.method == "adaptive" or problem.driven.all():
        return
    free = f"Joint {problem.first_free!r} is free"
    if scenario.method == "ideal":
        raise ScenarioError(
            f"{free}; method 'ideal' needs every joint prescribed: use method 'adaptive' or "
            "'stepped'"
        )
    robot = problem.robot
    dry = [j.name for j, driven in zip(robot.tree_joints, problem.driven, strict=True)
           if not driven and (j.friction or j.friction_law)]  # fmt: skip
    reasons = {
        f"joint {dry[0]!r} has dry friction" if dry else "": bool(dry),
        "a joint has a friction law": needs_reaction(robot),
        "a joint has stops": any(joint.stop for joint in robot.tree_joints),
        "forces act on it": bool(scenario.forces),
        "it may touch the ground": bool(scenario.contacts),
        "its payload changes": bool(scenario.events),
        "a torque drives it": problem.path.torque is not None,
    }
    for reason, holds in reasons.items():
        if holds:
            raise ScenarioError(f"{free} and {reason}; use method 'adaptive'")
