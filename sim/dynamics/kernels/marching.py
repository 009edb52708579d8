"""A Runge–Kutta march of free joints to the end, or to the first that leaves its mode.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.10 (DOP853).
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.dormand_prince import ALL_STAGES, E3, E5, STAGES, A, C, D
from sim.dynamics.kernels.compiling import call, inner, kernel, late
from sim.dynamics.kernels.contact_records import ContactPairs, Reserve
from sim.dynamics.kernels.joint_rates import combine_rates, linear_efforts, motor_torques, rate
from sim.dynamics.kernels.marker_forces import act_between_markers
from sim.dynamics.kernels.nearness import compute_distances, stay_apart
from sim.dynamics.kernels.records import Indices, MarchWork, System
from sim.dynamics.kernels.shape_kinds import FASTER
from sim.dynamics.kernels.vectors import add_rows, copy_to, dot, scale, subtract
from sim.maths.arrays import Array

# For rates in a step without weight in its error: `sim.dynamics.explicit_steps`.
FARTHER, LOOSE, TOO_LARGE = 10.0, 1e3, 1e8

# Outcomes of a march.
REACHED, CHANGED, PAUSED, FAILED, NEAR = 0, 1, 2, 3, 4

# relative and absolute tolerances, longest step [s], checks of the modes per step
Limits = tuple[float, Array, float, int]

FAR = 1.2 * np.pi  # rad; beyond this a ball is described by the opposite rotation vector
HALVINGS = 40  # bisections to find a point of a step where a joint that starts at rest slides


@inner
def _rate(system: System, march: MarchWork, t: float, y: Array, result: Array) -> bool:
    """Compute the rate with all joints free, under gravity, friction and the system's forces."""
    forces, work, memory = system.forces, system.between, system.joints.work
    n, m = system.joints.held.size, work.rates.size
    q, qd = y[:n], y[n : 2 * n]
    if forces.edges.size:
        motor_torques(forces, t, memory.motor)
    if forces.at_zero.size:
        linear_efforts(forces, q, qd, memory.acting)
    if len(work.acting) or m:
        if not call(march.act, (work, t, q, qd, y[2 * n : 2 * n + m])):
            return False
        copy_to(work.rates, result[2 * n : 2 * n + m])
    still, motor, acting = memory.still, memory.motor, memory.acting
    return call(march.rate, (system, q, qd, still, motor, acting, work.torque, result))


@inner
def _stage(
    system: System, work: MarchWork, t: float, y: Array, h: float, s: int, at: Array
) -> bool:  # fmt: skip
    """Compute another stage of a step: its state and its rate."""
    combine_rates(A[s, :s], y, h, work.K, at)
    return _rate(system, work, t + C[s] * h, at, work.K[s])


@inner
def _solution_at(F: Array, y: Array, x: float, i: int) -> float:
    """Return component i of the solution at the fraction x of a step."""
    v = 0.0
    for r in range(7):
        v = (v + F[6 - r, i]) * (x if r % 2 == 0 else 1.0 - x)
    return v + y[i]


@inner
def _fill_solution(F: Array, y: Array, x: float, at: Array) -> None:
    """Fill in the solution at the fraction x of a step; all components of `_solution_at`."""
    for i in range(y.size):
        at[i] = 0.0
    for r in range(7):
        factor = x if r % 2 == 0 else 1.0 - x
        for i in range(y.size):
            at[i] = (at[i] + F[6 - r, i]) * factor
    for i in range(y.size):
        at[i] += y[i]


@inner
def _margin(F: Array, y: Array, x: float, row: int, sense: float, speeds: Array) -> float:
    """Distance of a joint's speed from its range, at the part x of a step; negative beyond it."""
    along = sense * _solution_at(F, y, x, row)
    return min(along - speeds[0], speeds[1] - along)


@inner
def _still_slides(
    F: Array, y: Array, row: int, sense: float, speeds: Array, low: float, high: float
) -> float:
    """A part of a step after `low`, where a joint is at rest, at which it slides; `low` if none."""
    for halvings in range(1, HALVINGS + 1):
        part = low + (high - low) * 0.5**halvings
        if _margin(F, y, part, row, sense, speeds) > 0.0:
            return part
    return low


@inner
def _change_in_step(
    F: Array, y: Array, row: int, sense: float, speeds: Array, t: float, end: float,
    samples: Array, checks: int
) -> float:  # fmt: skip
    """The part of a step at which a sliding joint leaves its range of speed; 2 if it does not.

    The lower bound of the range is rest where it is zero.

    The velocity is checked at some points of the step, and at the samples in it.
    """
    low, k = 0.0, 0
    for check in range(1, checks + 1):
        last = False
        while not last:
            last = k == samples.size or (samples[k] - t) / (end - t) >= check / checks
            high = check / checks if last else (samples[k] - t) / (end - t)
            k += not last
            if _margin(F, y, high, row, sense, speeds) >= 0.0:
                low = high
                continue
            if _margin(F, y, low, row, sense, speeds) <= 0.0:  # from rest, perhaps there and back
                most, low = low, _still_slides(F, y, row, sense, speeds, low, high)
                if low == most:
                    return low
            while True:
                middle = 0.5 * (low + high)
                if middle in (low, high):
                    return low
                if _margin(F, y, middle, row, sense, speeds) > 0.0:
                    low = middle
                else:
                    high = middle
    return 2.0


@inner
def _error(y: Array, new: Array, K: Array, h: float, rtol: float, atol: Array) -> float:
    """Return the estimated error of a step, in tolerances."""
    five, three = 0.0, 0.0
    for i in range(y.size):
        scale = atol[i] + rtol * max(abs(y[i]), abs(new[i]))
        e_5, e_3 = 0.0, 0.0
        for j in range(STAGES + 1):
            e_5 += E5[j] * K[j, i]
            e_3 += E3[j] * K[j, i]
        five += (e_5 / scale) ** 2
        three += (e_3 / scale) ** 2
    if five == 0.0 and three == 0.0:
        return 0.0
    return h * five / np.sqrt((five + 0.01 * three) * y.size)


@inner
def _is_seen(y: Array, new: Array, K: Array, h: float, rtol: float, atol: Array) -> bool:
    """Whether the rates without weight in the error estimate are similar to those with one.

    See `sim.dynamics.explicit_steps`.
    """
    for i in range(y.size):
        weighted, unweighted = 0.0, 0.0
        for j in range(STAGES + 1):
            away = abs(K[j, i] - K[0, i])
            if E3[j] == 0.0 and E5[j] == 0.0:
                unweighted = max(unweighted, away)
            else:
                weighted = max(weighted, away)
        scale = atol[i] + rtol * max(abs(y[i]), abs(new[i]))
        if not h * unweighted <= FARTHER * h * weighted + LOOSE * scale:
            return False
    return True


@inner
def _try_step(
    system: System, work: MarchWork, y: Array, t: float, end: float, h: float, rtol: float,
    atol: Array, longest: float
) -> tuple[float, float]:  # fmt: skip
    """Try a step; return its end [s], -1 if it is not accurate enough, and the next length."""
    K, new = work.K, work.after
    shortest = 10.0 * (np.nextafter(t, np.inf) - t)
    h, most = min(max(h, shortest), longest), 10.0
    while h >= shortest:
        after = min(t + h, end)
        h = after - t
        for s in range(1, STAGES + 1):
            if not _stage(system, work, t, y, h, s, new):
                return -1.0, h
        error = _error(y, new, K, h, rtol, atol)
        if error < 1.0 and not _is_seen(y, new, K, h, rtol, atol):
            error = TOO_LARGE
        factor = 0.9 * error**-0.125 if error != 0.0 else 10.0
        if error < 1.0:
            return after, h * min(factor, most)
        h *= factor if factor > 0.2 else 0.2
        most = 1.0
    return -1.0, h


@inner
def _interpolate(system: System, work: MarchWork, t: float, y: Array, h: float) -> bool:
    """Compute the polynomials of the solution within a step."""
    K, F, new, at = work.K, work.F, work.after, work.at
    for s in range(STAGES + 1, ALL_STAGES):
        if not _stage(system, work, t, y, h, s, at):
            return False
    for i in range(y.size):
        step = new[i] - y[i]
        F[0, i], F[1, i] = step, h * K[0, i] - step
        F[2, i] = 2.0 * step - h * (K[STAGES, i] + K[0, i])
    for r in range(4):
        add_rows(D[r], h, K, F[3 + r])
    return True


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
def _least_spare(
    system: System, work: MarchWork, y: Array, t: float, h: float, x: float
) -> tuple[float, int]:  # fmt: skip
    """Least spare friction of the stuck joints at the part x of a step, and its joint or -1.

    If no friction fits there, it is minus infinity.
    """
    least, joint = np.inf, -1
    _fill_solution(work.F, y, x, work.at)
    if not _rate(system, work, t + x * h, work.at, work.K[ALL_STAGES - 1]):
        return -np.inf, -1
    for i in system.joints.stuck:
        if system.joints.work.spare[i] < least:
            least, joint = system.joints.work.spare[i], i
    return least, joint


@inner
def _first_slip(
    system: System, work: MarchWork, y: Array, t: float, h: float, inside: Array, checks: int,
    until: float
) -> tuple[float, int]:  # fmt: skip
    """Part of a step at which the first stuck joint slips, up to a part, and the joint.

    The part is 2 if none does, and -1 if no friction fits. Samples are checked, too.
    """
    low, k = 0.0, 0
    for check in range(1, checks + 1):
        last = False
        while not last and low < until:
            last = k == inside.size or (inside[k] - t) / h >= check / checks
            high = min(check / checks if last else (inside[k] - t) / h, until)
            k += not last
            spare, joint = _least_spare(system, work, y, t, h, high)
            if spare >= 0.0:
                low = high
                continue
            if joint >= 0 and low == 0.0 and _least_spare(system, work, y, t, h, low)[0] <= 0.0:
                return low, joint
            while joint >= 0:
                middle = 0.5 * (low + high)
                if middle in (low, high):
                    return high, joint
                spare, first = _least_spare(system, work, y, t, h, middle)
                if spare > 0.0:
                    low = middle
                else:
                    high, joint = middle, first
            return -1.0, -1
    return 2.0, -1


@inner
def _first_change(
    system: System, work: MarchWork, speeds: Array, y: Array, t: float, end: float, inside: Array,
    checks: int
) -> tuple[float, int]:  # fmt: skip
    """Part of a step at which the first joint leaves its range of speed or slips, and the joint.

    The part is 2 if none does, and -1 if no friction fits; then the joint is -1.
    """
    F, h, friction, first, changed = work.F, end - t, system.friction, 2.0, -1
    if not _interpolate(system, work, t, y, h):
        return -1.0, -1
    for x in range(friction.joints.size):
        joint, sense = friction.joints[x], friction.sense[x]
        row = system.joints.held.size + joint
        part = _change_in_step(F, y, row, sense, speeds[joint], t, end, inside, checks)
        if part < first:
            first, changed = part, joint
    if system.joints.stuck.size:
        part, joint = _first_slip(system, work, y, t, h, inside, checks, min(first, 1.0))
        if part < first:
            first, changed = part, joint
    return first, changed


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
    is_dry = system.friction.joints.size + system.joints.stuck.size > 0
    rtol, atol, longest, checks = limits
    is_known = False  # K[0], the rate at y
    for _ in range(most):
        t = now[0]
        if not (is_known or _rate(system, work, t, y, K[0])):
            return FAILED, reached, -1
        after, now[1] = _try_step(system, work, y, t, end, now[1], rtol, atol, longest)
        if after < t:
            return FAILED, reached, -1
        h, part, changed = after - t, 2.0, -1
        if len(pairs.kinds) and call(work.may_touch, (system, pairs, reserve, y, new, h, K)):
            return NEAR, reached, -1
        until = samples.size if after == end else _count_samples(samples, reached, after)
        if until > reached or is_dry:
            part, changed = _first_change(
                system, work, speeds, y, t, after, samples[reached:until], checks
            )
            if part < 0.0:
                return FAILED, reached, -1
            if changed >= 0:
                after = t + part * h
                until = samples.size if after == end else _count_samples(samples, reached, after)
                _fill_solution(F, y, part, new)
            for k in range(reached, until):
                _fill_solution(F, y, (samples[k] - t) / h, states[k])
            reached = until
        now[0] = after
        copy_to(new, y)
        copy_to(K[STAGES], K[0])
        is_known = not _turn_back(system.bodies.ball, y)
        if changed >= 0 or after == end:
            return CHANGED if changed >= 0 else REACHED, reached, changed
    return PAUSED, reached, -1
