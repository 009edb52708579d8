from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import sim
from sim.capacity import RatedMotion, fit_time
from sim.errors import ScenarioError
from tests.helpers.small_robots import lift, pendulum

G = 9.81  # of the scenarios [m/s²]


def upright(mass=2.0, length=0.5, more=""):
    """A pendulum that stands upright at q = pi; its hinge has 1000 N·m and 100 rad/s."""
    return pendulum(mass, length, 0.0, more)


def swing(robot, text, duration=2.0, dt=0.01, **more):
    return sim.Scenario(robot, sim.JointMotion.displacement({"hinge": text}), duration, dt, **more)


def slide(robot, text, duration=2.0, dt=0.01):
    return sim.Scenario(robot, sim.JointMotion.displacement({"slide": text}), duration, dt)


@pytest.mark.parametrize(("axis", "sign"), [("0 0 1", ""), ("0 0 -1", "-")])
def test_a_lift_reaches_its_rating_as_by_hand(axis, sign):
    # z = A sin w t: m (A w² r² + g) at the bottom of the swing, however its axis points
    m, A, w = 3.0, 0.2, pi
    found = fit_time(slide(lift(m, axis), f"{sign}0.2*SIN(PI*time)"), torque={"slide": 100.0})
    assert found.scale == pytest.approx(sqrt((100 / m - G) / (A * w**2)), rel=1e-12)
    assert (found.binding.joint, found.binding.what) == ("slide", "torque")
    assert found.binding.t == pytest.approx(1.5, abs=1e-9)
    assert found.duration == pytest.approx(2.0 / found.scale, rel=1e-15)
    assert found.ok
    assert found.used == pytest.approx(1.0, abs=1e-12)


def test_a_peak_between_samples_counts():
    m, A, w = 3.0, 0.2, pi
    coarse = fit_time(slide(lift(m), "0.2*SIN(PI*time)", dt=0.4), torque={"slide": 100.0})
    assert coarse.scale == pytest.approx(sqrt((100 / m - G) / (A * w**2)), rel=1e-9)


def test_friction_is_a_constant_and_a_part_linear_in_speed():
    # z = v t: m g + f + d v r
    m, f, d, v = 3.0, 5.0, 7.0, 0.3
    robot = lift(m, more=f'<dynamics damping="{d}" friction="{f}"/>')
    found = fit_time(slide(robot, "0.3*time"), torque={"slide": 60.0})
    assert found.scale == pytest.approx((60 - m * G - f) / (d * v), rel=1e-13)


def test_speed_and_power_bind_where_they_are_lower():
    # z = v t: power (m g) v r
    m, v = 3.0, 0.3
    scenario = slide(lift(m), "0.3*time")
    by_power = fit_time(scenario, power={"slide": 20.0})
    assert by_power.binding.what == "power"
    assert by_power.scale == pytest.approx(20 / (m * G * v), rel=1e-13)
    by_speed = fit_time(scenario, power={"slide": 20.0}, speed={"slide": 0.5})
    assert by_speed.binding.what == "speed"
    assert by_speed.scale == pytest.approx(0.5 / v, rel=1e-14)


def test_weight_alone_beyond_the_rating_leaves_no_speed():
    # m g L sin q beyond 5 N·m from asin(5 / (m g L)) on
    m, L = 2.0, 0.5
    found = fit_time(swing(upright(m, L), "time", 1.0, 1e-3), torque={"hinge": 5.0})
    assert (found.scale, found.duration, found.ok) == (0.0, np.inf, False)
    assert sin(found.binding.t) == pytest.approx(5.0 / (m * G * L), abs=1.1e-3)
    with pytest.raises(ScenarioError, match="above 0 times"):
        _ = found.scenario


@pytest.mark.parametrize(("name", "share"), [("two_link", 0.9), ("ur10_path", 0.6)])
def test_bisection_of_the_drives_torques_finds_the_same(name, share):
    scenario, _ = sim.load_script(name).build({})
    robot, t = scenario.robot, scenario.times
    q, qd, qdd = scenario.motion.on(robot, scenario.duration).motion(t)
    torque = {row.name: share * row.limits.effort for row in robot.coordinates}
    limit = np.array(list(torque.values()))[:, None]

    def keeps(r):
        tau = sim.inverse_dynamics(robot, q, r * qd, r**2 * qdd)
        return (np.abs(tau) <= limit).all()

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    fast = {row.name: 1e6 for row in robot.tree_coordinates}
    found = fit_time(RatedMotion(robot, t, q, qd, qdd), torque=torque, speed=fast)
    assert found.scale == pytest.approx(low, rel=1e-11)
    assert found.used == pytest.approx(1.0, abs=1e-11)


def test_the_run_at_that_speed_meets_its_rating_and_passes_all_checks():
    scenario, _ = sim.load_script("two_link").build({})
    found = fit_time(scenario)
    recording = sim.run(found.scenario, method="ideal")
    checks = sim.check(recording)
    assert all(check.ok for check in checks)
    (peak,) = (c for c in checks if c.channel == "tau.shoulder" and c.name == "rated torque")
    assert peak.used == pytest.approx(1.0, abs=1e-6)
    assert any(c.name == "drive function" for c in checks)
    again = fit_time(recording)  # of its samples alone
    assert again.scale == pytest.approx(1.0, abs=1e-6)


def test_a_velocity_drive_is_typed_for_its_speed():
    robot = lift(2.0)
    motion = sim.JointMotion.velocity({"slide": "0.1*SIN(2*TIME)"})
    scenario = sim.Scenario(robot, motion, 1.0, 0.01)
    found = fit_time(scenario, speed={"slide": 0.25})
    assert found.scale == pytest.approx(0.25 / (0.1 * sin(2 * pi / 4)), rel=1e-9)
    recording = sim.run(found.scenario, method="ideal")
    assert all(check.ok for check in sim.check(recording))
    z = np.asarray(recording["q.slide"])
    assert z[-1] == pytest.approx(0.05 * (1 - cos(2.0)), rel=1e-9)


def test_what_does_not_scale_is_refused_by_name():
    robot = lift(2.0)
    free = sim.Scenario(robot, sim.JointMotion.displacement({}, free=["slide"]), 1.0, 0.01)
    box = sim.PickUp(0.5, sim.Payload(1.0, frame="load"), "box")
    drive = sim.JointMotion.displacement({"slide": "0.1*time"})
    pushed = sim.Scenario(robot, drive, 1.0, 0.01, forces=(sim.Force("load", force=("1", 0, 0)),))
    law = robot.with_friction({"slide": sim.JointFriction(0.2, 0.1)})
    for scenario, named in (
        (free, "joint 'slide' is free"),
        (sim.Scenario(robot, drive, 1.0, 0.01, events=(box,)), "payload 'box'"),
        (pushed, "forces act on it"),
        (sim.Scenario(law, drive, 1.0, 0.01), "Friction of joint 'slide'"),
    ):
        with pytest.raises(ScenarioError, match=named):
            fit_time(scenario)
    with pytest.raises(ScenarioError, match="stands still"):
        fit_time(slide(robot, "0.2"))
    with pytest.raises(ScenarioError, match="no such driven joint"):
        fit_time(slide(robot, "time"), torque={"hinge": 1.0})
    with pytest.raises(ScenarioError, match="above 0"):
        fit_time(slide(robot, "time"), torque={"slide": 0.0})
    with pytest.raises(ScenarioError, match="not finite at t = 1 s"):
        RatedMotion(robot, [0.0, 1.0], [[0, 1]], [[0, np.nan]], [[0, 0]])


def test_a_spring_gives_its_share_at_every_speed():
    k = 40.0
    robot = lift(1.0).with_springs({"slide": sim.JointSpring(k, damping=3.0)})
    found = fit_time(slide(robot, "0.3*time", 1.0), torque={"slide": 30.0})
    assert found.scale == pytest.approx((30 - G - k * 0.3) / (3.0 * 0.3), rel=1e-12)
    assert found.binding.t == 1.0
