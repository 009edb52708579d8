"""The same robot in other programs: MuJoCo, and Peter Corke's roboticstoolbox."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from sim.kinematics import dh
from sim.robots.robot import Robot

G = (0.0, 0.0, -9.81)
Rows = np.ndarray  # (N, n), in C order


def by_pinocchio(robot: Robot, gravity: tuple[float, ...] = G) -> Callable[..., np.ndarray]:
    """Return a function from q, qd, qdd (n, N) to torques (n, N), by a loop over `rnea`."""
    model = pin.buildModelFromXML(robot.text)
    model.gravity.linear = np.array(gravity)
    data = model.createData()

    def loop(*states: np.ndarray) -> np.ndarray:
        rows = (np.ascontiguousarray(x.T) for x in states)
        return np.array([pin.rnea(model, data, *state) for state in zip(*rows, strict=True)]).T

    return loop


def by_scipy(
    model: pin.Model,
    q0: list[float],
    t: np.ndarray,
    rtol: float,
    torque: Callable[[float, np.ndarray], np.ndarray] | None = None,
) -> Callable[[], np.ndarray]:
    """Return positions (n, N) by `aba` and SciPy's DOP853, released or under torques of t and q."""
    data, n, still = model.createData(), model.nv, np.zeros(model.nv)

    def rate(time: float, y: np.ndarray) -> np.ndarray:
        tau = still if torque is None else torque(time, y[:n])
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], tau)])

    def solve() -> np.ndarray:
        start = np.concatenate([q0, still])
        return solve_ivp(
            rate, (0, t[-1]), start, "DOP853", t_eval=t, rtol=rtol, atol=1e-2 * rtol
        ).y[:n]

    return solve


class MuJoCo:
    """A robot in MuJoCo, without damping, contact, limits or armature."""

    def __init__(self, robot: Robot) -> None:
        import mujoco

        self.mujoco = mujoco
        head = (
            '<mujoco><compiler balanceinertia="false" discardvisual="true" fusestatic="true" '
            'boundmass="0" boundinertia="0"/></mujoco>'
        )
        spec = mujoco.MjSpec.from_string(robot.text.replace("</robot>", head + "</robot>", 1))
        for geom in spec.geoms:
            geom.contype = geom.conaffinity = 0
        for joint in spec.joints:
            joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
        self.model = spec.compile()
        self.model.opt.gravity[:] = G
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        self.data = mujoco.MjData(self.model)
        self.order = [self.model.joint(name).qposadr[0] for name in robot.joint_names]

    def torques(self, q: Rows, qd: Rows, qdd: Rows) -> Callable[[], np.ndarray]:
        """Return a loop over mj_inverse; torques (n, N)."""
        model, data = self.model, self.data

        def loop() -> np.ndarray:
            found = np.empty_like(q)
            for k in range(len(q)):
                data.qpos[:], data.qvel[:], data.qacc[:] = q[k], qd[k], qdd[k]
                self.mujoco.mj_inverse(model, data)
                found[k] = data.qfrc_inverse
            return found.T

        return loop

    def mass_matrices(self, q: Rows) -> Callable[[], np.ndarray]:
        """Return a loop over mj_crb and mj_fullM; (n, n, N)."""
        model, data = self.model, self.data

        def loop() -> np.ndarray:
            found = np.empty((len(q), q.shape[1], q.shape[1]))
            for k in range(len(q)):
                data.qpos[:] = q[k]
                self.mujoco.mj_kinematics(model, data)
                self.mujoco.mj_comPos(model, data)
                self.mujoco.mj_crb(model, data)
                self.mujoco.mj_fullM(model, data, found[k])
            return found.transpose(1, 2, 0)

        return loop

    def energies(self, q: Rows, qd: Rows) -> Callable[[], np.ndarray]:
        """Return a loop over mj_energyPos and mj_energyVel; kinetic and potential, (2, N)."""
        model, data = self.model, self.data

        def loop() -> np.ndarray:
            found = np.empty((len(q), 2))
            for k in range(len(q)):
                data.qpos[:], data.qvel[:] = q[k], qd[k]
                self.mujoco.mj_fwdPosition(model, data)
                self.mujoco.mj_energyPos(model, data)
                self.mujoco.mj_energyVel(model, data)
                found[k] = data.energy[1], data.energy[0]
            return found.T

        return loop

    def released(self, q0: np.ndarray, t: np.ndarray, substeps: int) -> np.ndarray:
        """Return positions (n, N) by RK4 at the times, with `substeps` steps between them."""
        model, data = self.model, self.data
        model.opt.integrator = self.mujoco.mjtIntegrator.mjINT_RK4
        model.opt.timestep = (t[1] - t[0]) / substeps
        self.mujoco.mj_resetData(model, data)
        data.qpos[self.order] = q0
        found = np.empty((len(q0), t.size))
        found[:, 0] = q0
        for k in range(1, t.size):
            self.mujoco.mj_step(model, data, substeps)
            found[:, k] = data.qpos[self.order]
        return found


class Toolbox:
    """A robot of the toolbox's `DHRobot`, whose `rne` is written in C."""

    def __init__(self, robot: Robot) -> None:
        from roboticstoolbox import DHRobot, RevoluteDH

        table = dh.table_of(robot)
        model = pin.buildModelFromXML(robot.text)
        data = model.createData()
        pin.forwardKinematics(model, data, np.zeros(model.nv))
        links, T = [], np.eye(4)
        for k in range(table.n):
            d, a, alpha, theta = (float(x[k]) for x in (table.d, table.a, table.alpha, table.theta))
            T = T @ _step(d, a, alpha, theta)
            # the inertia of link k, in the link frame of the table
            own = pin.SE3(T).actInv(data.oMi[k + 1]).act(model.inertias[k + 1])
            links.append(
                RevoluteDH(
                    d=d, a=a, alpha=alpha, offset=theta, m=own.mass, r=own.lever, I=own.inertia
                )
            )
        self.arm = DHRobot(links, gravity=G)

    def torques(self, q: Rows, qd: Rows, qdd: Rows) -> Callable[[], np.ndarray]:
        """Return its `rne` over a trajectory; torques (n, N)."""
        return lambda: self.arm.rne(q, qd, qdd).T


def _step(d: float, a: float, alpha: float, theta: float) -> np.ndarray:
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    )
