import pytest

from sim.motion import JointMotion
from sim.robots import Payload, load_robot
from sim.scenario import PickUp, Scenario, SetDown
from sim.simulation.run import run
from tests.helpers.short_runs import arm


def notes(robot, **options):
    motion = JointMotion.velocity({}, q0=robot.pose("zero"))
    return run(Scenario(robot, motion, 0.02, method="ideal", **options)).run.notes


@pytest.mark.parametrize("masses", [(), (10.0,), (4.0, 6.0), (0.1, 0.2, 9.7)])
def test_a_payload_up_to_the_rating_is_no_remark(masses):
    robot = load_robot("ur10")  # its card: 10 kg
    for mass in masses:
        robot = robot.with_payload(mass)
    assert notes(robot) == ()


def test_payloads_that_weigh_more_together_than_the_rating_are_remarked_before_other_notes():
    robot = load_robot("ur10").with_payload(8.0).with_payload(4.0)
    assert notes(robot, notes=("of mine",)) == (
        "Overload: 'ur10' carries 12 kg from t = 0 s on, 120 % of its rated payload of 10 kg",
        "of mine",
    )


def test_a_payload_that_is_picked_up_is_remarked_with_its_time():
    events = (
        PickUp(0.005, Payload(7.0), "box"),
        PickUp(0.01, Payload(6.0), "crate"),
        SetDown(0.015, "box"),
    )
    (note,) = notes(load_robot("ur10"), events=events)
    assert note.startswith("Overload: 'ur10' carries 13 kg from t = 0.01 s on, 130 % of")
    apart = (*events[:1], SetDown(0.01, "box"), PickUp(0.015, Payload(6.0), "crate"))
    assert notes(load_robot("ur10"), events=apart) == ()


def test_a_robot_without_a_card_has_no_rating():
    assert notes(arm().with_payload(500.0)) == ()
