"""Functions of TIME that no solver follows are refused before it begins, by closed forms."""

import re
import time

import pytest

import sim
from sim.errors import ScenarioError
from sim.simulation.build_problem import build_problem
from tests.helpers.small_robots import pendulum

ARM = pendulum(2.0, 0.7)
TIP, WALL = sim.Marker("tip", ARM.links[-1].name, xyz=(0.1, 0, 0)), sim.Marker("wall", "world")


def pushed(law, names=None, duration=1.0):
    more = {} if names is None else {"names": names}
    push = sim.VForce("push", TIP, WALL, (0, 0, law), **more)
    motion = sim.JointMotion.displacement({}, free=["hinge"])
    return sim.Scenario(ARM, motion, duration=duration, method="adaptive", forces=(push,))


def turned(law, names):
    motion = sim.JointMotion.torque({"hinge": law}, names=names)
    return sim.Scenario(ARM, motion, duration=1.0, method="adaptive")


FAST = {
    "a force": (pushed("5+3*SIN(1E9*TIME)"), "VForce 'push'"),
    "beside a slow one": (pushed("900*SIN(TIME)+0.01*COS(1E9*TIME)"), "VForce 'push'"),
    "by a variable": (
        pushed("VARVAL(shake)", sim.Names(variables={"shake": "SIN(1E9*TIME)"})),
        "VForce 'push'",
    ),
    "a torque": (
        turned("-3*AZ(tip,wall)+SIN(1E9*TIME)", sim.Names(markers=(TIP, WALL))),
        "The torque of joint 'hinge'",
    ),
    "a state of a motor": (
        turned("DIF(lag)", sim.Names(states={"lag": "1E3*SIN(1E9*TIME)-DIF(lag)"})),
        "The rate of state 'lag'",
    ),
}


@pytest.mark.parametrize(("scenario", "title"), FAST.values(), ids=FAST)
def test_what_oscillates_at_1e9_rad_a_second_is_refused_at_once(scenario, title):
    began = time.process_time()
    with pytest.raises(ScenarioError, match=re.escape(title)) as caught:
        build_problem(scenario)
    assert time.process_time() - began < 2.0  # s; by a solver that tries it took 10 to 80
    hertz, steps = map(float, re.findall(r"([\d.e+]+) (?:Hz|steps)", str(caught.value)))
    assert hertz == pytest.approx(1e9 / 6.283185, rel=0.15)  # a median of 1024 times
    assert steps == pytest.approx(1e9 / 6, rel=0.15)


@pytest.mark.parametrize(
    "law",
    ["1E-12*SIN(1E9*TIME)", "8*EXP(-1E8*TIME)", "5*STEP(TIME,0.5,0,0.5000001,1)", "SIN(300*TIME)"],
    ids=["too small to be felt", "decays at once", "jumps once", "slow"],
)
def test_what_a_solver_passes_is_not_refused(law):
    run = sim.run(pushed(law, duration=1.0))
    assert [check for check in run.run.checks if not check.ok] == []


def test_what_is_too_fast_for_a_long_run_may_be_run_for_a_short_time():
    build_problem(pushed("SIN(1E9*TIME)", duration=5e-3))
