"""A Runge–Kutta march of free joints to the end, or to the first that leaves its mode."""

from __future__ import annotations

import numpy as np

from sim.dynamics.dormand_prince import ALL_STAGES, STAGES
from sim.dynamics.kernels.compiling import call, inner, kernel, late
from sim.dynamics.kernels.contact_records import ContactPairs, Reserve
from sim.dynamics.kernels.joint_rates import rate
from sim.dynamics.kernels.march_step import fill_solution, march_rate, misses_kink, try_step
from sim.dynamics.kernels.marker_forces import act_between_markers
from sim.dynamics.kernels.mode_changes import first_change
from sim.dynamics.kernels.nearness import compute_distances, stay_apart
from sim.dynamics.kernels.records import Indices, MarchWork, System
from sim.dynamics.kernels.shape_kinds import FASTER
from sim.dynamics.kernels.vectors import copy_to, dot, scale, subtract
from sim.maths.arrays import Array

# Outcomes of a march.
REACHED, CHANGED, PAUSED, FAILED, NEAR = 0, 1, 2, 3, 4

# relative and absolute tolerances, longest step [s], checks of the modes per step
Limits = tuple[float, Array, float, int]

FAR = 1.2 * np.pi  # rad; beyond this a ball is described by the opposite rotation vector


@inner
def _turn_back(ball: Indices, y: Array) -> bool:
    """Describe balls beyond `FAR` by the opposite rotation vector; True if there are any."""
    has_turned = False
    for i in range(ball.size):
        if ball[i] != 3:
            continue
        q = y[i - 2], y[i - 1], y[i]
        angle = np.sqrt(dot(q, q))
        if angle > FAR:
            has_turned = True
            y[i - 2], y[i - 1], y[i] = subtract(q, scale(2.0 * np.pi / angle, q))
    return has_turned


@inner
def _count_samples(samples: Array, reached: int, time: float) -> int:
    """Return the number of samples before a time, counted from those already reached."""
    while reached < samples.size and samples[reached] < time:
        reached += 1
    return reached


@kernel
def may_touch(
    system: System, pairs: ContactPairs, reserve: Reserve, y: Array, new: Array, h: float, K: Array
) -> bool:  # fmt: skip
    """Whether a pair may touch in a step: by bounds of the joints' motion, else by its speeds."""
    if stay_apart(reserve, y, h, K):
        return False
    n, time = reserve.place.size, np.inf
    for state in (new, y):
        q, qd = state[:n], state[n : 2 * n]
        time = min(time, compute_distances(reserve, system.between, pairs, q, qd))
        copy_to(q, reserve.place)
    return time <= FASTER * h and not stay_apart(reserve, y, h, K)


def march_work(
    system: System, pairs: ContactPairs, reserve: Reserve, size: int
) -> MarchWork:  # fmt: skip
    """Return memory for a step of a march through states of some size, and what the march calls."""
    between, after, at = system.between, np.empty(size), np.empty(size)
    K = np.zeros((ALL_STAGES, size))
    acts = bool(len(between.acting) or len(between.rates))
    return MarchWork(
        K, np.empty((7, size)), after, at,
        late(rate, True, system, at, at, at, at, at, at, at),
        late(act_between_markers, acts, between, 0.0, at, at, at),
        late(may_touch, bool(len(pairs.kinds)), system, pairs, reserve, at, at, 0.0, K),
    )  # fmt: skip


@kernel
def march(
    system: System, pairs: ContactPairs, reserve: Reserve, work: MarchWork, y: Array, now: Array,
    end: float, samples: Array, states: Array, reached: int, limits: Limits, speeds: Array,
    most: int
) -> tuple[int, int, int]:  # fmt: skip
    """Integrate until the end, the first joint that leaves its range of `speeds`, or so many steps.

    Shapes are apart in all steps taken. `y` and `now` (time, length of the next step) are updated;
    `states` has a row for each sample passed. Return the outcome, the number of samples passed, and
    the joint that changed its mode.
    """
    K, F, new = work.K, work.F, work.after
    friction = system.friction
    is_dry = friction.joints.size + system.joints.stuck.size > 0
    has_kinks = friction.rows.size + friction.gears.size + friction.elastic.size > 0
    rtol, atol, longest, checks = limits
    is_known = False  # K[0], the rate at y
    for _ in range(most):
        t = now[0]
        if not (is_known or march_rate(system, work, t, y, K[0])):
            return FAILED, reached, -1
        after, now[1] = try_step(system, work, y, t, end, now[1], rtol, atol, longest)
        if after < t:
            return FAILED, reached, -1
        h, part, changed = after - t, 2.0, -1
        if len(pairs.kinds) and call(work.may_touch, (system, pairs, reserve, y, new, h, K)):
            return NEAR, reached, -1
        until = samples.size if after == end else _count_samples(samples, reached, after)
        if until > reached or is_dry:
            part, changed = first_change(
                system, work, speeds, y, t, after, samples[reached:until], checks
            )
            if part < 0.0:
                return FAILED, reached, -1
            if has_kinks and misses_kink(system, work, y, t, h, rtol, atol):
                now[1], is_known = 0.2 * h, True
                continue
            if changed >= 0:
                after = t + part * h
                until = samples.size if after == end else _count_samples(samples, reached, after)
                fill_solution(F, y, part, new)
            for k in range(reached, until):
                fill_solution(F, y, (samples[k] - t) / h, states[k])
            reached = until
        now[0] = after
        copy_to(new, y)
        copy_to(K[STAGES], K[0])
        is_known = not _turn_back(system.bodies.ball, y)
        if changed >= 0 or after == end:
            return CHANGED if changed >= 0 else REACHED, reached, changed
    return PAUSED, reached, -1
