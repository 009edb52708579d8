"""Following a point motion: joint positions for all times, and why there may be none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Literal

import numpy as np

from sim.errors import ScenarioError
from sim.functions.time_function import TimeFunction, require_finite
from sim.kinematics.inverse.following import follow
from sim.kinematics.inverse.travel import inside_limits, joint_limits, nearest_copy
from sim.maths.arrays import Array, frozen
from sim.motion.constraint import Constraint, least_norm, rates
from sim.motion.joint_motion import Start, start
from sim.motion.other_starts import nearest, other_starts
from sim.motion.target import rotation_123, target
from sim.robots.robot import Robot

MET = 1e-10  # [m, rad]; how well the prescribed components must be met
CLOSE = 1e-6  # [m, rad]; of what misses by less Newton's method makes a pose that meets them
MOST_STARTS = 6  # other solutions at t = 0 from which the path is tried
AHEAD = 11  # times from where the path is lost at which its shortfall is looked for
NEWTON_STEPS = 30
# Solver and tolerance of the integrated path. Where the components determine the joints, Newton's
# method ends it and it only has to stay near; with free components the path is the answer.
Solver = tuple[Literal["RK45", "DOP853"], float]
DETERMINED: Solver = ("RK45", 1e-4)
FREE: Solver = ("DOP853", 1e-11)
STABILISED = 20.0  # [1/s]; at this rate the path is drawn back to the components it has left
RUNAWAY = 1e3  # [rad/s, m/s]; where joints have to be as fast as this, the path cannot go on
GRID = 2000  # times at which inverse kinematics is asked; Newton's method does the rest
LOOKED_AT = 400  # times of the run at which singularity is looked for
NEAR_SINGULAR = 0.05  # smallest singular value of the Jacobian that goes without a warning


class Follower:
    """Integrates the joint velocities once, and refines positions by Newton's method on demand."""

    def __init__(
        self,
        robot: Robot,
        functions: Mapping[str, TimeFunction],
        frame: str | None,
        reference: str | Array,
        near: Start,
        duration: float,
    ) -> None:
        self.robot, self.functions, self.duration = robot, functions, duration
        self.frame, self.reference = frame, reference
        self.constraint = Constraint(robot, frame, reference, tuple(functions))
        times = np.linspace(0.0, duration, LOOKED_AT)
        for name, function in functions.items():
            require_finite(function, times, f"component {name!r} of the point motion")
        breaks = {float(t) for f in functions.values() for t in f.breaks(0.0, duration)}
        self.corners = frozen(sorted(breaks))
        self.near = start(near, robot, "start")
        self.predicted = self._followed() if self._whole else self._begun()
        self.q_start = self.predicted(np.zeros(1))[:, 0]

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Joint positions, velocities and accelerations at the times `t`."""
        goal = target(self.functions, t)
        q = self._refined(t, self.predicted(np.clip(t, 0.0, self.duration)))
        at_rest = self.constraint.equations(goal, q)
        qd, _ = rates(at_rest)
        qd, qdd = rates(self.constraint.equations(goal, q, qd))
        return q, qd, qdd

    def warnings(self) -> list[str]:
        """Where the path comes near a singularity."""
        t = np.linspace(0.0, self.duration, LOOKED_AT)
        q = self.predicted(t)
        A = self.constraint.equations(target(self.functions, t), q).A
        values = np.linalg.svd(np.moveaxis(A, -1, 0), compute_uv=False)[:, -1]
        k = int(np.argmin(values))
        if values[k] > NEAR_SINGULAR:
            return []
        return [
            f"the path comes near a singularity at t = {t[k]:.4g} s: the smallest singular value "
            f"of the Jacobian is {values[k]:.2g}; joint speeds and torques are large there"
        ]

    def _refined(self, t: Array, q: Array) -> Array:
        """Newton's method to rounding; the last step is one whose gap is rounding already."""
        goal = target(self.functions, t)
        for _ in range(NEWTON_STEPS):
            equations = self.constraint.equations(goal, q)
            gap = np.max(np.abs(equations.gap), axis=0)
            if np.max(gap) <= 1e-15:
                return q
            try:
                step = least_norm(equations.A, equations.gap)
            except np.linalg.LinAlgError:
                raise self._lost(float(t[int(np.argmax(gap))])) from None
            if np.max(np.abs(step)) < 1e-15 * (1 + np.max(np.abs(q))):
                break
            q = q + step
            if np.max(gap) < MET * 1e-2:  # quadratic: this step has ended in rounding
                break
        equations = self.constraint.equations(goal, q)
        gap = np.max(np.abs(equations.gap), axis=0)
        if not np.max(gap) <= MET:
            k = int(np.argmax(gap))
            raise self._lost(float(t[k]))
        return q

    @property
    def _whole(self) -> bool:
        """True if the components prescribe a pose in the world."""
        return len(self.functions) == 6 and not isinstance(self.reference, str)

    def _followed(self) -> Callable[[Array], Array]:
        """Joint positions from inverse kinematics, on one branch, straight between many times."""
        times = np.linspace(0.0, self.duration, GRID)
        followed = follow(self.robot, self._poses(times), near=self.near, frame=self.frame)
        possible = followed.reached & followed.inside_limits
        if not possible.all():
            k = int(np.argmin(possible))
            raise self._lost(times[k], followed.distance[k], followed.angle[k], followed.q[:, k])
        return lambda t: np.stack([np.interp(t, times, row) for row in followed.q])

    def _begun(self) -> Callable[[Array], Array]:
        """q(t) from the given start; if that leads nowhere, from other solutions at t = 0.

        A start that is at the prescribed place already is meant as it stands, unless the arm is
        singular there.
        """
        try:
            return self._integrated(self.near)
        except ScenarioError as error:
            lost = [error]
        if not self._is_there():
            for q in other_starts(self.constraint, self.functions, self.near, CLOSE)[:MOST_STARTS]:
                try:
                    return self._integrated(q)
                except ScenarioError as error:
                    lost.append(error)
        # Where the given start is no solution, the nearest one that is tells more.
        raise lost[:2][-1]

    def _is_there(self) -> bool:
        goal = target(self.functions, np.zeros(1))
        equations = self.constraint.equations(goal, self.near[:, None])
        values = np.linalg.svd(equations.A[..., 0], compute_uv=False)
        return bool(np.abs(equations.gap).max() < CLOSE and values[-1] > CLOSE)

    def _integrated(self, near: Array) -> Callable[[Array], Array]:
        """q(t) as a smooth function: velocities integrated from corner to corner."""
        from scipy.integrate import solve_ivp

        def velocity(time: float, q: Array) -> Array:
            goal = target(self.functions, np.array([time]))
            column = q[:, None]
            equations = self.constraint.equations(goal, column)
            drawn_back = equations.rate + STABILISED * equations.gap
            try:
                qd = least_norm(equations.A, drawn_back)[:, 0]
            except np.linalg.LinAlgError:
                raise self._lost(time) from None
            if not np.max(np.abs(qd)) < RUNAWAY:
                raise self._lost(time)
            return qd

        determined = len(self.functions) >= len(self.near)
        method, rtol = DETERMINED if determined else FREE
        ends = [
            0.0,
            *self.corners[(self.corners > 0) & (self.corners < self.duration)],
            self.duration,
        ]
        q = nearest_copy(self.robot, self._refined(np.zeros(1), near[:, None])[:, 0], near)
        pieces = []
        for begin, end in pairwise(ends):
            # The right end belongs to the next piece, where a drive may go on otherwise.
            inside = end - 1e-12 * max(end, 1.0)
            piece = solve_ivp(
                velocity,
                (begin, inside),
                q,
                method=method,
                rtol=rtol,
                atol=0.1 * rtol,
                dense_output=True,
                max_step=(end - begin) / 4,
            )
            if not piece.success or piece.sol is None:
                raise self._lost(float(piece.t[-1]))
            pieces.append(piece.sol)
            q = self._refined(np.array([end]), piece.y[:, -1:])[:, 0]
        starts = np.array(ends[:-1])

        def joined(t: Array) -> Array:
            which = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(pieces) - 1)
            q = np.empty((self.near.size, t.size))
            for k, piece in enumerate(pieces):
                if np.any(which == k):
                    q[:, which == k] = piece(t[which == k])
            return q

        times = np.linspace(0.0, self.duration, LOOKED_AT)
        possible = inside_limits(self.robot, joined(times))
        if not possible.all():
            k = int(np.argmin(possible))
            raise self._lost(times[k], 0.0, 0.0, joined(times[[k]])[:, 0])
        return joined

    def _poses(self, t: Array) -> Array:
        goal = target(self.functions, t).value
        T = np.zeros((4, 4, t.size))
        T[:3, :3], T[:3, 3], T[3, 3] = rotation_123(goal[3:]), goal[:3], 1.0
        return np.einsum("ab,bcN->acN", np.asarray(self.reference, dtype=np.float64), T)

    def _lost(
        self,
        time: float,
        distance: float | None = None,
        angle: float = 0.0,
        q: Array | None = None,
    ) -> ScenarioError:
        """Why the frame cannot be where it should at a time, as far as that is known."""
        if distance is None or q is None:
            reason = (
                "no joint motion was found that meets all prescribed components; "
                f"{self._astray(time)}"
            )
        elif max(distance, angle) > MET:
            reason = (
                f"the nearest pose the arm reaches is {distance:.3g} m and "
                f"{np.degrees(angle):.3g}° away"
            )
        else:
            reason = self._beyond(q)
        where = ", ".join(
            f"{name} = {float(function.value(np.array([time]))[0]):.6g}"
            for name, function in self.functions.items()
        )
        frame = self.frame or self.robot.tool
        return ScenarioError(
            f"Frame {frame!r} of robot {self.robot.name!r} cannot follow its path at "
            f"t = {time:.6g} s ({where}): {reason}"
        )

    def _astray(self, time: float) -> str:
        """By how much the components are missed at that time or later; else what to do."""
        times = np.linspace(min(time, self.duration), self.duration, AHEAD)
        remedy = (
            "a singular pose (an arm that is stretched or folded) is in the way; give as `start` a "
            "bent pose, one that `sim ik` lists for the place at t = 0, or a path around it"
        )
        try:
            found = nearest(self.constraint, self.functions, self.near, times)
        except np.linalg.LinAlgError:
            return remedy
        best = np.argmin(found.missed, axis=0), np.arange(times.size)
        missed = found.missed[best]
        k = 0 if missed[0] > CLOSE else int(np.argmax(missed))
        if missed[k] <= CLOSE:
            return remedy
        when = "there" if k == 0 else f"at t = {times[k]:.4g} s"
        return (
            f"the nearest joint positions that were found inside the limits are "
            f"{found.distance[best][k]:.3g} m and {np.degrees(found.angle[best][k]):.3g}° away "
            f"{when}; bring the path nearer or leave a component free"
        )

    def _beyond(self, q: Array) -> str:
        lower, upper = joint_limits(self.robot)
        excess = np.maximum(lower - q, q - upper)
        i = int(np.argmax(excess))
        joint = self.robot.independent_joints[i]
        scale, unit = (1.0, "m") if joint.is_prismatic else (np.pi / 180, "°")
        return (
            f"joint {joint.name!r} would have to be at {q[i] / scale:.6g} {unit}, outside its "
            f"range of {lower[i] / scale:.6g} to {upper[i] / scale:.6g} {unit}"
            + (", and no other branch can follow the whole path" if self._whole else "")
        )
