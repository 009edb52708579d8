"""fit_time: largest speed-up of a motion within all ratings, exactly.

``tau(r) = r² D + r V + C`` (`sim.capacity.rated_motion`) reaches a rating at the first root of a
quadratic polynomial for each sample and joint, power ``tau(r) r qd`` at that of a cubic one, speed
``r qd`` at that of a linear one. The least root is the result: no search, no run. The scaled motion
is checked again by Lagrange's equations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from sim.capacity.rated_motion import RatedMotion
from sim.capacity.ratings import JointRatings, Ratings
from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.first_root import first_rise_of_cubic, first_rise_of_parabola
from sim.motion.point_motion import FasterMotion
from sim.recording.recording import Recording
from sim.scenario.scenario import Scenario
from sim.showing.one_line import one_line

FASTEST = 1e6  # largest factor; larger ones count as infinite
NEAR = 1e-3  # of the least scale: samples whose neighbourhood may have a lower one
ROUNDS, FINER, MOST = 4, 20, 50  # refinement between samples: rounds, subdivisions, samples
AGREED = 1e-9  # of a rating: a larger difference of both formulations is a disagreement

What = Literal["torque", "speed", "power", "motor curve"]


@dataclass(frozen=True)
class RatingBound:
    """First rating that a joint reaches.

    Parameters
    ----------
    joint : str
    what : {"torque", "speed", "power", "motor curve"}
        The last is the line of decreasing motor torque over speed.
    value : float
        Scale or mass at which the rating is reached; infinite if it never is.
    t : float
        Time in the original motion [s].
    rating : float
        [N·m or N], [rad/s or m/s] or [W]; for a motor's curve the torque of its line at rest.
    """

    joint: str
    what: What
    value: float
    t: float
    rating: float


@dataclass(frozen=True, eq=False)
class FitTime:
    """Largest speed-up of a motion within all ratings.

    Parameters
    ----------
    motion : RatedMotion
    ratings : Ratings
    bounds : tuple of RatingBound
        First rating that each joint reaches; the lowest scale first.
    used : float
        Largest used share of any rating at that scale, by Lagrange's equations.
    """

    motion: RatedMotion
    ratings: Ratings
    bounds: tuple[RatingBound, ...]
    used: float

    def __repr__(self) -> str:
        first = self.binding
        return one_line(
            f"FitTime of {self.motion.robot.name}:",
            f"{self.scale:.6g} times as fast",
            f"{self.duration:.6g} s",
            f"{first.joint} {first.what} at {first.t:.4g} s",
        )

    @property
    def binding(self) -> RatingBound:
        """The limiting rating."""
        return self.bounds[0]

    @property
    def scale(self) -> float:
        """Speed-up factor; 0 if even the slowest motion exceeds a rating."""
        return self.binding.value

    @property
    def duration(self) -> float:
        """Duration of the motion at the largest speed [s]; infinite at a scale of 0."""
        return self.motion.duration / self.scale if self.scale else np.inf

    @property
    def ok(self) -> bool:
        """Whether a scale exists and both formulations agree on it."""
        return self.scale > 0 and abs(self.used - 1.0) <= AGREED

    @cached_property
    def scenario(self) -> Scenario:
        """Scenario of the motion at the largest speed, with the same number of samples.

        Claims and checks of the original motion do not apply to it, and are left out.

        Raises
        ------
        ScenarioError
            If the motion is not that of a scenario, or the scale is 0.
        """
        return speed_up(self.motion.scenario, self.scale)


def speed_up(scenario: Scenario | None, scale: float) -> Scenario:
    """Return a scenario whose motion runs `scale` times as fast.

    Raises
    ------
    ScenarioError
        If there is no scenario, or the scale is not positive.
    """
    if scenario is None:
        raise ScenarioError("Only the motion of a sim.Scenario can be simulated at another speed")
    return replace(
        scenario,
        motion=FasterMotion(scenario.motion, scale),
        duration=scenario.duration / scale,
        dt=scenario.dt / scale,
        claims=(),
        reference=None,
        path=None,
        path_tolerance=None,
    )


@checked
def fit_time(
    subject: Scenario | Recording | RatedMotion,
    *,
    torque: JointRatings | None = None,
    speed: JointRatings | None = None,
    power: JointRatings | None = None,
) -> FitTime:
    """Return the largest speed-up r such that no r' <= r exceeds a rating at any time.

    Parameters
    ----------
    subject : Scenario, Recording or RatedMotion
        For a scenario, times between its samples count too.
    torque, speed, power : mapping of str to float, optional
        Ratings by joint that replace those of the URDF [N·m or N], [rad/s or m/s], [W].

    Raises
    ------
    ScenarioError
        If nothing moves, nothing is rated, a rating is not positive, or a term does not scale with
        the motion.
    """
    motion = RatedMotion.of(subject)
    ratings = Ratings.of(motion.robot, torque, speed, power)
    if not motion.qd.any():
        raise ScenarioError(f"Robot {motion.robot.name!r} stands still: no speed limit exists")
    bounds = _bounds(motion, ratings)
    if motion.between is not None:
        bounds = _look_between(motion, ratings, bounds)
    bounds.sort(key=lambda bound: bound.value)
    scale = bounds[0].value
    if not np.isfinite(scale):
        raise ScenarioError(
            f"No rating of robot {motion.robot.name!r} limits this motion; not rated: "
            f"{', '.join(ratings.missing(motion.robot)) or 'nothing'}"
        )
    there = _motion_around(motion, bounds[0].t)
    return FitTime(motion, ratings, tuple(bounds), shares_used(there, ratings, scale))


def _bounds(motion: RatedMotion, ratings: Ratings) -> list[RatingBound]:
    """Return the first ratings that the joints reach at the samples of a motion."""
    bounds = []
    for what, names, scales, rated in _scales(motion, ratings):
        for row, name in enumerate(names):
            k = int(np.argmin(scales[row]))
            t = float(motion.t[k])
            bounds.append(RatingBound(name, what, float(scales[row, k]), t, float(rated[row])))
    return _first_of_joints(bounds)


def _first_of_joints(bounds: list[RatingBound]) -> list[RatingBound]:
    """Return the lowest bound of each joint."""
    first: dict[str, RatingBound] = {}
    for bound in bounds:
        if bound.joint not in first or bound.value < first[bound.joint].value:
            first[bound.joint] = bound
    return list(first.values())


def _scales(
    motion: RatedMotion, ratings: Ratings
) -> list[tuple[What, tuple[str, ...], Array, Array]]:
    """Return the first scale at which each joint reaches each kind of rating at each sample."""
    D, V, C = motion.parts
    robot, qd = motion.robot, motion.qd
    (qd_tree,) = robot.on_tree(motion.q, qd)[1:]
    limit = np.broadcast_to(ratings.torque[:, None], D.shape)
    with np.errstate(divide="ignore"):
        by_speed = ratings.speed[:, None] / np.abs(qd_tree)
    by_torque = np.minimum(
        first_rise_of_parabola(D, V, C - limit), first_rise_of_parabola(-D, -V, -C - limit)
    )
    scales: list[tuple[What, tuple[str, ...], Array, Array]] = [
        ("speed", robot.tree_row_names, by_speed, ratings.speed),
        ("torque", robot.row_names, by_torque, ratings.torque),
    ]
    if np.isfinite(ratings.level).any():
        level = np.broadcast_to(ratings.level[:, None], D.shape)
        fall = ratings.slope[:, None] * np.abs(qd)
        by_line = np.minimum(
            first_rise_of_parabola(D, V + fall, C - level),
            first_rise_of_parabola(-D, -V + fall, -C - level),
        )
        scales.append(("motor curve", robot.row_names, by_line, ratings.level))
    rated = np.isfinite(ratings.power)
    if rated.any():
        high = np.minimum(by_torque.min(axis=1, keepdims=True), FASTEST)[rated]
        by_power = np.full_like(D, np.inf)
        P = np.broadcast_to(ratings.power[rated, None], D[rated].shape)
        a, b, c = (x[rated] * qd[rated] for x in (D, V, C))
        ups = [first_rise_of_cubic(s * a, s * b, s * c, -P, high) for s in (1.0, -1.0)]
        by_power[rated] = np.minimum(*ups)
        scales.append(("power", robot.row_names, by_power, ratings.power))
    return scales


def _look_between(
    motion: RatedMotion, ratings: Ratings, bounds: list[RatingBound]
) -> list[RatingBound]:
    """Return bounds that include lower ones between samples, near the lowest."""
    width = float(np.diff(motion.t).max())
    scales = np.min([of_kind.min(axis=0) for _, _, of_kind, _ in _scales(motion, ratings)], axis=0)
    t = motion.t
    for _ in range(ROUNDS):
        near = np.flatnonzero(scales <= (1 + NEAR) * scales.min())
        near = near[np.argsort(scales[near], kind="stable")][:MOST]
        offsets = width * np.linspace(-1, 1, 2 * FINER + 1)
        t = np.unique(np.clip(t[near][:, None] + offsets, motion.t[0], motion.t[-1]))
        there = motion.at(t)
        bounds = _first_of_joints([*bounds, *_bounds(there, ratings)])
        scales = np.min(
            [of_kind.min(axis=0) for _, _, of_kind, _ in _scales(there, ratings)], axis=0
        )
        width /= FINER
    return bounds


def _motion_around(motion: RatedMotion, t: float) -> RatedMotion:
    """Return the motion near a time `t`: its samples and `t`."""
    if motion.between is None or (motion.t == t).any():
        return motion
    return motion.at(np.union1d(motion.t, [t]))


def shares_used(motion: RatedMotion, ratings: Ratings, scale: float) -> float:
    """Return the largest used share of any rating at a scale, by Lagrange's equations."""
    qd = scale * motion.qd
    tau = motion.torque_by_lagrange(motion.q, qd, scale**2 * motion.qdd)
    (qd_tree,) = motion.robot.on_tree(motion.q, qd)[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (
            np.abs(tau) / ratings.torque[:, None],
            np.abs(qd_tree) / ratings.speed[:, None],
            np.abs(tau * qd) / ratings.power[:, None],
            np.abs(tau) / ratings.line(qd),
        )
    return float(max(np.nanmax(share) for share in shares))
