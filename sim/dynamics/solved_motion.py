"""Drives, works and motion over the samples of a run."""

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
        By each drive: ∫ tau qd dt; of a joint with a drive train that of the motor.
    loss : ndarray, shape (n, N)
        Spent on friction in each joint and its drive train.
    external : ndarray, shape (N,)
        By force elements, less what they store.
    stored : ndarray, shape (N,), or None
        Energy in the force elements at each time; None where none stores any.
    """

    work: Array
    loss: Array
    external: Array
    stored: Array | None = None

    def with_stored(self, stored: Array | None) -> Works:
        """The same where `external` had all that force elements did, of which some is stored."""
        if stored is None:
            return self
        return replace(self, external=self.external + (stored - stored[0]), stored=stored)


@dataclass(frozen=True, eq=False, kw_only=True)
class Drives(Sampled):
    """What drives the independent joints over the whole run, and what that does.

    Parameters
    ----------
    tau : ndarray, shape (n, N)
        Torque of each joint's motor, zero without one; of a joint with a drive train what its gear
        gives the link [N·m or N].
    friction : ndarray, shape (n, N)
        What friction in the joint takes; at a stuck joint what holds it [N·m or N].
    train : ndarray, shape (n, N), or (0, N) where no joint has a drive train
        What motor and gear lose, at the joint [N·m or N].
    friction_tree : ndarray, shape (n_tree, N), or None
        What friction takes at each tree joint, where a closed loop feels it [N·m or N].
    works : Works
    element_states, actuator_states : ndarray, shape (states, N)
        The force elements' own, and those of motors' laws.
    singular_times : tuple of float
        When a solver took closed loops across a singular pose, in the whole run [s].
    control : ControlLog, optional
        What a sampled controller did.
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

    Where something jumps at a sample, its values are those after the jump.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    stuck : ndarray of bool, shape (n, N)
        Where dry friction holds a free joint.
    """

    q: Array
    qd: Array
    qdd: Array
    stuck: Mask
