"""Strings of motors and their states in machine code, against the same by NumPy."""

from dataclasses import replace

import numpy as np
import pytest

import sim
from sim import Marker, Names, SForce
from sim.dynamics.single_state.motor_laws import MotorLaws
from sim.errors import ScenarioError
from sim.robots import Mimic
from tests.dynamics.test_marker_loads import SEAT, TIP, WALL, chain
from tests.helpers.loop_robots import at
from tests.helpers.small_robots import joint, link, robot

pytestmark = pytest.mark.usefixtures("compiled")


def geared():
    """Two hinges, the second askew and followed by a third, and a slide."""
    return robot(
        *(link(name, 1.0, "0.1 0 0.2", "0.02 0.03 0.04") for name in "abcd"),
        joint("turn", "continuous", "ground", "a", "0 0 1", at("0.1 0.2 0.3", "0 0 0.5")),
        joint("second", "continuous", "a", "b", "0 1 0", at("0 0 0.4", "0.4 0 0")),
        joint("third", "continuous", "b", "c", "1 0 0", '<mimic joint="second" multiplier="0.5"/>'),
        joint("slide", "prismatic", "c", "d", "1 0 0", at("0 0.3 0")),
    )


AT = (Marker("arm", "a"), Marker("base", "ground"), Marker("tip", "d", (0.1, 0.2, -0.1)))
SPRING = SForce("pull", Marker("i", "d"), Marker("j", "ground", (1, 1, 1)), "-30*(DM(i, j) - 0.2)",
                names=Names((Marker("i", "d"), Marker("j", "ground", (1, 1, 1)))))  # fmt: skip
NAMES = Names(
    AT,
    variables={
        "error": "AKISPL(TIME, 0, way) - AZ(arm, base)",
        "late": "VARVAL(error) + 2*VARVAL(speed)",
        "speed": "WZ(arm, base) + WX(tip, base, arm) + WZ(arm, base, tip)",
        "side": "IF(VARVAL(late): VARVAL(error), 1, DIF(sum) + 0.1*AZ(tip, arm))",
    },
    splines={"way": sim.spline([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, -1.0, 0.5])},
    states={"sum": "VARVAL(error)", "lag": "(VARVAL(late) - DIF(lag))/0.02 + VARVAL(side)"},
)
OTHERS = Names(AT, states={"other": "DX(tip) - SFORCE(pull, 0, 1, 0)"}, forces=(SPRING,))


@pytest.fixture(scope="module")
def actuation():
    motion = sim.JointMotion.torque(
        {"turn": "DIF(lag)*SIN(TIME) + MAX(DIF(sum), 0.3)", "second": "VARVAL(side)"}, names=NAMES
    ) | sim.JointMotion.torque({"slide": "DIF(other) - 2*DIF(other)**2"}, names=OTHERS)
    typed = motion.on(geared(), 3.0).actuation
    return replace(typed, laws=[(row, law, 2.5 + row) for row, law, _ in typed.laws])


def test_torques_and_rates_are_those_of_numpy(actuation):
    laws = MotorLaws(geared(), actuation)
    rng = np.random.default_rng(7)
    for _ in range(20):
        t, (q, qd, z) = rng.uniform(0, 3), rng.uniform(-1.2, 1.2, (3, 3))
        here = np.array([t]), q[:, None], qd[:, None], z[:, None]
        torque, rate = laws.at(t, q, qd, z)
        # of sums of a few terms of size 100 at most
        np.testing.assert_allclose(torque, actuation(*here)[:, 0], rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(rate, actuation.rate(*here)[:, 0], rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("is_following", [False, True])
def test_laws_of_a_robot_with_a_ball_are_those_of_numpy(is_following):
    plant = chain()
    if is_following:
        last = replace(plant.joint("last"), mimic=Mimic("turn", 0.3, 0.1))
        plant = replace(plant, joints=(*plant.joints[:-1], last))
    names = Names((TIP, SEAT, WALL), states={"s": "DX(i) - DIF(s)"})
    text = "DIF(s)*DM(i, j) + WX(i, j) + VX(i, wall)"
    motion = sim.JointMotion.torque({"turn": text}, free=("slide",), names=names)
    actuation = motion.on(plant, 1.0).actuation
    q, qd = np.random.default_rng(3).uniform(-1, 1, (2, len(plant.coordinates)))
    torque, rate = MotorLaws(plant, actuation).at(0.3, q, qd, np.array([0.4]))
    here = np.array([0.3]), q[:, None], qd[:, None], np.array([[0.4]])
    np.testing.assert_allclose(torque, actuation(*here)[:, 0], atol=1e-14)  # of sums of size 1
    np.testing.assert_allclose(rate, actuation.rate(*here)[:, 0], atol=1e-14)


def test_each_variable_and_each_force_read_is_evaluated_once(actuation):
    laws = MotorLaws(geared(), actuation)
    programs = len(NAMES.variables) + len((SPRING,)) + 3 + len(actuation.state_names)
    assert laws.work.values.size == programs
    assert len(laws.work.acting) == 1


def test_what_is_not_finite_is_told_by_numpy():
    motion = sim.JointMotion.torque({"turn": "1/DIF(a)"}, names=Names(AT, states={"a": "1/TIME"}))
    actuation = motion.on(geared(), 1.0).actuation
    laws, still = MotorLaws(geared(), actuation), np.zeros(3)
    assert laws.at(0.5, still, still, np.zeros(1)) is None
    with pytest.raises(ScenarioError, match=r"'turn': it is not finite at t = 0\.5 s"):
        actuation(np.array([0.5]), still[:, None], still[:, None], np.zeros((1, 1)))
