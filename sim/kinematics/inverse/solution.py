"""Results of inverse kinematics, for one pose and along a path."""

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
        The copy by whole turns that is inside the limits and nearest to the start position [rad or
        m].
    residual : float
        Residual of forward kinematics of `q`: the larger of distance [m] and angle [rad]; at most
        1e-10.
    inside_limits : bool
    branch : str
        Name of the branch, such as ``shoulder left, elbow up, wrist flipped``; ``general`` or
        ``numerical`` without a closed form.
    singularities : tuple of str
        ``shoulder``, ``elbow``, ``wrist``: those at which the arm is, within 1e-6.
    free_joints : tuple of str
        Joints that can move while the tool keeps this pose; in a closed form they stay at the start
        position.
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
        """Whether the solution is at a singularity."""
        return bool(self.singularities)


@dataclass(frozen=True, eq=False)
class Shortfall:
    """Nearest reachable pose to one that is out of reach, and its distance.

    Parameters
    ----------
    q : ndarray, shape (n,)
        Joint positions of the nearest pose [rad or m].
    T_0e : ndarray, shape (4, 4)
        Nearest pose [m].
    distance : float
        Distance from its position to the requested one [m].
    angle : float
        Angle from its orientation to the requested one [rad].
    direction : ndarray, shape (3,)
        World axis of the missing rotation; zero if none is missing.
    length : float
        Distance that counts as 1 rad of rotation [m].
    reason : str
        Reason why the arm cannot reach the pose, with numbers.
    """

    q: Array
    T_0e: Array
    distance: float
    angle: float
    direction: Array
    length: float
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
        ``general``, solved by elimination; ``spherical_shoulder``, seven joints in closed form at
        one position of the third; ``numerical``, a search.
    solutions : tuple of Solution
        Every branch that reaches the pose, inside the joint limits or not; for a numerical search,
        those that it found.
    nearest : int or None
        Index of the solution inside the limits with the shortest way from the start position; None
        without one.
    shortfall : Shortfall or None
        Reason why there is no solution; None if there is one.
    is_complete : bool
        Whether no other solution exists, inside the limits or not. If joints are free, one position
        of each continuum is listed.
    root_count : int or None
        Number of complex solutions found, with multiplicity; None if not counted.
    degree : int or None
        Number of complex solutions of a general pose of this arm. In the family ``general``, a
        count equal to the degree is the evidence of completeness.
    locked : str or None
        Joint of a redundant arm that was locked at its position in the solutions.
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
        """State in a sentence whether the solutions are complete, and why."""
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
            how = "closed form" if self.root_count is None else how
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
        Without jumps by whole turns; if a pose is out of reach, those of a nearby pose [rad or m].
    branch : ndarray of int, shape (N,)
        Index into `labels`.
    labels : tuple of str
        Names of the branches.
    distance, angle : ndarray, shape (N,)
        Residuals of forward kinematics of `q` [m], [rad].
    singular : ndarray of bool, shape (N,)
        Whether within 1e-6 of a singularity.
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
        """Mask of the poses reached within 1e-10 m and rad, shape (N,)."""
        reached: Mask = np.maximum(self.distance, self.angle) <= TOLERANCE
        return reached

    @property
    def is_possible(self) -> bool:
        """True if every pose is reached inside the joint limits."""
        return bool((self.reached & self.inside_limits).all())
