"""One-time analysis of a six-joint arm: its degree, and the best elimination.

The degree is the number of complex inverse-kinematics solutions of a general pose, with
multiplicity: 16 for a general chain of six hinges, 8 or 12 for special ones. Comparing it with the
count at every pose shows whether a solution is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.elimination import ASSIGNMENTS, Assignment
from sim.kinematics.inverse.joint_axes import JointAxes, displacement, least_singular_value
from sim.kinematics.inverse.roots import empty_roots, is_close, polished_roots
from sim.maths.arrays import Array

MOST = 16  # solutions of a pose for six revolute joints, or five and a prismatic one
_SAMPLES = 6
_SEED = 3
_STUCK = 1e-9  # least singular value of a chain that moves in fewer than six directions


@dataclass(frozen=True, eq=False)
class GeneralArm:
    """A chain of six joints in units of its size.

    Parameters
    ----------
    axes : JointAxes
        Axes about `centre`, lengths divided by `size`.
    degree : int
        Number of complex solutions of a general pose; 0 if unknown.
    assignments : tuple of Assignment
        Assignments, the best first; empty if the degree is unknown.
    near_degree : int
        Number of `Roots.near_counts` of most poses. An arm that nearly has a closed form, such as a
        calibrated one, has other roots far from all real ones, some of them infinite at special
        poses; for other arms it is the degree.
    size : float
        [m]
    centre : ndarray, shape (3,)
        A point near the axes [m].
    """

    axes: JointAxes
    degree: int
    assignments: tuple[Assignment, ...]
    near_degree: int
    size: float
    centre: Array

    def in_arm_units(self, G: Array) -> Array:
        """Convert displacements (N, 4, 4) to the arm's units."""
        out = G.copy()
        out[..., :3, 3] = (G[..., :3, 3] + G[..., :3, :3] @ self.centre - self.centre) / self.size
        return out

    def in_metres(self, q: Array) -> Array:
        """Convert prismatic positions of (..., 6) to metres."""
        return np.where(self.axes.slides, q * self.size, q)


def study_arm(axes: JointAxes) -> GeneralArm | None:
    """Find an arm's degree, and the assignments that give all of its roots.

    Each of the 36 assignments solves six random poses. Six revolute joints, or five and a prismatic
    one, have at most 16 solutions (Raghavan, Roth 1993), so 16 distinct roots are complete. A
    smaller degree is accepted if at every pose two assignments find that number of roots, and all
    36 together find no other.

    Returns
    -------
    GeneralArm or None
        None if the joints cannot move the frame in all six directions.
    """
    unit, size, centre = _in_units(axes)
    rng = np.random.default_rng(_SEED)
    q = rng.uniform(-np.pi, np.pi, (_SAMPLES, 6))
    q = np.where(axes.slides, rng.uniform(-1, 1, (_SAMPLES, 6)), q)
    if least_singular_value(unit, q).max() < _STUCK:
        return None
    G = displacement(unit, q)[0]
    union = empty_roots(_SAMPLES)
    trials: list[_Trial] = []
    for assignment in ASSIGNMENTS:
        if axes.slides[assignment.order[5]]:
            continue  # the flag of a prismatic axis does not depend on its position
        roots = polished_roots(unit, G, assignment)
        union = union.merge(unit, roots)
        if is_close(unit, roots, q).all():
            near = (np.abs(roots.q.imag).max(-1) < 1) & (roots.times > 0)
            trials.append(_Trial(assignment, roots.counts, roots.rough[near].max(initial=0.0)))
    degree = int(union.counts.max())
    is_general = degree >= MOST and axes.slides.sum() <= 1
    if is_general:
        degree = MOST
    good = [trial for trial in trials if trial.counts.min() >= degree]
    is_known = is_general or (len(good) > 1 and (union.counts == degree).all())
    if not is_known:
        return GeneralArm(unit, 0, (), 0, size, centre)
    good.sort(key=lambda trial: trial.rough)
    rest = [trial for trial in trials if trial.counts.min() < degree]
    rest.sort(key=lambda trial: -int(trial.counts.sum()))
    # the first ones differ in more than the hidden joint
    orders = [trial.assignment.order for trial in good]
    rank = [orders[:k].count(order) for k, order in enumerate(orders)]
    chosen = [good[k] for k in np.argsort(rank, kind="stable")] + rest
    near = union.near_counts
    near = near[near >= 0]
    is_apart = 2 * len(near) >= _SAMPLES and bool((near == near[0]).all())
    near_degree = int(near[0]) if is_apart else degree
    return GeneralArm(unit, degree, tuple(t.assignment for t in chosen), near_degree, size, centre)


@dataclass(frozen=True, eq=False)
class _Trial:
    """Results of one assignment at the samples: root counts, and the worst unpolished residual."""

    assignment: Assignment
    counts: NDArray[np.int64]
    rough: float


def _in_units(axes: JointAxes) -> tuple[JointAxes, float, Array]:
    """Return the axes about a point near them, in units of the arm's size."""
    h = axes.h
    c = axes.c - (axes.c * h).sum(-1, keepdims=True) * h
    centre = c[~axes.slides].mean(axis=0) if (~axes.slides).any() else np.zeros(3)
    c = c - centre
    c = c - (c * h).sum(-1, keepdims=True) * h
    size = max(float(np.linalg.norm(c, axis=-1).max()), 1e-9)
    return JointAxes(h, c / size, axes.slides), size, centre
