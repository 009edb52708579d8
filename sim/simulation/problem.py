"""Problem: a scenario prepared for solution, shared by the engine and the model."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.dynamics import newton_euler
from sim.dynamics.counted_angle import angles_along, counted_in
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ElementState
from sim.dynamics.friction import friction_torque, needs_reaction
from sim.dynamics.wrench import AppliedWrench
from sim.kinematics.forward import Kinematics
from sim.kinematics.loop_equations import LoopEquations, passive_joints
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array, Mask, distinct
from sim.maths.pieces import is_one_piece
from sim.maths.quadrature import Nodes, nodes_near
from sim.motion.joint_path import JointPath
from sim.recording.schema.methods import METHODS, Method
from sim.robots.robot import Robot
from sim.scenario.scenario import Scenario
from sim.simulation.payload_schedule import PayloadSchedule

if TYPE_CHECKING:
    from sim.dynamics.solved_motion import MotionSamples


class Problem(Struct, frozen=True, eq=False, dict=True):
    """Robot, prescribed motion and all loads.

    Parameters
    ----------
    scenario : Scenario
    path : JointPath
        The motion of its joints.
    payloads : PayloadSchedule
        Robot with all payloads of the run, and their schedule.
    t : ndarray, shape (N,)
        Sample times [s].
    """

    scenario: Scenario
    path: JointPath
    payloads: PayloadSchedule
    t: Array

    @property
    def robot(self) -> Robot:
        """The robot with every payload of the run attached."""
        return self.payloads.robot

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Gravity in the world [m/s²]."""
        return self.scenario.gravity

    @cached_property
    def driven(self) -> Mask:
        """Whether a motor holds each tree joint; a joint and its mimics are treated together."""
        S, _ = self.robot.coupling
        return np.asarray(~(S != 0)[:, self.path.free].any(axis=1))

    @property
    def method(self) -> Method:
        """The method of solving."""
        return METHODS[self.scenario.method]

    @property
    def is_solved(self) -> bool:
        """True if the model must solve for the motion of some joints."""
        return self.method.solves_motion or bool(self.path.free.any())

    @property
    def broken_path(self) -> JointPath:
        """The path for a solver, which includes every time at which it must restart.

        If the solver finds the motion of closed loops, their passive joints are free in it too.
        """
        return self.path_from(self.path.q0)

    def path_from(self, q0: Array) -> JointPath:
        """Return the path for a solver from other positions (n,) of the free joints."""
        stops = distinct(self.breaks, self.path.stops, self.elements.stops(self.scenario.duration))
        path = replace(self.path, q0=q0, corners=stops[(stops > self.t[0]) & (stops < self.t[-1])])
        if not self.is_closed_by_solver:
            return path
        start = self._closed_start(path)
        return replace(path, free=self.solved_joints, q0=start.q[:, 0], qd0=start.qd[:, 0])

    @property
    def is_closed_by_solver(self) -> bool:
        """True if a solver finds the motion of the passive joints of closed loops."""
        return self.is_solved and bool(self.passive.any())

    @cached_property
    def loop_rank(self) -> int:
        """Number of independent equations of the loops that a solver closes."""
        from sim.dynamics.closed_positions import loop_rank

        return loop_rank(self.robot, self._closed_start(self.path).q[:, 0], ~self.solved_joints)

    @property
    def solved_joints(self) -> Mask:
        """Mask of joints that are not prescribed, shape (n,): free, or passive with a solver."""
        return self.path.free | self.passive if self.is_closed_by_solver else self.path.free

    @cached_property
    def elements(self) -> ElementSum:
        """All force elements, in joints and on links."""
        return ElementSum(self.robot, self.scenario.elements)

    @property
    def loads(self) -> ElementSum | None:
        """The force elements for a solver; None if there are none."""
        return self.elements or None

    @property
    def first_free(self) -> str:
        """Name of the first free joint."""
        return self.robot.row_names[int(np.argmax(self.path.free))]

    @cached_property
    def load_breaks(self) -> Array:
        """Times where a force is not smooth or a payload comes or goes [s]."""
        return distinct(self.payloads.times, self.elements.breaks(self.scenario.duration))

    @cached_property
    def breaks(self) -> Array:
        """Times inside the run where a drive, a force or a mass is not smooth [s]."""
        times = distinct(self.path.corners, self.load_breaks)
        return times[(times > self.t[0]) & (times < self.t[-1])]

    @cached_property
    def nodes(self) -> Nodes:
        """Times between the samples at which works also need the power: next to every break."""
        return nodes_near(distinct(self.path.corners, self.load_breaks), self.t)

    @cached_property
    def passive(self) -> Mask:
        """Mask of the joints whose positions follow from closed loops, shape (n,)."""
        return passive_joints(self.robot)

    @property
    def _keeps_motion(self) -> bool:
        """True if the motion at the samples is stored: it has loops, or the run is short."""
        return bool(self.robot.loops) or is_one_piece(self.t.size)

    @cached_property
    def at_samples(self) -> Trajectory:
        """The prescribed motion at the samples, with all loops closed."""
        motion = self._driven_motion(self.t)
        if self.is_closed_by_solver:
            start, passive = self._closed_start(self.path), self.passive
            q, qd = motion.q.copy(), motion.qd.copy()
            q[passive], qd[passive] = start.q[passive], start.qd[passive]
            return Trajectory(self.t, q, qd, motion.qdd)
        if not self.robot.loops:
            return motion
        from sim.kinematics.closure import close_motion

        return Trajectory(
            self.t, *close_motion(self.robot, self.t, motion.q, motion.qd, motion.qdd)
        )

    def prescribed_motion(self, t: Array) -> Trajectory:
        """Return the prescribed motion with all loops closed; a free joint stays at its start.

        So does a passive joint whose motion a solver finds: loops are then only closed there.
        """
        if self._keeps_motion and np.may_share_memory(t, self.t):  # the samples, or a part of them
            begin = int(np.searchsorted(self.t, t[0]))
            return self.at_samples.during(slice(begin, begin + t.size))
        if not self.passive.any():
            return self._driven_motion(t)
        from sim.kinematics.closure import close_separately

        motion = self._driven_motion(t)
        nearest = np.searchsorted(0.5 * (self.t[1:] + self.t[:-1]), t)
        guess = self.at_samples.q[:, nearest] + self.at_samples.qd[:, nearest] * (
            t - self.t[nearest]
        )
        return Trajectory(
            t, *close_separately(self.robot, t, motion.q, motion.qd, motion.qdd, guess)
        )

    def _closed_start(self, path: JointPath) -> Trajectory:
        """Return the first sample with all loops closed; joints left free start as given."""
        from sim.kinematics.closure import close_start, free_part

        t = self.t[:1]
        start = self._driven_motion(t, path)
        q, qd = close_start(self.robot, t, start.q, start.qd)
        qd[self.passive, 0] += free_part(self.robot, q, path.qd0[self.passive])
        return Trajectory(t, q, qd, start.qdd)

    def _driven_motion(self, t: Array, path: JointPath | None = None) -> Trajectory:
        path = self.path if path is None else path
        motion = path.at(t)
        free = path.free[:, None]
        return Trajectory(
            t,
            np.where(free, path.q0[:, None], motion.q),
            np.where(free, path.qd0[:, None], motion.qd),
            np.where(free, 0.0, motion.qdd),
        )

    def state(self, motion: Trajectory, z: Array | None = None) -> ElementState:
        """Return the state for force elements: a motion, and their own states z (states, N).

        The default of `z` is that of the prescribed motion.
        """
        z = self.prescribed_states(motion.t) if z is None and self.elements.states else z
        return self.elements.at(motion.t, motion.q, motion.qd, z)

    def prescribed_states(self, t: Array) -> Array:
        """Return own states of the force elements on a fully prescribed motion: counted angles."""
        if not self.elements.states:
            return np.empty((0, t.size))
        angles, rates = self._counted_angles
        k = np.clip(np.searchsorted(self.t, t), 0, self.t.size - 1)
        return np.asarray(angles[:, k] + rates[:, k] * (t - self.t[k]))

    @cached_property
    def _counted_angles(self) -> tuple[Array, Array]:
        """Counted angles at the samples of the prescribed motion, and their rates."""
        motion = self.prescribed_motion(self.t)
        kinematics = Kinematics(self.robot, motion.q, motion.qd)
        return angles_along(counted_in(self.elements.elements), self.t, kinematics)

    def wrenches(self, motion: Trajectory, z: Array | None = None) -> tuple[AppliedWrench, ...]:
        """Return wrenches of force elements on links at the N times of a motion, world axes."""
        return self.elements.wrenches(self.state(motion, z))

    def stored_energy(self, motion: Trajectory, z: Array | None = None) -> Array | None:
        """Return the energy in all force elements that store any, (N,) [J]; None if none does."""
        return self.elements.stored_energy(self.state(motion, z))

    def load_torque(self, motion: Trajectory) -> Array:
        """Return joint torques of all force elements, without friction, (n, N) [N·m or N].

        They act with the drives.
        """
        return self.elements.torque(self.state(motion))

    def reaction(
        self,
        motion: Trajectory,
        friction: Array | None = None,
        z: Array | None = None,
        tau: Array | None = None,
    ) -> tuple[Array, Array]:
        """Return reactions of the tree joints (n_tree, 6, N) and forces of the loops (loops, 6, N).

        `friction` (n_tree, N) is the friction at each tree joint. Like force elements in joints it
        only changes loop forces and reactions. `z` (states, N) are the own states of the force
        elements, `tau` (n, N) the motor torques of joints whose motion is solved for.
        """
        external = self.wrenches(motion, z)
        spent = np.empty((0, motion.t.size))
        if self.robot.loops:
            spent = self.passive_torque(motion, friction, z, tau)

        def kernel(robot: Robot, part: slice) -> tuple[Array, Array]:
            here = [wrench.during(part) for wrench in external]
            moving = motion.during(part)
            q, qd, qdd = moving.q, moving.qd, moving.qdd
            if not robot.loops:
                reaction = newton_euler.wrenches(robot, q, qd, qdd, self.gravity, here).reaction
                return reaction, np.empty((0, 6, reaction.shape[-1]))
            from sim.dynamics import loop_forces

            state = q, qd, qdd, self.gravity, spent[:, part], here
            efforts = loop_forces.inverse_dynamics(robot, *state, self.free_in_loops)
            return efforts.reaction, efforts.force

        reaction, force = self.payloads.evaluate(motion.t, kernel)
        return reaction, force

    @property
    def free_in_loops(self) -> Mask | None:
        """Mask of joints moved by loops and motors alone, shape (n,); None if loops are driven."""
        return self.solved_joints if self.is_closed_by_solver else None

    def passive_torque(
        self,
        motion: Trajectory,
        friction: Array | None,
        z: Array | None = None,
        tau: Array | None = None,
    ) -> Array:
        """Return the passive torque of each tree joint (n_tree, N): friction less force elements.

        For joints in closed loops that a solver moves, the motor torque in `tau` (n, N) is
        subtracted.
        """
        spent = -self.elements.joint_efforts(self.state(motion, z))
        if friction is not None:
            spent = friction + spent
        if tau is not None and self.is_closed_by_solver:
            names = self.robot.tree_row_names
            for row in np.flatnonzero(self.solved_joints):
                spent[names.index(self.robot.row_names[row])] -= tau[row]
        return spent

    def friction_torque(self, motion: Trajectory, z: Array | None = None) -> Array:
        """Return the friction torques of the drives of all tree joints, (n_tree, N) [N·m or N]."""
        reaction = self.reaction(motion, z=z)[0] if needs_reaction(self.robot) else None
        return friction_torque(self.robot, self.robot.coupling[0] @ motion.qd, reaction)

    def friction_in_loops(self, solved: MotionSamples) -> Array | None:
        """Return the friction at each tree joint on a solved motion; None if no loop depends on it.

        If friction in loops is not dry, it follows from the motion.
        """
        if not self.robot.loops:
            return None
        if solved.friction_tree is not None:
            return solved.friction_tree
        if self.robot.is_plain:
            return solved.friction
        return self.friction_torque(solved, solved.element_states)

    def drive_torque(
        self, q_tree: Array, tau_tree: Array, equations: LoopEquations | None = None
    ) -> Array:
        """Return drive torques (n, N) equivalent to torques of all tree joints (n_tree, N).

        `equations` of the loops default to the model's.
        """
        if self.passive.any():
            from sim.dynamics.loop_forces import share_among_drives

            return share_among_drives(self.robot, q_tree, tau_tree, equations)[0]
        return np.asarray(self.robot.coupling[0].T @ tau_tree)
