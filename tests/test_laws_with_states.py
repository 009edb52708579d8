"""Motors and controllers with continuous states of their own, in the solver's vector."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.signal import TransferFunction, lsim

import sim
from sim import shipped
from sim.errors import ExpressionError, ScenarioError
from sim.scenario import Scenario, load_script
from sim.simulation import run
from sim.verification import METHODS
from tests.helpers.small_robots import pendulum

STILL = (0.0, 0.0, 0.0)
INERTIA = 0.25  # kg·m², of 1 kg at 0.5 m
AT = (sim.Marker("arm", "bob"), sim.Marker("base", "ground"))


def go(torque, names, duration=0.5, q0=None, **more):
    robot = pendulum(1.0, 0.5)
    motion = sim.JointMotion.torque({"hinge": torque}, q0=q0, names=names)
    return run(
        Scenario(robot, motion, duration, dt=5e-3, method="adaptive", gravity=STILL,
                 engine="mujoco", **more)
    )  # fmt: skip


def faults(recording):
    return [(one.name, one.channel) for one in sim.check(recording) if not one.ok]


@pytest.fixture(scope="module")
def controlled():
    """A PI controller for the speed, behind a motor that lags: linear."""
    names = sim.Names(
        AT,
        variables={"error": "1.5 - WY(arm, base)"},
        states={"sum": "VARVAL(error)", "lag": "(4*VARVAL(error) + 30*DIF(sum) - DIF(lag))/0.02"},
        start={"lag": 0.5},
    )
    return go("DIF(lag)", names, q0={"hinge": 0.2})


def test_a_pi_controller_with_a_lagging_motor_is_the_exponential_of_its_matrix(controlled):
    A = np.zeros((5, 5))  # of q, qd, sum, lag and 1
    A[0, 1] = 1.0
    A[1, 3] = 1.0 / INERTIA
    A[2] = [0, -1.0, 0, 0, 1.5]
    A[3] = np.array([0, -4.0, 30.0, -1.0, 6.0]) / 0.02
    start = np.array([0.2, 0.0, 0.0, 0.5, 1.0])
    expected = np.array([expm(A * t) @ start for t in controlled.t]).T
    for table in (controlled.recorded, controlled.analytic):
        for row, channel in enumerate(("q.hinge", "qd.hinge", "dif.sum", "dif.lag")):
            off = np.abs(table[channel].to_numpy() - expected[row]).max()
            assert off < 1e-9 * np.abs(expected[row]).max(), channel  # its tolerance is 1e-9
        np.testing.assert_array_equal(table["tau.hinge"], table["dif.lag"])
    assert faults(controlled) == []


@pytest.mark.parametrize(
    ("channel", "name"), [("dif.lag", "state of a law"), ("tau.hinge", "torque")]
)
def test_a_wrong_state_fails_by_name(controlled, channel, name):
    table = controlled.recorded.copy()
    table[channel] += 1e-5
    assert (name, channel) in faults(controlled.having(recorded=table))


def test_a_law_of_the_model_is_judged_as_it_was_typed(controlled):
    table = controlled.analytic.copy()
    table["dif.lag"] *= 1.001
    assert ("drive function", "tau.hinge") in faults(controlled.having(analytic=table))


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        ([3.0, 40.0, 900.0], [2.0, 30.0, 500.0]),
        ([1.0], [0.01, 1.0]),
        ([-2.0, 5.0], [1.0, 0.0, 9.0]),
    ],
)
def test_transfer_functions_answer_as_scipys(numerator, denominator):
    law = sim.TransferFunction("plant", "1.2 + 0.8*time", numerator, denominator)
    found = go("VARVAL(plant)", sim.Names(states=law.states, variables=law.variables), 0.3)
    t = np.linspace(0.0, 0.3, 601)
    _, expected, _ = lsim(TransferFunction(numerator, denominator), 1.2 + 0.8 * t, t)
    size = np.abs(expected).max()
    np.testing.assert_allclose(
        found.recorded["tau.hinge"], expected[::10], rtol=0, atol=1e-9 * size
    )


def test_what_a_law_cannot_have_is_said_by_name():
    with pytest.raises(ExpressionError, match=r"State 'x': DIF\(id\): 'v' is not a state"):
        sim.Names(states={"x": "-DIF(v)"})
    with pytest.raises(ScenarioError, match="start: 'y' is not a state; states are x"):
        sim.Names(states={"x": "1"}, start={"y": 1.0})
    with pytest.raises(ScenarioError, match="start of state 'x' must be a finite number"):
        sim.Names(states={"x": "1"}, start={"x": np.inf})
    with pytest.raises(ScenarioError, match="The rate of state 'x': it is not finite at t = 0 s"):
        go("DIF(x)", sim.Names(states={"x": "1/time"}), 0.05)
    fast = sim.Names(states={"a": "1e9*DIF(b)", "b": "-1e9*DIF(a)"}, start={"a": 1.0})
    with pytest.raises(
        ScenarioError, match=r"State 'a' of a motor is stiff: .* oscillates at 1\.59e\+08 Hz"
    ):
        go("DIF(a)", fast, 0.05)
    one, two = (sim.Names(states={"x": text}) for text in ("1", "2"))
    both = sim.JointMotion.torque({"shoulder": "DIF(x)"}, names=one)
    both |= sim.JointMotion.torque({"elbow": "DIF(x)"}, names=two)
    with pytest.raises(ScenarioError, match="Two states of motors' laws are called 'x'"):
        both.on(sim.load_robot(shipped.scenarios() / "two_link.urdf"), 1.0)
    hidden = sim.Names(AT, variables={"v": "DIF(x)"}, states={"x": "1"})
    force = sim.SForce("push", *AT, "VARVAL(v)", acts="rotational", names=hidden)
    with pytest.raises(ScenarioError, match=r"DIF\(x\): no state has this name"):
        go("DIF(x)", sim.Names(states={"x": "1"}), forces=(force,))


@pytest.mark.parametrize(
    ("numerator", "denominator", "says"),
    [
        ([1.0, 0.0], [1.0], "numerator has the higher power of s, 1 over 0"),
        ([1.0], [0.0, 1.0], "denominator begins with 0"),
        ([np.nan], [1.0], "numerator must be finite numbers"),
        ([1.0], [], "denominator must be finite numbers"),
    ],
)
def test_impossible_transfer_functions_are_refused(numerator, denominator, says):
    with pytest.raises(ScenarioError, match=says):
        sim.TransferFunction("plant", "1", numerator, denominator)


def test_the_axis_of_the_r3_is_dymolas():
    """Its first four instants; a gear of a thousandth more stiffness misses them."""
    script = load_script("r3_axis")
    scenario = script.build({"duration": 0.01024})[0]
    found = sim.run(scenario).run.claim_results
    assert (len(found), [one.text for one in found if not one.ok]) == (28, [])
    stiffer = replace(scenario.robot.joint("axis").drive, stiffness=1.001 * 8 * 210**2)
    changed = replace(scenario, robot=scenario.robot.with_drives({"axis": stiffer}))
    missed = {one.channel for one in sim.run(changed).run.claim_results if not one.ok}
    assert {"twist.axis", "request.w_rel.value"} <= missed


def softer(robot):
    """The gear of axis 2 by a hundredth."""
    drive = robot.joint("axis_2").drive
    return robot.with_drives({"axis_2": replace(drive, stiffness=0.99 * drive.stiffness)})


def rubbing_at_the_link(robot):
    """Dry friction of axis 1 on the link's side of the spring, and not on the motor's."""
    drive = robot.joint("axis_1").drive
    dry = sim.JointFriction(0.0, 0.0, preload=drive.dry[0])
    robot = robot.with_drives({"axis_1": replace(drive, coulomb=0.0)})
    return robot.with_friction({"axis_1": dry})


def without_breakaway(robot):
    """Axis 6 lets go at what it rubs with in motion."""
    drive = robot.joint("axis_6").drive
    return robot.with_drives({"axis_6": replace(drive, breakaway=1.0)})


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (softer, "twist.axis_2"),
        (rubbing_at_the_link, "twist.axis_1"),
        (without_breakaway, "qd.axis_6"),
    ],
)
def test_another_r3_is_not_dymolas(change, wrong):
    """4.8 ms, in which all axes break away; as it ships it is judged among the scenarios."""
    scenario = load_script("r3_robot").build({"duration": 0.0048})[0]
    printed, limits = scenario.reference.table, scenario.reference.tolerances
    assert printed.shape == (2, 36)
    found = METHODS["model"].solve(replace(scenario, robot=change(scenario.robot)))
    assert abs(found[wrong][-1] - printed[wrong].iloc[-1]) > 10 * limits[wrong]


def test_a_law_has_the_corners_of_its_variables():
    """The r3's reference is evenly faster, even, and slower until it ends, as printed."""
    scenario = load_script("r3_robot").build({"duration": 1.856})[0]
    corners = sorted(scenario.motion.on(scenario.robot, 1.856).corners)
    assert corners[-1] == pytest.approx(1.35604500190409, abs=1e-14)
    assert corners[-1] - corners[-2] == pytest.approx(corners[-3], abs=1e-14)


def test_a_lag_of_a_nanosecond_takes_no_steps_of_its_own():
    found = go("DIF(lag)", sim.Names(states={"lag": "(1 - DIF(lag))/1e-9"}), 0.05)
    assert faults(found) == []
    assert found.recorded["dif.lag"].to_numpy()[1:] == pytest.approx(1.0, abs=1e-9)
    wanted = 0.5 / INERTIA * found.t * (found.t - 2e-9)
    assert found.recorded["q.hinge"].to_numpy() == pytest.approx(wanted, abs=1e-11)


def test_what_decays_within_a_step_is_right_between_steps_at_rest():
    """A current loop that is far faster than the samples, at a joint that friction holds."""
    names = sim.Names(states={"cv": "5e3*(DIF(i) - 1)", "i": "-5e3*DIF(cv) - 4e3*DIF(i)"})
    loop = np.array([[0, 5e3], [-5e3, -4e3]])
    rest = np.linalg.solve(loop, [5e3, 0.0])
    robot = pendulum(1.0, 0.5).with_drives({"hinge": sim.DriveTrain(100, 1e-4, coulomb=1.0)})
    motion = sim.JointMotion.torque({"hinge": "DIF(i)"}, names=names)
    held = run(Scenario(robot, motion, 0.2, dt=1e-3, method="adaptive", gravity=STILL))
    for table in (held.recorded, held.analytic):
        for row, state in enumerate(("cv", "i")):
            exact = [rest[row] - (expm(loop * t) @ rest)[row] for t in held.t]
            off = np.abs(table[f"dif.{state}"].to_numpy() - exact).max()
            assert off < 1e-8, state  # ten times what a step may be off
