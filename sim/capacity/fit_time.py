"""fit_time: how many times as fast a motion may run within all ratings, exactly.

``tau(r) = r² D + r V + C`` (`sim.capacity.rated_motion`) meets a rating at the first root of a
parabola for each sample and joint, power ``tau(r) r qd`` at that of a cubic, speed ``r qd`` at that
of a line. The least of all is the answer: no search, no run. The scaled motion is judged again by
Lagrange's equations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from sim.capacity.rated_motion import RatedMotion
from sim.capacity.ratings import PerJoint, Ratings
from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.maths.first_root import first_rise_of_cubic, first_rise_of_parabola
from sim.motion.faster_motion import FasterMotion
from sim.recording.recording import Recording
from sim.scenario.scenario import Scenario
from sim.showing.one_line import one_line

FASTEST = 1e6  # times as fast; what is not reached by then is not reached
NEAR = 1e-3  # of the least scale: samples whose neighbourhood may have a lower one
ROUNDS, FINER, MOST = 4, 20, 50  # looks between samples: how many, how much finer, at how many
AGREED = 1e-9  # of a rating: more between both formulations is a disagreement

What = Literal["torque", "speed", "power", "motor curve"]


@dataclass(frozen=True)
class RatingBound:
    """First rating that a joint meets.

    Parameters
    ----------
    joint : str
    what : {"torque", "speed", "power", "motor curve"}
        The last is the line on which a motor's torque falls with its speed.
    value : float
        Scale or mass at which it does; infinite where it never does.
    t : float
        In the motion as it is [s].
    rating : float
        [N·m or N], [rad/s or m/s] or [W]; of a motor's curve the torque at rest by its line.
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
        What each joint meets first; the lowest scale first.
    used : float
        Largest share of any rating at that scale, by Lagrange's equations.
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
        """True if a scale exists and both formulations agree on it."""
        return self.scale > 0 and abs(self.used - 1.0) <= AGREED

    @cached_property
    def scenario(self) -> Scenario:
        """Scenario of the motion at the largest speed, with the same number of samples.

        What it claims, and what it is judged by, holds of the motion as it was, and is left out.

        Raises
        ------
        ScenarioError
            If the motion is not that of a scenario, or the scale is 0.
        """
        return faster(self.motion.scenario, self.scale)


def faster(scenario: Scenario | None, scale: float) -> Scenario:
    """A scenario whose motion runs `scale` times as fast.

    Raises
    ------
    ScenarioError
        If there is no scenario, or the scale is not above 0.
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


def fit_time(
    subject: Scenario | Recording | RatedMotion,
    *,
    torque: PerJoint | None = None,
    speed: PerJoint | None = None,
    power: PerJoint | None = None,
) -> FitTime:
    """Largest speed-up r of a motion such that no r' <= r exceeds a rating at any time.

    Parameters
    ----------
    subject : Scenario, Recording or RatedMotion
        Of a scenario what is between its samples counts too.
    torque, speed, power : mapping of str to float, optional
        Ratings by joint in place of those of the URDF [N·m or N], [rad/s or m/s], [W].

    Raises
    ------
    ScenarioError
        If nothing moves, nothing is rated, a rating is not above 0, or something does not scale
        with the motion.
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
    there = _around(motion, bounds[0].t)
    return FitTime(motion, ratings, tuple(bounds), shares_used(there, ratings, scale))


def _bounds(motion: RatedMotion, ratings: Ratings) -> list[RatingBound]:
    """First ratings that the joints meet at the samples of a motion."""
    bounds = []
    for what, names, scales, rated in _scales(motion, ratings):
        for row, name in enumerate(names):
            k = int(np.argmin(scales[row]))
            t = float(motion.t[k])
            bounds.append(RatingBound(name, what, float(scales[row, k]), t, float(rated[row])))
    return _first_of_joints(bounds)


def _first_of_joints(bounds: list[RatingBound]) -> list[RatingBound]:
    """The lowest bound of each joint."""
    first: dict[str, RatingBound] = {}
    for bound in bounds:
        if bound.joint not in first or bound.value < first[bound.joint].value:
            first[bound.joint] = bound
    return list(first.values())


def _scales(
    motion: RatedMotion, ratings: Ratings
) -> list[tuple[What, tuple[str, ...], Array, Array]]:
    """The first scale at which each joint meets each kind of rating at each sample."""
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
    """Bounds with what is lower between the samples, near those that are nearly lowest."""
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


def _around(motion: RatedMotion, t: float) -> RatedMotion:
    """The samples, and where one is not there, the time `t` among them."""
    if motion.between is None or (motion.t == t).any():
        return motion
    return motion.at(np.union1d(motion.t, [t]))


def shares_used(motion: RatedMotion, ratings: Ratings, scale: float) -> float:
    """Largest share of any rating at a scale, with torques by Lagrange's equations."""
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
