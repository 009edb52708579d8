from dataclasses import replace

import numpy as np
import pytest

from sim.comparison import accept
from sim.errors import RecordingError
from sim.playback.shown_run import APART, Track, prepare_run, tool_path, track_of
from sim.recording import robot_of
from sim.recording.schema.facts import EventFacts
from tests.helpers.short_runs import DURATION, short_run


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # no baselines of this machine


def moved(recording, channel="q.shoulder", by=0.1):
    table = recording.recorded.copy()
    table[channel] = table[channel] + by
    return replace(recording, recorded=table).with_description(scenario="other")


def test_a_track_goes_in_straight_lines_through_its_samples_and_stays_at_its_ends():
    track = Track(np.array([0.0, 1.0, 3.0]), np.array([[0.0, 2.0, -2.0], [1.0, 1.0, 2.0]]))
    for time, expected in ((0.5, [1, 1]), (1, [2, 1]), (2, [0, 1.5]), (-1, [0, 1]), (9, [-2, 2])):
        np.testing.assert_array_equal(track.at(time), expected)
    assert track.duration == 3.0


def test_a_run_shows_what_was_recorded():
    recording = short_run().with_description(verdict="pass")
    shown = prepare_run(recording)
    assert (shown.name, shown.verdict, shown.ghost) == ("swing", "pass", None)
    table = recording.recorded
    assert shown.track.duration == pytest.approx(DURATION, abs=1e-12)
    for k in (0, 100, 250):
        expected = table[["q.shoulder", "q.elbow"]].iloc[k]
        np.testing.assert_array_equal(shown.track.at(table.index[k]), expected)
    recorded = table[["tool.x", "tool.y", "tool.z"]].to_numpy().T
    np.testing.assert_allclose(shown.path, recorded, atol=1e-9)  # m, the limit of the checks
    assert shown.caption(0.1234) == "swing   t = 0.12 s"


def test_a_run_is_read_from_its_folder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    short_run().write(folder)
    np.testing.assert_array_equal(prepare_run(folder).path, prepare_run(short_run()).path)
    np.testing.assert_array_equal(prepare_run(str(folder)).path, prepare_run(short_run()).path)


def test_another_run_is_a_ghost_that_says_how_far_it_strays():
    shown = prepare_run(short_run(), moved(short_run()))
    ghost = shown.ghost
    assert ghost.name == "other"
    assert ghost.is_visible
    # A turn of the shoulder moves the tool on a circle about it: chord = 2 r sin(angle / 2).
    reach = np.linalg.norm(shown.path, axis=0).max()
    assert ghost.distance == pytest.approx(2 * reach * np.sin(0.05), rel=1e-6)


def test_motions_are_compared_at_the_same_times_however_they_are_sampled():
    every_fifth = replace(short_run(), recorded=short_run().recorded.iloc[::5])
    assert prepare_run(short_run(), every_fifth).ghost.distance < 1e-12


def test_the_same_run_is_a_ghost_that_is_not_seen():
    ghost = prepare_run(short_run(), short_run()).ghost
    assert ghost.distance < APART
    assert not ghost.is_visible


def test_the_baseline_is_the_ghost_where_there_is_one():
    accept(moved(short_run()).with_description(scenario="swing", verdict="pass"), "for this test")
    shown = prepare_run(short_run())
    assert shown.ghost.name == "baseline"
    assert shown.ghost.is_visible


def test_a_baseline_of_another_robot_is_no_ghost():
    table = short_run().recorded.rename(columns={"q.elbow": "q.knee"})
    other = replace(short_run(), recorded=table)
    units = {("q.knee" if key == "q.elbow" else key): u for key, u in short_run().units.items()}
    accept(other.with_description(verdict="pass", units=units), "for this test")
    assert prepare_run(short_run()).ghost is None


def test_a_run_of_another_robot_cannot_be_laid_over_this_one():
    table = short_run().recorded.rename(columns={"q.elbow": "q.knee"})
    with pytest.raises(RecordingError, match=r"'swing' has no channel 'q.elbow' of robot 'two_l"):
        prepare_run(short_run(), replace(short_run(), recorded=table))


def test_values_that_are_no_numbers_name_their_channel():
    table = short_run().recorded.copy()
    table.loc[table.index[3], "q.elbow"] = np.nan
    with pytest.raises(RecordingError, match=r"values in 'q.elbow' that are not finite"):
        track_of(table, robot_of(short_run()), "swing")


def test_a_robot_without_a_tool_has_no_path():
    robot = replace(robot_of(short_run()), tool=None)
    assert tool_path(robot, np.zeros((2, 5))).shape == (3, 0)


def test_a_run_that_has_not_been_judged_has_no_verdict():
    assert prepare_run(short_run()).verdict == ""


EVENTS = tuple(
    EventFacts(t=t, kind=kind, payload="load", link="payload", mass=0.5, ke=0.0, pe=0.0)
    for t, kind in ((0.1, "pick up"), (0.2, "set down"))
)


def test_a_payload_that_comes_and_goes_is_there_only_in_between():
    shown = prepare_run(short_run().with_description(events=EVENTS))
    for time, there in ((0.0, False), (0.0999, False), (0.1, True), (0.15, True), (0.2, False)):
        assert shown.carried_payloads(time) == {"payload": there}
    assert (
        prepare_run(short_run()).carried_payloads(0.15) == {}
    )  # a payload of the robot's own stays
