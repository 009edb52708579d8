"""A law that a program lacks, in an audit's table of readings."""

import numpy as np
import pytest


def require_lacking(checked, key, torque):
    """The reading of a feature, where PyBullet lacks the torque (q, qd, qdd) of the hinge."""
    (reading,) = (one for one in checked.readings if one.feature.key == key)
    states = checked.torques.states
    expected = np.abs(torque(states.q[0], states.qd[0], states.qdd[0])).max()
    lacking = reading.differences["PyBullet"]
    assert lacking.size == pytest.approx(expected, rel=1e-12)
    assert (lacking.unit, lacking.joint) == ("N·m", "hinge")
    return reading
