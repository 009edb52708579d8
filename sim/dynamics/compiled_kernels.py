"""Machine code of free motion, by numba: the sums of `sim.dynamics.instant` and a Runge–Kutta loop.

Only `sim.dynamics.compiled` imports this, where numba is installed. Everything is checked against
the NumPy path, which says what is meant; here are the same equations, number by number.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.10 (DOP853).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.integrate import DOP853

from sim.dynamics.load_dependent_friction import ROUNDING, SETTLED, SLOPE
from sim.robots.joint_friction import SLIDING

# What a march ends with.
REACHED, CHANGED, PAUSED, LOST = 0, 1, 2, 3

MOST_ROUNDS = 25
STAGES = 12
A = np.zeros((16, 16))
A[:STAGES, :STAGES], A[13:] = DOP853.A, DOP853.A_EXTRA
A[STAGES, :STAGES] = DOP853.B
E3, E5, D = np.array(DOP853.E3), np.array(DOP853.E5), np.array(DOP853.D)


@njit(cache=True)
def _cross(a, b, c):
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]


@njit(cache=True)
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def _times(A, v, u):
    """u = A v."""
    for i in range(3):
        u[i] = A[i, 0] * v[0] + A[i, 1] * v[1] + A[i, 2] * v[2]


@njit(cache=True)
def _back(A, v, u):
    """u = Aᵀ v."""
    for i in range(3):
        u[i] = A[0, i] * v[0] + A[1, i] * v[1] + A[2, i] * v[2]


@njit(cache=True)
def pose(robot, q, R, p):
    """Rotations (n, 3, 3) and origins (n, 3) of all bodies in the world."""
    parent, slides, T = robot[0], robot[1], robot[2]
    still = np.empty((3, 3))
    for i in range(q.size):
        up = parent[i]
        for a in range(3):
            for b in range(3):
                still[a, b] = T[i, a, b]
            p[i, a] = T[i, a, 3]
        if up >= 0:
            for a in range(3):
                for b in range(3):
                    still[a, b] = _dot(R[up, a], T[i, :, b])
                p[i, a] = p[up, a] + _dot(R[up, a], T[i, :, 3])
        c, s = np.cos(q[i]), np.sin(q[i])
        for a in range(3):
            x, y = still[a, 0], still[a, 1]
            R[i, a, 2] = still[a, 2]
            if slides[i]:
                R[i, a, 0], R[i, a, 1] = x, y
                p[i, a] += still[a, 2] * q[i]
            else:
                R[i, a, 0], R[i, a, 1] = x * c + y * s, y * c - x * s


@njit(cache=True)
def moving(robot, q, qd, room):
    """M, C qd + g, and of each body the wrench that moves it without qdd."""
    parent, slides, _, mass, com, axes, moments, gravity = robot
    M, bias, R, p, Jv, G, w, alpha, centre, own, force, spin = room
    pose(robot, q, R, p)
    M[:], bias[:] = 0.0, 0.0
    z, turn, v3, u3 = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    w_b, alpha_b, a = np.empty(3), np.empty(3), np.empty(3)
    for i in range(q.size):
        up = parent[i]
        for k in range(3):
            w[i, k] = w[up, k] if up >= 0 else 0.0
            alpha[i, k] = alpha[up, k] if up >= 0 else 0.0
            turn[k] = 0.0 if slides[i] else R[i, k, 2] * qd[i]
        _cross(w[i], turn, v3)
        for k in range(3):
            w[i, k] += turn[k]
            alpha[i, k] += v3[k]
    for b in range(q.size):
        if mass[b] == 0.0:
            continue
        _times(R[b], com[b], centre[b])
        for k in range(3):
            centre[b, k] += p[b, k]
            a[k] = -gravity[k]
            for l in range(3):
                own[b, k, l] = _dot(R[b, k], axes[b, :, l])
        j = b
        while j >= 0:
            for k in range(3):
                z[k] = R[j, k, 2]
                u3[k] = centre[b, k] - p[j, k]
                turn[k] = 2.0 * w[j, k] - (0.0 if slides[j] else z[k] * qd[j])
            if slides[j]:
                Jv[b, j], G[b, j] = z, 0.0
            else:
                _cross(z, u3, Jv[b, j])
                _back(own[b], z, G[b, j])
            _cross(turn, Jv[b, j], v3)
            for k in range(3):
                a[k] += v3[k] * qd[j]
            j = parent[j]
        _back(own[b], w[b], w_b)
        _back(own[b], alpha[b], alpha_b)
        for k in range(3):
            k_1, k_2 = (k + 1) % 3, (k + 2) % 3
            force[b, k] = mass[b] * a[k]
            gyration = (moments[b, k_2] - moments[b, k_1]) * w_b[k_1] * w_b[k_2]
            spin[b, k] = moments[b, k] * alpha_b[k] + gyration
        i = b
        while i >= 0:
            bias[i] += _dot(Jv[b, i], force[b]) + _dot(G[b, i], spin[b])
            j = i
            while j >= 0:
                x = mass[b] * _dot(Jv[b, i], Jv[b, j])
                for k in range(3):
                    x += moments[b, k] * G[b, i, k] * G[b, j, k]
                M[i, j] += x
                j = parent[j]
            i = parent[i]


@njit(cache=True)
def factored(M):
    """Cholesky's factor of the lower half of M, in its place; no numbers where it has none."""
    n = len(M)
    for j in range(n):
        for i in range(j, n):
            x = M[i, j]
            for k in range(j):
                x -= M[i, k] * M[j, k]
            M[i, j] = np.sqrt(x) if i == j else x / M[j, j]


@njit(cache=True)
def solved(L, x):
    """x by forward and backward substitution, in its place."""
    n = x.size
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@njit(cache=True)
def load(robot, room, joint, qdd, still, wrench):
    """What a joint carries (6,), along axes with z along the joint's; `still`: the state's, too."""
    parent, mass, moments = robot[0], robot[3], robot[6]
    R, p, Jv, G, centre, own, force, spin = (
        room[2], room[3], room[4], room[5], room[8], room[9], room[10], room[11],
    )  # fmt: skip
    F, N = np.zeros(3), np.zeros(3)
    f, t, v, lever = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for b in range(joint, qdd.size):
        if mass[b] == 0.0:
            continue
        up = b
        while up > joint:
            up = parent[up]
        if up != joint:
            continue
        for k in range(3):
            f[k] = force[b, k] if still else 0.0
            t[k] = spin[b, k] if still else 0.0
        j = b
        while j >= 0:
            for k in range(3):
                f[k] += mass[b] * Jv[b, j, k] * qdd[j]
                t[k] += moments[b, k] * G[b, j, k] * qdd[j]
            j = parent[j]
        for k in range(3):
            lever[k] = centre[b, k] - p[joint, k]
            F[k] += f[k]
        _times(own[b], t, v)
        _cross(lever, f, t)
        for k in range(3):
            N[k] += v[k] + t[k]
    _back(R[joint], F, wrench[:3])
    _back(R[joint], N, wrench[3:])


@njit(cache=True)
def fitted(rub, qd, rest, more, dry):
    """Whether dry frictions are found that fit the loads that they cause, and the frictions."""
    joints, sense, following, steady, most, coulomb, factors, speed, mu_s, mu_d = rub
    count = following.size
    A, lacking, slope, load = np.empty((count, count)), np.empty(count), np.empty(6), np.empty(6)
    for x in range(joints.size):
        dry[x] = steady[x]
    for x in following:
        dry[x] = 0.0
    for _ in range(MOST_ROUNDS):
        largest, heaviest, worst = 0.0, 0.0, 0.0
        for x in range(joints.size):
            largest = max(largest, dry[x])
        for row in range(count):
            x = following[row]
            for k in range(6):
                load[k] = rest[row, k]
                for y in range(joints.size):
                    load[k] += more[row, y, k] * dry[y]
                heaviest = max(heaviest, abs(load[k]))
            slip = min(max((abs(qd[joints[x]]) * speed[row] - 1.0) / (SLIDING - 1.0), 0.0), 1.0)
            mu = mu_s[row] + (mu_d[row] - mu_s[row]) * (slip * slip * (3.0 - 2.0 * slip))
            size = 0.0
            for half in range(2):
                o = 3 * half
                across = np.sqrt(load[o] ** 2 + load[o + 1] ** 2)
                part = factors[row, 2 * half]
                size += part * across + factors[row, 2 * half + 1] * abs(load[o + 2])
                part = part / across if across > 0.0 else 0.0
                slope[o], slope[o + 1] = part * load[o], part * load[o + 1]
                slope[o + 2] = factors[row, 2 * half + 1] * np.sign(load[o + 2])
            raw = mu * size + steady[x]
            limit = min(raw, most[row]) + coulomb[row]
            largest = max(largest, limit)
            lacking[row] = limit - dry[x]
            worst = max(worst, abs(lacking[row]))
            for column in range(count):
                A[row, column] = 1.0 if row == column else 0.0
                if raw < most[row]:
                    for k in range(6):
                        A[row, column] -= mu * slope[k] * more[row, following[column], k]
        if worst <= SETTLED * largest + ROUNDING * heaviest:
            return True
        determinant = 1.0
        step = lacking.copy()
        for x in range(count):
            determinant *= A[x, x]
            for y in range(x + 1, count):
                part = A[y, x] / A[x, x]
                for column in range(x, count):
                    A[y, column] -= part * A[x, column]
                step[y] -= part * step[x]
        if determinant > SLOPE:
            for x in range(count - 1, -1, -1):
                for y in range(x + 1, count):
                    step[x] -= A[x, y] * step[y]
                step[x] /= A[x, x]
            lacking = step
        for row in range(count):
            dry[following[row]] += lacking[row]
    return False


@njit(cache=True)
def rate(robot, viscous, rub, y, result, room):
    """Rate of (q, qd, works of motors, losses, work of loads); False if no friction fits."""
    joints, sense, following = rub[0], rub[1], rub[2]
    M, bias = room[0], room[1]
    n, count = bias.size, joints.size
    q, qd = y[:n], y[n : 2 * n]
    moving(robot, q, qd, room)
    factored(M)
    result[:] = 0.0
    result[:n] = qd
    qdd, loss = result[n : 2 * n], result[3 * n : 4 * n]
    for i in range(n):
        loss[i] = viscous[i] * qd[i]
        qdd[i] = -bias[i] - loss[i]
    solved(M, qdd)
    unit, dry = np.zeros((count, n)), rub[3].copy()
    for x in range(count):
        unit[x, joints[x]] = -sense[x]
        solved(M, unit[x])
    if following.size:
        rest = np.empty((following.size, 6))
        more = np.empty((following.size, count, 6))
        for row in range(following.size):
            load(robot, room, joints[following[row]], qdd, True, rest[row])
            for x in range(count):
                load(robot, room, joints[following[row]], unit[x], False, more[row, x])
        if not fitted(rub, qd, rest, more, dry):
            return False
    for x in range(count):
        loss[joints[x]] += sense[x] * dry[x]
        for i in range(n):
            qdd[i] += unit[x, i] * dry[x]
    for i in range(n):
        loss[i] *= qd[i]
    return True


@njit(cache=True)
def _stage(robot, viscous, rub, y, h, K, s, room, at):
    for i in range(y.size):
        x = 0.0
        for j in range(s):
            x += A[s, j] * K[j, i]
        at[i] = y[i] + h * x
    return rate(robot, viscous, rub, at, K[s], room)


@njit(cache=True)
def _place(F, y, x, i):
    """Component i of the solution within a step, at the part x of it."""
    v = 0.0
    for r in range(7):
        v = (v + F[6 - r, i]) * (x if r % 2 == 0 else 1.0 - x)
    return v + y[i]


@njit(cache=True)
def _left(F, y, n, t, end, samples, begin, stop, checks, joint, sense):
    """The part of a step at which a sliding joint has come to rest; 2 if it has not."""
    h, low = end - t, 0.0
    x, k = 0.0, begin
    for check in range(1, checks + 1):
        x = check / checks
        while True:
            here = x
            if k < stop and (samples[k] - t) / h < x:
                here = (samples[k] - t) / h
                k += 1
            if here > 0.0:
                if sense * _place(F, y, here, n + joint) < 0.0:
                    if sense * _place(F, y, low, n + joint) <= 0.0:
                        return low
                    high = here
                    for _ in range(100):
                        middle = 0.5 * (low + high)
                        if middle in (low, high):
                            break
                        if sense * _place(F, y, middle, n + joint) > 0.0:
                            low = middle
                        else:
                            high = middle
                    return low
                low = here
            if here == x:
                break
    return 2.0


@njit(cache=True)
def march(robot, viscous, rub, y, now, end, samples, states, reached, limits, most):
    """Integrate until the end, the first sliding joint at rest, or so many steps.

    `y` and `now` (time, length of the next step) are those reached; a state for each sample passed.
    Returns how it ended, the number of samples passed, and the joint that changed.
    """
    rtol, atol, longest, checks = limits
    joints, sense = rub[0], rub[1]
    size, n = y.size, viscous.size
    M, bias, R, p = np.empty((n, n)), np.empty(n), np.empty((n, 3, 3)), np.empty((n, 3))
    Jv, G, own = np.empty((n, n, 3)), np.empty((n, n, 3)), np.empty((n, 3, 3))
    w, alpha, centre, force, spin = (
        np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)),
    )  # fmt: skip
    room = (M, bias, R, p, Jv, G, w, alpha, centre, own, force, spin)
    K, F, at = np.zeros((16, size)), np.empty((7, size)), np.empty(size)
    t, h_next = now
    if not rate(robot, viscous, rub, y, K[0], room):
        return LOST, reached, -1
    for _ in range(most):
        shortest = 10.0 * (np.nextafter(t, np.inf) - t)
        h_next = min(max(h_next, shortest), longest)
        rejected = False
        while True:
            if not h_next >= shortest:
                return LOST, reached, -1
            after = min(t + h_next, end)
            h = after - t
            for s in range(1, STAGES + 1):
                if not _stage(robot, viscous, rub, y, h, K, s, room, at):
                    return LOST, reached, -1
            five, three = 0.0, 0.0
            for i in range(size):
                scale = atol + rtol * max(abs(y[i]), abs(at[i]))
                e_5, e_3 = 0.0, 0.0
                for j in range(STAGES + 1):
                    e_5 += E5[j] * K[j, i]
                    e_3 += E3[j] * K[j, i]
                five += (e_5 / scale) ** 2
                three += (e_3 / scale) ** 2
            error = 0.0
            if five != 0.0 or three != 0.0:
                error = h * five / np.sqrt((five + 0.01 * three) * size)
            factor = 10.0 if error == 0.0 else 0.9 * error**-0.125
            if error < 1.0:
                break
            h_next = h * (factor if factor > 0.2 else 0.2)
            rejected = True
        h_next = h * min(factor, 1.0 if rejected else 10.0)
        before = reached
        while before < samples.size and (samples[before] < after or after == end):
            before += 1
        changed, when = -1, after
        if before > reached or joints.size:
            new = at.copy()
            for s in range(STAGES + 1, 16):
                if not _stage(robot, viscous, rub, y, h, K, s, room, at):
                    return LOST, reached, -1
            for i in range(size):
                step = new[i] - y[i]
                F[0, i], F[1, i] = step, h * K[0, i] - step
                F[2, i] = 2.0 * step - h * (K[STAGES, i] + K[0, i])
                for r in range(4):
                    x = 0.0
                    for j in range(16):
                        x += D[r, j] * K[j, i]
                    F[3 + r, i] = h * x
            first = 2.0
            for x in range(joints.size):
                part = _left(
                    F, y, n, t, after, samples, reached, before, checks, joints[x], sense[x]
                )
                if part < first:
                    first, changed = part, joints[x]
            if changed >= 0:
                when = t + first * h
                before = reached
                while before < samples.size and samples[before] < when:
                    before += 1
            for k in range(reached, before):
                for i in range(size):
                    states[i, k] = _place(F, y, (samples[k] - t) / h, i)
            at[:] = new
            if changed >= 0:
                for i in range(size):
                    at[i] = _place(F, y, first, i)
        reached = before
        y[:] = at
        K[0] = K[STAGES]
        t = when
        now[0], now[1] = t, h_next
        if changed >= 0:
            return CHANGED, reached, changed
        if t >= end:
            return REACHED, reached, -1
    return PAUSED, reached, -1
