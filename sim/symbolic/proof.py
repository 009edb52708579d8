"""Numerical check of symbols, which all equations pass before they leave this package.

M, C qd and g come from Newton–Euler, which uses neither energies nor symbols; C itself from the
Lagrangian model's Christoffel symbols.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics import lagrange
from sim.dynamics.gravity import GRAVITY
from sim.dynamics.newton_euler import inverse_dynamics
from sim.errors import ModelError
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.symbolic.steps import Steps

STATES = 100
LIMIT = 1e-12  # relative to the size of each entry; two formulations agree to some 1e-15
FASTEST = 2.0  # rad/s or m/s; largest speed of the states
FARTHEST = 1.0  # m; largest position of prismatic joints


@dataclass(frozen=True)
class NumericalProof:
    """Largest relative differences of symbols from numbers at random states.

    Parameters
    ----------
    states : int
    M, C, g : float
        Largest differences, relative to the possible size of the entry.
    """

    states: int
    M: float
    C: float
    g: float

    @property
    def holds(self) -> bool:
        """Whether all are within the limit; NaN is not."""
        return all(error <= LIMIT for error in (self.M, self.C, self.g))

    def __str__(self) -> str:
        return (
            f"M within {self.M:.0e}, C within {self.C:.0e}, g within {self.g:.0e} (relative) "
            f"at {self.states} states, by Newton-Euler"
        )


def prove(robot: Robot, steps: Steps) -> NumericalProof:
    """Compare the steps with the numerical model at random states, all other joints at zero.

    Raises
    ------
    ModelError
        If they differ by more than the limit.
    """
    q, qd = _states(robot, len(steps.terms.q))
    proof = _compare(robot, q, qd, *steps.evaluate(q, qd))
    if not proof.holds:
        raise ModelError(
            f"The equations of robot {robot.name!r} are not handed out, they fail their proof: "
            f"{proof}; at most {LIMIT:g} is allowed. Report this, with the URDF"
        )
    return proof


def _states(robot: Robot, K: int) -> tuple[Array, Array]:
    """Return positions and velocities of the first K joints, (K, STATES)."""
    draw = np.random.default_rng(0)
    reach = np.array([np.pi if row.is_angle else FARTHEST for row in robot.coordinates[:K]])
    q, qd = draw.uniform(-1, 1, (2, K, STATES))
    return q * reach[:, None], qd * FASTEST


def _compare(robot: Robot, q: Array, qd: Array, M: Array, C: Array, g: Array) -> NumericalProof:
    K, N = q.shape
    whole, rates, still = np.zeros((3, len(robot.coordinates), N))
    whole[:K], rates[:K] = q, qd
    no_weight = (0.0, 0.0, 0.0)
    unit = np.eye(len(robot.coordinates))
    columns = [
        inverse_dynamics(robot, whole, still, still + unit[:, [k]], no_weight)[:K] for k in range(K)
    ]
    wanted_M = np.stack(columns, axis=1)
    wanted_Cqd = inverse_dynamics(robot, whole, rates, still, no_weight)[:K]
    wanted_C = lagrange.coriolis(robot, whole, rates)[:K, :K]
    wanted_g = inverse_dynamics(robot, whole, still, still, GRAVITY)[:K]
    # Size of entries in which sums cancel, from the largest inertias |M_ij|² <= M_ii M_jj.
    inertia = np.sqrt(np.einsum("iiN->iN", wanted_M).max(axis=1))
    mass = sum(part.mass for part in tree_of(robot).masses)
    of_M = np.outer(inertia, inertia)[..., None]
    of_C = np.maximum(FASTEST * of_M, np.abs(wanted_C).max(axis=2, keepdims=True))
    of_g = np.linalg.norm(GRAVITY) * np.sqrt(mass) * inertia[:, None]
    error_C = max(
        _largest_error(C - wanted_C, of_C),
        _largest_error(np.einsum("ijN,jN->iN", C, qd) - wanted_Cqd, FASTEST * of_C.sum(axis=1)),
    )
    return NumericalProof(
        N, _largest_error(M - wanted_M, of_M), error_C, _largest_error(g - wanted_g, of_g)
    )


def _largest_error(error: Array, size: Array) -> float:
    """Return the largest relative error; for a size of zero any error is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(error == 0, 0.0, np.abs(error) / size)
    return float(np.max(share))
