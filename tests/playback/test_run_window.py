import re
from dataclasses import replace

import numpy as np
import pytest

from sim.playback.colours import BLUE, ORANGE
from sim.playback.run_window import EDGE, FRAME, HELP, VIEWS, Moment, labels, play_in
from sim.playback.shown_run import prepare_run
from tests.helpers.short_runs import DURATION, short_run
from tests.playback.fake_window import FakeWindow

RECORDED = ["q.shoulder", "q.elbow"]


@pytest.fixture
def shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return prepare_run(short_run().with_description(verdict="pass"))


def moved():
    table = short_run().recorded.copy()
    table["q.shoulder"] += 0.1
    return replace(short_run(), recorded=table).with_description(scenario="other")


def watched(shown, turns, act=lambda window, turn: None, speed=1.0):
    """Window and moments after some turns of the loop."""
    window = FakeWindow(act)
    playing = play_in(window, shown, speed, window.clock, window.sleep)
    moments = [next(playing) for _ in range(turns)]
    return window, moments


def test_playback_follows_the_wall_clock_and_shows_the_recorded_pose(shown):
    window, moments = watched(shown, 7)
    times = [moment.t for moment in moments]
    np.testing.assert_allclose(times, FRAME * np.arange(7), atol=1e-12)
    table = short_run().recorded
    expected = [np.interp(times[-1], table.index, table[channel]) for channel in RECORDED]
    np.testing.assert_allclose(window.poses[1], expected, atol=1e-15)


def test_the_speed_of_the_call_is_that_of_the_playback_and_is_said(shown):
    window, moments = watched(shown, 5, speed=0.5)
    assert moments[-1].t == pytest.approx(2 * FRAME, abs=1e-12)
    assert "speed 0.5" in window.labels["time"].text
    assert window.controls == {}  # sliders would bring all of PyBullet's panels


def test_a_slow_computer_skips_poses_but_not_time(shown):
    def act(window, turn):
        window.time += 0.05

    _, moments = watched(shown, 3, act)
    assert moments[-1].t == pytest.approx(2 * (FRAME + 0.05), abs=1e-12)


def test_a_drag_along_the_lower_edge_shows_that_time_and_stops(shown):
    def act(window, turn):
        window.place_of_hand = (0.25, EDGE + 0.01) if turn == 2 else None

    window, moments = watched(shown, 6, act)
    assert moments[-1] == Moment(0.25 * shown.track.duration, False)
    np.testing.assert_allclose(window.poses[1], shown.track.at(moments[-1].t))


def test_a_hand_elsewhere_turns_the_view_and_not_the_time(shown):
    def act(window, turn):
        window.place_of_hand = (0.25, EDGE - 0.01)

    _, moments = watched(shown, 6, act)
    assert moments[-1].playing


def test_the_arrow_keys_change_the_speed_from_there_on(shown):
    def act(window, turn):
        window.keys = frozenset({2: ["down"], 4: ["up"]}.get(turn, []))

    _, moments = watched(shown, 6, act)
    steps = np.diff([moment.t for moment in moments])
    np.testing.assert_allclose(steps, FRAME * np.array([1, 0.5, 0.5, 1, 1]), atol=1e-12)


def test_after_a_pause_it_goes_on(shown):
    def act(window, turn):
        if turn in (3, 6):
            window.keys = frozenset(["space"])

    _, moments = watched(shown, 9, act)
    assert [moment.playing for moment in moments] == [True] * 3 + [False] * 3 + [True] * 3
    assert moments[5].t == moments[3].t


def test_each_standard_view_has_a_key_and_looks_from_its_side(shown):
    def act(window, turn):
        window.keys = frozenset([str(turn)])

    window, _ = watched(shown, 5, act)
    toward = [-camera.axes[2] for camera in window.cameras]
    front, side, top = toward[2], toward[3], toward[4]
    assert [int(np.argmax(v)) for v in (front, side, top)] == [0, 1, 2]
    assert all(v.max() > 0.99 for v in (front, side, top))
    np.testing.assert_array_equal(toward[0], toward[1])  # it opens as the first
    assert all(key in HELP for key in VIEWS)


def test_it_stops_at_the_end_with_the_slider_there(shown):
    window, moments = watched(shown, int(DURATION / FRAME) + 5)
    assert moments[-1] == Moment(shown.track.duration, False)
    np.testing.assert_array_equal(window.poses[1], shown.track.q_tree[:, -1])


def test_robot_and_path_are_there_and_no_ghost(shown):
    window, _ = watched(shown, 1)
    assert [colour for *_, colour in window.added] == [None]
    (mesh,) = (mesh for mesh, colour in window.meshes if colour == BLUE)
    away = np.linalg.norm(mesh.vertices[:, None] - shown.path.T[None], axis=2).min(axis=1)
    assert away.max() < 0.01  # m


def test_a_run_that_differs_is_a_transparent_ghost_at_its_own_pose(shown):
    other = prepare_run(short_run(), moved())
    window, _ = watched(other, 4)
    assert [colour for *_, colour in window.added] == [None, ORANGE]
    assert 0 < ORANGE[3] < 1
    apart = window.poses[2] - window.poses[1]
    np.testing.assert_allclose(apart, [0.1, 0.0], atol=1e-12)
    assert "tool at most" in window.labels["ghost"].text


def test_the_text_says_time_verdict_and_pause_in_letters_the_window_has(shown):
    texts = labels(replace(shown, name="Прогон – 1"), Moment(0.123, False))
    assert re.search(r"t = 0.12 of [\d.]+ s   speed 1   \(paused\)$", texts["time"].text)
    assert texts["verdict"].text == "verdict: pass"
    assert all(label.text.isascii() for label in texts.values())
    assert (
        texts["verdict"].colour
        != labels(replace(shown, verdict="fail"), Moment(0, True))["verdict"].colour
    )
    assert "verdict" not in labels(replace(shown, verdict=""), Moment(0, True))


def test_the_text_is_not_written_at_every_turn(shown):
    window, _ = watched(shown, 15)
    assert 2 <= window.writes <= 3  # in a quarter of a second, at 5 a second


def test_the_camera_has_the_whole_motion_in_the_free_part_of_the_window(shown):
    from sim.engines.bullet.view.window import HEIGHT, WIDTH
    from sim.playback.framing import points_of
    from sim.playback.run_window import FREE

    window, _ = watched(shown, 1)
    (camera,) = window.cameras
    world = points_of(shown.robot, shown.track.q_tree)
    clip = (
        camera.projection(WIDTH / HEIGHT)
        @ camera.view
        @ np.vstack([world, np.ones(world.shape[1])])
    )
    x, y = clip[:2] / clip[3]
    assert FREE[0] < x.min() < x.max() < FREE[1]
    assert FREE[2] < y.min() < y.max() < FREE[3]


def test_a_payload_is_shown_and_hidden_at_its_events_and_not_at_every_turn(shown):
    events = ((1.5 * FRAME, "payload", True), (3.5 * FRAME, "payload", False))
    window, moments = watched(replace(shown, events=events), 7)
    assert len(moments) == 7
    assert [(body, links["payload"]) for _, body, links in window.shown_links] == [
        (1, False),
        (1, True),
        (1, False),
    ]
