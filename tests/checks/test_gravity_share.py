import numpy as np
import pytest

import sim
from sim.checks import gravity_shares
from tests.helpers.loop_robots import FourBar
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import double_pendulum, lift, pendulum

G = 9.81


def run(of, drives, duration=1.0, **more):
    return sim.run(
        sim.Scenario(of, sim.JointMotion.displacement(drives), duration=duration, **more)
    )


def test_a_swung_pendulum_has_the_weight_of_its_angle():
    recording = run(pendulum(2.0, 0.7, 0.1), {"hinge": "1.2*SIN(2*PI*time)"})
    (share,) = gravity_shares(recording)
    t = np.linspace(0, 1, 200_001)
    weight = 2.0 * G * 0.7 * np.sin(1.2 * np.sin(2 * np.pi * t))
    qdd = -1.2 * (2 * np.pi) ** 2 * np.sin(2 * np.pi * t)
    torque = (0.1 + 2.0 * 0.7**2) * qdd + weight
    assert share.peak == pytest.approx(np.abs(weight).max(), rel=1e-9)
    assert share.rms == pytest.approx(np.sqrt(np.mean(weight**2)), rel=1e-5)
    assert share.of_rms == pytest.approx(share.rms / np.sqrt(np.mean(torque**2)), rel=1e-4)
    assert share.of_peak == pytest.approx(share.peak / np.abs(torque).max(), rel=1e-4)
    assert share.at == pytest.approx(0.25, abs=1e-3) or share.at == pytest.approx(0.75, abs=1e-3)
    assert share.unit == "N·m"


def test_what_is_held_still_is_all_weight_by_pinocchio():
    of = double_pendulum(1.3, 0.7, 0.8, 0.5)
    recording = run(of, {"shoulder": "0.4", "elbow": "-1.1"}, duration=0.1)
    wanted = PinocchioModel(of, (0, 0, -G)).gravity_torque(np.array([[0.4], [-1.1]]))
    for share, tau in zip(gravity_shares(recording), np.abs(wanted[:, 0]), strict=True):
        assert share.peak == pytest.approx(tau, rel=1e-12)
        assert share.of_peak == pytest.approx(1.0, rel=1e-9)
        assert share.of_rms == pytest.approx(1.0, rel=1e-9)


def test_a_load_weighs_from_when_it_is_there():
    take = sim.PickUp(0.25, sim.Payload(2.0))
    recording = run(lift(3.0), {"slide": "0.1*time"}, duration=0.5, events=(take,))
    (share,) = gravity_shares(recording)
    assert (share.peak, share.at) == (pytest.approx(5 * G, rel=1e-12), pytest.approx(0.25))
    # a sample at the event belongs to what comes after it: half a step of the jump
    assert share.rms == pytest.approx(G * np.sqrt((9 + 25) / 2), rel=2e-3)


def test_where_loops_move_joints_and_where_nothing_is_driven_there_is_none():
    bars = FourBar()
    q = bars.motion(*(np.zeros((3, 1)) + 0.5))[0][:, 0]
    q0 = dict(zip(bars.robot().joint_names, q, strict=True))
    loop = sim.JointMotion.displacement({"crank_joint": "0.5"}, q0=q0)
    closed = sim.run(sim.Scenario(bars.robot(), loop, duration=0.02))
    assert closed.run.settings.passive
    assert gravity_shares(closed) == ()
    free = sim.JointMotion.displacement({}, free=["hinge"])
    fallen = sim.run(sim.Scenario(pendulum(1.0, 0.5), free, duration=0.02, method="adaptive"))
    assert gravity_shares(fallen) == ()
