"""time_optimal: the path of a motion in the least time within torques and speeds.

Along a path q(s) the torque is ``tau = a(s) s'' + b(s) s'² + V(s) s' + c(s)``; TOPP-RA computes
the largest s' at the points of a grid, in several searches with viscous friction linearised.
Between the points ratings may be exceeded: the result is checked on a finer grid, and corrected by
the exact uniform scale (`sim.capacity.fit_time`). Jerk is not bounded.

References
----------
Pham and Pham, "A new approach to time-optimal path parameterization based on reachability
analysis", IEEE Transactions on Robotics 34 (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.capacity.fit_time import FitTime, fit_time
from sim.capacity.rated_motion import RatedMotion
from sim.capacity.ratings import JointRatings, Ratings
from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.recording.recording import Recording
from sim.scenario.scenario import Scenario
from sim.showing.one_line import one_line

if TYPE_CHECKING:
    from scipy.interpolate import CubicHermiteSpline

GRID, JUDGED = 1001, 4001  # points of a stretch: for the search, and for the check
AT_REST = 1e-9  # of a stretch's duration at either end, during which the robot counts as at rest
ROUNDS = 5  # searches, each with the viscous friction about the speeds of the one before
SLOW = 0.01  # of the largest speed: where the tangent of viscous friction touches at least
KNOTS = 201  # of a stretch's spline
STRAIGHT = 0.9  # cosine between two steps on a path; at a sharper turn the robot stops
STILL = 1e-9  # of the path's length: a shorter step is a rest
Index = NDArray[np.intp]
ANY = 1e6  # rad/s or m/s: speed limit of an unrated joint


@dataclass(frozen=True, eq=False)
class TimeOptimal:
    """Time-optimal motion along the path of a motion.

    Parameters
    ----------
    given : RatedMotion
        Motion that has the path.
    fit : FitTime
        Result on the grid; its scale is the correction by the check between grid points.
    stretches : int
        Number of parts of the path, between stops.
    deviation : float
        Largest distance of a joint from the given path [rad or m].
    """

    given: RatedMotion
    fit: FitTime
    stretches: int
    deviation: float

    def __repr__(self) -> str:
        return one_line(
            f"TimeOptimal of {self.given.robot.name}:",
            f"{self.duration:.6g} s instead of {self.given.duration:.6g} s",
        )

    @property
    def duration(self) -> float:
        """Time from the first rest to the last [s]."""
        return self.fit.duration

    @property
    def ok(self) -> bool:
        """Whether no rating is exceeded, by both formulations."""
        return self.fit.ok

    @property
    def motion(self) -> RatedMotion:
        """Samples of the motion, `JUDGED` per stretch."""
        fitted, r = self.fit.motion, self.fit.scale
        return RatedMotion(
            fitted.robot, fitted.t / r, fitted.q, r * fitted.qd, r**2 * fitted.qdd, fitted.gravity
        )


@checked
def time_optimal(
    subject: Scenario | Recording | RatedMotion,
    *,
    torque: JointRatings | None = None,
    speed: JointRatings | None = None,
    power: JointRatings | None = None,
) -> TimeOptimal:
    """Return the time-optimal motion along the path of a motion, from rest to rest.

    The robot stops where the path turns sharply; rests of the motion are left out. Power and motor
    curves are not part of the search, only of the subsequent check: with them the time is not
    minimal, but no rating is exceeded.

    Parameters
    ----------
    subject, torque, speed, power
        As for `fit_time`.

    Raises
    ------
    ScenarioError
        If toppra is not installed, the path cannot be run at any speed, or as for `fit_time`.
    """
    original = RatedMotion.of(subject)
    ratings = Ratings.of(original.robot, torque, speed, power)
    paths = [_spline(original.q[:, part]) for part in _stretches(original)]
    trajectories = [_fastest_motion(original, ratings, path, k) for k, path in enumerate(paths)]
    ends = np.append(0.0, np.cumsum([trajectory.duration for trajectory in trajectories]))

    def between(t: Array) -> tuple[Array, Array, Array]:
        which = np.clip(np.searchsorted(ends, t, side="right") - 1, 0, len(trajectories) - 1)
        rows = np.empty((3, len(original.q), t.size))
        for k in np.unique(which):
            here = which == k
            last = trajectories[k].duration  # in motion, since dry friction has no sign at rest
            at = np.clip(t[here] - ends[k], AT_REST * last, (1 - AT_REST) * last)
            rows[:, :, here] = [trajectories[k](at, order).T for order in range(3)]
        q, qd, qdd = rows
        return q, qd, qdd

    # at a stop the acceleration jumps
    times = [np.linspace(a, b, JUDGED) for a, b in pairwise(ends)]
    t = np.unique(np.concatenate([*times, np.nextafter(ends[1:], 0.0)]))
    motion = RatedMotion(original.robot, t, *between(t), original.gravity, between)
    fit = fit_time(motion, torque=torque, speed=speed, power=power)
    if not fit.scale:
        raise ScenarioError(
            f"The path of robot {original.robot.name!r} cannot be run at any speed: "
            f"{fit.binding.joint} exceeds its rated {fit.binding.what}"
        )
    return TimeOptimal(original, fit, len(paths), _deviation(original, paths))


def _stretches(motion: RatedMotion) -> list[Index]:
    """Return the samples of the path's parts between stops; each starts where the last ended."""
    steps = np.diff(motion.q)
    length = np.linalg.norm(steps, axis=0)
    moves = np.flatnonzero(length > STILL * length.sum())
    if not moves.size:
        raise ScenarioError(f"Robot {motion.robot.name!r} stands still and has no path")
    ways = steps[:, moves] / length[moves]
    turns = np.flatnonzero((ways[:, 1:] * ways[:, :-1]).sum(axis=0) < STRAIGHT)
    groups = np.split(moves, turns + 1)
    return [np.append(group, group[-1] + 1) for group in groups]


def _spline(q: Array) -> CubicHermiteSpline:
    """Return the path through samples over its length s, with evenly spaced knots."""
    from scipy.interpolate import CubicSpline, PchipInterpolator

    s = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(q), axis=0)))
    if s.size > KNOTS:
        even = np.linspace(0.0, s[-1], KNOTS)
        near = np.unique(np.searchsorted(s, even).clip(0, s.size - 1))
        near = np.union1d(near, [0, s.size - 1])
        s, q = s[near], q[:, near]
    if s.size < 4:
        return PchipInterpolator(s, q, axis=1)
    return CubicSpline(s, q, axis=1)


def _fastest_motion(
    motion: RatedMotion, ratings: Ratings, path: CubicHermiteSpline, number: int
) -> Any:
    """Return the motion of a stretch over time, by TOPP-RA."""
    try:
        import toppra
        from toppra.algorithm import TOPPRA
        from toppra.constraint import JointVelocityConstraint
    except ImportError:
        raise ScenarioError(
            "The minimum time along a path requires toppra: pip install 'sim[fit-time]'"
        ) from None
    speed = _own_speeds(motion, ratings)
    geometry = toppra.SplineInterpolator(path.x, path(path.x).T)
    limits = [JointVelocityConstraint(np.column_stack([-speed, speed]))]
    grid = np.linspace(path.x[0], path.x[-1], GRID)
    torque = _torque_constraint(motion, ratings) if np.isfinite(ratings.torque).any() else None
    trajectory = None
    for _ in range(ROUNDS):
        search = TOPPRA(
            limits if torque is None else [*limits, torque],
            geometry,
            gridpoints=grid,
            parametrizer="ParametrizeConstAccel",
        )
        candidate = search.compute_trajectory(0.0, 0.0)
        if torque is None or not torque.is_viscous or (candidate is None and torque.speed is None):
            trajectory = candidate
            break
        if candidate is None:
            torque.speed = torque.speed / 2
        else:
            trajectory, torque.speed = candidate, search.problem_data.sd_vec
    if trajectory is None:
        raise ScenarioError(
            f"Stretch {number + 1} of the path of robot {motion.robot.name!r} cannot be run from "
            "rest to rest within the ratings; `sim fit-time` without --optimal names the "
            "limiting rating"
        )
    return trajectory


def _own_speeds(motion: RatedMotion, ratings: Ratings) -> Array:
    """Return rated speeds of the independent joints."""
    names = motion.robot.tree_row_names
    speeds = np.array([ratings.speed[names.index(name)] for name in motion.robot.row_names])
    return np.minimum(speeds, ANY)


def _torque_constraint(motion: RatedMotion, ratings: Ratings) -> Any:
    """Return ``|a s'' + b s'² + V s' + c| <= torque`` on a grid, by two calls of the model.

    The viscous torque V s' is linearised in s'², as ``V (s'²/v + v) / 2``, about the speeds v of
    the last search, the attribute `speed` of shape (GRID,), and omitted in the first one.
    """
    from toppra.constraint import LinearConstraint, canlinear_colloc_to_interpolate

    rated = np.flatnonzero(np.isfinite(ratings.torque))
    F = np.vstack([np.eye(rated.size), -np.eye(rated.size)])
    g = np.tile(ratings.torque[rated], 2)

    class Torque(LinearConstraint):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.identical, self.n_extra_vars = True, 0
            self.speed: Array | None = None
            self.is_viscous = False

        def get_no_variables(self) -> int:
            return int(ratings.torque.size)

        get_dof = get_no_variables

        def compute_constraint_params(self, path: Any, grid: Array, *_: Any) -> tuple[Any, ...]:
            q, p, pp = (np.ascontiguousarray(path(grid, order).T) for order in (0, 1, 2))
            a = motion.parts_of(q, 0.0 * p, p)[0]
            b, V, c = motion.parts_of(q, p, pp)
            self.is_viscous = bool(V.any())
            if self.speed is not None:
                v = np.maximum(self.speed, SLOW * np.max(self.speed))
                b, c = b + V / (2 * v), c + V * v / 2
            at_points = a[rated].T, b[rated].T, c[rated].T, F, g, None, None
            return canlinear_colloc_to_interpolate(*at_points, grid, identical=True)

    return Torque()


def _deviation(motion: RatedMotion, paths: list[CubicHermiteSpline]) -> float:
    """Return the distance of the samples from the splines, at equal length of the path."""
    worst = 0.0
    for part, path in zip(_stretches(motion), paths, strict=True):
        q = motion.q[:, part]
        s = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(q), axis=0)))
        worst = max(worst, float(np.abs(path(s.clip(path.x[0], path.x[-1])) - q).max()))
    return worst
