"""Static balance of a robot over the positions of its free joints: residual and stiffness."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from sim.dynamics import lagrange, newton_euler
from sim.dynamics.element_slopes import ElementStates, Side, roughness, slopes_along
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.gravity import Gravity
from sim.dynamics.joint_forces import joint_elements, joint_force
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.errors import ScenarioError
from sim.kinematics.closure import close_motion, close_separately
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.maths.newton import pseudo_inverse
from sim.robots.robot import Robot

# q (n, N) -> torques on the independent joints (n, N) and wrenches on links
Loads = Callable[[Array], tuple[Array, Iterable[AppliedWrench]]]

STEP = 1e-4  # rad or m; a fourth-order difference leaves 1e-16, rounding 1e-12 of the torque


def torque_in_joints(robot: Robot, q: Array) -> Array:
    """Return torques of springs and stops on the independent joints at rest, (n, N) [N·m or N]."""
    q_tree, still = robot.on_tree(q, np.zeros_like(q))
    return np.asarray(robot.coupling[0].T @ joint_force(robot, q_tree, still))


@dataclass(frozen=True, eq=False)
class StaticBalance:
    """Balance of the free joints as a function of their positions x, (free, N).

    Parameters
    ----------
    robot : Robot
    free : ndarray of bool, shape (n,)
        Free joints, none of them determined by closed loops.
    q0 : ndarray, shape (n,)
        Start; its loops are closed when positions are first computed [rad or m].
    torque, gravity, external, loads, elements, t
        Loads; see `sim.dynamics.statics.equilibrium`.
    """

    robot: Robot
    free: Mask
    q0: Array
    torque: Array | None
    gravity: Gravity
    external: tuple[AppliedWrench, ...]
    loads: Loads | None
    elements: ElementSum
    t: float
    in_joints: bool = True  # include springs, stops and similar elements in joints

    @property
    def joints(self) -> list[str]:
        """Names of the free joints."""
        names = self.robot.row_names
        return [name for name, free in zip(names, self.free, strict=True) if free]

    def close_loops(self, x: Array) -> Array:
        """Return positions (n,) with free joints at `x` and closed loops, from the start on."""
        q = np.stack([self.q0, self.q0], axis=1)
        q[self.free, 1] = x
        still = np.zeros_like(q)
        return np.asarray(close_motion(self.robot, np.arange(2.0), q, still, still)[0][:, 1])

    def q(self, x: Array) -> Array:
        """Return positions of all joints (n, N) with closed loops; all x must be close."""
        q = np.repeat(self.q0[:, None], x.shape[1], axis=1)
        q[self.free] = x
        if not passive_joints(self.robot).any():
            return q
        still, times = np.zeros_like(q), np.arange(x.shape[1], dtype=np.float64)
        try:
            guess = np.repeat(self.close_loops(x[:, 0])[:, None], x.shape[1], axis=1)
            return close_separately(self.robot, times, q, still, still, guess)[0]
        except ScenarioError as error:
            raise ScenarioError(
                f"No equilibrium of the free joints ({', '.join(self.joints)}) was found: closed "
                "loops prevent the motion; use other initial positions, or hold a joint "
                f"({error})"
            ) from None

    def motions(self, q: Array) -> Array:
        """Return ∂q/∂x, (n, free, N): unit motions of the free joints, with their followers."""
        n, f, N = self.free.size, int(np.count_nonzero(self.free)), q.shape[1]
        Z = np.zeros((n, f, N))
        Z[np.flatnonzero(self.free), np.arange(f)] = 1.0
        passive = passive_joints(self.robot)
        if passive.any():
            J = joint_equations(self.robot, q)[1]
            inverse = pseudo_inverse(J[:, passive])
            Z[passive] = -np.einsum("prN,rfN->pfN", inverse, J[:, self.free])
        return Z

    def acting(self, q: Array) -> tuple[Array, tuple[AppliedWrench, ...]]:
        """Return torques on the joints (n, N) and wrenches on links."""
        tau = torque_in_joints(self.robot, q) if self.in_joints else np.zeros_like(q)
        if self.torque is not None:
            tau = tau + self.torque[:, None]
        wrenches = list(self.external)
        if self.elements:
            t = np.full(q.shape[1], self.t)
            z = np.repeat(self.elements.start[:, None], t.size, axis=1)
            more, added = self.elements(t, q, np.zeros_like(q), z)
            tau = tau + more
            wrenches += added
        if self.loads is not None:
            more, others = self.loads(q)
            tau = tau + more
            wrenches += others
        return tau, tuple(wrenches)

    def residual(self, x: Array, more: Array | float = 0.0) -> Array:
        """Return Zᵀ (g - Jᵀ F - tau), (free, N) [N·m or N]; `more` (n, 1) adds to tau."""
        q = self.q(x)
        tau, wrenches = self.acting(q)
        still = np.zeros_like(q)
        needed = newton_euler.inverse_dynamics(self.robot, q, still, still, self.gravity, wrenches)
        return np.asarray(np.einsum("nfN,nN->fN", self.motions(q), needed - tau - more))

    def stiffness(self, x: Array, side: Side = 0) -> Array:
        """Return ∂residual/∂x, (free, free), with exact slopes of the force elements' laws.

        The rest is smooth, and is differentiated by fourth-order differences.

        Parameters
        ----------
        side : {0, 1, -1}
            See `sim.dynamics.element_slopes.slopes_along`.
        """
        n, every = x.size, self.every_element
        q, at = self._states(x)
        Z = self.motions(q)
        slopes = slopes_along(every, at, Z, "q", side)
        of_elements = np.einsum("nfN,nmN->fm", Z, slopes)
        held = every.torque(every.at(at.t, q, at.qd, at.z))
        steps = STEP * np.eye(n)
        places = np.concatenate([x[:, None] + k * steps for k in (1, -1, 2, -2)], axis=1)
        rest = replace(self, elements=ElementSum(self.robot, ()), in_joints=False)
        near, behind, far, far_behind = np.split(rest.residual(places, held), 4, axis=1)
        return np.asarray((8 * (near - behind) - (far - far_behind)) / (12 * STEP) - of_elements)

    def is_rough(self, x: Array) -> bool:
        """Whether some force, as a function of the positions, is not smooth at `x`."""
        q, at = self._states(x)
        rough = roughness(self.every_element, at, self.motions(q))
        return any(one.of == "q" for one in rough)

    def _states(self, x: Array) -> tuple[Array, ElementStates]:
        """Return q (n, 1) with the free joints at `x`, and the state of the elements there."""
        q, start = self.q(x[:, None]), self.every_element.start[:, None]
        return q, ElementStates(np.array([self.t]), q, np.zeros_like(q), start)

    @property
    def every_element(self) -> ElementSum:
        """Force elements including those in joints."""
        return ElementSum(self.robot, (*joint_elements(self.robot), *self.elements.elements))

    def inertia(self, x: Array) -> Array:
        """Return Zᵀ M Z, (free, free)."""
        q = self.q(x[:, None])
        Z = self.motions(q)[..., 0]
        return np.asarray(Z.T @ lagrange.mass_matrix(self.robot, q)[:, :, 0] @ Z)

    def scale(self, x: Array) -> Array:
        """Return the size of the loads, |g| √(m M_ii) + |Jᵀ F| + |tau|, shape (free,).

        The first is an upper bound of the gravity torque, (Σ m |g| |Jv|)² ≤ |g|² Σ m Σ m Jv².
        """
        q = self.q(x[:, None])
        tau, wrenches = self.acting(q)
        mass = sum(each.mass for each in tree_of(self.robot).masses)
        weight = np.linalg.norm(self.gravity) * np.sqrt(mass * np.diag(self.inertia(x)))
        pushed = np.abs(joint_torque(self.robot, q, wrenches)) + np.abs(tau)
        return np.asarray(weight + np.abs(self.motions(q)[..., 0]).T @ pushed[:, 0])
