import numpy as np
import pytest

from sim.engines.samples import LOST, require_sound
from sim.errors import EngineError
from tests.helpers.small_robots import double_pendulum, lift

T = np.array([0.0, 0.1, 0.2])
BOTH = np.array([True, True])


def sound():
    """Positions, velocities and torques of two joints at three times, and where they should be."""
    read = np.arange(18.0).reshape(2, 3, 3)
    return read, read[:, 0].copy()


def test_sound_samples_pass():
    read, wanted = sound()
    require_sound(double_pendulum(1, 1, 1, 1), T, read, wanted + 0.9 * LOST, BOTH)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_the_first_number_that_is_none_is_named_with_joint_and_time(value, row):
    read, wanted = sound()
    read[1, row, 1] = read[0, row, 2] = value
    message = r"robot 'small' diverged: joint 'elbow' is not a number at t = 0\.1 s"
    with pytest.raises(EngineError, match=message):
        require_sound(double_pendulum(1, 1, 1, 1), T, read, wanted, BOTH)


def test_a_joint_that_leaves_its_place_is_named_with_the_distance():
    read, wanted = sound()
    wanted[1, 2] += 0.25
    message = r"joint 'elbow' is 0\.25 rad away from its prescribed place at t = 0\.2 s"
    with pytest.raises(EngineError, match=message):
        require_sound(double_pendulum(1, 1, 1, 1), T, read, wanted, BOTH)


def test_a_slide_that_leaves_its_place_is_away_in_metres():
    with pytest.raises(EngineError, match=r"joint 'slide' is 2 m away"):
        require_sound(lift(1.0), T[:1], np.ones((1, 3, 1)), -np.ones((1, 1)), BOTH[:1])


def test_a_free_joint_may_go_anywhere_but_must_stay_a_number():
    read, wanted = sound()
    wanted[1] += 100.0
    free_elbow = np.array([True, False])
    require_sound(double_pendulum(1, 1, 1, 1), T, read, wanted, free_elbow)
    read[1, 0, 0] = np.nan
    with pytest.raises(EngineError, match="'elbow' is not a number at t = 0 s"):
        require_sound(double_pendulum(1, 1, 1, 1), T, read, wanted, free_elbow)
