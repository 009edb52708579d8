"""The balance of torques at given states: motor torques, friction and joint accelerations.

For each independent joint, with everything positive along its motion,

    effort = M qdd + C qd + g - Jᵀ F = tau + loads - friction

M includes the rotors of drive trains; tau of a joint with one is N tau_m, and losses of gear and
rotor are part of the friction.

For driven joints qdd is given and the torque tau of their drive is solved for; for a joint held by
dry friction, qdd = 0 is given and its friction is solved for. For the others tau is given (zero
without a motor) and qdd is solved for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from msgspec import Struct

from sim.dynamics.constrained_dynamics import SINGULAR, ConstrainedDynamics, loops_of
from sim.dynamics.drive_trains import DriveTrains, drive_trains_of
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.friction import dry_joints, needs_reaction
from sim.dynamics.friction_in_loops import friction_in_loops
from sim.dynamics.friction_in_trains import with_trains, with_trains_in_loops
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.load_dependent_friction import LoadedStates, with_friction
from sim.dynamics.prescription import Prescription
from sim.dynamics.rough_joints import RoughJoints, own_rows, sense_of_motion
from sim.dynamics.state_layout import StateLayout
from sim.dynamics.trains_in_loops import TrainsInLoops
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import FAR, other_vectors, position_rates
from sim.robots.actuation import WrittenActuation


class FrictionModes(Struct, frozen=True, eq=False):
    """Mode of dry friction at each free joint.

    Parameters
    ----------
    stuck : ndarray of bool, shape (n,)
        Whether dry friction holds the joint.
    slide : ndarray, shape (n,)
        The joint slides forwards 1, backwards -1; 0 where it is stuck or nothing dry rubs.
    speeds : ndarray, shape (n, 2), optional
        Least and largest speed of each joint in the mode [rad/s or m/s] (default: 0, infinity).
    """

    stuck: Mask
    slide: Array
    speeds: Array | None = None


@dataclass(frozen=True, eq=False)
class Balance(Trajectory):
    """Accelerations and torques of the independent joints at N states.

    Parameters
    ----------
    tau : ndarray, shape (n, N)
        Torque of each joint's motor, zero without one [N·m or N]; N tau_m for a joint with a gear.
    friction : ndarray, shape (n, N)
        Friction, positive against motion forwards [N·m or N]; includes that of the train.
    limit : ndarray, shape (n, N)
        Largest dry friction at this velocity and load, positive [N·m or N]; for a held joint, in
        the direction in which it is pushed.
    train : ndarray, shape (n, N), or (0, N) where no joint has a drive train
        Part of the friction in motor and gear [N·m or N].
    external : ndarray, shape (N,)
        Power of the loads [W].
    excess : ndarray, shape (n, N)
        Accelerations of joints in loops that dry friction should hold and cannot.
    friction_tree : ndarray, shape (n_tree, N), or (0, N) where no loop feels dry friction
        What friction takes at each tree joint [N·m or N].
    """

    tau: Array
    friction: Array
    limit: Array
    train: Array
    external: Array
    excess: Array
    friction_tree: Array

    @property
    def powers(self) -> Array:
        """Power of each motor, loss at each joint, power of the loads, (2 n + 1, N) [W]."""
        return np.concatenate([self.tau * self.qd, self.friction * self.qd, self.external[None]])


class Mechanism(Struct, frozen=True, eq=False, dict=True):
    """A robot with its drives, its friction and its loads.

    Parameters
    ----------
    dynamics : HybridDynamics
    prescription : Prescription
    loads : ElementSum, optional
        All other time- and state-dependent effects: stops, contact, applied forces.
    until : float
        Upper bound of the time of time-dependent terms [s], so that no stage looks past a corner.
    """

    dynamics: HybridDynamics
    prescription: Prescription
    loads: ElementSum | None = None
    until: float = np.inf

    @property
    def elements(self) -> tuple[ForceElement, ...]:
        """Force elements among the loads."""
        return () if self.loads is None else self.loads.elements

    @cached_property
    def layout(self) -> StateLayout:
        """Slices of the quantities in the solver's state."""
        free = self.prescription.free
        counts = (0 if x is None else x.states for x in (self.loads, self.prescription.actuation))
        return StateLayout(free.size, int(np.count_nonzero(free)), *counts)

    def start(self) -> Array:
        """Return the solver's state at the first sample, shape (size,)."""
        path = self.prescription
        starts = (() if x is None else x.start for x in (self.loads, path.actuation))
        return self.layout.state(path.q0[path.free], path.qd0[path.free], *starts)

    def after_sample(self, t: float, y: Array) -> Array:
        """Return the state right after a sample instant of the actuation, shape (size,)."""
        actuation, y, rows = self.prescription.actuation, y.copy(), self.layout.actuators
        if actuation is not None:
            q, qd, _ = self.motion(np.array([t]), y[:, None])
            y[rows] = actuation.sample(t, q[:, 0], qd[:, 0], y[rows])
        return y

    @cached_property
    def _states_of_motors(self) -> slice | Array:
        """Rows of the solver's state that the motors read: their own, then those of elements."""
        layout, actuation = self.layout, self.prescription.actuation
        if not (isinstance(actuation, WrittenActuation) and actuation.other_states and self.loads):
            return layout.actuators
        rows = [
            layout.elements.start + self.loads.state_rows[name] for name in actuation.other_states
        ]
        return np.concatenate([np.r_[layout.actuators], rows])

    def motor_states(self, y: Array) -> Array:
        """Return the states z that the motors read, from y (size,) or (size, N)."""
        return np.asarray(y[self._states_of_motors])

    def with_closed_loops(self, t: Array, y: Array, modes: FrictionModes) -> Array:
        """Return the states y (size, N) projected onto the loop equations; unchanged for a tree.

        A joint that its drive train holds does not move.
        """
        if self.loops is None or not t.size:
            return y
        free, layout, y = self.prescription.free, self.layout, y.copy()
        q, qd, _ = self.motion(np.minimum(t, self.until), y)
        held = ~free | modes.stuck if self.rough_loops is None else ~free
        q, qd = self.loops.project(t, q, qd, held)
        y[layout.q], y[layout.qd] = q[free], qd[free]
        return y

    def with_nearer_rotations(self, y: Array) -> Array:
        """Return y (size,) with balls beyond `FAR` described by the opposite rotation vector.

        A rotation vector of a whole turn has no rate.
        """
        free = self.prescription.free
        for rows in self.dynamics.robot.balls:
            first = self.layout.q.start + np.count_nonzero(free[: rows.start])
            q = y[first : first + 3]
            if free[rows].all() and q @ q > FAR * FAR:
                y = y.copy()
                y[first : first + 3] = other_vectors(q[:, None])[:, 0]
        return y

    def least_singular_value(self, t: float, y: Array) -> float:
        """Return the loops' relative least singular value at y (size,), near zero if singular."""
        if self.loops is None:
            return 1.0
        q, _, _ = self.motion(np.array([t]), y[:, None])
        return self.loops.least_singular_value(q[:, 0], ~self.prescription.free)

    def is_nearly_singular(self, t: float, y: Array) -> bool:
        """Whether the loops are nearly in a singular pose at a state y (size,)."""
        return self.least_singular_value(t, y) < SINGULAR

    @cached_property
    def loops(self) -> ConstrainedDynamics | None:
        """The dynamics of closed loops; None for a tree."""
        return loops_of(self.dynamics)

    @cached_property
    def rough_loops(self) -> ConstrainedDynamics | None:
        """The dynamics where closed loops feel dry friction, by which their joints rest together.

        None where no loop does.
        """
        if (loops := self.loops) is None:
            return None
        rough = RoughJoints.of(loops, ~self.prescription.free, None)
        is_felt = rough.free.size or rough.decided.size or self._ties_rough_trains
        is_felt = is_felt or (rough.driven.size and needs_reaction(self.dynamics.robot))
        return loops if is_felt else None

    @cached_property
    def has_dry_friction(self) -> Mask:
        """Mask of the free joints that dry friction may hold, shape (n,).

        It cannot hold those that driven joints move through loops.
        """
        robot = self.dynamics.robot
        is_dry = np.abs(robot.coupling[0]).T @ dry_joints(robot) > 0
        if self.trains is not None:
            is_dry |= self.trains.is_dry
        if self.loops is not None:
            is_dry[list(self.loops.decided)] = False
        return np.asarray(self.prescription.free & is_dry)

    @property
    def _ties_rough_trains(self) -> bool:
        """Whether loops connect joints whose drive trains hold them at rest."""
        trains, loops = self.trains, self.loops
        if trains is None or loops is None or not loops.ties_drives:
            return False
        return bool((trains.is_dry & self.prescription.free).any())

    @cached_property
    def weight(self) -> float:
        """Weight of all links [N]."""
        masses = sum(float(one.inertia.mass) for one in self.dynamics.robot.links if one.inertia)
        return masses * float(np.linalg.norm(self.dynamics.gravity))

    @cached_property
    def trains(self) -> DriveTrains | None:
        """The drive trains; None if no joint has one."""
        return drive_trains_of(self.dynamics.robot)

    def motion(self, t: Array, y: Array) -> tuple[Array, Array, Array]:
        """Return q, qd of all joints and qdd of driven ones, (n, N) each, at states y (size, N)."""
        free = self.prescription.free
        q, qd, qdd = np.zeros((3, free.size, t.size))
        if not free.all():
            motion = self.prescription.motion(np.minimum(t, self.until))
            for values, prescribed in zip((q, qd, qdd), motion, strict=True):
                values[~free] = prescribed[~free]
        q[free], qd[free] = y[self.layout.q], y[self.layout.qd]
        return q, qd, qdd

    def at(self, t: Array, y: Array, modes: FrictionModes) -> Balance:
        """Return the balance at N times and states.

        Parameters
        ----------
        t : ndarray, shape (N,)
            [s]
        y : ndarray, shape (size, N)
            States of the solver; works are not used.
        modes : FrictionModes

        Raises
        ------
        ScenarioError
            If dry friction grows without bound with the load that it causes; names joint and time.
        """
        t = np.minimum(t, self.until)
        free, robot = self.prescription.free, self.dynamics.robot
        q, qd, qdd = self.motion(t, y)
        actuation, motor = self.prescription.actuation, np.zeros_like(q)
        if actuation is not None:
            motor = actuation(t, q, qd, self.motor_states(y))
        acting, wrenches = self.loads_at(t, q, qd, y[self.layout.elements])
        held = ~free | modes.stuck if self.rough_loops is None else ~free
        trains, rotor = self.trains, np.zeros_like(q)
        if trains is not None:
            loops, slide = self.rough_loops, modes.slide
            sense = slide[:, None] if loops is None else sense_of_motion(loops, slide, qd)
            rotor = trains.rotor_friction(qd, sense) + trains.known_mesh(acting, sense)
        states = LoadedStates(q, qd, qdd, held, motor + acting - rotor, tuple(wrenches))
        excess = np.zeros((free.size, t.size))
        train = friction_tree = np.empty((0, t.size))
        if self.rough_loops is not None:
            load = self._on_tree(t, states, motor - rotor, y[self.layout.elements])
            rough, parts = None, (motor, rotor, acting)
            if trains is not None:
                is_rough = trains.is_dry & free
                rough = TrainsInLoops(trains, is_rough, own_rows(robot), sense, *parts)
            answer, excess, friction_tree = friction_in_loops(
                self.dynamics, states, load, modes.slide, modes.stuck, t, rough
            )
            friction, limit = answer.friction, answer.limit
            if trains is not None:
                friction, train = with_trains_in_loops(
                    trains, answer, acting, qd, rotor + answer.mesh, ~free
                )
        else:
            arguments = self.dynamics, states, ~free, modes.slide, t, trains, motor - rotor
            answer = with_friction(*arguments)
            friction, limit = answer.friction.copy(), answer.limit
            friction[modes.stuck] = (motor + acting - answer.effort)[modes.stuck]
            if trains is not None:
                friction, limit, train = with_trains(
                    trains, answer, acting, qd, friction, rotor + answer.mesh, ~free, modes.stuck
                )
        tau = motor.copy()
        tau[~free] = (answer.effort - acting + friction)[~free]
        external = np.sum(acting * qd, axis=0)
        if wrenches:
            external += np.sum(joint_torque(robot, q, wrenches) * qd, axis=0)
        motion = t, q, qd, answer.qdd
        return Balance(*motion, tau, friction, limit, train, external, excess, friction_tree)

    def loads_at(
        self, t: Array, q: Array, qd: Array, z: Array
    ) -> tuple[Array, Sequence[AppliedWrench]]:
        """Return torques of the loads (n, N) and their wrenches at N states."""
        return (np.zeros_like(q), ()) if self.loads is None else self.loads(t, q, qd, z)

    def _on_tree(self, t: Array, states: LoadedStates, motor: Array, z: Array) -> Array:
        """Return the efforts of motors and loads at each tree joint, (n_tree, N)."""
        robot = self.dynamics.robot
        if robot.is_plain:
            return states.effort
        total = np.zeros((len(robot.tree_coordinates), t.size))
        total[own_rows(robot)] = motor
        return (
            total if self.loads is None else total + self.loads.on_tree(t, states.q, states.qd, z)
        )

    def rate(self, t: Array, y: Array, modes: FrictionModes) -> Array:
        """Return dy/dt at N times and states, shape (size, N); see `at`."""
        balance, free = self.at(t, y, modes), self.prescription.free
        balls = self.dynamics.robot.balls
        moving = (position_rates(balls, balance.q, balance.qd)[free], balance.qdd[free])
        states, t = (y[self.layout.elements], self.motor_states(y)), np.minimum(t, self.until)
        rates = [
            z if law is None else law.rate(t, balance.q, balance.qd, z)
            for law, z in zip((self.loads, self.prescription.actuation), states, strict=True)
        ]
        return np.concatenate([*moving, *rates, balance.powers])
