"""Torques that a loop passes, computed by the user: what of them is wrong is named."""

import numpy as np
import pybullet as p
import pytest

from sim.errors import EngineError
from sim.watching.diagnose import diagnose
from tests.helpers.watched_loops import DT, START, bullet_loop

JOINTS = range(6)


class Computed:
    """Inverse dynamics of PyBullet, an oracle, of what `arguments` makes of the states."""

    def __init__(self, arguments):
        self.arguments, self.former = arguments, (START, np.zeros(6))

    def __call__(self, body, k):
        states = p.getJointStates(body, JOINTS)
        now = tuple(np.array([state[i] for state in states]) for i in (0, 1))
        (q, v), self.former = self.former, now
        parts = self.arguments(q, v, *now, (now[1] - v) / DT)
        return sum(
            sign * np.array(p.calculateInverseDynamics(body, *(x.tolist() for x in args)))
            for sign, *args in parts
        )


def changed(change):
    """The torques of the motors, changed."""
    return lambda body, k: change(np.array([s[3] for s in p.getJointStates(body, JOINTS)]))


REST = np.zeros(6)
MISTAKES = {
    "whole": (Computed(lambda q, v, q2, v2, a: [(1, q, v, a)]), [], ""),
    "state after the step": (
        Computed(lambda q, v, q2, v2, a: [(1, q2, v2, a)]), ["state after the step"], "q' and v'",
    ),
    "weight alone": (
        Computed(lambda q, v, q2, v2, a: [(1, q, REST, REST)]),
        ["inertia part", "velocity part"], "M a is missing",
    ),
    "no acceleration": (
        Computed(lambda q, v, q2, v2, a: [(1, q, v, REST)]), ["inertia part"], "M a is missing",
    ),
    "another time step": (
        Computed(lambda q, v, q2, v2, a: [(1, q, v, a / 4)]), ["inertia part"], "0.25 ± ",
    ),
    "no velocity": (
        Computed(lambda q, v, q2, v2, a: [(1, q, REST, a)]), ["velocity part"], "C v is missing",
    ),
    "no weight": (
        Computed(lambda q, v, q2, v2, a: [(1, q, v, a), (-1, q, REST, REST)]),
        ["weight part"], "the weight g(q) is missing",
    ),
    "position after the step": (
        Computed(lambda q, v, q2, v2, a: [(1, q2, v, a)]),
        ["passed torques"], "of PyBullet agree with the model",
    ),
    "zero": (changed(np.zeros_like), ["passed torques"], "they are zero"),
    "cut off": (
        changed(lambda tau: np.clip(tau, -30, 30)), ["passed torques"], "they are saturated",
    ),
    "single precision": (
        changed(lambda tau: tau.astype(np.float32)), ["passed torques"], "float32",
    ),
    "rounded": (changed(lambda tau: tau.round(1)), ["passed torques"], "rounded to 1 decimals"),
    "magnitude": (changed(np.abs), ["passed torques"], "pass the torques that act"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_wrong_with_passed_torques_is_named(name):
    torque, kinds, text = MISTAKES[name]
    found = diagnose(bullet_loop(own_torque=torque).evidence())
    errors = [cause for cause in found.causes if cause.is_error]
    assert [cause.kind for cause in errors] == kinds
    assert text in " ".join(cause.facts(found.peaks).sentence for cause in errors)
    others = {other for cause in errors for other in cause.alternatives}
    assert others <= ({"gravity"} if name == "no weight" else set())
    assert found.left < 1e-9 or "after" in name or name == "magnitude"
    assert "torque limit" not in [cause.kind for cause in found.causes]


def test_torques_that_are_held_are_said_to_act_for_one_step():
    held = []

    def pushed(body, k):
        if k % 4 == 0:
            held.append(np.array([5.0, 3.0, 2.0, 0.5, 0.2, 0.001]) * np.sin(k * DT))
            p.setJointMotorControlArray(body, JOINTS, p.TORQUE_CONTROL, forces=held[-1].tolist())

    watch = bullet_loop(command=pushed, own_torque=lambda body, k: held[-1], steps=100)
    [error] = [one for one in diagnose(watch.evidence()).causes if one.is_error]
    assert error.kind == "passed torques" and "for a single step" in error.text


def test_motors_that_are_left_on_are_named_where_commands_are_passed():
    held = []

    def pushed(body, k):
        held.append(np.array([5.0, 3.0, 2.0, 0.5, 0.2, 0.001]) * np.sin(k * DT))
        p.setJointMotorControlArray(body, JOINTS, p.TORQUE_CONTROL, forces=held[-1].tolist())

    watch = bullet_loop(
        command=pushed, own_torque=lambda body, k: held[-1], steps=100, are_motors_off=False
    )
    found = diagnose(watch.evidence())
    assert [one.kind for one in found.causes if one.is_error] == ["default motor"]
    assert found.left < 1e-9


def test_what_acts_as_a_law_of_the_engine_is_said_to_be_in_passed_torques_only():
    found = diagnose(bullet_loop(own_torque=changed(lambda tau: tau + np.eye(6)[1])).evidence())
    [error] = [one for one in found.causes if one.is_error]
    assert error.kind == "constant torque" and "would cause: constant torque" in error.text
    assert error.remedy.startswith("pass the torques that act")


@pytest.mark.parametrize("torque", [[1.0] * 5, [(1.0, (2.0, 3.0))] * 6, "torque"])
def test_what_is_no_torque_is_refused(torque):
    with pytest.raises(EngineError, match="takes 6 numbers, one per joint"):
        bullet_loop(own_torque=lambda body, k: torque)
