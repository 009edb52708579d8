"""The table that ships beside `scenarios/my_arm.py` is Pinocchio's, from drives written by hand."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

SCENARIOS = Path(__file__).parents[2] / "scenarios"
DEGREE = np.pi / 180
LOAD = 2.0  # [kg], at the tool


def step5(t, t0, h0, t1, h1):
    """STEP5 of ADAMS with its two derivatives, each (N,)."""
    x, d, T = np.clip((t - t0) / (t1 - t0), 0, 1), h1 - h0, t1 - t0
    inside = (t > t0) & (t < t1)
    return np.array(
        [
            h0 + d * x**3 * (10 - 15 * x + 6 * x**2),
            d * (30 * x**2 - 60 * x**3 + 30 * x**4) / T * inside,
            d * (60 * x - 180 * x**2 + 120 * x**3) / T**2 * inside,
        ]
    )


def test_the_table_is_inverse_dynamics_by_pinocchio():
    t, *taus = np.loadtxt(SCENARIOS / "my_arm_pinocchio.csv", delimiter=",", skiprows=1).T
    turn = step5(t, 0, -45 * DEGREE, 2, 45 * DEGREE)
    shoulder = step5(t, 0, 60 * DEGREE, 1, 90 * DEGREE) - step5(t, 1, 0, 2, 30 * DEGREE)
    elbow = np.zeros_like(turn)
    elbow[0] = -60 * DEGREE
    motion = np.stack([turn, shoulder, elbow], axis=1)  # q, qd, qdd; each (3, N)
    model = pin.buildModelFromUrdf(str(SCENARIOS / "my_arm.urdf"))
    tool = model.frames[model.getFrameId("tool")]
    load = pin.Inertia(LOAD, np.zeros(3), np.zeros((3, 3)))
    model.appendBodyToJoint(tool.parentJoint, load, tool.placement)
    data = model.createData()
    known = [pin.rnea(model, data, *motion[:, :, k]) for k in range(t.size)]
    assert np.transpose(taus) == pytest.approx(
        np.array(known), rel=1e-6, abs=1e-12
    )  # printed digits
