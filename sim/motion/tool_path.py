"""Following a point motion: joint positions for all times, or the reason for a failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from sim.errors import ScenarioError
from sim.functions.time_function import TimeFunction, require_finite
from sim.kinematics.inverse.branches import moving_joints
from sim.kinematics.inverse.following import follow
from sim.kinematics.inverse.travel import inside_limits, nearest_copy
from sim.maths.arrays import Array, frozen
from sim.maths.newton import RANK
from sim.motion.bridges import LOST, Bridge, bridges_over, is_one_motion
from sim.motion.idle_components import idle_components, word
from sim.motion.integrate_velocity import DETERMINED, FREE, integrate_velocity
from sim.motion.other_starts import CLOSE, describe_error, describe_excess, jump, other_starts
from sim.motion.starts import Start, start
from sim.motion.target import Constraint, least_norm, rates, target
from sim.robots.robot import Robot

MET = 1e-10  # [m, rad]; tolerance of the prescribed components
MOST_STARTS = 6  # number of other solutions at t = 0 that are tried
NEWTON_STEPS = 30
UNMET = 1e-6  # relative to 1 and the prescribed rates; part that no joint velocity can produce
STABILISED = 20.0  # [1/s]; rate at which the path returns to the prescribed components
STEPS = 200  # steps to check a span near a singular pose for continuity
RUNAWAY = 1e3  # [rad/s, m/s]; joint speed above which the path cannot continue
GRID = 2000  # times of the inverse kinematics; Newton's method refines the rest
LOOKED_AT = 400  # times of the run at which singularity is checked
NEAR_SINGULAR = 0.05  # smallest singular value of the Jacobian without a warning


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
        self.robot, self.duration = robot, duration
        self.frame, self.reference = frame, reference
        times = np.linspace(0.0, duration, LOOKED_AT)
        for name, function in functions.items():
            require_finite(function, times, f"component {name!r} of the point motion")
        constraint = Constraint(robot, frame, reference, tuple(functions))
        self.idle = idle_components(constraint, functions, times)
        self.functions = {name: f for name, f in functions.items() if name not in self.idle}
        self.constraint = Constraint(robot, frame, reference, tuple(self.functions))
        breaks = {float(t) for f in self.functions.values() for t in f.breaks(0.0, duration)}
        self.corners = frozen(sorted(breaks))
        self.near = start(near, robot, "start")
        self.bridges: list[Bridge] = []
        self.predicted = self._follow() if self._whole else self._begin()
        first = np.zeros(1)
        self.q_start = (self.at(first)[0] if self.bridges else self.predicted(first))[:, 0]

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return joint positions, velocities and accelerations at the times `t`."""
        if not self.bridges:
            return self._solve(t, self.predicted(np.clip(t, 0.0, self.duration)))
        motion = np.empty((3, len(self.near), t.size))
        is_solved = np.ones(t.size, dtype=bool)
        for one in self.bridges:
            over = one.covers(t)
            motion[..., over] = one.at(t[over])
            is_solved &= ~over
        if is_solved.any():
            motion[..., is_solved] = self._solve(t[is_solved], self.predicted(t[is_solved]))
        return motion[0], motion[1], motion[2]

    def _solve(self, t: Array, near: Array) -> tuple[Array, Array, Array]:
        """Solve the equations alone for the motion, from positions close to it."""
        goal = target(self.functions, t)
        q = self._refine(t, near)
        at_rest = self.constraint.equations(goal, q)
        qd, _ = rates(at_rest)
        qd, qdd = rates(self.constraint.equations(goal, q, qd))
        return q, qd, qdd

    def warnings(self) -> list[str]:
        """Return warnings on components that no joint moves, and on nearby singular poses."""
        idle = [word(name, value) for name, value in self.idle.items()]
        t = np.linspace(0.0, self.duration, LOOKED_AT)
        q = self.predicted(t)
        values = self._singular_values(t, q)[:, -1]
        k = int(np.argmin(values))
        if values[k] > NEAR_SINGULAR:
            return idle
        return [
            *idle,
            f"the path comes near a singularity at t = {t[k]:.4g} s: the smallest singular value "
            f"of the Jacobian is {values[k]:.2g}; joint speeds and torques are large there",
        ]

    def _refine(self, t: Array, q: Array) -> Array:
        """Refine to rounding by Newton's method; the last step begins with rounding already."""
        goal = target(self.functions, t)
        for _ in range(NEWTON_STEPS):
            equations = self.constraint.equations(goal, q)
            gap = np.max(np.abs(equations.gap), axis=0)
            if np.max(gap) <= 1e-15:
                return q
            try:
                step = least_norm(equations.A, equations.gap)
            except np.linalg.LinAlgError:
                raise self._explain_loss(float(t[int(np.argmax(gap))])) from None
            if np.max(np.abs(step)) < 1e-15 * (1 + np.max(np.abs(q))):
                break
            q = q + step
            if np.max(gap) < MET * 1e-2:  # quadratic convergence: this step has reached rounding
                break
        equations = self.constraint.equations(goal, q)
        gap = np.max(np.abs(equations.gap), axis=0)
        if not np.max(gap) <= MET:
            k = int(np.argmax(gap))
            raise self._explain_loss(float(t[k]))
        return q

    def _gap(self, t: Array, q: Array) -> float:
        """Return the largest error of the components [m, rad]."""
        return float(np.abs(self.constraint.equations(target(self.functions, t), q).gap).max())

    def _singular_values(self, t: Array, q: Array) -> Array:
        """Return nonzero singular values of the components' gradient, descending."""
        A = self.constraint.equations(target(self.functions, t), q).A
        rank = min(len(self.functions), self._moving)
        return np.asarray(np.linalg.svd(np.moveaxis(A, -1, 0), compute_uv=False)[:, :rank])

    def _weakness(self, t: Array, q: Array) -> Array:
        """Return the relative smallest singular value, shape (N,)."""
        values = self._singular_values(t, q)
        return np.asarray(values[:, -1] / values[:, 0])

    @cached_property
    def _moving(self) -> int:
        """Number of joints that move the frame."""
        return moving_joints(self.robot, self.frame).size

    @property
    def _whole(self) -> bool:
        """Whether the components prescribe a pose in the world that determines the joints."""
        prescribes = len(self.functions) == 6 and not isinstance(self.reference, str)
        return prescribes and self._moving <= 6

    def _follow(self) -> Callable[[Array], Array]:
        """Return joint positions by inverse kinematics on one branch, linear between many times.

        A span near a singular pose is bridged; if the whole path is singular, velocities are
        integrated.
        """
        times = np.linspace(0.0, self.duration, GRID)
        base = np.asarray(self.reference, dtype=np.float64)
        poses = np.einsum("ab,bcN->acN", base, target(self.functions, times).poses)
        followed = follow(self.robot, poses, near=self.near, frame=self.frame)
        possible = followed.reached & followed.inside_limits
        if not possible.all():
            k = int(np.argmin(possible))
            raise self._explain_loss(
                times[k], followed.distance[k], followed.angle[k], followed.q[:, k]
            )

        known = self._weakness(times, followed.q) > LOST
        known[0] = True  # the start determines the free joints

        def line(t: Array) -> Array:
            return np.stack([np.interp(t, times[known], row[known]) for row in followed.q])

        def weakness(t: Array) -> Array:
            return self._weakness(t, line(t))

        def refine(t: Array) -> Array:
            return self._refine(t, line(t))

        ends, grid = self._ends, self.duration / GRID
        self.bridges, unbridged = bridges_over(weakness, ends, grid, refine, self._gap)
        for span in unbridged:
            t = span.times(STEPS)
            if span.is_all:
                return self._begin()
            if not is_one_motion(t, *self._solve(t, line(t))):
                q = line(np.array([span.begin, span.end]))
                raise self._explain_loss(span.begin, reason=jump(self.robot, q[:, 0], q[:, 1]))
        self._require_start()
        return line

    def _require_start(self) -> None:
        """Check that the path starts at its given start."""
        is_there = self._gap(np.zeros(1), self.near[:, None]) <= CLOSE
        if not (is_there and self.bridges and self.bridges[0].begin == 0):
            return
        q = self.bridges[0].at(np.zeros(1))[0][:, 0]
        if np.abs(q - self.near).max() > CLOSE:
            raise self._explain_loss(0.0, reason=jump(self.robot, self.near, q))

    @property
    def _ends(self) -> list[float]:
        """Times between which the components are smooth [s]."""
        inside = self.corners[(self.corners > 0) & (self.corners < self.duration)]
        return [0.0, *inside.tolist(), self.duration]

    def _begin(self) -> Callable[[Array], Array]:
        """Return q(t) from the given start, or from other solutions at t = 0 if that fails.

        A start that already satisfies the components is used as it is, unless the arm is singular
        there.
        """
        try:
            return self._integrate(self.near)
        except ScenarioError as error:
            errors = [error]
        if not self._is_there():
            for q in other_starts(self.constraint, self.functions, self.near, CLOSE)[:MOST_STARTS]:
                try:
                    return self._integrate(q)
                except ScenarioError as error:
                    errors.append(error)
        # If the given start is no solution, the nearest solution gives a better message.
        raise errors[:2][-1]

    def _is_there(self) -> bool:
        goal = target(self.functions, np.zeros(1))
        equations = self.constraint.equations(goal, self.near[:, None])
        values = np.linalg.svd(equations.A[..., 0], compute_uv=False)
        return bool(np.abs(equations.gap).max() < CLOSE and values[-1] > CLOSE)

    def _is_determined(self, near: Array) -> bool:
        """Whether the components determine all joints that move the frame."""
        values = self._singular_values(np.zeros(1), near[:, None])[0]
        return int(np.sum(values > RANK * values[0])) >= self._moving

    def _integrate(self, near: Array) -> Callable[[Array], Array]:
        """Return q(t), smooth: velocities of least norm, integrated from near a start."""

        def velocity(time: float, q: Array) -> Array:
            goal = target(self.functions, np.array([time]))
            equations = self.constraint.equations(goal, q[:, None])
            drawn_back = equations.rate + STABILISED * equations.gap
            try:
                qd = least_norm(equations.A, drawn_back)
            except np.linalg.LinAlgError:
                raise self._explain_loss(time) from None
            missed = np.abs(np.einsum("mnN,nN->mN", equations.A, qd) - drawn_back).max()
            is_met = missed < UNMET * (1 + np.abs(drawn_back).max())
            if not (is_met and np.max(np.abs(qd)) < RUNAWAY):
                raise self._explain_loss(time)
            return np.asarray(qd[:, 0])

        def project(time: float, q: Array) -> Array:
            return self._refine(np.array([time]), q[:, None])[:, 0]

        first = nearest_copy(self.robot, project(0.0, near), near)
        solver = DETERMINED if self._is_determined(near) else FREE
        positions = integrate_velocity(
            velocity, first, self._ends, solver, project, self._explain_loss
        )
        times = np.linspace(0.0, self.duration, LOOKED_AT)
        possible = inside_limits(self.robot, positions(times))
        if not possible.all():
            k = int(np.argmin(possible))
            raise self._explain_loss(times[k], 0.0, 0.0, positions(times[[k]])[:, 0])
        return positions

    def _explain_loss(
        self,
        time: float,
        distance: float | None = None,
        angle: float = 0.0,
        q: Array | None = None,
        reason: str = "",
    ) -> ScenarioError:
        """Return an error that explains, if possible, why the frame leaves its path."""
        if reason:
            pass
        elif distance is None or q is None:
            missed = describe_error(self.constraint, self.functions, self.near, time, self.duration)
            reason = f"no joint motion satisfies all prescribed components; {missed}"
        elif max(distance, angle) > MET:
            reason = (
                f"the nearest pose the arm reaches is {distance:.3g} m and "
                f"{np.degrees(angle):.3g}° away"
            )
        else:
            reason = describe_excess(self.robot, q)
            reason += ", and no other branch can follow the whole path" if self._whole else ""
        where = ", ".join(
            f"{name} = {float(function.value(np.array([time]))[0]):.6g}"
            for name, function in self.functions.items()
        )
        frame = self.frame or self.robot.tool
        return ScenarioError(
            f"Frame {frame!r} of robot {self.robot.name!r} cannot follow its path at "
            f"t = {time:.6g} s ({where}): {reason}"
        )
