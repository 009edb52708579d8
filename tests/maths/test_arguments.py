"""Arguments of public classes: what is of another kind is refused by its name and value."""

import math

import numpy as np
import pytest

import sim
from sim.checks import judge_recording
from sim.errors import ModelError, ScenarioError, SimError
from tools.fuzz.controllers_target import MADE, VALUES, ControllersTarget

ARM = sim.load_robot("ur10")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sim.Claim(3, "s", "q.a", "peak_below", 1.0), "Claim: text must be a text, got 3"),
        (lambda: sim.PickUp(0.0, 3), "PickUp: payload must be a Payload, got 3"),
        (lambda: sim.PickUp("now", sim.Payload(1.0)), "PickUp: time must be a number, got 'now'"),
        (lambda: sim.PickUp(math.nan, sim.Payload(1.0)), "PickUp: time must be no NaN, got nan"),
        (lambda: sim.Payload(1e308), r"Payload: mass 1e\+308 kg is unrealistic"),
        (lambda: sim.DriveTrain("2"), "DriveTrain: ratio must be a number, got '2'"),
        (lambda: sim.DriveTrain(1.0, coulomb=10**400), "DriveTrain: coulomb must be at most"),
        (lambda: sim.Names(variables=[]), "Names: variables must be a mapping by names, got"),
        (lambda: sim.Names(forces=(3,)), r"Names\(forces=\(3,\)\) cannot be made"),
        (lambda: sim.spline((0, 1, 2, 3), (0, 1, 0, 1e308)), r"spline: y must be at most 1e\+150"),
        (lambda: sim.JointMotion.displacement("x"), "JointMotion: drives must be a mapping"),
        (
            lambda: sim.JointMotion.velocity({"elbow_joint": "1"}, qd0={"elbow_joint": 1}),
            "JointMotion.velocity takes no qd0; arguments next to the drives: q0, times, splines, ",
        ),
        (
            lambda: sim.modes(ARM, [0] * 6, 1.0, gravity=np.zeros((2, 3))),
            "modes: gravity must be three n",
        ),
        (
            lambda: sim.equilibrium(ARM, ("elbow_joint",), [0] * 6, gravity=np.zeros((2, 3))),
            "gravity must be three numbers",
        ),
        (
            lambda: sim.equilibrium(ARM, (), [0] * 6, forces=np.zeros((2, 3))),
            "forces must be a sequence of force",
        ),
        (lambda: sim.modes(ARM, [0] * 6, 1.0, speeds=()), "speeds must be two arrays, qd and qdd"),
        (lambda: sim.run("ur10_step", name=np.zeros((2, 3))), "The name of a run must be text"),
    ],
)
def test_an_argument_of_another_kind_is_named_with_its_value(make, said):
    with pytest.raises((ScenarioError, ModelError), match=said):
        make()


def test_a_missing_or_unknown_argument_is_python_s_own_error():
    with pytest.raises(TypeError, match="Claim: missing a required argument: 'text'"):
        sim.Claim()
    with pytest.raises(TypeError, match="Payload: got an unexpected keyword argument 'weight'"):
        sim.Payload(1.0, weight=2.0)


@pytest.mark.parametrize("value", [np.float64(2), np.int32(2), np.array(2.0), 2, True])
def test_numbers_of_any_library_are_numbers(value):
    if value is True:
        with pytest.raises(ModelError, match="mass must be a number, got True"):
            sim.Payload(value)
    else:
        assert sim.Payload(value).mass == 2


# What once ended a run as a mistake of the program, some of each.
ODD = {
    "PickUp": (("time", "'x'"), ("payload", "1"), ("name", "None")),
    "SetDown": (("time", "None"), ("name", "[]")),
    "Claim at": (("value", "'x'"), ("within", "[]"), ("time", "'x'"), ("channel", "None")),
    "Controller": (("sample_time", "1e-320"), ("limits", "{'elbow':None}"), ("noise", "'x'"),
                   ("delay", "'x'"), ("seed", "nan")),
    "DriveTrain": (("rotor_inertia", "1e308"), ("efficiency", "'x'"), ("ratio", "inf")),
    "spline": (("y", "(1e308,0,0)"), ("t", "None"), ("kind", "[]")),
    "Scenario": (("events", "(1,2)"), ("claims", "'x'"), ("duration", "'x'"), ("forces", "[1]")),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_arguments_end_in_an_error_of_the_package(name):
    target = ControllersTarget()
    for argument, value in ODD[name]:
        assert argument in MADE[name][1]
        assert value in VALUES
        outcome = target.made(name, {argument: VALUES[value]})
        assert isinstance(outcome, SimError), (name, argument, value, outcome)


def test_the_usual_arguments_make_what_runs():
    target = ControllersTarget()
    for name in ("PickUp", "Controller", "DriveTrain", "spline"):
        made = target.made(name, {})
        assert judge_recording(sim.run(made)).run.checks
