"""largest_payload: largest additional payload of a motion within its torques, exactly.

The torque of a given motion is linear in a body's mass, tau(m) = tau(0) + m u, for a constant
shape: m is bounded by a linear inequality for each sample and joint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sim.capacity.fit_time import AGREED, RatingBound
from sim.capacity.rated_motion import RatedMotion
from sim.capacity.ratings import JointRatings, Ratings
from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.first_root import interval_within
from sim.recording.recording import Recording
from sim.scenario.scenario import Scenario
from sim.showing.one_line import one_line


@dataclass(frozen=True, eq=False)
class LargestPayload:
    """Largest additional payload on a motion within all ratings.

    Parameters
    ----------
    motion : RatedMotion
        Including the present payload of the robot.
    frame : str
        Link that would carry it.
    com : tuple of float
        Its mass centre in `frame` [m].
    bounds : tuple of RatingBound
        Mass at which each joint reaches its torque or power; the lowest first.
    used : float
        Largest used share of any torque or power with it, by Lagrange's equations.
    """

    motion: RatedMotion
    frame: str
    com: tuple[float, float, float]
    bounds: tuple[RatingBound, ...]
    used: float

    def __repr__(self) -> str:
        first = self.binding
        return one_line(
            f"LargestPayload of {self.motion.robot.name}:",
            f"{self.mass:.6g} kg",
            f"{first.joint} {first.what} at {first.t:.4g} s",
        )

    @property
    def binding(self) -> RatingBound:
        """The limiting rating."""
        return self.bounds[0]

    @property
    def mass(self) -> float:
        """Largest additional mass [kg]; 0 if a rating is already exceeded."""
        return self.binding.value

    @property
    def ok(self) -> bool:
        """Whether a mass exists and both formulations agree on it."""
        return self.mass > 0 and abs(self.used - 1.0) <= AGREED


@checked
def largest_payload(
    subject: Scenario | Recording | RatedMotion,
    *,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike | None = None,
    frame: str | None = None,
    torque: JointRatings | None = None,
    power: JointRatings | None = None,
) -> LargestPayload:
    """Return the largest payload m such that no m' <= m exceeds a torque or power at a sample.

    Parameters
    ----------
    subject : Scenario, Recording or RatedMotion
        Payloads of the robot are kept; the new body is added.
    com : array_like, shape (3,)
        Mass centre of the new body in `frame` [m].
    inertia : array_like, shape (3, 3), optional
        Per kilogram, about the mass centre [m²] (default: a point mass).
    frame : str, optional
        Link that carries it (default: the tool frame).
    torque, power : mapping of str to float, optional
        Ratings by joint that replace those of the URDF [N·m or N], [W].

    Raises
    ------
    ScenarioError
        If nothing is rated, no rating bounds the mass, or a term does not scale.
    ModelError
        If the body is invalid, or the frame is unknown.
    """
    motion = RatedMotion.of(subject)
    robot = motion.robot
    ratings = Ratings.of(robot, torque, None, power)
    link = robot.require_tool(frame, "--frame")
    with_one = replace(motion, robot=robot.with_payload(1.0, com, inertia, link))
    base, qd = motion.torque(), motion.qd
    slope = with_one.torque() - base
    reached = [
        *_bounds(motion, "torque", base, slope, ratings.torque),
        *_bounds(motion, "power", base * qd, slope * qd, ratings.power),
        *_bounds(motion, "motor curve", base, slope, ratings.level, ratings.line(qd)),
    ]
    first: dict[str, RatingBound] = {}
    for bound in sorted(reached, key=lambda bound: bound.value):
        first.setdefault(bound.joint, bound)
    bounds = tuple(first.values())
    mass = bounds[0].value
    if not np.isfinite(mass):
        raise ScenarioError(
            f"No rated torque or power of robot {robot.name!r} limits the payload; not rated: "
            f"{', '.join(ratings.missing(robot)) or 'nothing'}"
        )
    heavier = robot.with_payload(
        mass, com, None if inertia is None else mass * np.asarray(inertia), link
    )
    largest_share = _largest_share(replace(motion, robot=heavier), ratings)
    x, y, z = np.asarray(com, dtype=np.float64).tolist()
    return LargestPayload(motion, link, (x, y, z), bounds, largest_share)


def _bounds(
    motion: RatedMotion,
    what: str,
    base: Array,
    slope: Array,
    rated: Array,
    limits: Array | None = None,
) -> list[RatingBound]:
    """Return the least m >= 0 at which |base + m slope| reaches the rating of each joint.

    `limits` (n, N) are those of each sample, for a rating that varies.
    """
    limit = rated[:, None] if limits is None else limits
    m = np.where(np.abs(base) > limit, 0.0, interval_within(base, slope, limit)[1])
    bounds = []
    for row, name in enumerate(motion.robot.row_names):
        k = int(np.argmin(m[row]))
        at, rating = float(motion.t[k]), float(rated[row])
        bounds.append(RatingBound(name, what, float(m[row, k]), at, rating))  # type: ignore[arg-type]
    return bounds


def _largest_share(motion: RatedMotion, ratings: Ratings) -> float:
    tau = motion.torque_by_lagrange(motion.q, motion.qd, motion.qdd)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (
            np.abs(tau) / ratings.torque[:, None],
            np.abs(tau * motion.qd) / ratings.power[:, None],
            np.abs(tau) / ratings.line(motion.qd),
        )
    return float(max(np.nanmax(share) for share in shares))
