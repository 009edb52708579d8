"""Free motion beside MuJoCo's RK4 at the same accuracy, in one run, round by round.

A released UR10 and a double pendulum whose friction follows its loads, 1 s at 1 kHz, works and
events kept: the model with NumPy, in machine code (where the extra `fast` is installed), and the
engine's side. MuJoCo takes the longest step with which it comes as near to a solution at the
tightest tolerance as ours does, but no nearer than 1e-9 rad; it knows no such friction. Seconds are
those of the process, the least of all rounds.

Targets: UR10 at most 0.5 s with NumPy, 0.05 s in machine code, 0.35 s by the engine; double
pendulum at most 1 s and 0.1 s; machine code not slower than MuJoCo.

Run with ``python benchmarks/free_motion.py``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import mujoco
import numpy as np

import sim
from sim.dynamics import compiled, integration
from sim.dynamics.hybrid import LagrangianResponse
from sim.dynamics.integration import HybridMotion, integrate
from sim.engines.adaptive import adaptive
from sim.engines.bullet import Bullet
from sim.motion.joint_path import JointPath
from sim.robots import Robot, read_urdf
from sim.robots.joint_friction import JointFriction

ROUNDS = 7
G = (0.0, 0.0, -9.81)
NEAR = 1e-9  # rad
T = np.linspace(0.0, 1.0, 1001)
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


def double_pendulum() -> Robot:
    """1.5 kg and 0.8 kg on rods of 0.6 m and 0.9 m, with friction that follows the load."""
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


def released(q0: list[float]) -> JointPath:
    n = len(q0)
    still = np.zeros(n)
    free = np.ones(n, dtype=bool)
    return JointPath(
        lambda t: tuple(np.zeros((3, n, t.size))), free, np.array(q0), still, np.empty(0), 1.0, None
    )


def model(robot: Robot, q0: list[float], switch: str) -> HybridMotion:
    os.environ[compiled.SWITCH] = switch
    return integrate([(0.0, LagrangianResponse(robot, G))], released(q0), T)


def by_engine(engine: Bullet, q0: list[float]) -> HybridMotion:
    found = adaptive(engine, T, released(q0)).hybrid
    assert found is not None
    return found


def exact(robot: Robot, q0: list[float]) -> np.ndarray:
    """Positions at the tightest tolerance that SciPy takes."""
    kept = integration.RTOL, integration.ATOL
    integration.RTOL, integration.ATOL = 2.3e-14, 1e-15
    try:
        return model(robot, q0, "0").q
    finally:
        integration.RTOL, integration.ATOL = kept


class MuJoCo:
    """The same robot in MuJoCo, without damping, contact, limits or armature."""

    def __init__(self, robot: Robot, q0: list[float]) -> None:
        head = (
            '<mujoco><compiler balanceinertia="false" discardvisual="true" fusestatic="true" '
            'boundmass="0" boundinertia="0"/></mujoco>'
        )
        text = robot.text.replace("</robot>", head + "</robot>", 1)
        spec = mujoco.MjSpec.from_string(text)
        for geom in spec.geoms:
            geom.contype = geom.conaffinity = 0
        for joint in spec.joints:
            joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
        self.model = spec.compile()
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.gravity[:] = G
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        self.data = mujoco.MjData(self.model)
        self.order = [self.model.joint(name).qposadr[0] for name in robot.joint_names]
        self.q0 = q0

    def positions(self, substeps: int) -> np.ndarray:
        """At the samples, with so many steps between two of them."""
        self.model.opt.timestep = (T[1] - T[0]) / substeps
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.order] = self.q0
        result = np.empty((len(self.q0), T.size))
        result[:, 0] = self.q0
        for k in range(1, T.size):
            mujoco.mj_step(self.model, self.data, substeps)
            result[:, k] = self.data.qpos[self.order]
        return result


def measured(contenders: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Least seconds of the process for each, in turns."""
    least = dict.fromkeys(contenders, np.inf)
    for _ in range(ROUNDS):
        for name, solve in contenders.items():
            begin = time.process_time()
            solve()
            least[name] = min(least[name], time.process_time() - begin)
    return least


def compared(name: str, robot: Robot, q0: list[float], *, with_mujoco: bool) -> None:
    wanted = exact(robot, q0)
    with Bullet(robot, G) as engine:
        solvers: dict[str, Callable[[], HybridMotion]] = {
            "model, NumPy": lambda: model(robot, q0, "0"),
            "engine": lambda: by_engine(engine, q0),
        }
        if compiled.is_installed():
            solvers["model, machine code"] = lambda: model(robot, q0, "1")
        errors = {who: np.abs(solve().q - wanted).max() for who, solve in solvers.items()}
        contenders: dict[str, Callable[[], object]] = dict(solvers)
        if with_mujoco:
            other, substeps = MuJoCo(robot, q0), 1
            allowed = max(NEAR, errors["model, NumPy"])
            while (error := np.abs(other.positions(substeps) - wanted).max()) > allowed:
                substeps *= 2
            who = f"MuJoCo RK4, {1e3 * (T[1] - T[0]) / substeps:g} ms"
            errors[who], contenders[who] = error, lambda: other.positions(substeps)
        least = measured(contenders)
    print(name)
    for who, seconds in least.items():
        print(f"  {who:28} {1e3 * seconds:8.1f} ms   error {errors[who]:.1e} rad")


def main() -> None:
    arm = [0.3, -1.0, 0.8, 0.2, 0.5, -0.4]
    compared("released UR10, 1 s", sim.load_robot("ur10"), arm, with_mujoco=True)
    plant = double_pendulum()
    compared("double pendulum that rubs by its loads, 1 s", plant, [1.2, -0.5], with_mujoco=False)
    smooth = plant.with_friction(
        {name: JointFriction(0.0, 0.0, preload=0.0) for name in plant.joint_names}
    )
    compared("the same without friction", smooth, [1.2, -0.5], with_mujoco=True)


if __name__ == "__main__":
    main()
