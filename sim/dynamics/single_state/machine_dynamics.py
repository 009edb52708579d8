"""Hybrid dynamics of many states in machine code."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.single_state.system import unforced_system
from sim.dynamics.wrench import Acting, joint_torque
from sim.maths.arrays import Array, Mask


@dataclass(frozen=True, eq=False)
class MachineDynamics(LagrangianDynamics):
    """`LagrangianDynamics` of a mechanism in constant modes, evaluated by the kernels.

    Parameters
    ----------
    mechanism : Mechanism
    modes : FrictionModes
    """

    mechanism: Mechanism = field(kw_only=True)
    modes: FrictionModes = field(kw_only=True)

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Return complete accelerations and efforts; see `HybridDynamics`.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the loose joints have no inertia.
        """
        from sim.dynamics.kernels.joint_rates import solve_states

        system, solved = unforced_system(self.mechanism, self.modes), None
        if np.array_equal(held, system.joints.held):
            pushed = joint_torque(self.robot, q, wrenches) if wrenches else np.zeros_like(q)
            rows = q, qd, np.where(held[:, None], qdd, 0.0), effort + pushed
            states = [np.array(x.T, order="C") for x in rows]
            solve_states(system.bodies, system.joints, *states)
            solved = states[2].T
        if solved is None or not np.isfinite(solved).all():  # NumPy raises the error
            return super().hybrid_dynamics(q, qd, qdd, held, effort, wrenches)
        return solved, np.where(held[:, None], states[3].T - pushed, effort)
