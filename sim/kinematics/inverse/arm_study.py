"""What is known of a six-joint arm after looking at it once: its degree, and how to eliminate.

The degree is the number of complex inverse-kinematics solutions of a general pose, multiplicity
included: 16 for a general chain of six hinges, 8 or 12 for special ones. Counting it at every pose
is the witness that no solution is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.inverse.elimination import ASSIGNMENTS, Assignment
from sim.kinematics.inverse.joint_axes import JointAxes, displacement, least_singular_value
from sim.kinematics.inverse.roots import is_close, polished_roots
from sim.maths.arrays import Array

_SAMPLES = 6
_SEED = 3
_STUCK = 1e-9  # least singular value of a chain that moves in fewer than six directions


@dataclass(frozen=True, eq=False)
class GeneralArm:
    """A chain of six joints in units of its size.

    Parameters
    ----------
    axes : JointAxes
        About `centre`, lengths divided by `size`.
    degree : int
        Number of complex solutions of a general pose; 0 if unknown.
    assignments : tuple of Assignment
        Those that give all roots, the most accurate first; empty if no two agree.
    is_steady : bool
        Every one of them counts the degree at every sample.
    size : float
        [m]
    centre : ndarray, shape (3,)
        A point near the axes [m].
    """

    axes: JointAxes
    degree: int
    assignments: tuple[Assignment, ...]
    is_steady: bool
    size: float
    centre: Array

    def scaled(self, G: Array) -> Array:
        """Displacements (N, 4, 4) in the arm's units."""
        out = G.copy()
        out[..., :3, 3] = (G[..., :3, 3] + G[..., :3, :3] @ self.centre - self.centre) / self.size
        return out

    def in_metres(self, q: Array) -> Array:
        """Joint positions (..., 6) with slides in metres."""
        return np.where(self.axes.slides, q * self.size, q)


def study_arm(axes: JointAxes) -> GeneralArm | None:
    """Find an arm's degree, and the assignments that give all its roots.

    Each of the 36 assignments solves six random poses. The degree is the largest count that
    an assignment has at every pose, the positions that the poses were made from included; a second
    assignment has to agree.

    Returns
    -------
    GeneralArm or None
        None if the joints never move the frame in all six directions.
    """
    unit, size, centre = _in_units(axes)
    rng = np.random.default_rng(_SEED)
    q = rng.uniform(-np.pi, np.pi, (_SAMPLES, 6))
    q = np.where(axes.slides, rng.uniform(-1, 1, (_SAMPLES, 6)), q)
    if least_singular_value(unit, q).max() < _STUCK:
        return None
    G = displacement(unit, q)[0]
    trials = []
    for assignment in ASSIGNMENTS:
        if axes.slides[assignment.order[5]]:
            continue  # the flag of a slide's axis does not tell how far it slides
        roots = polished_roots(unit, G, assignment)
        if not is_close(unit, roots, q).all():
            continue
        near = (np.abs(roots.q.imag).max(-1) < 1) & (roots.times > 0)
        trials.append((roots.counts, roots.rough[near].max(initial=0.0), assignment))
    # an assignment that agrees with itself only is no witness
    least = [int(counts.min()) for counts, _, _ in trials]
    largest = [int(counts.max()) for counts, _, _ in trials]
    stable = [low for low, high in zip(least, largest, strict=True) if low == high]
    degree = max(stable, default=0)
    degree = degree if stable.count(degree) > 1 else 0
    good = [t for t, low in zip(trials, least, strict=True) if degree and low >= degree]
    good.sort(key=lambda trial: trial[1])
    # the first ones differ in more than the hidden joint
    orders = [trial[2].order for trial in good]
    rank = [orders[:k].count(order) for k, order in enumerate(orders)]
    chosen = tuple(good[k][2] for k in np.argsort(rank, kind="stable"))
    steady = all((counts == degree).all() for counts, _, _ in good)
    return GeneralArm(unit, degree, chosen, steady, size, centre)


def _in_units(axes: JointAxes) -> tuple[JointAxes, float, Array]:
    """The axes about a point near them, in units of the arm's size."""
    h = axes.h
    c = axes.c - (axes.c * h).sum(-1, keepdims=True) * h
    centre = c[~axes.slides].mean(axis=0) if (~axes.slides).any() else np.zeros(3)
    c = c - centre
    c = c - (c * h).sum(-1, keepdims=True) * h
    size = max(float(np.linalg.norm(c, axis=-1).max()), 1e-9)
    return JointAxes(h, c / size, axes.slides), size, centre
