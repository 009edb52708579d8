"""Equations of motion at one state over any hybrid dynamics, in constant friction modes."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sim.dynamics import newton_euler
from sim.dynamics.caused_friction import load_laws, under
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.friction import friction_torque, needs_reaction, viscous_matrix, viscous_torque
from sim.dynamics.friction_in_loops import reactions_in_loops
from sim.dynamics.hybrid import HybridDynamics, LagrangianDynamics
from sim.dynamics.load_dependent_friction import LoadedStates, SlidingJoints
from sim.dynamics.rough_joints import MovingJoints
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.machine_instant import MachineInstant
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.single_state.system import applying, unforced_system
from sim.dynamics.wrench import Acting, joint_torque
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import position_rates
from sim.robots.friction_surface import friction_surfaces


class StateEquations(Protocol):
    """Equations of motion at one state, in constant modes.

    Each evaluation computes `spare` (n,), what is left of the dry friction that holds each stuck
    joint [N·m or N]; None if it does not.
    """

    @property
    def spare(self) -> Array | None:
        """See above."""
        ...

    def __call__(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        motor: Array,
        acting: Array,
        wrenches: Acting,
        pushed: Array | None,
        result: Array,
    ) -> bool:
        """Fill in the rates of q and qd of the free joints and of the works.

        Parameters
        ----------
        q, qd : ndarray, shape (n,)
        qdd : ndarray, shape (n,)
            Accelerations of held joints.
        motor, acting : ndarray, shape (n,)
            Torques of the motors of free joints, and of the loads [N·m or N].
        wrenches : sequence of AppliedWrench
        pushed : ndarray, shape (n,), or None
            Joint torques of the wrenches, if already computed; without wrenches, further torques of
            the loads [N·m or N].
        result : ndarray, shape (size,)
            Rate of the solver's state.

        Returns
        -------
        bool
            False if no friction satisfies its equations.
        """
        ...


class HybridEquations:
    """`StateEquations` by NumPy, over any `HybridDynamics`."""

    def __init__(self, mechanism: Mechanism, modes: FrictionModes) -> None:
        robot, self.free = mechanism.dynamics.robot, mechanism.prescription.free
        self.dynamics: HybridDynamics = mechanism.dynamics
        self.layout, self.trains, self.slide = mechanism.layout, mechanism.trains, modes.slide
        is_model = type(self.dynamics) is LagrangianDynamics
        self.instant = Instant if is_model or not is_on() else MachineInstant
        self.S, _ = robot.coupling
        self.driven, self.held = np.flatnonzero(~self.free), ~self.free | modes.stuck
        self.at_rest = modes.stuck[self.free] & (mechanism.rough_loops is None)
        self.viscous = viscous_matrix(robot)
        self.loops = mechanism.rough_loops
        self.moving: SlidingJoints | MovingJoints
        if self.loops is not None:
            self.moving = MovingJoints.of(self.loops, ~self.free, modes.slide, self.trains)
            self.to_joints, self.rubbing = self.S.T, self.moving.rough.driven
        else:
            self.moving = SlidingJoints.of(robot, self.trains, modes.slide)
            rows = (self.S != 0)[:, self.driven].any(axis=1)
            self.to_joints, self.rubbing = np.eye(self.free.size), np.flatnonzero(rows)
        self.caused, self.is_steady = self.moving.caused, self.moving.is_steady
        self.size, self.follows = self.caused.size, self.caused.laws.size > 0
        self.constant = self._dry_friction(np.zeros(self.free.size))
        self.loses = self.trains is not None and bool((self.trains.is_dry & ~self.free).any())
        by_kernels = is_on() and self.loops is None and not friction_surfaces(robot)
        self.system = unforced_system(mechanism, modes) if by_kernels else None
        self.needs_held = bool((self.held if by_kernels else ~self.free).any())
        self.spare = None if self.system is None else self.system.joints.work.spare
        self.load_rows = load_laws(robot).rows[self.caused.laws]

    def __call__(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        motor: Array,
        acting: Array,
        wrenches: Acting,
        pushed: Array | None,
        result: Array,
    ) -> bool:
        """Compute the rates at one state; see `StateEquations`."""
        robot, layout = self.dynamics.robot, self.layout
        dry, units, sense = self.constant
        if not self.is_steady:
            dry, units, sense = self._dry_friction(qd)
        friction = self.viscous @ qd + dry
        in_joints = acting
        if self.trains is not None:
            friction += self.trains.known_mesh(acting[:, None], sense[:, None])[:, 0]
        if pushed is not None and not wrenches:
            acting = acting + pushed
        if self.follows and wrenches and self.system is None:
            return False
        cases = (motor + acting - friction)[:, None]
        if self.size:
            cases = np.concatenate([cases, cases - units], axis=1)
        at = self.instant(robot, self.dynamics.gravity, q, qd)
        qdds, efforts = self.dynamics.at_instant(at, qdd, self.held, cases, wrenches)
        qdd, effort = qdds[:, 0], efforts[:, 0]
        if self.size:
            fitting = self._fit(at, qdds, cases, motor, sense, wrenches)
            if fitting is None:
                return False
            qdd, effort = (under(x[..., None], fitting)[:, 0] for x in (qdds, efforts))
            friction += units @ fitting[:, 0]
        of_held = friction
        if self.needs_held:
            every = (motor, in_joints, motor + acting - effort)
            of_held = self._of_held(at, qdd, every, motor + acting - friction, wrenches)
        rates = qd
        if robot.balls:
            rates = position_rates(robot.balls, q[:, None], qd[:, None])[:, 0]
        result[layout.q] = rates if not self.driven.size else rates[self.free]
        if self.driven.size:
            of_driven = self.viscous @ qd if self.loops is None else friction
            of_driven = of_driven + of_held
            of_driven += self._of_trains(effort - acting + of_driven, qdd, qd, in_joints)
            friction[self.driven] = of_driven[self.driven]
            motor = motor.copy()
            motor[self.driven] = (effort - acting + friction)[self.driven]
            qdd = qdd[self.free]
        result[layout.qd] = np.where(self.at_rest, 0.0, qdd)  # an engine holds a joint to rounding
        np.multiply(motor, qd, out=result[layout.motor_work])
        np.multiply(friction, qd, out=result[layout.friction_loss])
        external = acting @ qd
        if wrenches:
            if pushed is None:
                pushed = joint_torque(robot, q[:, None], wrenches)[:, 0]
            external += pushed @ qd
        result[layout.external_work] = external
        return True

    def _dry_friction(self, qd: Array) -> tuple[Array, Array, Array]:
        """Return dry friction without load (n,), units of caused ones (n, c), and sense (n,)."""
        speed, sense = self.S @ qd[:, None], self.moving.sense(qd[:, None])
        dry = self.to_joints @ self.moving.dry(speed)[:, 0]
        if self.trains is not None:
            dry += self.trains.coulomb(sense)[:, 0]
        return dry, self.to_joints @ self.moving.units(speed)[..., 0], sense[:, 0]

    def _fit(
        self,
        at: Instant,
        qdds: Array,
        efforts: Array,
        motor: Array,
        sense: Array,
        wrenches: Acting,
    ) -> Array | None:
        """Solve for caused frictions (c, 1) from cases (n, 1 + c) without and per unit of them."""
        qd, rotor = at.qd[:, None], motor[:, None]
        if self.trains is not None:
            rotor = rotor - self.trains.rotor_friction(qd, sense[:, None])
        loads = self._loads(at, qdds, efforts, wrenches)[..., None]
        dry, failed = self.caused.solve(qdds[..., None], loads, self.S @ qd, rotor, sense[:, None])
        return None if failed >= 0 else dry

    def _loads(self, at: Instant, qdds: Array, efforts: Array, wrenches: Acting) -> Array:
        """Return the loads of the laws (k, 6, 1 + c) for accelerations and efforts (n, 1 + c)."""
        rows = self.load_rows
        if not rows.size:
            return np.empty((0, 6, 1 + self.caused.size))
        if self.loops is not None:
            return self.caused.along_axes(self._reactions(self.loops, at, qdds, efforts))
        if self.system is None:
            return at.loads(rows, qdds)
        from sim.dynamics.kernels.bodies import load_cases

        q, qd = at.robot.on_tree(at.q[:, None], at.qd[:, None])
        system, accelerations = self.system, np.ascontiguousarray((self.S @ qdds).T)
        loads = np.empty((len(accelerations), rows.size, 6))
        with applying(wrenches, system, at.robot, at.q):
            state = q.ravel(), qd.ravel(), accelerations
            load_cases(system.bodies, *state, system.applied, rows, loads)
        return loads.transpose(1, 2, 0)

    def _reactions(
        self, loops: ConstrainedDynamics, at: Instant, qdds: Array, efforts: Array
    ) -> Array:
        """Return the reactions of tree joints in closed loops in each case, (n_tree, 6, cases)."""
        q, qd, nothing = at.q[:, None], at.qd[:, None], np.zeros((at.q.size, 1))
        states = LoadedStates(q, qd, nothing, self.held, nothing, ())
        spent = at.robot.rotor_inertia[:, None] * qdds - efforts  # no joint is a follower
        cases = [list(np.hsplit(x, x.shape[1])) for x in (qdds, spent)]
        return reactions_in_loops(loops, states.repeat(qdds.shape[1]), *cases)[..., 0]

    def _of_held(
        self,
        at: Instant,
        qdd: Array,
        torques: tuple[Array, Array, Array],
        efforts: Array,
        wrenches: Acting,
    ) -> Array:
        """Return the dry friction of driven joints and of their followers, at the joints (n,).

        Kernels compute the spare friction of stuck joints too, by the `torques` (n,) of motors and
        elements, and those that hold the joints.
        """
        robot, (q, qd) = at.robot, (at.q[:, None], at.qd[:, None])
        if self.system is not None:
            from sim.dynamics.kernels.joint_rates import held_friction

            friction = np.empty(at.q.size)
            with applying(wrenches, self.system, robot, at.q):
                held_friction(self.system, at.q, at.qd, qdd, *torques, friction)
            return friction
        speed, reaction = self.S @ qd, None
        if not needs_reaction(robot):
            pass
        elif self.loops is not None:
            reaction = self._reactions(self.loops, at, qdd[:, None], efforts[:, None])
        else:
            motion = q, qd, qdd[:, None]
            reaction = newton_euler.wrenches(robot, *motion, at.gravity, wrenches).reaction
        dry = friction_torque(robot, speed, reaction) - viscous_torque(robot, speed)
        return np.asarray(self.S[self.rubbing].T @ dry[self.rubbing, 0])

    def _of_trains(self, torque: Array, qdd: Array, qd: Array, in_joints: Array) -> Array:
        """Return all but viscous friction of driven trains, for torques at the joints (n,)."""
        trains = self.trains
        if trains is None or not self.loses:
            return np.zeros_like(qd)
        links, loads, speed = torque - trains.inertia * qdd, in_joints[:, None], qd[:, None]
        viscous = trains.viscous * qd
        passed = trains.passes((links - viscous)[:, None], loads)
        return np.asarray(trains.lost_torque(passed, speed)[:, 0] - viscous)
