"""Runs in which the drives give nothing, or little of what cancels in them: no check fails them.

The oracle is the closed form: a body that turns evenly about a fixed axis without gravity takes no
torque, a slide at constant speed no force.
"""

import numpy as np
import pytest

from sim.checks import check
from sim.motion import JointMotion
from sim.robots import DriveTrain
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import spoiled
from tests.helpers.small_robots import joint, link, robot

NO_GRAVITY = (0.0, 0.0, 0.0)


def faults(recording):
    return [(c.name, c.channel, c.worst, c.limit) for c in check(recording) if not c.ok]


def arm(size, mass, *, com="0.5 0 0", kind="continuous", axis="0 0 1"):
    """One link of so many metres and kilograms on a hinge or a slide."""
    at = " ".join(repr(size * float(x)) for x in com.split())
    body = link("arm", mass, at, " ".join([repr(0.05 * mass * size**2)] * 3))
    hinge = joint("axis", kind, "ground", "arm", axis)
    return robot(body, hinge.replace('"100"', '"1e9"').replace('"1000"', '"1e9"'))


def even(arm, rate, method="ideal", engine="bullet", dt=0.02):
    motion = JointMotion.displacement({"axis": f"{rate!r}*time"})
    given = {"method": method, "engine": engine, "gravity": NO_GRAVITY}
    return run(Scenario(arm, motion, 0.2, dt, **given))


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
@pytest.mark.parametrize("method", ["ideal", "stepped", "adaptive"])
@pytest.mark.parametrize("rate", [np.pi / 6, 6000 * np.pi / 180])
def test_one_link_that_turns_evenly_passes(method, engine, rate):
    found = even(arm(1.0, 2.0), rate, method, engine)
    assert np.abs(found.analytic["tau.axis"]).max() < 1e-14 * 2.0 * rate**2  # of m r² ω²
    assert faults(found) == []


@pytest.mark.parametrize(
    "one",
    [
        arm(1e-3, 2e-6),
        arm(100.0, 1e4),
        arm(1.0, 2.0, com="0 0 0"),
        arm(1.0, 2.0, com="0.3 -0.1 0.7", axis="0.6 0 0.8"),
        arm(1.0, 2.0, kind="prismatic"),
    ],
)
def test_other_sizes_axes_and_slides_pass(one):
    assert faults(even(one, 10.0)) == []
    motor = DriveTrain(100, 1e-9, viscous=1e-12, coulomb=1e-9, efficiency=0.9)
    assert faults(even(one.with_drives({"axis": motor}), 10.0)) == []


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
@pytest.mark.parametrize(("rate", "dt"), [(1 / 32, 1 / 64), (1.0, 1 / 1024)])
def test_a_weight_that_turns_evenly_needs_no_estimated_error(engine, rate, dt):
    """Whole and half steps have every angle to the last digit: 9.81 N·m cos(rate t) by both."""
    motion = JointMotion.displacement({"axis": f"{rate!r}*time"})
    even = Scenario(arm(1.0, 2.0, axis="0 1 0"), motion, 64 * dt, dt, engine=engine)
    turned = run(even, method="stepped")
    weight = 0.5 * 2.0 * 9.81 * np.cos(rate * turned.t)
    np.testing.assert_allclose(turned.recorded["tau.axis"], -weight, rtol=1e-12)
    assert faults(turned) == []


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_an_arm_that_turns_evenly_beside_one_that_does_not_needs_none_either(engine):
    """Of the other one the halves differ from the whole, and zeros there are still named."""
    arms = [
        part
        for name in ("even", "swung")
        for part in (
            link(f"{name}_arm", 2.0, "0.5 0 0", "0.1 0.1 0.1"),
            joint(name, "revolute", "ground", f"{name}_arm", "0 1 0"),
        )
    ]
    motion = JointMotion.displacement({"even": "time/32", "swung": "0.3*SIN(5*time)"})
    beside = Scenario(robot(*arms), motion, 1.0, 1 / 64, engine=engine)
    turned = run(beside, method="stepped")
    assert not turned.recorded["tau_error.even"].any()
    failing = faults(turned)
    assert [one for one in failing if one[1].endswith("even")] == []
    lie = turned.having(recorded=turned.recorded.assign(**{"tau_error.swung": 0.0}))
    assert ("estimated error", "tau_error.swung") in {one[:2] for one in faults(lie)}


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_heavy_cart_with_a_fast_rotor_takes_no_force_but_rounding(engine):
    """10 t at 0.3 m/s: the last digit of 60 mm over the step squared, times the mass."""
    cart = robot(
        link("cart", 1e4),
        link("rotor", 1.0, moments="0.01 0.01 0.01"),
        joint("rail", "prismatic", "ground", "cart", "1 0 0"),
        joint("spin", "continuous", "cart", "rotor", "0 0 1"),
    )
    motion, dt = JointMotion.displacement({"rail": "0.3*time", "spin": "90*time"}), 2e-3
    even = Scenario(cart, motion, 0.2, dt, engine=engine, gravity=NO_GRAVITY)
    rolled = run(even, method="stepped")
    force = rolled.recorded["tau.rail"].abs().max()
    assert 1e-8 < force < 1e4 * 40 * np.finfo(float).eps * 0.06 / dt**2
    assert faults(rolled) == []


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_eight_links_of_hundredths_of_a_millimetre_that_turn_evenly_pass(engine):
    """They would fall with g/L = 2e5 rad/s² each, which motors cancel but for its rounding."""
    size, axes = 4e-5, ("0 1 0", "0 0.6 0.8", "0 0 1")
    parts, names = [], [f"joint_{k}" for k in range(8)]
    for k, name in enumerate(names):
        parts.append(
            link(f"link_{k}", 1.0, f"{size / 2!r} 0 0", " ".join([repr(size**2 / 20)] * 3))
        )
        parent, at = (
            ("ground", "") if k == 0 else (f"link_{k - 1}", f'<origin xyz="{size!r} 0 0"/>')
        )
        parts.append(joint(name, "revolute", parent, f"link_{k}", axes[k % 3], at))
    motion = JointMotion.displacement({name: "0.3*time" for name in names})
    turned = run(Scenario(robot(*parts), motion, 0.2, 2e-3, engine=engine), method="stepped")
    noise = max(turned.recorded[f"qdd.{name}"].abs().max() for name in names)
    assert 1e-9 < noise < 1e-12 * 9.81 / size
    assert faults(turned) == []


def test_a_torque_that_is_not_there_is_found():
    """A part in 1e9 of m r² ω² = 0.14 N·m, in both tables alike."""
    lie = even(arm(1.0, 2.0), np.pi / 6)
    for table in ("recorded", "analytic"):
        lie = spoiled(lie, "tau.axis", 1.4e-10, 0, table)
    names = [c.name for c in check(lie) if not c.ok]
    assert "recomputed torque" in names
    assert "Lagrange and Newton-Euler" in names
