"""The solver's state where drives are switched: driven joints become free, or free ones driven."""

from __future__ import annotations

import numpy as np

from sim.dynamics.equations_of_motion import Mechanism
from sim.errors import ScenarioError
from sim.maths.arrays import Array

# Relative deviation of a joint from a drive that is switched on; that of a solved motion is less.
MET = 1e-6


def state_after(before: Mechanism | None, after: Mechanism, t: float, y: Array) -> Array:
    """Convert the state y (size,) at the end of a mechanism at time t [s] for the next one.

    Positions, velocities and works are continuous, and so is momentum.

    Raises
    ------
    ScenarioError
        If a drive that is switched on moves its joint differently; names joint and time.
    """
    free = after.prescription.free
    if before is None or np.array_equal(free, before.prescription.free):
        return y
    time, old, new = np.array([t]), before.layout, after.layout
    q, qd, qdd = before.motion(time, y[:, None])
    driven, ahead = ~before.prescription.free, t - min(t, before.until)  # not past a corner
    q[driven] += ahead * qd[driven]
    qd[driven] += ahead * qdd[driven]
    state = new.state(q[free, 0], qd[free, 0], y[old.elements], y[old.actuators])
    state[new.works] = y[old.works]
    goes_on = after.motion(time, state[:, None])
    for what, reached, prescribed in zip(("position", "velocity"), (q, qd), goes_on, strict=False):
        missed = (np.abs(reached - prescribed) > MET * (1.0 + np.abs(prescribed)))[:, 0]
        if missed.any():
            k = int(np.argmax(missed))
            raise ScenarioError(
                f"The drive of joint {after.dynamics.robot.row_names[k]!r} is switched on at "
                f"t = {t:.9g} s, where its {what} would jump from {reached[k, 0]:.6g} to "
                f"{prescribed[k, 0]:.6g}; a drive can be switched on only where the joint "
                "already moves as prescribed"
            )
    return state
