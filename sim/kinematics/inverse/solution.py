"""Results of inverse kinematics, of one pose and along a path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.pose_error import TOLERANCE
from sim.maths.arrays import Array, Mask, frozen

CLOSED_FORMS = ("ur", "spherical_wrist", "five_axis", "palletizer")


@dataclass(frozen=True, eq=False)
class Solution:
    """Joint positions that reach the pose.

    Parameters
    ----------
    q : ndarray, shape (n,)
        The copy by whole turns that is inside the limits and nearest to the start position
        [rad or m].
    residual : float
        By how much forward kinematics of `q` misses the pose: the larger of distance [m] and
        angle [rad]; at most 1e-10.
    inside_limits : bool
    branch : str
        Its name, such as ``shoulder left, elbow up, wrist flipped``; ``general`` or ``numerical``
        without a closed form.
    singularities : tuple of str
        ``shoulder``, ``elbow``, ``wrist``, as far as the arm is there within 1e-6.
    free_joints : tuple of str
        Joints that can move while the tool keeps this pose; in a closed form they stay at the
        start position.
    """

    q: Array
    residual: float
    inside_limits: bool
    branch: str
    singularities: tuple[str, ...] = ()
    free_joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))

    @property
    def singular(self) -> bool:
        """True at a singularity."""
        return bool(self.singularities)


@dataclass(frozen=True, eq=False)
class Shortfall:
    """Distance of a pose that is out of reach from the nearest reached one.

    Parameters
    ----------
    q : ndarray, shape (n,)
        Joint positions of the nearest pose [rad or m].
    T_0e : ndarray, shape (4, 4)
        The nearest pose [m].
    distance : float
        From its position to the requested one [m].
    angle : float
        From its orientation to the requested one [rad].
    direction : ndarray, shape (3,)
        World axis of the rotation that is missing; zero if none is.
    reason : str
        What keeps the arm from the pose, with the numbers.
    """

    q: Array
    T_0e: Array
    distance: float
    angle: float
    direction: Array
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))
        object.__setattr__(self, "T_0e", frozen(self.T_0e, (4, 4)))
        object.__setattr__(self, "direction", frozen(self.direction, (3,)))


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """All solutions for one pose.

    Parameters
    ----------
    family : str
        ``ur``, ``spherical_wrist``, ``five_axis`` or ``palletizer``, solved in closed form;
        ``general``, six joints solved by elimination; ``numerical``, a search.
    solutions : tuple of Solution
        Every branch that reaches the pose, inside the joint limits or not; those of a numerical
        search are the ones that it found.
    nearest : int or None
        Index of the solution inside the limits that is the shortest way from the start
        position; None without one.
    shortfall : Shortfall or None
        Why there is no solution; None if there is one.
    is_complete : bool
        No other solution exists, inside the limits or not. Where joints are free, one position of
        each continuum is listed.
    root_count : int or None
        Number of complex solutions counted, multiplicity included; None if not counted.
    degree : int or None
        Number of complex solutions that a general pose of this arm has. A count equal to the
        degree is the evidence of completeness in the family ``general``.
    locked : str or None
        The joint of a redundant arm at whose position in the solutions the others were solved.
    """

    family: str
    solutions: tuple[Solution, ...]
    nearest: int | None
    shortfall: Shortfall | None = None
    is_complete: bool = False
    root_count: int | None = None
    degree: int | None = None
    locked: str | None = None

    @property
    def completeness(self) -> str:
        """Whether the solutions are all, and how that is known, as a sentence."""
        count = len(self.solutions)
        solutions = f"{count} solution" if count == 1 else f"{count} solutions"
        how = f"{self.root_count} of {self.degree} complex roots counted"
        if self.is_complete:
            how = "closed form" if self.root_count is None else how
            return (
                f"complete: {f'all {solutions} listed' if count else 'no solution exists'} ({how})"
            )
        if any(s.free_joints for s in self.solutions):
            how = "the pose leaves joints free"
        elif self.locked is not None:
            how = f"with {self.locked} at one position: {how}"
        elif self.root_count is None:
            how = (
                "closed form of rounded axes"
                if self.family in CLOSED_FORMS
                else "random-start search"
            )
        elif self.root_count == self.degree:
            how = "multiple roots of high order"
        return f"incomplete: {solutions} found, others may exist ({how})"


@dataclass(frozen=True, eq=False)
class FollowedPath:
    """Joint positions along a path of N poses.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        Without jumps by whole turns; where a pose is out of reach, those of a pose nearby
        [rad or m].
    branch : ndarray of int, shape (N,)
        Index into `labels`.
    labels : tuple of str
        The names of the branches.
    distance, angle : ndarray, shape (N,)
        By how much forward kinematics of `q` misses the pose [m], [rad].
    singular : ndarray of bool, shape (N,)
        Within 1e-6 of a singularity.
    inside_limits : ndarray of bool, shape (N,)
    """

    q: Array
    branch: NDArray[np.int64]
    labels: tuple[str, ...]
    distance: Array
    angle: Array
    singular: Mask
    inside_limits: Mask

    @property
    def reached(self) -> Mask:
        """Mask of the poses met within 1e-10 m and rad, shape (N,)."""
        reached: Mask = np.maximum(self.distance, self.angle) <= TOLERANCE
        return reached

    @property
    def is_possible(self) -> bool:
        """True if every pose is reached inside the joint limits."""
        return bool((self.reached & self.inside_limits).all())
