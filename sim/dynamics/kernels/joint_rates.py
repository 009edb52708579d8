"""Equation of motion of joints that are free, held or stuck, with dry friction."""

from __future__ import annotations

from sim.dynamics.kernels.bodies import move_bodies
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.dry_friction import add_caused_friction, add_known_friction
from sim.dynamics.kernels.held_friction import (
    add_driven_friction,
    compute_spare_friction,
    gear_loss,
)
from sim.dynamics.kernels.records import Bodies, JointForces, Joints, System
from sim.dynamics.kernels.vectors import add_rows, ball_rate, copy_to, factor, substitute
from sim.maths.arrays import Array


@inner
def move_tree(joints: Joints, q: Array, qd: Array) -> None:
    """Compute positions and velocities of the tree's joints from the independent ones."""
    S, q_0, q_tree, qd_tree = joints.S, joints.q_0, joints.work.q_tree, joints.work.qd_tree
    if q_0.size == q.size:
        copy_to(q, q_tree)
        copy_to(qd, qd_tree)
        return
    for r in range(q_0.size):
        q_tree[r], qd_tree[r] = q_0[r], 0.0
        for i in range(q.size):
            q_tree[r] += S[r, i] * q[i]
            qd_tree[r] += S[r, i] * qd[i]


@inner
def project_on_joints(bodies: Bodies, joints: Joints, q: Array, qd: Array) -> None:
    """Project the tree's M (lower half) and bias onto the independent joints, if coupled."""
    S, rotors, M_tree, bias_tree = joints.S, joints.rotors, bodies.work.M, bodies.work.bias
    M, bias = joints.work.M, joints.work.bias
    tree, n = S.shape
    move_tree(joints, q, qd)
    move_bodies(bodies, joints.work.q_tree, joints.work.qd_tree)
    for i in range(n):
        bias[i] = bias_tree[i] if tree == n else 0.0
        for j in range(i + 1):
            M[i, j] = M_tree[i, j] if tree == n else 0.0
    if tree != n:
        for r in range(tree):
            for i in range(n):
                bias[i] += S[r, i] * bias_tree[r]
                for c in range(tree):
                    part = S[r, i] * M_tree[max(r, c), min(r, c)]
                    for j in range(i + 1):
                        M[i, j] += part * S[c, j]
    for i in range(n):
        M[i, i] += rotors[i]


@inner
def motor_torques(forces: JointForces, t: float, torque: Array) -> None:
    """Evaluate the motor torques at a time, by Clenshaw's recurrence of their series [N·m or N]."""
    edges, series = forces.edges, forces.series
    piece = 0
    while piece < len(series) - 1 and t > edges[piece + 1]:
        piece += 1
    low, high = edges[piece], edges[piece + 1]
    x = 2.0 * (min(t, high) - low) / (high - low) - 1.0
    for i in range(torque.size):
        a, b = 0.0, 0.0
        for k in range(series.shape[2] - 1, 0, -1):
            a, b = series[piece, i, k] + 2.0 * x * a - b, a
        torque[i] = series[piece, i, 0] + x * a - b


@inner
def linear_efforts(forces: JointForces, q: Array, qd: Array, effort: Array) -> None:
    """Evaluate the efforts of elements in joints that are linear in q and qd [N·m or N]."""
    at_zero, stiffness, damping = forces.at_zero, forces.stiffness, forces.damping
    for i in range(effort.size):
        effort[i] = at_zero[i]
        for j in range(effort.size):
            effort[i] -= stiffness[i, j] * q[j] + damping[i, j] * qd[j]


@inner
def solve_loose(joints: Joints, acting: Array, loss: Array, qdd: Array) -> None:
    """Solve for `qdd` of the loose joints under `acting` less `loss`; M and bias are known."""
    held, loose, work = joints.held, joints.loose, joints.work
    M, bias, L, x = work.M, work.bias, work.L, work.x
    factor(M, loose, L)
    for a in range(loose.size):
        i = loose[a]
        x[a] = -bias[i] - loss[i] + acting[i]
        if loose.size < qdd.size:
            for j in range(qdd.size):
                if held[j]:
                    x[a] -= M[max(i, j), min(i, j)] * qdd[j]
    substitute(L, x)
    for a in range(loose.size):
        qdd[loose[a]] = x[a]


@kernel
def solve_states(
    bodies: Bodies, joints: Joints, q: Array, qd: Array, qdd: Array, effort: Array
) -> None:
    """Fill in accelerations of loose joints and efforts of held ones; all arrays are (N, n)."""
    held, work = joints.held, joints.work
    M, bias, n = work.M, work.bias, work.still.size
    for k in range(len(q)):
        project_on_joints(bodies, joints, q[k], qd[k])
        solve_loose(joints, effort[k], work.still, qdd[k])
        for i in range(n):
            if held[i]:
                effort[k, i] = bias[i]
                for j in range(n):
                    effort[k, i] += M[max(i, j), min(i, j)] * qdd[k, j]


@kernel
def rate(
    system: System, q: Array, qd: Array, held_qdd: Array, motor: Array, acting: Array,
    pushed: Array, result: Array
) -> bool:  # fmt: skip
    """Fill in rates of free q, qd and works at their places in `result`; False if no friction fits.

    `held_qdd` are accelerations of held joints, `pushed` generalised forces of wrenches. See
    `sim.dynamics.single_state.rate.StateEquations`.
    """
    joints, ball, n = system.joints, system.bodies.ball, q.size
    free, has_balls = joints.free, ball.size == n
    project_on_joints(system.bodies, joints, q, qd)
    M, bias = joints.work.M, joints.work.bias
    effort, qdd, loss = joints.work.effort, joints.work.qdd, joints.work.loss
    for i in range(n):
        effort[i], qdd[i], loss[i] = motor[i] + acting[i] + pushed[i], held_qdd[i], 0.0
    add_known_friction(system, qd, acting, loss)
    solve_loose(joints, effort, loss, qdd)
    if not add_caused_friction(system, qd, motor, qdd, loss):
        return False
    add_driven_friction(system, qd, qdd, loss)
    if joints.stuck.size:
        for i in range(n):
            effort[i] -= bias[i]
            for j in range(n):
                effort[i] -= M[max(i, j), min(i, j)] * qdd[j]
        compute_spare_friction(system, qdd, motor, acting, effort)
    at_qd, at_motor, at_loss = system.at_qd, system.at_motor, system.at_loss
    at_external, driven = system.at_external, system.driven
    result[at_external], row, g = 0.0, 0, 0
    for i in range(n):
        torque = motor[i]
        if free[i]:
            result[row], result[at_qd + row] = qd[i], qdd[i]
            row += 1
            if has_balls and ball[i] == 3:
                result[row - 3], result[row - 2], result[row - 1] = ball_rate(q, qd, i)
        else:
            torque = bias[i] - pushed[i] - acting[i] + loss[i]
            for j in range(n):
                torque += M[max(i, j), min(i, j)] * qdd[j]
            if g < driven.gears.size and driven.gears[g] == i:
                passed = torque - driven.inertia[g] * qdd[i] - driven.viscous[g] * qd[i]
                mesh_loss = gear_loss(
                    driven, g, -acting[i] if driven.is_elastic[g] else passed, qd[i]
                )
                loss[i] += mesh_loss
                torque += mesh_loss
                g += 1
        result[at_motor + i] = torque * qd[i]
        result[at_loss + i] = loss[i] * qd[i]
        result[at_external] += (acting[i] + pushed[i]) * qd[i]
    return True


@kernel
def held_friction(
    system: System, q: Array, qd: Array, qdd: Array, motor: Array, acting: Array, holding: Array,
    loss: Array
) -> None:  # fmt: skip
    """Fill in the Coulomb friction and the laws of driven joints, (n,); 0 for other joints.

    Also compute the spare friction of stuck joints, whose friction is `holding` (n,).
    """
    joints = system.joints
    project_on_joints(system.bodies, joints, q, qd)
    for i in range(q.size):
        loss[i] = 0.0
    add_driven_friction(system, qd, qdd, loss)
    if joints.stuck.size:
        compute_spare_friction(system, qdd, motor, acting, holding)


@inner
def combine_rates(weights: Array, y: Array, h: float, K: Array, at: Array) -> None:
    """Compute the state after a step from y by weighted rates."""
    add_rows(weights, 1.0, K, at)
    for i in range(y.size):
        at[i] = y[i] + h * at[i]


@kernel
def take_step(
    system: System, y: Array, h: float, rule: Array, weights: Array, K: Array, at: Array
) -> bool:
    """Take one step of a Runge-Kutta rule in place of y, with motor torques that are states of y.

    All joints are free. `rule` (s, s) and `weights` (s,) are those of the rule, K (s, size) the
    rates of its stages, initially zero, and `at` (size,) memory; False if no friction fits.
    """
    forces, memory = system.forces, system.joints.work
    n, still, motor, acting = memory.still.size, memory.still, memory.motor, memory.acting
    copy_to(y[system.at_motor - n : system.at_motor], motor)
    for s in range(weights.size):
        combine_rates(rule[s, :s], y, h, K, at)
        q, qd = at[:n], at[n : 2 * n]
        if forces.at_zero.size:
            linear_efforts(forces, q, qd, acting)
        if not rate(system, q, qd, still, motor, acting, still, K[s]):
            return False
    combine_rates(weights, y, h, K, at)
    copy_to(at, y)
    return True
