"""Response to a suddenly applied load: deflection, overshoot, settling time.

A payload is placed on the tool of a robot at rest, whose drives keep their set points. With M, D
and K of the loaded robot and f the torque of its weight,

    M δqdd + D δqd + K δq = f,      δq(t) = K⁻¹ f + Re Σ c_k φ_k exp(s_k t),      δq(0) = δqd(0) = 0

in closed form by its modes; in closed loops δq = Z x, with f = Zᵀ of the weight's torques. The
error of linearisation is measured: the equilibrium of the loaded robot is solved without
linearising.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import JointElements, joint_elements
from sim.dynamics.lagrange import inverse_dynamics
from sim.dynamics.small_motions import loop_forces_at_rest
from sim.dynamics.statics import equilibrium
from sim.errors import ScenarioError
from sim.kinematics.closure import close_motion
from sim.kinematics.forward import frame_pose
from sim.kinematics.jacobian import jacobian
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.showing.one_line import one_line
from sim.vibration.elastic_drives import ElasticDrives, PerJoint, elastic_drives, require_pose
from sim.vibration.modes import Modes, modes_at
from sim.vibration.roots import first_order

BAND = 0.02  # of the static deflection; half width of the settling band
MATTERS = 1e-3  # of the static deflection; a smaller oscillation is summed, but not resolved
POINTS = 40  # per fastest period
MOST_POINTS = 4_000_000
SMALLEST = 1e-12  # m; a smaller deflection counts as zero


@dataclass(frozen=True, eq=False)
class LoadStep:
    """Response of a robot to a payload placed on its tool.

    Parameters
    ----------
    loaded : Modes
        Modes of the robot with the payload, about the pose before the load.
    mass : float
        [kg]
    torque : ndarray, shape (m,)
        f, the generalised force of the payload's weight in the linear system [N·m or N].
    J : ndarray, shape (3, m)
        Jacobian of the load's mass centre, in the same coordinates.
    sag : ndarray, shape (3,)
        Static deflection of the mass centre in the world, J K⁻¹ f [m].
    sag_unlinearised : ndarray, shape (3,)
        Deflection in the nonlinear equilibrium of the loaded robot [m].
    overshoot : float
        Largest deflection along the sag over the sag, minus one; zero without overshoot.
    peak_time, settling_time : float
        Time of the largest deflection, and time after which it stays within 2 % of the sag [s];
        infinite without damping.
    """

    loaded: Modes
    mass: float
    torque: Array
    J: Array
    sag: Array
    sag_unlinearised: Array
    overshoot: float
    peak_time: float
    settling_time: float

    def __repr__(self) -> str:
        return one_line(
            f"LoadStep of {self.loaded.drives.robot.name}:",
            f"{self.mass:g} kg",
            f"sag {1e3 * np.linalg.norm(self.sag):.4g} mm",
            f"overshoot {100 * self.overshoot:.3g} %",
            f"settled after {self.settling_time:.4g} s",
        )

    @property
    def joint_sag(self) -> Mapping[str, float]:
        """Static deflection of each compliant joint, K⁻¹ f [rad or m]."""
        system = self.loaded.system
        still = system.Z[..., 0] @ np.linalg.solve(system.K[..., 0], self.torque)
        return dict(zip(system.joints, still.tolist(), strict=True))

    @property
    def nonlinear_share(self) -> float:
        """Relative difference of the linear from the nonlinear static deflection."""
        difference = np.linalg.norm(self.sag - self.sag_unlinearised)
        return float(difference / np.linalg.norm(self.sag_unlinearised))

    def deflection(self, t: ArrayLike) -> Array:
        """Return δq of the compliant joints at times after the load, (j, N) [rad or m]."""
        return np.asarray(self.loaded.system.Z[..., 0] @ self._motions(t))

    def load_deflection(self, t: ArrayLike) -> Array:
        """Return the displacement of the load in the world at times after the load, (3, N) [m]."""
        return np.asarray(self.J @ self._motions(t))

    def _motions(self, t: ArrayLike) -> Array:
        return _Response.of(self.loaded, self.torque).motions(np.asarray(t, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class _Response:
    """Response x(t) = still + Re Σ vectors exp(roots t)."""

    still: Array
    roots: Array
    vectors: Array  # (m, 2 m), coefficients included

    @classmethod
    def of(cls, modes: Modes, torque: Array) -> _Response:
        still = np.asarray(np.linalg.solve(modes.system.K[..., 0], torque), dtype=np.float64)
        roots, vectors = np.linalg.eig(first_order(modes.system))
        m = still.size
        amounts = np.linalg.solve(vectors, np.concatenate([-still, np.zeros(m)]))
        return cls(still, roots, vectors[:m] * amounts)

    def motions(self, t: Array) -> Array:
        waves = np.real(self.vectors @ np.exp(self.roots[:, None] * t))
        return np.asarray(self.still[:, None] + waves)

    def along(self, direction: Array, t: Array) -> Array:
        """Return direction · x(t), (N,)."""
        return np.asarray(direction @ self.still + np.real(self._amounts(direction) @ self._at(t)))

    def _amounts(self, direction: Array) -> Array:
        return np.asarray(direction @ self.vectors)

    def _at(self, t: Array) -> Array:
        return np.asarray(np.exp(self.roots[:, None] * t))

    def fastest(self, direction: Array) -> float:
        """Return the highest frequency of the significant oscillations along `direction` [Hz]."""
        amounts, final = np.abs(self._amounts(direction)), abs(float(direction @ self.still))
        turns = np.abs(np.asarray(self.roots.imag)) / (2 * np.pi)
        return float(np.max(np.where(amounts > MATTERS * final, turns, 0.0)))

    def end(self, direction: Array) -> float:
        """Return a time after which motion along `direction` is certainly within the band [s]."""
        slowest = -float(self.roots.real.max())
        band = BAND * abs(float(direction @ self.still))
        total = float(np.abs(self._amounts(direction)).sum())
        return math.log(max(total / band, 1.0)) / slowest if slowest > 0 else math.inf


@checked
def load_step(
    robot: Robot,
    q: ArrayLike,
    mass: float,
    stiffness: PerJoint | None = None,
    damping: PerJoint | None = None,
    gravity: Gravity = GRAVITY,
    com: ArrayLike = (0, 0, 0),
) -> LoadStep:
    """Return the response of a robot at rest to a payload placed on its tool.

    The drives hold the robot at `q` before; afterwards their torque is reduced by ``k δq + d δqd``.

    Parameters
    ----------
    q : array_like, shape (n,)
        Pose before the load [rad or m]; a guess for joints positioned by closed loops.
    mass : float
        Mass of the payload, a point mass [kg].
    stiffness, damping
        As for `modes`.
    gravity : tuple of float
        In the world [m/s²].
    com : array_like, shape (3,)
        Mass centre of the payload in the tool frame [m].

    Raises
    ------
    ScenarioError
        As for `modes`; if the mass is not positive, if the loaded robot does not stay near the
        pose, or if its weight moves no compliant joint.
    ModelError
        If the payload is invalid, or the robot has no single tool.
    """
    drives = elastic_drives(robot, stiffness, damping)
    pose = require_pose(robot, q)
    still = np.zeros_like(pose)
    pose, _, _ = close_motion(robot, np.zeros(1), pose, still, still)
    return load_step_on(drives, pose, mass, gravity, com)


def load_step_on(
    drives: ElasticDrives,
    pose: Array,
    mass: float,
    gravity: Gravity,
    com: ArrayLike = (0, 0, 0),
    t: float = 0.0,
) -> LoadStep:
    """Return the response of given drives in a pose (n, 1) at a time [s]; see `load_step`."""
    robot = drives.robot
    if not (isinstance(mass, int | float) and 0 < mass < np.inf):
        raise ScenarioError(f"The mass of a load is a positive number [kg]; got {mass!r}")
    heavy = robot.with_payload(float(mass), com)
    elements = ElementSum(heavy, drives.elements.elements)
    loaded = modes_at(replace(drives, elements=elements), pose, gravity, t)
    if any(mode.runs_away for mode in loaded.modes) or np.isnan(loaded.frequency).any():
        raise ScenarioError(
            f"With {mass:g} kg robot {robot.name!r} has no equilibrium near the pose: its "
            "weight exceeds the stiffness; increase the stiffness or use a smaller load"
        )
    still = np.zeros_like(pose)
    loose = drives.loose
    held = inverse_dynamics(robot, pose, still, still, gravity)
    needed = inverse_dynamics(heavy, pose, still, still, gravity)
    Z = loaded.system.Z[..., 0]
    torque = Z.T @ (held - needed)[loose, 0]
    J = _jacobian_of_load(robot, pose, com)[:, loose] @ Z
    response = _Response.of(loaded, torque)
    sag = J @ response.still
    size = float(np.linalg.norm(sag))
    if size < SMALLEST:
        raise ScenarioError(
            f"A load on the tool of robot {robot.name!r} deflects no elastic joint in this pose "
            f"({', '.join(loaded.system.joints)}); use "
            "another pose, or give more joints a stiffness"
        )
    direction = sag @ J / size
    return LoadStep(
        loaded,
        float(mass),
        torque,
        J,
        sag,
        _balanced_sag(loaded.drives, pose, held, gravity, com, t),
        *_shape(response, direction, float(loaded.frequency.min())),
    )


def _place(robot: Robot, q: Array, com: ArrayLike) -> Array:
    """Return the load's mass centre in the world, (3, N) [m]."""
    T = frame_pose(robot, q)
    return np.asarray(T[:3, 3] + np.einsum("abN,b->aN", T[:3, :3], np.asarray(com, np.float64)))


def _jacobian_of_load(robot: Robot, pose: Array, com: ArrayLike) -> Array:
    """Return the Jacobian of the velocity of the load's mass centre, (3, n)."""
    J = jacobian(robot, pose)[..., 0]
    arm = _place(robot, pose, com) - frame_pose(robot, pose)[:3, 3]
    return np.asarray(J[:3] + np.cross(J[3:], arm, axis=0))


def _balanced_sag(
    drives: ElasticDrives, pose: Array, held: Array, gravity: Gravity, com: ArrayLike, t: float
) -> Array:
    """Return the displacement of the load to the equilibrium of the loaded robot, (3,) [m]."""
    every = drives.elements
    on_links = tuple(one for one in every.elements if not isinstance(one, JointElements))
    acting = ElementSum(drives.robot, (*joint_elements(drives.robot), *on_links))
    applied = acting.torque(acting.at(np.full(1, t), pose, 0.0 * pose, acting.start[:, None]))
    required = held - applied
    if passive_joints(drives.robot).any():
        multipliers = loop_forces_at_rest(drives.robot, pose, required)
        required = required - joint_equations(drives.robot, pose)[1][..., 0].T @ multipliers

    def loads(q: Array) -> tuple[Array, tuple[()]]:
        return required - drives.stiffness[:, None] * (q - pose), ()

    balance = equilibrium(
        drives.robot, drives.loose, pose[:, 0], None, gravity, (), loads, on_links, t
    )
    ends = _place(drives.robot, np.stack([pose[:, 0], balance.q], axis=1), com)
    return np.asarray(ends[:, 1] - ends[:, 0])


def _shape(response: _Response, direction: Array, slowest: float) -> tuple[float, float, float]:
    """Return overshoot, time of the peak and settling time along a direction of the joints."""
    from scipy.optimize import minimize_scalar

    final, end = float(direction @ response.still), response.end(direction)
    fastest = max(response.fastest(direction), slowest)
    horizon = min(end, 20.0 / slowest)  # the peak is among the first oscillations
    first = np.linspace(0.0, horizon, _points(horizon, fastest))
    y = response.along(direction, first) / final
    k = int(np.argmax(y))
    settled = _settling_time(response, direction, end, fastest, final)
    if not (y[k] > 1.0 and k + 1 < y.size):
        return 0.0, math.inf, settled

    def below(time: float) -> float:
        return -float(response.along(direction, np.array([time]))[0]) / final

    around = (float(first[k - 1]), float(first[k + 1]))
    peak = minimize_scalar(below, bounds=around, method="bounded", options={"xatol": 1e-12})
    return -float(peak.fun) - 1.0, float(peak.x), settled


def _settling_time(
    response: _Response, direction: Array, end: float, fastest: float, final: float
) -> float:
    """Return the time after which the response stays within the band [s]."""
    from scipy.optimize import brentq

    if not np.isfinite(end):
        return float("inf")
    t = np.linspace(0.0, end, _points(end, fastest))
    outside = np.abs(response.along(direction, t) / final - 1.0) > BAND
    last = int(np.flatnonzero(outside)[-1])
    if last + 1 == t.size:
        return end

    def excess(time: float) -> float:
        y = response.along(direction, np.array([time]))[0] / final
        return float(abs(y - 1.0) - BAND)

    return float(brentq(excess, t[last], t[last + 1], xtol=1e-12))


def _points(duration: float, fastest: float) -> int:
    """Return the number of samples that resolves the fastest mode."""
    return int(min(max(POINTS * duration * fastest, 1000), MOST_POINTS))
