"""Motion, drives and works at the samples of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sim.dynamics.control_loop import ControlLog
from sim.maths.arrays import Array, Mask
from sim.maths.samples import Sampled


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
class Drives(Sampled):
    """Drives of the independent joints over the whole run, and their works.

    Parameters
    ----------
    tau : ndarray, shape (n, N)
        Torque of each joint's motor, zero without one; for a joint with a drive train the torque of
        its gear on the link [N·m or N].
    friction : ndarray, shape (n, N)
        Friction in the joint; for a stuck joint the holding friction [N·m or N].
    train : ndarray, shape (n, N), or (0, N) where no joint has a drive train
        Losses of motor and gear, at the joint [N·m or N].
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

    tau: Array
    friction: Array
    train: Array
    friction_tree: Array | None
    works: Works
    element_states: Array
    actuator_states: Array
    singular_times: tuple[float, ...] = ()
    control: ControlLog | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class HybridMotion(Drives):
    """Motion, torques and works of the independent joints at the sample times.

    At a jump the values are those after it.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    stuck : ndarray of bool, shape (n, N)
        Whether dry friction holds a free joint.
    """

    q: Array
    qd: Array
    qdd: Array
    stuck: Mask
