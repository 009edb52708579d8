"""A Runge–Kutta step of a march of free joints, and the solution within it.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.10 (DOP853).
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.dormand_prince import ALL_STAGES, E3, E5, STAGES, A, C, D
from sim.dynamics.kernels.compiling import call, inner
from sim.dynamics.kernels.joint_rates import combine_rates, linear_efforts, motor_torques
from sim.dynamics.kernels.records import MarchWork, System
from sim.dynamics.kernels.vectors import add_rows, copy_to
from sim.maths.arrays import Array

# As in `sim.dynamics.explicit_steps`.
FARTHER, LOOSE, TOO_LARGE, LATE, MOST_DEFECT = 10.0, 1e3, 1e8, 0.9, 1e3


@inner
def march_rate(system: System, march: MarchWork, t: float, y: Array, result: Array) -> bool:
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
    return march_rate(system, work, t + C[s] * h, at, work.K[s])


@inner
def solution_at(F: Array, y: Array, x: float, i: int) -> tuple[float, float]:
    """Return component i of the solution at the fraction x of a step, and its slope by x."""
    v, slope = 0.0, 0.0
    for r in range(7):
        v += F[6 - r, i]
        if r % 2 == 0:
            v, slope = v * x, v + slope * x
        else:
            v, slope = v * (1.0 - x), slope * (1.0 - x) - v
    return v + y[i], slope


@inner
def fill_solution(F: Array, y: Array, x: float, at: Array) -> None:
    """Fill in the solution at the fraction x of a step; all components of `solution_at`."""
    for i in range(y.size):
        at[i] = 0.0
    for r in range(7):
        factor = x if r % 2 == 0 else 1.0 - x
        for i in range(y.size):
            at[i] = (at[i] + F[6 - r, i]) * factor
    for i in range(y.size):
        at[i] += y[i]


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
def is_seen(y: Array, new: Array, K: Array, h: float, rtol: float, atol: Array) -> bool:
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
def try_step(
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
        if error < 1.0 and not is_seen(y, new, K, h, rtol, atol):
            error = TOO_LARGE
        factor = 0.9 * error**-0.125 if error != 0.0 else 10.0
        if error < 1.0:
            return after, h * min(factor, most)
        h *= factor if factor > 0.2 else 0.2
        most = 1.0
    return -1.0, h


@inner
def interpolate(system: System, work: MarchWork, t: float, y: Array, h: float) -> bool:
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
def misses_kink(
    system: System, work: MarchWork, y: Array, t: float, h: float, rtol: float, atol: Array
) -> bool:
    """Whether the solution within a step has other slopes than accelerations, due to a kink.

    Also if no friction fits there.
    """
    rate, n = work.K[ALL_STAGES - 1], system.joints.held.size
    fill_solution(work.F, y, LATE, work.at)
    if not march_rate(system, work, t + LATE * h, work.at, rate):
        return True
    for i in range(n, 2 * n):
        scale = atol[i] + rtol * max(abs(y[i]), abs(work.after[i]))
        slope = solution_at(work.F, y, LATE, i)[1]
        if abs(slope - h * rate[i]) > MOST_DEFECT * scale:
            return True
    return False
