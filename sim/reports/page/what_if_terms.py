"""Curves of `what_if` at samples of a run, and the payload that its robot carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.payload_terms import body_numbers, payload_terms
from sim.kinematics.loop_equations import loop_equations
from sim.maths.arrays import Array, Mask
from sim.maths.sampling import SAME_TIME
from sim.recording.schema.facts import EventFacts
from sim.robots.robot import Robot
from sim.shapes.visuals import payload_links

STANDARD = 9.81  # gravity to which the curves refer [m/s²]
BLOCKS = 19  # D0, G0, qd, D (10), G (4), E, V
POINT = 1e-9  # a smaller radius of gyration [m] or mass [kg] counts as zero


class Setting(msgspec.Struct, frozen=True):
    """Values of the sliders: payload [kg], [m], speed relative to the run's, gravity [m/s²]."""

    mass: float
    x: float
    y: float
    z: float
    spread: float
    speed: float
    gravity: float


class Terms(msgspec.Struct, frozen=True, eq=False):
    """Curves of the formula at samples of a motion.

    Parameters
    ----------
    robot : Robot
        Tree with all payloads of the run.
    closed : Robot or None
        The same robot with its loops; None without loops.
    loads : ElementSum
        Force elements in its joints and on its links.
    t : ndarray, shape (N,)
        Sample times [s].
    motion : callable
        Returns q, qd, qdd at M of the samples, each (n, M), by their indices.
    g : ndarray, shape (3,)
        Standard gravity [m/s²].
    carried : ndarray of bool, shape (N,)
        Samples at which the payload is attached.
    driven : ndarray of int
        Rows that have a drive, to which the curves refer.
    """

    robot: Robot
    closed: Robot | None
    loads: ElementSum
    t: Array
    motion: Callable[[NDArray[np.intp]], Array]
    g: Array
    carried: Mask
    driven: NDArray[np.intp]

    @property
    def dry(self) -> Array:
        """f of each driven joint, followers included."""
        S, _ = self.robot.coupling
        dry = np.abs(S.T) @ np.array([joint.friction for joint in self.robot.tree_row_joints])
        return np.asarray(dry[self.driven])

    def at(self, k: NDArray[np.intp], own: Array) -> Array:
        """Return D0 G0 qd D(10) G(4) E V at samples, a row per drive, without `own` payload."""
        q, qd, qdd = self.motion(k)
        still, none = np.zeros_like(q), (0.0, 0.0, 0.0)
        gravity = (float(self.g[0]), float(self.g[1]), float(self.g[2]))
        D = payload_terms(self.robot, q, qd, qdd, none)
        G = payload_terms(self.robot, q, still, still, gravity)[:4]
        D0 = inverse_dynamics(self.robot, q, qd, qdd, none) - np.tensordot(own, D, 1)
        D0 -= self.robot.rotor_inertia[:, None] * qdd  # a rotor turns on the motor side of the gear
        G0 = inverse_dynamics(self.robot, q, still, still, gravity) - np.tensordot(own[:4], G, 1)
        E = -self.load(self.t[k], q, still)
        S, _ = self.robot.coupling
        damping = np.array([joint.damping for joint in self.robot.tree_row_joints])
        V = S.T @ (damping[:, None] * (S @ qd)) - self.load(self.t[k], q, qd) - E
        there = self.carried[k]
        torques = self._of_drives(q, [D0, G0, *(D * there), *(G * there), E, V])
        return np.concatenate([*torques[:2], qd[self.driven], *torques[2:]])

    def load(self, t: Array, q: Array, qd: Array) -> Array:
        """Return the load torques (n, M) at times [s] in given states."""
        return self.loads.torque(self.loads.at(t, q, qd))

    def _of_drives(self, q: Array, rows: list[Array]) -> list[Array]:
        """Return the torques of the drives for joint torques (n, N)."""
        if self.closed is None:
            return [one[self.driven] for one in rows]
        from sim.dynamics.loop_forces import share_among_drives

        q_tree, back = self.robot.q_tree(q), np.linalg.pinv(self.robot.coupling[0]).T
        equations = loop_equations(self.closed, q_tree)
        return [
            share_among_drives(self.closed, q_tree, back @ one, equations)[0][self.driven]
            for one in rows
        ]


def direction(gravity: tuple[float, float, float]) -> Array:
    """Return standard gravity along the run's, downwards if the run has none, (3,) [m/s²]."""
    g = np.asarray(gravity, dtype=np.float64)
    size = float(np.linalg.norm(g))
    return STANDARD * (g / size if size else np.array([0.0, 0.0, -1.0]))


class Carried(msgspec.Struct, frozen=True, eq=False):
    """The body at the tool frame: mass [kg], centre and radius of gyration [m], shape."""

    mass: float
    com: Array
    spread: float
    shape: list[float]

    def setting(self, gravity: float) -> Setting:
        """Return the values of the sliders in the run."""
        x, y, z = map(float, self.com)
        return Setting(self.mass, x, y, z, self.spread, 1.0, gravity)


BALL = [0.5, 0.0, 0.0, 0.5, 0.0, 0.5]


def at_tool(robot: Robot) -> list[str]:
    """Return the links of the payloads at the tool frame."""
    ours = payload_links(robot)
    return [
        joint.child
        for joint in robot.joints
        if joint.child in ours
        and joint.parent == robot.tool
        and np.array_equal(joint.T_pc, np.eye(4))
    ]


def is_carried(events: Sequence[EventFacts], t: Array) -> Mask:
    """Return the samples at which a payload with events is attached; all without events."""
    if not events:
        return np.ones(t.size, dtype=bool)
    came = np.zeros(t.size)
    for event in events:
        came[t >= event.t - SAME_TIME] += 1.0 if event.kind == "pick up" else -1.0
    return came > 0.0


def payload(robot: Robot) -> tuple[Carried, Array]:
    """Return the payload at the tool frame as one body, and its ten parameters."""
    theta = np.zeros(10)
    for link in at_tool(robot):
        if (body := robot.link(link).inertia) is not None:
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
