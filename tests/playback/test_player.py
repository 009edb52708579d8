import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.playback.run_window import FASTEST, SLOWEST, STEP, TENFOLD, Moment, advance

DURATION = 10.0


def after(moment, elapsed=0.1, keys=(), chosen=None):
    return advance(moment, elapsed, DURATION, keys, chosen)


def test_time_runs_as_the_wall_clock_does_times_the_speed():
    assert after(Moment(2.0, True), elapsed=0.25) == Moment(2.25, True)
    assert after(Moment(2.0, True, 0.1), elapsed=0.5) == Moment(2.05, True, 0.1)


def test_a_pause_stands_still():
    assert after(Moment(2.0, False), elapsed=5.0) == Moment(2.0, False)


def test_the_end_is_shown_and_is_the_end():
    assert after(Moment(9.95, True)) == Moment(DURATION, False)


def test_a_time_that_is_pointed_at_is_taken_and_stops():
    assert after(Moment(2.0, True), chosen=7.5) == Moment(7.5, False)
    assert after(Moment(2.0, True), chosen=-1.0) == Moment(0.0, False)


def test_the_space_bar_starts_and_stops():
    assert after(Moment(2.0, True), keys=("space",)) == Moment(2.0, False)
    assert after(Moment(2.0, False), keys=("space",)) == Moment(2.0, True)


def test_from_the_end_it_starts_again():
    assert after(Moment(DURATION, False), keys=("space",)) == Moment(0.0, True)
    assert after(Moment(4.0, True), keys=("r",)) == Moment(0.0, True)
    assert after(Moment(4.0, False), keys=("r",)) == Moment(0.0, False)


def test_arrow_keys_stop_and_step_and_stay_in_the_run():
    assert after(Moment(2.0, True), keys=("right",)) == Moment(2.0 + STEP, False)
    assert after(Moment(2.0, True), keys=("left",)) == Moment(2.0 - STEP, False)
    assert after(Moment(2.0, True), keys=("left", "shift")).t == 2.0 - TENFOLD * STEP
    assert after(Moment(0.0, True), keys=("left",)) == Moment(0.0, False)
    assert after(Moment(DURATION, False), keys=("right",)) == Moment(DURATION, False)


def test_the_other_arrow_keys_double_and_halve_the_speed_up_to_its_ends():
    assert after(Moment(2.0, True), elapsed=0.1, keys=("up",)) == Moment(2.2, True, 2.0)
    assert after(Moment(2.0, False, 2.0), keys=("down",)) == Moment(2.0, False, 1.0)
    assert after(Moment(2.0, False, FASTEST), keys=("up",)).speed == FASTEST
    assert after(Moment(2.0, False, SLOWEST), keys=("down",)).speed == SLOWEST


@pytest.mark.parametrize("speed", [0.01, 100.0])
def test_a_speed_that_was_asked_for_stays_until_a_key_changes_it(speed):
    assert after(Moment(2.0, False, speed)).speed == speed
    key = "up" if speed < 1 else "down"
    assert after(Moment(2.0, False, speed), keys=(key,)).speed in (2 * speed, speed / 2)


@given(
    st.floats(0, DURATION),
    st.booleans(),
    st.floats(0.05, 4),
    st.floats(0, 100),
    st.sets(st.sampled_from(["space", "left", "right", "up", "down", "r", "shift"])),
    st.none() | st.floats(-1, DURATION + 1),
)
def test_whatever_a_person_does_the_time_is_one_of_the_run(t, playing, speed, dt, keys, chosen):
    found = after(Moment(t, playing, speed), dt, keys, chosen)
    assert 0 <= found.t <= DURATION
    assert SLOWEST <= found.speed <= FASTEST or found.speed == speed
