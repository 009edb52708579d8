"""Records of what a motion gives at samples: efforts, works, energies, and the motion itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array, Mask
from sim.maths.samples import Sampled
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.control_loop import ControlLog


@dataclass(frozen=True, eq=False)
class Efforts(Sampled):
    """Efforts of the drives of the independent joints, and what friction takes of them [N·m or N].

    Parameters
    ----------
    tau : ndarray, shape (n, N)
        Torque of each joint's motor, zero without one; of a joint with a drive train what its gear
        gives the link.
    friction : ndarray, shape (n, N)
        What friction in the joint takes; at a stuck joint what holds it.
    train : ndarray, shape (n, N), or (0, N) where no joint has a drive train
        What motor and gear lose of the motor's torque before it is `tau`.
    """

    tau: Array
    friction: Array
    train: Array

    def at_motors(self, robot: Robot, qdd: Array) -> Array:
        """N tau_m: what gears give the links, what trains lose and the rotors take, (n, N)."""
        return self.tau + self.train + robot.rotor_inertia[:, None] * qdd

    def powers(self, robot: Robot, motion: Trajectory, loads: Array) -> Array:
        """Power of each motor, lost in each joint, and of all force elements, (2 n + 1, N) [W].

        `loads` (n, N) are the joint torques of the force elements.
        """
        motor, losses, qd = self.tau, self.friction, motion.qd
        if self.train.size:
            motor, losses = self.at_motors(robot, motion.qdd), self.friction + self.train
        external = np.sum(loads * qd, axis=0)
        return np.concatenate([motor * qd, losses * qd, external[None]])


@dataclass(frozen=True, eq=False)
class Works(Sampled):
    """Energies transferred since the start [J].

    Parameters
    ----------
    work : ndarray, shape (n, N)
        Work of each drive, ∫ tau qd dt; for a joint with a drive train that of the motor.
    loss : ndarray, shape (n, N)
        Dissipated by friction in each joint and its drive train.
    external : ndarray, shape (N,)
        Work of force elements, less the energy that they store.
    stored : ndarray, shape (N,), or None
        Energy in the force elements at each time; None where none stores any.
    """

    work: Array
    loss: Array
    external: Array
    stored: Array | None = None

    def with_stored(self, stored: Array | None) -> Works:
        """Return the works with stored energy separated from `external`, which had included it."""
        if stored is None:
            return self
        return replace(self, external=self.external + (stored - stored[0]), stored=stored)


@dataclass(frozen=True, eq=False, kw_only=True)
class Drives(Efforts):
    """Efforts and works of the drives, and the states of force elements and motors' laws.

    Parameters
    ----------
    friction_tree : ndarray, shape (n_tree, N), or None
        Friction at each tree joint, if a closed loop feels it [N·m or N].
    works : Works
    element_states, actuator_states : ndarray, shape (states, N)
        States of the force elements, and of the motors' laws.
    singular_times : tuple of float
        Times of all singular poses of closed loops that a solver passed in the run [s].
    control : ControlLog, optional
        Log of a sampled controller.
    """

    friction_tree: Array | None
    works: Works
    element_states: Array
    actuator_states: Array
    singular_times: tuple[float, ...] = ()
    control: ControlLog | None = None

    def on(self, motion: Trajectory) -> MotionSamples:
        """The drives together with the prescribed motion to which they belong."""
        none = np.zeros(motion.q.shape, dtype=bool)
        return MotionSamples(**vars(motion), **vars(self), stuck=none)


@dataclass(frozen=True, eq=False, kw_only=True)
class MotionSamples(Drives, Trajectory):
    """Motion of the independent joints with its drives.

    At a jump the values are those after it.

    Parameters
    ----------
    stuck : ndarray of bool, shape (n, N)
        Whether dry friction holds a free joint.
    """

    stuck: Mask


@dataclass(frozen=True, eq=False)
class EnergySamples(Sampled):
    """Energies and tool motion at N states.

    Parameters
    ----------
    ke, pe : ndarray, shape (links, N)
        Kinetic and potential energy of each link in `links` [J].
    links : tuple of str
    tool : ndarray, shape (13, N) or None
        x y z [m], qx qy qz qw, vx vy vz [m/s], wx wy wz [rad/s] of the tool frame in the world.
    """

    ke: Array
    pe: Array
    links: tuple[str, ...]
    tool: Array | None
