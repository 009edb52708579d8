"""Loop equations at one state in machine code, against the same by NumPy."""

import numpy as np
import pytest

from sim.dynamics.single_state import switch
from sim.dynamics.single_state.loops import equations_at
from sim.robots import Loop
from tests.dynamics.test_marker_loads import chain

pytestmark = pytest.mark.usefixtures("compiled")

FIRST, SECOND = (0.1, 0.2, 0.3), (0.4, 0.1, 0.2)
AXES = {"axis_a": (0.6, 0.0, 0.8), "axis_b": (0.0, 1.0, 0.0)}
ABOUT_Y = {"axis_a": (0.0, 0.0, 1.0), "axis_b": (0.0, 0.0, 1.0),
           "across_a": (1.0, 0.0, 0.0), "across_b": (1.0, 0.0, 0.0)}  # fmt: skip
ACROSS = {"across_a": (0.0, 1.0, 0.0), "across_b": (0.0, 0.0, 1.0)}
LOOPS = (
    Loop("on the ground", "d", FIRST, "ground", SECOND, None, ("last",)),
    Loop("between links", "a", FIRST, "d", SECOND, None, ("socket",), "fixed", **AXES, **ACROSS),
    Loop("rod", "b", FIRST, "d", SECOND, None, ("slide",), "rod", length=0.7),
    Loop("shafts", "a", FIRST, "c", SECOND, None, (), "constant_velocity", **AXES, **ACROSS),
    Loop("string", "ground", FIRST, "c", SECOND, None, (), "function",
         function="DM(b,a)*DX(b,a,a)/DY(b,a,a) - AZ(b,a)*AX(b,a) + SQRT(DZ(b,a,a)**2) - 0.3"),
    Loop("turning", "ground", FIRST, "a", SECOND, None, (), "function", **ABOUT_Y,
         function="SIN(AY(b,a))*EXP(-DX(b,a,a)) + COS(AZ(b,a))*TAN(AX(b,a)) - ATAN(DY(b,a,a))**3"),
    Loop("more", "ground", FIRST, "d", SECOND, None, (), "function",
         function="ASIN(0.1*DX(b,a,a)) + ACOS(0.1*DY(b,a,a)) - ABS(DZ(b,a,a))**1.5"),
    Loop("switching", "ground", FIRST, "c", SECOND, None, (), "function",
         function="DM(b,a)*MAX(DX(b,a,a), -9) + MIN(DY(b,a,a), 0.1*DZ(b,a,a))**2"
         " - IF(DX(b,a,a): DM(b,a)**DY(b,a,a), 1, 2**DZ(b,a,a))"
         " + DIM(1, DM(b,a)) + AINT(9*DM(b,a))"),
    Loop("stepping", "ground", FIRST, "c", SECOND, None, (), "function",
         function="STEP(DX(b,a,a), -2, 1, 2, 3)"),
)  # fmt: skip


@pytest.mark.parametrize("count", range(1, 10))
def test_equations_of_loops_are_as_by_numpy(count, monkeypatch):
    """The machine has no second derivative of the last kind, and all are NumPy's then."""
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    plant = chain().with_loops(*LOOPS[:count])
    q, qd = np.random.default_rng(2).uniform(-1.2, 1.2, (2, len(plant.coordinates)))
    found = []
    for setting in "10":
        monkeypatch.setenv(switch.SWITCH, setting)
        found.append(equations_at(plant, q, qd))
    for fast, numpy in zip(*found, strict=True):
        np.testing.assert_allclose(fast, numpy, rtol=0, atol=1e-12 * np.abs(numpy).max())
