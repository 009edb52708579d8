import math

import numpy as np
import pytest

import sim
from sim.dynamics import ElementSum, GroundContact
from sim.errors import ModelError
from tests.helpers.small_robots import double_pendulum, joint, lift, link, robot

MACHINE_CODE = True


def test_a_contact_is_a_point_at_the_origin_of_its_frame_unless_it_says_otherwise():
    contact = GroundContact("foot", stiffness=1e6)
    assert (contact.radius, contact.height, contact.damping) == (0.0, 0.0, 0.0)
    assert contact.exponent == 1.5
    np.testing.assert_array_equal(contact.at, [0.0, 0.0, 0.0])
    assert not contact.at.flags.writeable


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stiffness": -1.0}, r"Ground contact of 'foot': stiffness -1\.0 N/m\^e must be above 0"),
        ({"radius": -0.1}, r"radius -0\.1 m is negative"),
        ({"exponent": 0.5}, r"exponent 0\.5 must be at least 1"),
        ({"damping": math.nan}, r"damping nan N·s/m must be a finite number"),
        ({"depth": 0.0}, r"depth 0\.0 m must be above 0"),
        ({"height": math.inf}, r"height inf m must be a finite number"),
        ({"at": (0.0, 1.0)}, r"at \(0\.0, 1\.0\) m must be three finite numbers"),
        ({"at": (0.0, math.nan, 0.0)}, r"at .* m must be three finite numbers"),
        ({"at": "low"}, r"at 'low' m must be three finite numbers"),
    ],
)
def test_impossible_parameters_are_refused_by_name_and_unit(change, message):
    with pytest.raises(ModelError, match=message):
        GroundContact("foot", **{"stiffness": 1e6, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"normal": (0.0, 0.0, 0.0)}, r"normal \(0\.0, 0\.0, 0\.0\) must be three finite numbers"),
        ({"normal": (0.0, math.nan, 1.0)}, r"normal .* must be three finite numbers"),
        ({"normal": "up"}, r"normal 'up' must be three finite numbers"),
        ({"mu_static": -0.1}, r"mu_static -0\.1 is negative"),
        ({"mu_dynamic": math.inf}, r"mu_dynamic inf must be a finite number"),
        ({"stiction_velocity": 0.0}, r"stiction_velocity 0\.0 m/s must be above 0"),
    ],
)
def test_an_impossible_plane_is_refused_by_name_and_unit(change, message):
    with pytest.raises(ModelError, match=message):
        GroundContact("foot", **{"stiffness": 1e6, **change})


def test_the_coefficient_follows_the_slip_as_adams_has_it():
    """At half of v_s, at v_s, halfway to sliding, and sliding, by hand; against the slip."""
    slide = lift(1.0, "1 0 0")
    contact = GroundContact("load", stiffness=1e4, exponent=1.0, height=0.01, mu_static=0.6,
                            mu_dynamic=0.2, stiction_velocity=0.1)  # fmt: skip
    v = np.array([0.0, 0.05, -0.1, 0.125, 0.4])
    at = ElementSum(slide, (contact,)).at(0 * v, 0 * v[None], v[None], np.empty((0, 5)))
    (wrench,) = contact.wrenches(at)
    push = 1e4 * 0.01
    wanted = -push * np.array([0.0, 0.6 * 0.5 * 2.75 / 2, -0.6, 0.4, 0.2])
    np.testing.assert_allclose(wrench.force[0], wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(wrench.force[2], push, rtol=0, atol=1e-12)


def test_a_part_along_the_normal_does_not_rub():
    """A point that comes straight down is pushed along the normal alone, however that leans."""
    n = np.array([0.6, 0.0, 0.8])
    slide = lift(1.0, "0.6 0 0.8")
    contact = GroundContact("load", stiffness=1e4, height=0.01, normal=n, mu_static=0.6)
    at = ElementSum(slide, (contact,)).at(np.zeros(1), np.zeros((1, 1)), -np.ones((1, 1)),
                                          np.empty((0, 1)))  # fmt: skip
    (wrench,) = contact.wrenches(at)
    np.testing.assert_allclose(wrench.force[:, 0], 1e4 * 0.01**1.5 * n, rtol=0, atol=1e-12)


def test_a_link_that_is_called_world_moves_neither_the_plane_nor_the_axes_of_a_force():
    arm = robot(link("load", 1.0), joint("slide", "prismatic", "world", "load", "0 0 1"))
    arm = arm.mounted((0.0, 0.0, 0.02), (0.5 * np.pi, 0.0, 0.0))
    contact = GroundContact("load", stiffness=1e4, exponent=1.0, height=0.05)
    force = sim.Force("load", (0.0, 0.0, 7.0))
    at = ElementSum(arm, ()).at(*np.zeros((1, 1)), *np.zeros((2, 1, 1)), np.empty((0, 1)))
    push, weight = (one.wrenches(at)[0].force[:, 0] for one in (contact, force))
    np.testing.assert_allclose(push, [0.0, 0.0, 300.0], rtol=0, atol=1e-10)
    np.testing.assert_array_equal(weight, [0.0, 0.0, 7.0])


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_wheel_that_slides_down_a_slope_is_spun_up(engine):
    """m x'' = m g sin a - mu N and I w' = mu N r, with N of a penetration that stays."""
    a, r, mass, moment, k, depth, mu = 0.3, 0.2, 2.0, 0.05, 5e3, 1e-3, 0.4
    along, normal = (math.cos(a), 0.0, -math.sin(a)), (math.sin(a), 0.0, math.cos(a))
    axis = " ".join(map(repr, along))
    wheel = robot(
        link("hub", 0.5, moments="0.01 0.01 0.01"),
        link("wheel", mass - 0.5, moments=f"{moment} {moment} {moment}"),
        joint("slide", "prismatic", "ground", "hub", axis),
        joint("spin", "revolute", "hub", "wheel", "0 1 0"),
    )
    plane = GroundContact("wheel", stiffness=k, exponent=1.0, radius=r, height=depth - r,
                          normal=tuple(3 * x for x in normal), mu_static=mu,
                          stiction_velocity=1e-3)  # fmt: skip
    motion = sim.JointMotion({}, q0=[0.1, 0.0], qd0=[1.5, 0.0], free=("slide", "spin"))
    given = {"dt": 0.01, "method": "adaptive", "engine": engine, "contacts": (plane,)}
    recording = sim.run(sim.Scenario(wheel, motion, 0.2, **given))
    t, N = recording.t, k * depth
    assert all(one.ok for one in sim.check(recording))
    for table in (recording.recorded, recording.analytic):
        pull = 9.81 * math.sin(a) - mu * N / mass
        np.testing.assert_allclose(table["q.slide"], 0.1 + 1.5 * t + pull * t * t / 2, atol=1e-10)
        np.testing.assert_allclose(table["qd.spin"], mu * N * r * t / moment, atol=1e-9)


def test_a_controlled_arm_presses_and_rubs_along_a_wall_as_both_engines_say():
    """Its tip is led into the wall and along it: model and engines are within 1e-9 rad."""
    arm = double_pendulum(1.0, 0.7, 0.4, 0.3)
    drives = {"shoulder": "STEP(time,0,0,0.06,0.08)", "elbow": "0.5-STEP(time,0,0,0.1,0.05)"}
    motion = sim.JointMotion.displacement(drives)
    wall = GroundContact(
        "lower", stiffness=2e4, damping=5.0, radius=0.02, at=(0, 0, -0.3), normal=(1, 0, 0),
        height=-0.17, mu_static=0.3, stiction_velocity=0.2,
    )  # fmt: skip
    law = sim.PDGravity(arm, 25.0)
    runs = []
    for engine in ("bullet", "mujoco"):
        scenario = sim.Scenario(arm, motion, 0.1, dt=5e-3, method="adaptive", engine=engine,
                                contacts=(wall,), controller=sim.Controller(law, 5e-3))  # fmt: skip
        runs.append(sim.run(scenario))
        assert [one for one in sim.check(runs[-1]) if not one.ok] == []
    table = runs[0].analytic
    assert table["external"].min() < -1e-4  # J, rubbed and damped
    for channel in ("q.shoulder", "q.elbow"):
        for run in runs:
            assert (run.recorded[channel] - table[channel]).abs().max() < 1e-9
