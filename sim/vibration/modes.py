"""Modes of a robot whose drives are elastic: frequencies, damping, shapes.

    (s² M + s D + K) φ = 0,      s = -ζ ω ± i ω √(1 - ζ²),      f = |s| / 2π

about a pose at rest. A robot that moves has slowly changing modes; those of each pose are what is
meant by its natural frequencies as long as they are fast against the motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.linearise import LinearSystem, linearise
from sim.maths.arrays import Array, frozen
from sim.robots.robot import Robot
from sim.showing.one_line import one_line
from sim.vibration.elastic_drives import (
    ElasticDrives,
    PerJoint,
    elastic_drives,
    require_moving,
    require_pose,
)

REAL = 1e-9  # of |s|: an imaginary part below is rounding of a double root


@dataclass(frozen=True)
class Mode:
    """One motion δq = Re φ eˢᵗ.

    Parameters
    ----------
    root : complex
        s [1/s]; of a pair that with Im s > 0.
    shape : mapping of str to complex
        φ by joint that gives way, its largest 1.
    """

    root: complex
    shape: Mapping[str, complex]

    @property
    def frequency(self) -> float:
        """|s| / 2π [Hz], the natural frequency without damping; zero of what only decays."""
        return abs(self.root) / (2 * np.pi) if self.oscillates else 0.0

    @property
    def damping_ratio(self) -> float:
        """-Re s / |s|, 1 and more never oscillates; not a number of a motion that goes nowhere."""
        return float(-self.root.real / abs(self.root)) if self.root else float("nan")

    @property
    def oscillates(self) -> bool:
        """Whether it goes to and fro."""
        return self.root.imag > 0

    @property
    def runs_away(self) -> bool:
        """Whether it grows: weight overcomes the stiffness."""
        return self.root.real > REAL * abs(self.root)


@dataclass(frozen=True, eq=False)
class Modes:
    """All modes about one pose, the slowest first.

    Parameters
    ----------
    drives : ElasticDrives
    q : ndarray, shape (n,)
        The pose [rad or m].
    t : float
        When, of a run [s].
    gravity : tuple of float
        [m/s²]
    system : LinearSystem
        One sample.
    modes : tuple of Mode
    """

    drives: ElasticDrives
    q: Array
    t: float
    gravity: Gravity
    system: LinearSystem
    modes: tuple[Mode, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))

    def __repr__(self) -> str:
        shown = ", ".join(f"{f:.4g}" for f in self.frequency)
        return one_line(f"Modes of {self.drives.robot.name}:", f"{shown} Hz")

    @property
    def frequency(self) -> Array:
        """Natural frequencies without damping, ascending, (m,) [Hz]; see `natural_frequencies`."""
        return natural_frequencies(self.system)[:, 0]


def modes(
    robot: Robot,
    q: ArrayLike,
    stiffness: PerJoint | None = None,
    damping: PerJoint | None = None,
    gravity: Gravity = GRAVITY,
) -> Modes:
    """Modes of a robot at rest in a pose, its drives elastic.

    Springs and dampers in joints and viscous friction count too; dry friction and stops do not.

    Parameters
    ----------
    q : array_like, shape (n,)
        The pose [rad or m].
    stiffness, damping : mapping of str to float, or float, optional
        Of the drives, by joint [N·m/rad or N/m], [N·m·s/rad or N·s/m]; one number is for all.
        Joints with neither stiffness nor spring are rigid.
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ScenarioError
        If a joint or a number cannot be, if no joint gives way, if one that does moves no
        inertia, or if loops position joints.
    """
    drives = elastic_drives(robot, stiffness, damping)
    return modes_at(drives, require_pose(robot, q), gravity)


def modes_at(drives: ElasticDrives, q: Array, gravity: Gravity, t: float = 0.0) -> Modes:
    """Modes of elastic drives at one pose (n, 1), with forces as they are at `t` [s]."""
    require_moving(drives, t, q)
    when = np.array([t])
    system = linearise(
        drives.elements, q, drives.loose, drives.stiffness, drives.damping, gravity, when
    )
    found = _modes(system.joints, first_order(system))
    return Modes(drives, q[:, 0], t, gravity, system, found)


def first_order(system: LinearSystem) -> Array:
    """A of d/dt (δq, δqd) = A (δq, δqd), of the first sample, (2 m, 2 m)."""
    M, D, K = (each[..., 0] for each in (system.M, system.D, system.K))
    m = len(M)
    A = np.zeros((2 * m, 2 * m))
    A[:m, m:] = np.eye(m)
    A[m:] = -np.linalg.solve(M, np.hstack([K, D]))
    return A


def roots_of(A: Array) -> tuple[Array, Array]:
    """Eigenvalues with Im s >= 0, ascending by size, and of their vectors δq, (m, modes)."""
    values, vectors = np.linalg.eig(A)
    size = np.abs(values).max()
    values = np.where(np.abs(values.imag) <= REAL * size, values.real, values)
    keep = values.imag >= 0
    order = np.argsort(np.abs(values[keep]), kind="stable")
    return values[keep][order], vectors[: len(A) // 2, keep][:, order]


def _modes(joints: tuple[str, ...], A: Array) -> tuple[Mode, ...]:
    roots, vectors = roots_of(A)
    found = []
    for root, vector in zip(roots, vectors.T, strict=True):
        shape = vector / vector[np.argmax(np.abs(vector))]
        by_joint = dict(zip(joints, map(complex, shape), strict=True))
        found.append(Mode(complex(root), by_joint))
    return tuple(found)


def natural_frequencies(system: LinearSystem) -> Array:
    """√λ / 2π of K φ = λ M φ, without damping, ascending, (m, N) [Hz].

    Not a number where weight overcomes the stiffness and the joints run away.
    """
    M, K = (np.moveaxis(each, -1, 0) for each in (system.M, system.K))
    L = np.linalg.inv(np.linalg.cholesky(M))
    symmetric = L @ (K + np.swapaxes(K, 1, 2)) @ np.swapaxes(L, 1, 2) / 2
    values = np.linalg.eigvalsh(symmetric).T
    return np.sqrt(np.where(values < 0, np.nan, values)) / (2 * np.pi)
