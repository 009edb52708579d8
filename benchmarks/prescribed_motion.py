"""Prescribed motion: torques of scenario ur10_step over 10 s, and the cost of a recorded step.

Errors are torque differences from Pinocchio's `rnea`, relative to the joint's peak. A minimal loop
sets the motors or servos, steps and reads the torques. The analytic model, which needs no engine,
is included for comparison.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.contest import Contender, Part, Settings, Subject, Target, absent, has, ratio, turns
from benchmarks.peers import MuJoCo, by_pinocchio
from sim.dynamics.newton_euler import inverse_dynamics
from sim.engines.bullet import Bullet
from sim.engines.bullet.stepping import UNLIMITED_EFFORT
from sim.engines.contract import March
from sim.engines.ideal import solve_ideal
from sim.engines.stepped import solve_stepped
from sim.robots.robot import Robot
from sim.scenario.script import load_script

Path = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
LEAN, RECORDED = "PyBullet, minimal loop", "sim, recorded loop"
PLAIN, EXTRAPOLATED = "PyBullet, minimal loop, 1 ms", "sim, stepped 4 ms"


def measured(settings: Settings) -> Subject:
    """Return a plot of errors over time, and the cost of a recorded step."""
    scenario, _ = load_script("ur10_step").build({})
    robot, gravity = scenario.robot, scenario.gravity
    motion = scenario.motion.on(robot, scenario.duration)
    duration = 0.2 if settings.quick else scenario.duration

    def path(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        at = motion.at(t)
        return at.q, at.qd, at.qdd

    with Bullet(robot, gravity) as engine:
        rows = turns(_contenders(robot, engine, path, gravity, duration), settings)
        loops = turns(_loops(engine, settings.pick(10_000, 100)), settings)
    error = "largest torque error, relative to the joint's peak"
    return Subject(
        __doc__,
        (
            Part("Torques over 10 s", tuple(rows.values()), "run", error, "work-precision"),
            Part("Recorded step", tuple(loops.values()), "step"),
        ),
        (
            Target(
                "recorded step, time relative to a minimal loop",
                ratio(loops, RECORDED, LEAN),
                1.15,
                "x",
            ),
            Target(
                f"{EXTRAPOLATED}: error relative to the largest torque",
                _of_largest(robot, path, gravity, duration),
                1e-5,
                "1",
            ),
            Target(
                f"{EXTRAPOLATED}: time relative to {PLAIN}",
                ratio(rows, EXTRAPOLATED, PLAIN),
                1.0,
                "x",
            ),
        ),
    )


def _contenders(
    robot: Robot, engine: Bullet, path: Path, gravity: tuple[float, ...], duration: float
) -> list[Contender]:
    found = []
    reference = by_pinocchio(robot, gravity)

    def enter(name: str, t: np.ndarray, solve: Callable[[], np.ndarray], needs: str = "") -> None:
        exact = reference(*path(t))
        apart = np.abs(solve() - exact).max(axis=1) / np.abs(exact).max(axis=1)
        found.append(Contender(name, solve, error=float(apart.max()), needs=needs))

    driven = np.ones(6, dtype=bool)
    for h in (8e-3, 4e-3, 2e-3, 1e-3):
        t = _times(duration, h)
        enter(
            f"sim, stepped {1e3 * h:g} ms",
            t,
            lambda t=t: solve_stepped(engine, t, path, driven, None).tau,
        )
    t = _times(duration, 1e-3)
    enter("sim, ideal 1 ms", t, lambda: solve_ideal(engine, t, *path(t)).tau)
    for h in (1e-3, 2.5e-4):
        begin = _times(duration, h)
        enter(f"PyBullet, minimal loop, {1e3 * h:g} ms", begin[:-1], _by_hand(engine, path, begin))
    if has("mujoco"):
        for h in (1e-3, 2.5e-4):
            t_servo = _times(duration, h)
            solve = _by_servo(MuJoCo(robot), path, t_servo)
            enter(f"MuJoCo with servos, {1e3 * h:g} ms", t_servo, solve, "mujoco")
    else:
        found.append(absent("MuJoCo with servos", "mujoco"))
    enter("sim, analytic model, 1 ms", t, lambda: inverse_dynamics(robot, *path(t), gravity))
    found.append(Contender("Pinocchio rnea in a loop, 1 ms", lambda: reference(*path(t))))
    return found


def _times(duration: float, h: float) -> np.ndarray:
    return np.linspace(0.0, duration, round(duration / h) + 1)


def _of_largest(robot: Robot, path: Path, gravity: tuple[float, ...], duration: float) -> float:
    """Return the largest error of all torques over the largest torque, by 4 + 2 ms."""
    t = _times(duration, 4e-3)
    exact = by_pinocchio(robot, gravity)(*path(t))
    with Bullet(robot, gravity) as engine:
        tau = solve_stepped(engine, t, path, np.ones(6, dtype=bool), None).tau
    return float(np.abs(tau - exact).max() / np.abs(exact).max())


def _by_hand(engine: Bullet, path: Path, t: np.ndarray) -> Callable[[], np.ndarray]:
    p, body, joints, client = engine.bullet, engine.body, engine.joints, engine.client
    forces, h = [UNLIMITED_EFFORT] * len(joints), float(t[1] - t[0])

    def solve() -> np.ndarray:
        q = path(t)[0]
        engine.set_step(h)
        commands = (np.diff(q) / h).T.tolist()
        engine.reset(q[:, 0].tolist(), commands[0])
        found = []
        for command in commands:
            p.setJointMotorControlArray(
                body,
                joints,
                p.VELOCITY_CONTROL,
                targetVelocities=command,
                forces=forces,
                physicsClientId=client,
            )
            p.stepSimulation(client)
            found.append([state[3] for state in p.getJointStates(body, joints, client)])
        return np.array(found).T

    return solve


def _by_servo(other: MuJoCo, path: Path, t: np.ndarray) -> Callable[[], np.ndarray]:
    """Return torques of a stiff critically damped servo that follows the motion."""
    model, data, step = other.model, other.data, other.mujoco.mj_step
    h = float(t[1] - t[0])
    rate = 0.5 / h

    def solve() -> np.ndarray:
        q, qd, _ = path(t)
        model.opt.timestep = h
        model.opt.integrator = other.mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        other.mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q[:, 0], qd[:, 0]
        found, M = np.empty_like(q), np.zeros((6, 6))
        for k in range(t.size):
            other.mujoco.mj_forward(model, data)
            other.mujoco.mj_fullM(model, data, M)
            wanted = rate**2 * (q[:, k] - data.qpos) + 2 * rate * (qd[:, k] - data.qvel)
            data.qfrc_applied[:] = M @ wanted + data.qfrc_bias
            found[:, k] = data.qfrc_applied
            step(model, data)
        return found

    return solve


def _loops(engine: Bullet, steps: int) -> list[Contender]:
    """Return the recorded loop, and the leanest possible loop, which stores nothing."""
    p, body, joints, client = engine.bullet, engine.body, engine.joints, engine.client
    h = 1e-3
    t = h * np.arange(steps + 1)
    q = np.sin(np.outer(np.arange(1, 7) / 3, t))
    commands = np.diff(q) / h
    rows, forces = commands.T.tolist(), [UNLIMITED_EFFORT] * len(joints)
    driven = np.ones(len(joints), dtype=bool)

    def lean() -> None:
        engine.set_step(h)
        engine.reset(q[:, 0].tolist(), rows[0])
        for command in rows:
            p.setJointMotorControlArray(
                body,
                joints,
                p.VELOCITY_CONTROL,
                targetVelocities=command,
                forces=forces,
                physicsClientId=client,
            )
            p.stepSimulation(client)
            p.getJointStates(body, joints, client)

    def recorded() -> None:
        engine.set_step(h)
        start = np.stack([q[:, 0], commands[:, 0]], axis=1)
        engine.march(March(h, t[1:], start, driven, commands, q[:, 1:]))

    return [Contender(LEAN, lean, steps), Contender(RECORDED, recorded, steps)]
