"""The curves of `what_if` at samples of a run, and the payload that its robot carries."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from sim.dynamics.joint_forces import joint_force
from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.payload_terms import body_numbers, payload_terms
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.shapes.visuals import payload_links

STANDARD = 9.81  # gravity that the curves are of [m/s²]
BLOCKS = 18  # D0, G0, qd, D (10), G (4), E
POINT = 1e-9  # a radius of gyration [m] or a mass [kg] below it is none


class Setting(msgspec.Struct, frozen=True):
    """What the sliders say: payload [kg], [m], speed over the run's, gravity [m/s²]."""

    mass: float
    x: float
    y: float
    z: float
    spread: float
    speed: float
    gravity: float


@dataclass(frozen=True, eq=False)
class Terms:
    """The curves of the formula at samples of a motion; E and d from the joints' springs."""

    robot: Robot
    q: Array
    qd: Array
    qdd: Array
    g: Array

    @property
    def friction(self) -> tuple[Array, Array]:
        """d and f of each independent joint, (n,) each; dampers of springs in the joints too."""
        S, _ = self.robot.coupling
        joints = self.robot.tree_joints
        viscous = np.array([joint.damping for joint in joints])
        still = np.zeros((len(joints), 1))
        for force in range(len(joints)):
            moving = still.copy()
            moving[force] = 1.0
            damped = joint_force(self.robot, still, moving) - joint_force(self.robot, still, still)
            viscous[force] -= damped[force, 0]
        dry = np.array([joint.friction for joint in joints])
        return S.T**2 @ viscous, np.abs(S.T) @ dry

    def at(self, k: NDArray[np.intp], own: Array) -> Array:
        """D0 G0 qd D(10) G(4) E, n rows each, at samples; the robot without `own` payload."""
        q, qd, qdd = self.q[:, k], self.qd[:, k], self.qdd[:, k]
        still, none = np.zeros_like(q), (0.0, 0.0, 0.0)
        gravity = (float(self.g[0]), float(self.g[1]), float(self.g[2]))
        D = payload_terms(self.robot, q, qd, qdd, none)
        G = payload_terms(self.robot, q, still, still, gravity)
        D0 = inverse_dynamics(self.robot, q, qd, qdd, none) - np.tensordot(own, D, 1)
        G0 = inverse_dynamics(self.robot, q, still, still, gravity) - np.tensordot(own, G, 1)
        tree = self.robot.q_tree(q)
        S, _ = self.robot.coupling
        E = -S.T @ joint_force(self.robot, tree, np.zeros_like(tree))
        return np.concatenate([D0, G0, qd, *D, *G[:4], E])


def direction(gravity: tuple[float, float, float]) -> Array:
    """Standard gravity along the run's, downwards where the run has none, (3,) [m/s²]."""
    g = np.asarray(gravity, dtype=np.float64)
    size = float(np.linalg.norm(g))
    return STANDARD * (g / size if size else np.array([0.0, 0.0, -1.0]))


@dataclass(frozen=True, eq=False)
class Carried:
    """The body at the tool frame: mass [kg], centre and radius of gyration [m], shape."""

    mass: float
    com: Array
    spread: float
    shape: list[float]

    def setting(self, gravity: float) -> Setting:
        """The sliders as the run has them."""
        x, y, z = map(float, self.com)
        return Setting(self.mass, x, y, z, self.spread, 1.0, gravity)


BALL = [0.5, 0.0, 0.0, 0.5, 0.0, 0.5]


def payload(robot: Robot) -> tuple[Carried, Array]:
    """What the robot carries at its tool frame, as one body, and its ten numbers."""
    ours = payload_links(robot)
    theta = np.zeros(10)
    for joint in robot.joints:
        body = robot.link(joint.child).inertia if joint.child in ours else None
        at_tool = joint.parent == robot.tool and np.array_equal(joint.T_pc, np.eye(4))
        if body is not None and at_tool:
            theta += body_numbers(body.mass, np.asarray(body.com), np.asarray(body.tensor))
    m = float(theta[0])
    if m == 0.0:
        return Carried(0.0, np.zeros(3), 0.0, BALL), theta
    com = theta[1:4] / m
    about = theta[4:] - body_numbers(m, com)[4:]
    spread = float(np.sqrt(max(0.0, 2.0 / 3.0 * (about[0] + about[3] + about[5]) / m)))
    if spread < POINT:
        return Carried(m, com, 0.0, BALL), theta
    return Carried(m, com, spread, (about / (m * spread**2)).tolist()), theta
