"""Prescribed parts of a motion, as the equations of motion use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sim.maths.arrays import Array, Mask
from sim.robots.actuation import Actuation


class Prescription(Protocol):
    """Prescribed motion; see `sim.motion.joint_path.JointPath`."""

    @property
    def motion(self) -> Callable[[Array], tuple[Array, Array, Array]]:
        """Times (N,) -> q, qd, qdd, (n, N) each; rows of free joints are unused."""
        ...

    @property
    def free(self) -> Mask:
        """Mask of joints whose motion is not prescribed, shape (n,)."""
        ...

    def during(self, t: float) -> Prescription:
        """Return the prescription valid at a time [s]; it changes where drives are switched."""
        ...

    @property
    def q0(self) -> Array:
        """Start positions of the free joints, shape (n,)."""
        ...

    @property
    def qd0(self) -> Array:
        """Start velocities of the free joints, shape (n,)."""
        ...

    @property
    def corners(self) -> Array:
        """Times at which a prescribed quantity is not smooth [s]."""
        ...

    @property
    def actuation(self) -> Actuation | None:
        """Torques of motors on free joints; None without motors."""
        ...
