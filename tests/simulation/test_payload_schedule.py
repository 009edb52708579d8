import numpy as np
import pytest

from sim.errors import ModelError, ScenarioError
from sim.robots import Payload
from sim.scenario import PickUp, SetDown
from sim.simulation.payload_schedule import payload_schedule
from tests.helpers.short_runs import arm
from tests.helpers.small_robots import lift

T = np.linspace(0.0, 1.0, 101)
BLOCK = Payload(2.0, frame="load")
BALL = Payload(3.0, (0, 0, 0.1), frame="load")


def masses(robot):
    return {link.name: link.inertia.mass for link in robot.links if link.inertia is not None}


def test_without_events_the_robot_stays_the_same_robot_all_the_time():
    robot = lift(1.0)
    found = payload_schedule(robot, (), T)
    assert found.robot is robot
    assert [(part, stage.robot) for part, stage in found.split(T)] == [(slice(0, 101), robot)]
    assert found.times.size == 0


def test_a_payload_has_its_mass_between_pick_up_and_set_down_and_at_no_other_time():
    found = payload_schedule(lift(1.0), (SetDown(0.7), PickUp(0.2, BLOCK)), T)
    assert masses(found.robot) == {"load": 1.0, "payload": 2.0}
    stages = list(found.split(T))
    assert [part for part, _ in stages] == [slice(0, 20), slice(20, 70), slice(70, 101)]
    light, heavy = {"load": 1.0}, {"load": 1.0, "payload": 2.0}
    assert [masses(stage.robot) for _, stage in stages] == [light, heavy, light]
    assert found.times.tolist() == [0.2, 0.7]


def test_a_sample_at_an_event_belongs_to_what_comes_after_it():
    found = payload_schedule(lift(1.0), (PickUp(0.3, BLOCK), SetDown(0.6)), T)
    carried = found.is_carried("payload", T)
    assert T[carried].min() == pytest.approx(0.3, abs=1e-12)
    assert T[carried].max() == pytest.approx(0.59, abs=1e-12)
    assert found.is_carried("load", T).all()  # no payload: always there


def test_two_payloads_come_and_go_on_their_own():
    events = (
        PickUp(0.1, BLOCK, "block"),
        PickUp(0.2, BALL, "ball"),
        SetDown(0.3, "block"),
        PickUp(0.4, BLOCK, "block"),
    )
    found = payload_schedule(lift(1.0), events, T)
    assert found.links == {"block": "payload", "ball": "payload_2"}
    weights = [sum(masses(stage.robot).values()) for stage in found.stages]
    assert weights == [1.0, 3.0, 6.0, 4.0, 6.0]


def test_what_comes_is_the_payload_also_where_another_one_hangs_further_out():
    """A load of 0.5 kg at the tip stays; the 2 kg on the first link come and go."""
    box = Payload(2.0, frame="upper_arm")
    found = payload_schedule(arm(0.5), (PickUp(0.2, box, "box"), SetDown(0.7, "box")), T)
    assert found.links == {"box": "payload_2"}
    empty, loaded, left = (masses(stage.robot) for stage in found.stages)
    assert (empty["payload"], loaded["payload"], left["payload"]) == (0.5, 0.5, 0.5)
    assert loaded["payload_2"] == 2.0
    assert "payload_2" not in empty
    assert "payload_2" not in left


def test_what_is_put_down_and_taken_up_at_one_instant_makes_one_stage():
    events = (
        PickUp(0.0, BLOCK, "block"),
        SetDown(0.5, "block"),
        PickUp(0.5, BALL, "ball"),
    )
    found = payload_schedule(lift(1.0), events, T)
    assert [sum(masses(stage.robot).values()) for stage in found.stages] == [3.0, 4.0]


def test_arrays_of_the_stages_are_joined_in_time():
    found = payload_schedule(lift(1.0), (PickUp(0.25, BLOCK), SetDown(0.5)), T)

    def weight(robot, part):
        return (np.full((1, len(T[part])), 9.81 * sum(masses(robot).values())),)

    joined = found.evaluate(T, weight)[0]
    assert joined.shape == (1, 101)
    expected = np.where((T > 0.2499) & (T < 0.4999), 9.81 * 3.0, 9.81)
    assert np.max(np.abs(joined - expected)) < 1e-12


@pytest.mark.parametrize("time", [-0.1, 1.1, np.nan, np.inf])
def test_an_event_outside_the_run_is_refused_with_its_time(time):
    with pytest.raises(
        ScenarioError, match=r"'payload' is picked up at .* outside the run|time must be no NaN"
    ):
        payload_schedule(lift(1.0), (PickUp(time, BLOCK),), T)


def test_an_event_between_two_samples_is_refused_with_the_step():
    with pytest.raises(ScenarioError, match=r"between two samples; choose a multiple of dt = 0.01"):
        payload_schedule(lift(1.0), (PickUp(0.123, BLOCK),), T)


def test_nobody_sets_down_what_is_not_carried():
    with pytest.raises(ScenarioError, match=r"'payload' is set down at 0.5 s but not carried"):
        payload_schedule(lift(1.0), (SetDown(0.5),), T)
    with pytest.raises(ScenarioError, match="carried then: block"):
        payload_schedule(lift(1.0), (PickUp(0.1, BLOCK, "block"), SetDown(0.5, "ball")), T)


def test_nobody_picks_up_what_is_carried_already():
    with pytest.raises(ScenarioError, match=r"picked up at 0.5 s but carried already"):
        payload_schedule(lift(1.0), (PickUp(0.1, BLOCK), PickUp(0.5, BLOCK)), T)


def test_one_name_stands_for_one_payload():
    events = (PickUp(0.1, BLOCK), SetDown(0.2), PickUp(0.5, BALL))
    with pytest.raises(ScenarioError, match="Two payloads are called 'payload'"):
        payload_schedule(lift(1.0), events, T)


def test_a_payload_without_mass_or_on_an_unknown_frame_is_refused():
    with pytest.raises(ScenarioError, match="has no mass"):
        payload_schedule(lift(1.0), (PickUp(0.1, Payload(0.0, frame="load")),), T)
    with pytest.raises(ModelError, match="'hook' is not in robot"):
        payload_schedule(lift(1.0), (PickUp(0.1, Payload(1.0, frame="hook")),), T)


def test_the_load_of_a_robot_that_carries_something_from_the_start_is_no_event():
    found = payload_schedule(arm(0.5), (PickUp(0.1, Payload(1.0)),), T)
    assert found.links == {"payload": "payload_2"}
    assert masses(found.stages[0].robot)["payload"] == 0.5
