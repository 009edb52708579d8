import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.playback.player import STEP, Controls, Moment, advanced

DURATION = 10.0
REST = Controls(time=0.0, speed=1.0, presses=0)


def after(moment, now=REST, elapsed=0.1, keys=(), before=REST):
    return advanced(moment, before, now, elapsed, DURATION, keys)


def test_time_runs_as_the_wall_clock_does_times_the_speed():
    assert after(Moment(2.0, True), elapsed=0.25) == Moment(2.25, True)
    slow = Controls(0.0, 0.1, 0)
    assert after(Moment(2.0, True), slow, elapsed=0.5, before=slow) == Moment(2.05, True)


def test_a_pause_stands_still():
    assert after(Moment(2.0, False), elapsed=5.0) == Moment(2.0, False)


def test_the_end_is_shown_and_is_the_end():
    assert after(Moment(9.95, True)) == Moment(DURATION, False)


def test_the_time_slider_takes_the_time_there_and_stops():
    assert after(Moment(2.0, True), Controls(7.5, 1.0, 0)) == Moment(7.5, False)


def test_a_slider_that_rests_where_it_was_left_does_not_hold_the_time():
    left = Controls(7.5, 1.0, 0)
    assert after(Moment(7.5, True), left, before=left) == Moment(7.6, True)


@pytest.mark.parametrize(("now", "keys"), [(Controls(0, 1, 1), ()), (REST, ("space",))])
def test_button_and_space_bar_start_and_stop(now, keys):
    assert after(Moment(2.0, True), now, keys=keys) == Moment(2.0, False)
    assert after(Moment(2.0, False), now, keys=keys) == Moment(2.0, True)


def test_two_presses_at_once_are_none():
    assert after(Moment(2.0, False), Controls(0, 1, 2)) == Moment(2.0, False)
    assert after(Moment(2.0, False), Controls(0, 1, 1), keys=("space",)) == Moment(2.0, False)


def test_from_the_end_it_starts_again():
    assert after(Moment(DURATION, False), keys=("space",)) == Moment(0.0, True)


def test_arrow_keys_stop_and_step_and_stay_in_the_run():
    assert after(Moment(2.0, True), keys=("right",)) == Moment(2.0 + STEP, False)
    assert after(Moment(2.0, True), keys=("left",)) == Moment(2.0 - STEP, False)
    assert after(Moment(0.0, True), keys=("left",)) == Moment(0.0, False)
    assert after(Moment(DURATION, False), keys=("right",)) == Moment(DURATION, False)


@given(
    st.floats(0, DURATION),
    st.booleans(),
    st.floats(-1, DURATION + 1),
    st.floats(0.05, 4),
    st.integers(0, 3),
    st.floats(0, 100),
    st.sets(st.sampled_from(["space", "left", "right"])),
)
def test_whatever_a_person_does_the_time_is_one_of_the_run(t, playing, slider, speed, n, dt, keys):
    found = after(Moment(t, playing), Controls(slider, speed, n), dt, keys)
    assert 0 <= found.t <= DURATION
    assert not (found.playing and found.t == DURATION)
