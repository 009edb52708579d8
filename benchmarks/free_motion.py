"""Free motion, 1 s at 1 kHz: two UR10 arms and a double pendulum.

One UR10 is released, the other has a torque drive and a joint spring; the friction of the double
pendulum depends on its joint loads. Errors are differences of joint angles from Pinocchio's `aba`,
integrated by SciPy's DOP853 at a relative tolerance of 1e-13. No other program has load-dependent
friction: its reference is our own model at SciPy's tightest tolerance. `sim` also records work and
events, the other programs only positions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pinocchio as pin

import sim
from benchmarks.contest import (
    Contender,
    Part,
    Row,
    Settings,
    Subject,
    Target,
    absent,
    has,
    ratio,
    seconds_of,
    turns,
)
from benchmarks.peers import G, MuJoCo, by_scipy
from sim import JointMotion, JointSpring
from sim.dynamics import integration
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.joint_forces import joint_elements
from sim.dynamics.single_state.switch import SWITCH
from sim.dynamics.solved_motion import MotionSamples
from sim.engines.adaptive import solve_adaptive
from sim.engines.bullet import Bullet
from sim.motion.joint_path import JointPath
from sim.robots import Robot, read_urdf
from sim.robots.joint_friction import JointFriction

NEAR = 1e-9  # rad; accuracy required of MuJoCo, or ours if that is less accurate
ARM = [0.3, -1.0, 0.8, 0.2, 0.5, -0.4]
NUMPY, MACHINE, ENGINE = "sim, NumPy", "sim, compiled", "sim, with PyBullet"
LAW = {"stiction_velocity": 0.01, "pin_radius": 0.02, "friction_arm": 0.02, "bending_arm": 0.1}
ROD = (
    '<link name="{0}"><inertial><origin xyz="0 0 {1}"/><mass value="{2}"/><inertia ixx="1e-9" '
    'iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
HINGE = (
    '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>'
    '<origin xyz="0 0 {3}"/><axis xyz="0 1 0"/>'
    '<limit lower="-100" upper="100" effort="1000" velocity="100"/></joint>'
)


def measured(settings: Settings) -> Subject:
    """Return a plot of errors over time, and the targets."""
    t = np.linspace(0.0, 1.0, 1001) if not settings.quick else np.linspace(0.0, 0.02, 21)
    robot = sim.load_robot("ur10")
    with Bullet(robot, G) as engine:
        arm = _arm(robot, engine, t, settings)
    plant = double_pendulum()
    with Bullet(plant, G) as engine:
        pendulum = _ours(plant, engine, [1.2, -0.5], t, _tightest(plant, [1.2, -0.5], t))
        rubbing = turns(pendulum, settings)
    driven = turns(_driven_arm(robot, t), settings)
    error = "largest angle error [rad]"
    return Subject(
        __doc__,
        (
            Part("Released UR10", tuple(arm.values()), "simulated second", error, "work-precision"),
            Part(
                "Double pendulum, load-dependent friction",
                tuple(rubbing.values()),
                "simulated second",
                error,
            ),
            Part(
                "UR10 with a torque drive and a joint spring",
                tuple(driven.values()),
                "simulated second",
                error,
            ),
        ),
        (
            Target("released UR10, NumPy", seconds_of(arm, NUMPY), 0.5, "s"),
            Target("released UR10, compiled", seconds_of(arm, MACHINE), 0.05, "s"),
            Target("released UR10, with PyBullet", seconds_of(arm, ENGINE), 0.35, "s"),
            Target("released UR10, NumPy, angle error", arm[NUMPY].error, 1e-9, "rad"),
            Target("double pendulum, NumPy", seconds_of(rubbing, NUMPY), 1.0, "s"),
            Target("double pendulum, compiled", seconds_of(rubbing, MACHINE), 0.1, "s"),
            Target("UR10 with drive and spring, compiled", seconds_of(driven, MACHINE), 0.08, "s"),
            Target("speed-up over equally accurate MuJoCo RK4", _speed_up(arm), 1.0, "x", True),
        ),
    )


def double_pendulum() -> Robot:
    """Return 1.5 kg and 0.8 kg on rods of 0.6 m and 0.9 m, with load-dependent friction."""
    parts = (
        '<link name="ground"/>',
        ROD.format("upper", -0.6, 1.5),
        HINGE.format("shoulder", "ground", "upper", 0),
        ROD.format("lower", -0.9, 0.8),
        HINGE.format("elbow", "upper", "lower", -0.6),
    )
    laws = {
        name: JointFriction(mu, 0.8 * mu, preload=0.01, **LAW)
        for name, mu in (("shoulder", 0.3), ("elbow", 0.2))
    }
    return read_urdf(f'<robot name="double">{"".join(parts)}</robot>').with_friction(laws)


def _arm(robot: Robot, engine: Bullet, t: np.ndarray, settings: Settings) -> dict[str, Row]:
    model = pin.buildModelFromXML(robot.text)
    exact = by_scipy(model, ARM, t, 1e-13)()
    contenders = _ours(robot, engine, ARM, t, exact)
    for rtol in (1e-6, 1e-8, 1e-10, 1e-12):
        solve = by_scipy(model, ARM, t, rtol)
        name = f"Pinocchio with SciPy's DOP853, rtol {rtol:.0e}"
        contenders.append(Contender(name, solve, error=_error(solve(), exact)))
    if has("mujoco"):
        other = MuJoCo(robot)
        for substeps in (1, 2, 4, 8, 16, 32, 64):
            name = f"MuJoCo RK4, {1 / substeps:g} ms"

            def solve(substeps: int = substeps) -> np.ndarray:
                return other.released(np.array(ARM), t, substeps)

            error = _error(solve(), exact)
            contenders.append(Contender(name, solve, error=error, needs="mujoco"))
            if error < NEAR:
                break
    else:
        contenders.append(absent("MuJoCo RK4", "mujoco"))
    for h in (1e-3, 2.5e-4):
        solve = _by_hand(engine, ARM, t, h)
        name = f"PyBullet, minimal loop, {1e3 * h:g} ms"
        contenders.append(Contender(name, solve, error=_error(solve(), exact)))
    return turns(contenders, settings)


def _driven_arm(robot: Robot, t: np.ndarray) -> list[Contender]:
    """Return contenders with all joints free, an elbow motor and a shoulder spring, 200 N·m/rad."""
    arm = robot.with_springs({"shoulder_lift_joint": JointSpring(200.0)})
    q0 = dict(zip(arm.joint_names, ARM, strict=True))
    others = [name for name in arm.joint_names if name != "elbow_joint"]
    motion = JointMotion.torque({"elbow_joint": "20*sin(3*time)"}, q0, free=others)
    path = motion.on(arm, float(t[-1]))
    loads = ElementSum(arm, joint_elements(arm))

    def torque(time: float, q: np.ndarray) -> np.ndarray:
        return np.array([0.0, -200.0 * q[1], 20.0 * np.sin(3.0 * time), 0.0, 0.0, 0.0])

    def ours(switch: str) -> np.ndarray:
        with _switched(switch):
            return integrate([(0.0, LagrangianDynamics(arm, G))], path, t, loads).q

    model = pin.buildModelFromXML(arm.text)
    exact = by_scipy(model, ARM, t, 1e-13, torque)()
    peer = by_scipy(model, ARM, t, 1e-12, torque)
    named = "Pinocchio with SciPy's DOP853, rtol 1e-12"
    return [
        Contender(NUMPY, lambda: ours("0"), error=_error(ours("0"), exact)),
        Contender(
            MACHINE,
            lambda: ours("1"),
            error=_error(ours("1"), exact) if has("numba") else None,
            needs="numba",
        ),
        Contender(named, peer, error=_error(peer(), exact)),
    ]


def _ours(
    robot: Robot, engine: Bullet, q0: list[float], t: np.ndarray, exact: np.ndarray
) -> list[Contender]:
    solvers: dict[str, Callable[[], MotionSamples]] = {
        NUMPY: lambda: _model(robot, q0, t, "0"),
        MACHINE: lambda: _model(robot, q0, t, "1"),
        ENGINE: lambda: _by_engine(engine, q0, t),
    }
    needs = {MACHINE: "numba"}
    return [
        Contender(
            name,
            solve,
            error=_error(solve().q, exact) if has(needs.get(name, "")) else None,
            needs=needs.get(name, ""),
        )
        for name, solve in solvers.items()
    ]


def _speed_up(rows: dict[str, Row]) -> float:
    """Return the time of MuJoCo's first row within our error or `NEAR`, over our time."""
    ours = rows[MACHINE]
    if ours.error is None:
        return float("nan")
    wanted = max(NEAR, ours.error)
    near = [
        name
        for name, row in rows.items()
        if name.startswith("MuJoCo") and row.error is not None and row.error <= wanted
    ]
    return ratio(rows, near[0], MACHINE) if near else float("nan")


def _released(q0: list[float], end: float) -> JointPath:
    n = len(q0)
    still, free = np.zeros(n), np.ones(n, dtype=bool)
    return JointPath(
        lambda t: tuple(np.zeros((3, n, t.size))), free, np.array(q0), still, np.empty(0), end, None
    )


def _model(robot: Robot, q0: list[float], t: np.ndarray, switch: str) -> MotionSamples:
    with _switched(switch):
        path = _released(q0, float(t[-1]))
        return integrate([(0.0, LagrangianDynamics(robot, G))], path, t)


@contextmanager
def _switched(switch: str) -> Iterator[None]:
    """Switch machine code on or off."""
    kept = os.environ.get(SWITCH)
    os.environ[SWITCH] = switch
    try:
        yield
    finally:
        if kept is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = kept


def _by_engine(engine: Bullet, q0: list[float], t: np.ndarray) -> MotionSamples:
    found = solve_adaptive(engine, t, _released(q0, float(t[-1]))).solved
    assert found is not None
    return found


def _tightest(robot: Robot, q0: list[float], t: np.ndarray) -> np.ndarray:
    kept = integration.RTOL, integration.ATOL
    integration.RTOL, integration.ATOL = 2.3e-14, 1e-15
    try:
        return _model(robot, q0, t, "0").q
    finally:
        integration.RTOL, integration.ATOL = kept


def _by_hand(engine: Bullet, q0: list[float], t: np.ndarray, h: float) -> Callable[[], np.ndarray]:
    """Return a minimal loop with PyBullet's own semi-implicit steps."""
    p, body, joints, client = engine.bullet, engine.body, engine.joints, engine.client
    still = [0.0] * len(q0)
    substeps = round((t[1] - t[0]) / h)

    def solve() -> np.ndarray:
        engine.set_step(h)
        engine.reset(q0, still)
        p.setJointMotorControlArray(
            body, joints, p.VELOCITY_CONTROL, forces=still, physicsClientId=client
        )
        found = [q0]
        for _ in range(1, t.size):
            for _ in range(substeps):
                p.stepSimulation(client)
            found.append([state[0] for state in p.getJointStates(body, joints, client)])
        return np.array(found).T

    return solve


def _error(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.abs(found - exact).max())
