"""Runs with forces, payloads that come and go, and friction that follows the load."""

import numpy as np
import pytest

from sim.checks import check
from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.robots import Payload
from sim.scenario import (
    Force,
    GroundContact,
    JointFriction,
    PickUp,
    Scenario,
    SetDown,
    Stop,
)
from sim.simulation import run
from tests.helpers.short_runs import arm
from tests.helpers.small_robots import lift, pendulum, pendulum_on_cart

METHODS = ("stepped", "ideal")
G = 9.81
# Of the largest effort: rounding where nothing is discretised, extrapolation where it is.
EFFORT = {"ideal": 1e-11, "stepped": 2e-6}


def go(robot, motion, method, duration=1.0, **more):
    return run(Scenario(robot, motion, duration, **more), method=method)


def column(recording, channel, table="recorded"):
    return getattr(recording, table)[channel].to_numpy()


def assert_passes(recording):
    assert [one for one in check(recording) if not one.ok] == []


@pytest.mark.parametrize("method", METHODS)
def test_a_force_at_the_tip_of_a_pendulum_is_carried_by_its_drive(method):
    """At rest at 30°: tau = m g l sin q - l (F_x cos q) with the force along the world's x."""
    m, length, q = 2.0, 0.5, np.radians(30)
    force = Force("bob", force=("10*SIN(3*time)", 0, 0), at=(0, 0, -length))
    motion = JointMotion.displacement({"hinge": float(q)})
    recording = go(pendulum(m, length, 0.01), motion, method, forces=(force,))
    t = recording.recorded.index.to_numpy()
    # a turn about +y by q moves the tip, which hangs below, towards -x
    expected = m * G * length * np.sin(q) + length * np.cos(q) * 10 * np.sin(3 * t)
    for table in ("recorded", "analytic"):
        away = np.abs(column(recording, "tau.hinge", table) - expected)
        assert np.max(away) <= EFFORT[method] * np.max(expected)
    assert_passes(recording)


@pytest.mark.parametrize("method", METHODS)
def test_a_lift_that_takes_up_a_block_on_its_way_carries_both(method):
    """Force m (g + a), then (m + M)(g + a); energy M g z + ½ M v² comes with the block."""
    m, M, at = 3.0, 2.0, 0.4
    motion = JointMotion.velocity({"slide": "0.5*SIN(3*time)"})
    events = (PickUp(at, Payload(M, frame="load")), SetDown(0.8))
    recording = go(lift(m), motion, method, events=events)
    t = recording.recorded.index.to_numpy()
    carried = (t > at - 1e-9) & (t < 0.8 - 1e-9)
    expected = (m + M * carried) * (G + 1.5 * np.cos(3 * t))
    for table in ("recorded", "analytic"):
        away = np.abs(column(recording, "tau.slide", table) - expected)
        assert np.max(away) <= EFFORT[method] * np.max(expected)
    z, v = (1 - np.cos(3 * at)) / 6, 0.5 * np.sin(3 * at)
    taken, left = recording.run.events
    assert (taken.kind, taken.mass, taken.t) == ("pick up", M, at)
    assert taken.pe == pytest.approx(M * G * z, abs=1e-9)  # J
    assert taken.ke == pytest.approx(M * v * v / 2, abs=1e-8)
    assert left.kind == "set down"
    assert left.ke == pytest.approx(-M * (0.5 * np.sin(2.4)) ** 2 / 2, abs=1e-8)
    assert_passes(recording)


@pytest.mark.parametrize("method", METHODS)
def test_energy_is_balanced_over_forces_friction_and_events(method):
    """Work + external - loss + events = Δ(ke + pe) at every sample, within 1e-6 of what moves."""
    law = JointFriction(mu_static=0.3, mu_dynamic=0.2, pin_radius=0.02, friction_arm=0.02)
    robot = arm().with_friction({"shoulder": law})
    motion = JointMotion.displacement({"shoulder": "SIN(4*time)", "elbow": "0.5*SIN(7*time)"})
    forces = (Force("payload", force=("5", "10*SIN(5*time)", 0), axes="payload"),)
    events = (PickUp(0.5, Payload(1.0)),)
    recording = go(robot, motion, method, forces=forces, events=events)
    table = recording.recorded
    energy = (table["ke"] + table["pe"]).to_numpy()
    given = table.filter(like="work.").sum(axis=1) - table.filter(like="loss.").sum(axis=1)
    given = (given + table["external"]).to_numpy()
    for event in recording.run.events:
        given = given + (event.ke + event.pe) * (table.index >= event.t - 1e-9)
    residual = np.max(np.abs(given - (energy - energy[0])))
    assert residual <= {"ideal": 1e-7, "stepped": 1e-5}[method] * np.ptp(energy)
    assert column(recording, "loss.shoulder")[-1] > 0.01  # J; the friction is felt
    assert np.abs(column(recording, "external")).max() > 0.01


@pytest.mark.parametrize("method", METHODS)
def test_friction_of_a_drive_follows_the_load_of_the_joint(method):
    """A slide along x that carries m: the guide presses with m g, friction is mu m g."""
    m, mu = 4.0, 0.25
    law = JointFriction(mu_static=mu, mu_dynamic=mu, pin_radius=0.01, stiction_velocity=0.01)
    robot = lift(m, "1 0 0").with_friction({"slide": law})
    recording = go(robot, JointMotion.velocity({"slide": 0.3}), method)
    for table in ("recorded", "analytic"):
        assert column(recording, "friction.slide", table) == pytest.approx(mu * m * G, rel=1e-12)
        assert column(recording, "tau.slide", table) == pytest.approx(mu * m * G, rel=1e-9)
    assert set(column(recording, "regime.slide")) == {2.0}
    assert column(recording, "loss.slide")[-1] == pytest.approx(mu * m * G * 0.3, rel=1e-9)
    assert_passes(recording)


def test_a_drive_into_its_stop_carries_the_stop():
    """Below the limit the spring pushes back with k p; the drive carries it besides the weight."""
    k = 1000.0
    robot = lift(1.0).with_stops(
        {"slide": Stop(stiffness=k, exponent=1.0, damping=0.0, depth=1e-3, lower=-0.1, upper=0.1)}
    )
    recording = go(robot, JointMotion.velocity({"slide": 0.2}), "ideal")
    q = column(recording, "q.slide")
    expected = G + k * np.maximum(q - 0.1, 0.0)
    assert np.max(np.abs(column(recording, "tau.slide") - expected)) <= 1e-9  # N
    pushed_back = column(recording, "stop.slide")
    assert np.max(np.abs(pushed_back + k * np.maximum(q - 0.1, 0.0))) <= 1e-9
    assert column(recording, "external")[-1] == pytest.approx(-k * 0.1**2 / 2, rel=1e-6)  # J
    assert_passes(recording)


def test_ground_under_a_driven_load_carries_part_of_it():
    contact = GroundContact("load", stiffness=1e4, exponent=1.0, depth=1e-3, height=0.0)
    recording = go(lift(2.0), JointMotion.velocity({"slide": -1e-3}), "ideal", contacts=(contact,))
    depth = -column(recording, "q.slide")
    assert np.max(np.abs(column(recording, "tau.slide") - (2 * G - 1e4 * depth))) <= 1e-9  # N


FREE = JointMotion.displacement({}, free=("hinge",))
LAW = JointFriction(mu_static=0.3, mu_dynamic=0.2, pin_radius=0.03)


@pytest.mark.parametrize(
    ("robot", "more", "reason"),
    [
        (pendulum(1, 1), {"forces": (Force("bob"),)}, "forces act on it"),
        (pendulum(1, 1).with_friction({"hinge": LAW}), {}, "joint 'hinge' has dry friction"),
        (pendulum(1, 1, more='<dynamics friction="1"/>'), {}, "joint 'hinge' has dry friction"),
        (pendulum(1, 1), {"contacts": (GroundContact("bob", stiffness=1.0),)}, "touch the ground"),
        (
            pendulum(1, 1),
            {"events": (PickUp(0.5, Payload(1, frame="bob")),)},
            "its payload changes",
        ),
        (
            pendulum_on_cart(1, 1, 1).with_stops({"slide": Stop(stiffness=1.0, depth=1e-3)}),
            {},
            "joint .slide. has end stops",
        ),
    ],
)
def test_what_stepping_cannot_do_for_a_free_joint_is_said_before_the_run(robot, more, reason):
    with pytest.raises(ScenarioError, match=rf"'hinge' is free and .*{reason}.*method 'adaptive'"):
        go(robot, FREE, "stepped", **more)


@pytest.mark.parametrize("method", [*METHODS, "adaptive"])
def test_a_force_on_the_root_moves_nothing(method):
    force = Force("ground", force=(100, 0, 0), torque=(0, 5, 0))
    motion = JointMotion.displacement({"hinge": "0.3*SIN(3*time)"})
    pushed = go(pendulum(1.0, 0.5), motion, method, 0.2, forces=(force,))
    alone = go(pendulum(1.0, 0.5), motion, method, 0.2)
    assert np.array_equal(column(pushed, "tau.hinge"), column(alone, "tau.hinge"))
    assert not column(pushed, "external").any()
    assert_passes(pushed)


@pytest.mark.parametrize("law", [None, JointFriction(0.0, 0.0, pin_radius=0.05, preload=0.7)])
def test_a_driven_joint_beside_a_free_one_rubs_in_the_engine_as_in_the_model(law):
    """The cart's drive meets 3 N of Coulomb friction, and the law's preload, all the way."""
    robot = pendulum_on_cart(2.0, 1.0, 0.5, '<dynamics friction="3"/>')
    robot = robot if law is None else robot.with_friction({"slide": law})
    drive = {"slide": "0.2+0.3*time"}
    motion = JointMotion.displacement(drive, q0={"hinge": 0.5}, free=("hinge",))
    recording = go(robot, motion, "stepped")
    expected = 3.0 + (0.0 if law is None else law.preload)
    smooth = go(pendulum_on_cart(2.0, 1.0, 0.5), motion, "stepped")
    more = column(recording, "tau.slide") - column(smooth, "tau.slide")
    assert column(recording, "friction.slide") == pytest.approx(expected, abs=1e-12)
    assert more == pytest.approx(expected, abs=1e-9)  # N
    assert_passes(recording)
