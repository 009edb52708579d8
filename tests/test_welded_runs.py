"""Whole runs with and without welding: the same columns, by every method."""

import numpy as np
import pytest

from sim.checks import check
from sim.engines.bullet import welding
from sim.motion import JointMotion
from sim.recording import Recording
from sim.robots import Payload, Robot
from sim.scenario import Force, GroundContact, Measure, PickUp, Scenario, SetDown
from sim.simulation import run
from tests.helpers.small_robots import joint, link, robot

# Of a channel's peak, or of a thousandth of its group's: rounding, which the step of `stepped`
# divides by 1e-3; `adaptive` keeps the error of a step below 1e-11 of the state, in both runs.
SAME = {"ideal": 1e-10, "stepped": 1e-10, "adaptive": 1e-8}
LEAST = 1e-3


def machine() -> Robot:
    """Two hinges; each body is of several links, and the last has a hand with a foot."""
    return robot(
        link("column", 5.0),
        joint("bolt", "fixed", "ground", "column", "1 0 0", '<origin xyz="0 0 1" rpy="0 0.1 0"/>'),
        '<link name="upper"/>',
        joint("shoulder", "revolute", "column", "upper", "0 1 0", '<dynamics damping="0.3"/>'),
        link("tube", 2.0, "0.2 0 0", "0.01 0.05 0.05"),
        joint("weld_1", "fixed", "upper", "tube", "1 0 0", '<origin rpy="0.2 0 0.3"/>'),
        link("motor", 1.5, "0 0.02 0", "0.004 0.005 0.006"),
        joint("weld_2", "fixed", "tube", "motor", "1 0 0", '<origin xyz="0.4 0 0.05"/>'),
        link("lower", 1.0, "0.1 0 0", "0.002 0.02 0.02"),
        joint("elbow", "revolute", "motor", "lower", "0 1 0.2", '<dynamics damping="0.1"/>'),
        link("hand", 0.3, "0 0.01 0.02", "0.001 0.001 0.001"),
        joint("weld_3", "fixed", "lower", "hand", "1 0 0", '<origin xyz="0.3 0 0" rpy="0 1 0"/>'),
        link("foot", 0.1, "0 0 0.01", "0.0001 0.0001 0.0001"),
        joint("weld_4", "fixed", "hand", "foot", "1 0 0", '<origin xyz="0 0.1 0.1"/>'),
    )


def scenario(method: str) -> Scenario:
    drives = {"shoulder": "0.4*SIN(5*time)", "elbow": "0.3 - 0.5*SIN(4*time)"}
    box = Payload(0.8, (0.05, 0, 0.1), np.diag([0.01, 0.02, 0.015]), frame="hand")
    motion, duration = JointMotion.displacement(drives), 0.3
    contacts = (GroundContact("foot", stiffness=2e3, damping=10.0, height=0.9),)
    if method == "adaptive":  # which takes a hundred times as long
        del drives["elbow"]
        motion = JointMotion.displacement(drives, q0={"elbow": 0.3}, free=["elbow"])
        duration = 0.006
        contacts = ()
    events = (PickUp(duration / 3, box, "box"), SetDown(2 * duration / 3, "box"))
    return Scenario(
        machine(),
        motion,
        duration,
        method=method,
        forces=(Force("motor", force=("3*SIN(7*time)", 2, 0), torque=(0, "time", 0), axes="foot"),),
        events=() if method == "stepped" else events,
        contacts=contacts,
        measures=(Measure("grip", "weld_3"),),
    )


def both(method: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Recording, Recording]:
    alone = run(scenario(method), method=method)
    monkeypatch.setattr(welding, "MOST_JOINTS", 0)
    return alone, run(scenario(method), method=method)


@pytest.mark.parametrize("method", SAME)
def test_a_welded_robot_runs_as_it_does_unwelded(method, monkeypatch):
    alone, welded = both(method, monkeypatch)
    for recording in (alone, welded):
        assert [one for one in check(recording) if not one.ok] == []
    a, b = alone.recorded, welded.recorded
    assert list(a) == list(b)
    assert {"ke.tube", "ke.motor", "ke.hand", "ke.foot", "tool.x", "reaction.elbow.fx"} <= set(a)
    if method == "ideal":
        assert np.ptp(a["external"]) > 1  # J; the foot is on the ground
    groups = {name.split(".")[0] for name in a}
    peak = {g: max(a[n].abs().max() for n in a if n.split(".")[0] == g) for g in groups}
    peak |= {"tau_error": peak["tau"] / LEAST}  # it is the difference of two torques
    for name in a:
        size = max(a[name].abs().max(), LEAST * peak[name.split(".")[0]], 1e-9)
        assert (a[name] - b[name]).abs().max() <= SAME[method] * size, name
