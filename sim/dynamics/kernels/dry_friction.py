"""Dry friction that depends on its own effects: loads of joints, and torques through lossy gears.

All frictions D of one state, positive against the motion, solve one system. The load of a joint,
and the motor torque y that its rotor passes on, are linear in all of them,

    load = rest + more D,    y = y_0 - carried D

    D = min(mu |load| + P, D_max) - min(P, D_max)    of a joint, a ball or a sleeve by its law
    D = (1 - E) y                                    of a gear, E = eta_f where y drives, 1/eta_b

Newton's method solves it. The senses of the gears are iterated: all wrong ones change at once,
later only the last one, which terminates (Murty 1974) because M + E A is positive definite.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.bodies import load_joint, subtract_applied
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.records import Friction, System
from sim.dynamics.kernels.vectors import copy_to, substitute
from sim.maths.arrays import Array

# Three rounds are usual; friction that nearly jams grows by less than itself per round.
MOST_ROUNDS = 50
# Tolerance of a friction, relative to the largest and to the accuracy of the loads.
SETTLED, ROUNDING = 1e-13, 1e-15
# Below this determinant friction amplifies itself so much that Newton's step is useless.
SOUND = 1e-6
SLIDING = 1.5  # relative to the stiction velocity: `sim.robots.joint_friction.SLIDING`


@inner
def pressing_force(factors: Array, load: Array, slope: Array) -> float:
    """Return the force that presses the surfaces of a joint, and its slopes by the load."""
    whole = np.sqrt(load[0] ** 2 + load[1] ** 2 + load[2] ** 2)
    size = factors[4] * whole
    for half in range(2):
        o = 3 * half
        across, part = np.sqrt(load[o] ** 2 + load[o + 1] ** 2), factors[2 * half]
        size += part * across + factors[2 * half + 1] * abs(load[o + 2])
        part = part / across if across > 0.0 else 0.0
        slope[o], slope[o + 1] = part * load[o], part * load[o + 1]
        slope[o + 2] = factors[2 * half + 1] * np.sign(load[o + 2])
    if whole > 0.0:
        for k in range(3):
            slope[k] += factors[4] * load[k] / whole
    return float(size)


@inner
def coefficient_at(slip: float, static: float, dynamic: float) -> float:
    """Return the coefficient of friction at a surface speed in stiction velocities."""
    part = min(max((slip - 1.0) / (SLIDING - 1.0), 0.0), 1.0)
    return static + (dynamic - static) * (part * part * (3.0 - 2.0 * part))


@inner
def passed_on(y: float, sense: float, forwards: float, backwards: float) -> float:
    """Return E of the torque behind a rotor, by its sign and that of the motion; 1 at rest."""
    if sense == 0.0:
        return 1.0
    return forwards if y * sense > 0.0 else 1.0 / backwards


@inner
def _newton_step(A: Array, x: Array, gears: int, step: Array) -> None:
    """Replace x by Newton's step A⁻¹ x, except where the laws' part of A is ill-conditioned.

    A is overwritten; `step` is memory as large as x.
    """
    determinant = 1.0
    copy_to(x, step)
    for i in range(x.size):
        if i >= gears:
            determinant *= A[i, i]
        for j in range(i + 1, x.size):
            part = A[j, i] / A[i, i]
            for k in range(i, x.size):
                A[j, k] -= part * A[i, k]
            step[j] -= part * step[i]
    if determinant > SOUND:
        for i in range(x.size - 1, -1, -1):
            for j in range(i + 1, x.size):
                step[i] -= A[i, j] * step[j]
            step[i] /= A[i, i]
        copy_to(step, x)


@inner
def _lacking_of_gears(
    friction: Friction, y_0: Array, carried: Array, sense: Array, dry: Array, is_early: bool
) -> tuple[float, float]:  # fmt: skip
    """Fill in the gears' equations; return the largest residual of their frictions and |y|."""
    work, gears = friction.work, y_0.size
    A, lacking, passing = work.A, work.lacking, work.passing
    off, largest, is_changed = 0.0, 0.0, False
    for j in range(gears - 1, -1, -1):
        y = y_0[j]
        for x in range(dry.size):
            y -= carried[j, x] * dry[x]
        E = passed_on(y, sense[j], friction.efficiency[0, j], friction.efficiency[1, j])
        off += abs((1.0 - E) * y - dry[j])
        largest = max(largest, abs(y), abs(y_0[j]))
        if is_early or not is_changed:
            is_changed = is_changed or passing[j] != E
            passing[j] = E
        share = 1.0 - passing[j]
        lacking[j] = share * y - dry[j]
        for x in range(dry.size):
            A[j, x] = share * carried[j, x] + (1.0 if x == j else 0.0)
    return off, largest


@inner
def _lacking_of_laws(
    friction: Friction, rest: Array, more: Array, slip: Array, dry: Array
) -> tuple[float, float, float]:
    """Fill in the laws' equations; return the largest residual, friction and load."""
    work, gears = friction.work, friction.gears.size
    A, lacking, load, slope = work.A, work.lacking, work.load, work.slope
    off, largest, heaviest = 0.0, 0.0, 0.0
    for row in range(slip.size):
        x, most, preload = gears + row, friction.most[row], friction.preload[row]
        for k in range(6):
            load[k] = rest[row, k]
            for i in range(dry.size):
                load[k] += more[row, i, k] * dry[i]
            heaviest = max(heaviest, abs(load[k]))
        mu = coefficient_at(slip[row], friction.mu_static[row], friction.mu_dynamic[row])
        raw = mu * pressing_force(friction.factors[row], load, slope) + preload
        lacking[x] = min(raw, most) - min(preload, most) - dry[x]
        off += abs(lacking[x])
        largest = max(largest, min(raw, most))
        for i in range(dry.size):
            A[x, i] = 1.0 if x == i else 0.0
            if raw < most:
                for k in range(6):
                    A[x, i] -= mu * slope[k] * more[row, i, k]
    return off, largest, heaviest


@inner
def fit_friction(
    friction: Friction, rest: Array, more: Array, y_0: Array, carried: Array, sense: Array,
    slip: Array, dry: Array
) -> bool:  # fmt: skip
    """Fill in the frictions D (c,) of g gears and k laws, c = g + k; False without a solution.

    `dry` (c + r,) starts with D, followed by r known frictions.

    Parameters
    ----------
    rest, more : ndarray, shape (k, 6), (k, c + r, 6)
        Loads without friction, and per unit of each [N], [N·m].
    y_0, carried : ndarray, shape (g,), (g, c + r)
    sense : ndarray, shape (g,)
        Sense of the motion, 1 or -1; 0 at rest.
    slip : ndarray, shape (k,)
        Speeds of the surfaces, in stiction velocities.
    """
    work, gears = friction.work, y_0.size
    count = gears + slip.size
    for x in range(count):
        dry[x] = 0.0
    for j in range(gears):
        work.passing[j] = 1.0
    for tries in range(MOST_ROUNDS + 2**gears):
        off_gears, y = _lacking_of_gears(
            friction, y_0, carried, sense, dry, tries <= friction.at_once
        )
        off, largest, heaviest = _lacking_of_laws(friction, rest, more, slip, dry)
        if off_gears + off <= SETTLED * max(largest, y) + ROUNDING * heaviest:
            return True
        _newton_step(work.A, work.lacking, gears, work.step)
        for x in range(count):
            dry[x] += work.lacking[x]
    return False


@kernel
def fit_states(
    friction: Friction, rest: Array, more: Array, y_0: Array, carried: Array, sense: Array,
    slip: Array, dry: Array
) -> int:  # fmt: skip
    """Fill in the frictions of N states as `fit_friction`; return the first that fails, or -1.

    All arrays have the states as their first axis.
    """
    for k in range(len(dry)):
        if not fit_friction(
            friction, rest[k], more[k], y_0[k], carried[k], sense[k], slip[k], dry[k]
        ):
            return k
    return -1


@inner
def on_tree(S: Array, v: Array, v_tree: Array) -> None:
    """Compute rates of the tree's joints from those of the independent ones."""
    if len(S) == v.size:
        copy_to(v, v_tree)
        return
    for r in range(len(S)):
        v_tree[r] = 0.0
        for i in range(v.size):
            v_tree[r] += S[r, i] * v[i]


@inner
def add_known_friction(system: System, qd: Array, acting: Array, loss: Array) -> None:
    """Add friction that depends on speed, and on the spring torques of elastic gears, to `loss`."""
    viscous, friction = system.joints.viscous, system.friction
    for i in range(qd.size):
        loss[i] += friction.constant[i]
        if len(viscous):
            for j in range(qd.size):
                loss[i] += viscous[i, j] * qd[j]
    for e in range(friction.elastic.size):
        i = friction.elastic[e]
        forwards, backwards = friction.elastic_efficiency[0, e], friction.elastic_efficiency[1, e]
        tau = -acting[i]
        E = passed_on(tau, friction.elastic_sense[e], forwards, backwards)
        loss[i] += (1.0 / E - 1.0) * tau


@inner
def add_caused_friction(system: System, qd: Array, motor: Array, qdd: Array, loss: Array) -> bool:
    """Add friction of sliding joints and gears to `qdd` and `loss`; False without a solution.

    `motor` holds the motor torques. The Cholesky factor of M of the loose joints must be known.
    """
    bodies, joints, friction = system.bodies, system.joints, system.friction
    work, loose, part, n = friction.work, joints.loose, joints.work.x, qd.size
    rest, more, unit, dry = work.rest, work.more, work.unit, work.dry
    count = dry.size
    if count == 0:
        return True
    on_tree(joints.S, qdd, work.qdd_tree)
    for x in range(count):
        for a in range(loose.size):
            part[a] = -friction.units[x, loose[a]]
        substitute(joints.work.L, part)
        for a in range(loose.size):
            unit[x, loose[a]] = part[a]
        on_tree(joints.S, unit[x], work.unit_tree[x])
    for law in range(len(rest)):
        row, square = friction.rows[law], 0.0
        load_joint(bodies, row, work.qdd_tree, True, rest[law])
        subtract_applied(bodies, system.applied, row, rest[law])
        for x in range(count):
            load_joint(bodies, row, work.unit_tree[x], False, more[law, x])
        for r in range(work.qdd_tree.size):
            square += (friction.slips[law, r] * joints.work.qd_tree[r]) ** 2
        work.slip[law] = np.sqrt(square)
    for j in range(friction.gears.size):
        i, A = friction.gears[j], friction.inertia[j]
        work.y_0[j] = motor[i] - friction.viscous[j] * qd[i] - friction.coulomb[j] - A * qdd[i]
        for x in range(count):
            work.carried[j, x] = A * unit[x, i]
    if not fit_friction(
        friction, rest, more, work.y_0, work.carried, friction.gear_sense, work.slip, dry
    ):
        return False
    for x in range(count):
        for i in range(n):
            loss[i] += friction.units[x, i] * dry[x]
            qdd[i] += unit[x, i] * dry[x]
    return True
