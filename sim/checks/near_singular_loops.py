"""Amplification of differences by closed loops near a singular pose.

With σ, the smallest over the largest singular value of the loop equations, solving ``J qdd = -γ``
divides by σ, and so does solving ``Jᵀ λ`` for the forces. Far from singular poses errors are not
amplified: the factor is therefore 1/σ - 1. In a mechanism that stays near such a pose, for example
locked by its own loops, rounding is divided by σ too and accumulates in motion and energies.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from sim.checks.by_law import own_states
from sim.checks.limits import EPS
from sim.checks.robot_by_description import known_elements, robot_by_description
from sim.checks.run_view import RunView
from sim.dynamics.lagrange import inverse_dynamics, mass_matrix
from sim.maths.arrays import Array
from sim.recording.schema.channels import LOOP_SINGULAR_VALUE


def acceleration_through_loops(view: RunView) -> Array | None:
    """Return acceleration errors due to velocity differences, (N,); None without solved loops.

    γ is quadratic in velocities: δqdd = 2 |qd| δqd (1/σ - 1).
    """
    gain = _gain(view)
    if gain is None:
        return None
    fastest = np.max([np.abs(view.analytic(f"qd.{row}")) for row in view.row_names], axis=0)
    return np.asarray(2.0 * fastest * _difference(view, "qd") * gain)


def wrench_through_loops(view: RunView, kind: str) -> Array | None:
    """Return errors of forces "f" or moments "m" due to acceleration differences, (N,).

    δλ = M δqdd (1/σ - 1), where M is the total moving inertia, as in `RunView.wrench_noise`.
    """
    gain = _gain(view)
    return None if gain is None else view.moved_inertia(kind) * _difference(view, "qdd") * gain


class LoopRounding(Struct, frozen=True, eq=False):
    """Rounding near singular poses in the difference of two motions.

    Parameters
    ----------
    rows : mapping of str to ndarray, shape (3, N)
        Errors of position, velocity and acceleration of each tree joint.
    speed : ndarray, shape (N,)
        Norm of all velocity errors √(δqdᵀ M δqd) [√J].
    """

    rows: Mapping[str, Array]
    speed: Array

    def of_energy(self, energy: Array) -> Array:
        """Return the error of the kinetic energy (N,) of any link: √(2 T) δ + δ²/2 [J]."""
        return np.asarray(np.sqrt(2.0 * energy) * self.speed + 0.5 * self.speed**2)


def rounding_near_singular(view: RunView) -> LoopRounding | None:
    """Return the rounding of both tables, twice `rounding_through_loops` and its time integrals.

    None if no sample is nearly singular. The rounding accumulates, since it is constant while a
    mechanism is at rest.
    """
    if not view.has(LOOP_SINGULAR_VALUE):
        return None
    from sim.dynamics.closed_positions import rounding_through_loops
    from sim.dynamics.constrained_dynamics import SINGULAR

    sigma = view.analytic(LOOP_SINGULAR_VALUE)
    near = sigma < SINGULAR
    if not near.any():
        return None
    robot, names = robot_by_description(view), view.row_names
    loose = np.isin(names, (*view.run.settings.free, *view.run.settings.passive))
    q, qd, qdd, tau = view.analytic_rows("q", "qd", "qdd", "tau", at=near)
    elements = known_elements(view, robot)
    z = own_states(elements, view.table(analytic=True), slice(None))[:, near]
    qdd[loose] = 0.0
    M = mass_matrix(robot, q)
    lacking = tau + elements.torque(elements.at(view.t[near], q, qd, z))
    lacking -= inverse_dynamics(robot, q, qd, qdd, view.run.settings.gravity)
    mass = np.moveaxis(M[np.ix_(loose, loose)], -1, 0)
    qdd[loose] = np.linalg.solve(mass, lacking[loose].T[..., None])[..., 0].T
    noise = np.zeros((1 + len(names), sigma.size))
    noise[0, near], noise[1:, near] = rounding_through_loops(M, qdd, loose, sigma[near])
    noise *= 2.0
    speed = np.cumsum(noise * np.gradient(view.t), axis=1)
    place = np.cumsum(speed * np.gradient(view.t), axis=1)
    of_tree = np.abs(robot.coupling[0])
    rows = np.stack([of_tree @ part[1:] for part in (place, speed, noise)], axis=1)
    return LoopRounding(dict(zip(view.tree_row_names, rows, strict=True)), speed[0])


def _gain(view: RunView) -> Array | None:
    if not view.has(LOOP_SINGULAR_VALUE):
        return None
    sigma = view.analytic(LOOP_SINGULAR_VALUE)
    return np.asarray(1.0 / np.clip(sigma, EPS, 1.0) - 1.0)


def _difference(view: RunView, group: str) -> Array:
    """Return the largest difference of the two tables over all rows of a group, shape (N,)."""
    names = [f"{group}.{row}" for row in view.row_names]
    return np.asarray(
        np.max([np.abs(view.recorded_values(n) - view.analytic(n)) for n in names], axis=0)
    )
