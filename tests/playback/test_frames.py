from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

import sim.playback.frames as frames_module
from sim.playback import reach
from sim.playback.colours import VERDICTS, in_bytes
from sim.playback.frames import FREE, MARGIN, caption_font, frames, speed_text
from sim.playback.framing import framing, points_of, size_of
from sim.playback.shown_run import prepare_run, tool_path
from tests.helpers.short_runs import short_run

WIDTH, HEIGHT = 160, 120
TIME = 0.3  # s
PATH_BLUE = (0, 114, 178)


@pytest.fixture(scope="module", autouse=True)
def one_camera(haunted):
    """Pictures of this file are compared with each other: all have the ground of one run."""
    ground = reach.ground_below(haunted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.playback.frames.ground_below", lambda shown: ground)
        yield ground


@pytest.fixture(scope="module")
def picture(shown, one_camera):
    return drawn(shown)


def drawn(shown, time=TIME, width=WIDTH, height=HEIGHT, **how):
    (frame,) = frames(shown, [time], width, height, **how)
    return frame


def pixels(shown, world, width=WIDTH, height=HEIGHT):
    """Row and column of points of the world (3, M)."""
    points = frames_module.ground_below(shown).reached.T
    camera = framing(points, MARGIN * size_of(shown.robot), width / height, FREE)
    clip = (
        camera.projection(width / height)
        @ camera.view
        @ np.vstack([world, np.ones(world.shape[1])])
    )
    x, y = clip[:2] / clip[3]
    return (height * (1 - y) / 2 - 0.5).round().astype(int), (
        width * (1 + x) / 2 - 0.5
    ).round().astype(int)


def near(picture, row, column, colour):
    """Smallest distance of a colour around a pixel."""
    around = picture[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2].reshape(-1, 3)
    return np.abs(around.astype(int) - colour).sum(axis=1).min()


def test_the_same_moment_gives_the_same_picture_to_the_bit(shown, picture):
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert picture.dtype == np.uint8
    assert drawn(shown).tobytes() == picture.tobytes()


def test_the_robot_is_where_it_was_at_that_time(shown, picture):
    without = replace(shown, look=structs.replace(shown.look, shapes=()), path=np.empty((3, 0)))
    robot = np.abs(picture.astype(int) - drawn(without)).sum(axis=2) > 60
    rows, columns = np.nonzero(robot)
    elbow, tip = pixels(shown, points_of(shown.robot, shown.track.at(TIME)[:, None])[:, [3, 4]])
    for row, column in zip(elbow, tip, strict=True):
        assert np.hypot(rows - row, columns - column).min() < 3  # pixels
    assert 0.005 < robot.mean() < 0.3


def test_a_robot_that_moves_changes_the_picture(shown, picture):
    assert (drawn(shown, 0.0) != picture).any(axis=2).mean() > 0.005


def test_the_path_of_the_tool_is_a_blue_line(shown):
    alone = replace(shown, look=structs.replace(shown.look, shapes=()))
    width, height = 4 * WIDTH, 4 * HEIGHT
    picture = drawn(alone, width=width, height=height)
    path = tool_path(shown.robot, shown.track.q_tree)[:, 20:-20:20]
    bare = drawn(replace(alone, path=np.empty((3, 0))), width=width, height=height)
    for row, column in zip(*pixels(shown, path, width, height), strict=True):
        assert near(picture, row, column, PATH_BLUE) < near(bare, row, column, PATH_BLUE) / 2


def test_the_caption_has_the_colour_of_the_verdict(shown, picture):
    strip = slice(0, 36)
    for verdict, other in (("pass", "fail"), ("fail", "pass")):
        top = (
            drawn(replace(shown, verdict=verdict), width=480, height=360)[strip]
            .reshape(-1, 3)
            .astype(int)
        )
        distances = {
            name: np.abs(top - in_bytes(colour)).sum(axis=1).min()
            for name, colour in VERDICTS.items()
        }
        assert distances[verdict] < 60 < distances[other]


@pytest.fixture(scope="module")
def haunted(shown):
    """The run with a ghost whose shoulder is turned by 0.6 rad."""
    table = short_run().recorded.copy()
    table["q.shoulder"] += 0.6
    other = replace(short_run(), recorded=table)
    return replace(shown, ghost=prepare_run(short_run(), other).ghost)


def test_a_ghost_is_orange_and_where_the_other_motion_was(haunted, picture):
    both = drawn(haunted)
    below = slice(HEIGHT // 6, None)  # the captions differ
    changed = (both[below] != picture[below]).any(axis=2)
    assert 0.005 < changed.mean() < 0.2
    red, _, blue = (both[below][changed].astype(int) - picture[below][changed]).mean(axis=0)
    assert blue < red - 30
    rows, columns = np.nonzero(changed)
    world = points_of(haunted.robot, haunted.ghost.track.at(TIME)[:, None])[:, [3, 4]]
    for row, column in zip(*pixels(haunted, world), strict=True):
        assert np.hypot(rows + HEIGHT // 6 - row, columns - column).min() < 3  # pixels


def test_a_ghost_leaves_no_trace_in_the_next_picture(haunted):
    first, again = frames(haunted, [TIME, TIME], WIDTH, HEIGHT)
    np.testing.assert_array_equal(first, again)


def test_there_is_a_shadow_on_the_floor(shown, picture):
    """The floor is lighter than its shaded part; both are grey."""
    below = picture[HEIGHT // 2 :].astype(int)
    grey = np.ptp(below, axis=2) < 25
    brightness = below.mean(axis=2)[grey]
    assert np.percentile(brightness, 90) > 225
    assert np.percentile(brightness, 1) < 205


def test_finer_pictures_have_the_same_content_with_softer_edges(shown, picture):
    rough = drawn(shown, fine=1)
    assert np.abs(rough.astype(int) - picture).mean() < 3  # of 255
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > len(
        np.unique(rough.reshape(-1, 3), axis=0)
    )


def test_odd_sizes_are_drawn_too(shown):
    assert drawn(shown, width=101, height=77).shape == (77, 101, 3)


def test_a_payload_is_drawn_while_it_is_carried_and_not_otherwise(shown):
    always, never = ((0.0, "payload", there) for there in (True, False))
    carried = replace(shown, events=(always,))
    np.testing.assert_array_equal(drawn(carried), drawn(shown))
    gone = drawn(replace(shown, events=(never,)))
    changed = np.any(gone != drawn(shown), axis=2)
    assert 10 < changed.sum() < 0.2 * changed.size  # the block, and its shadow
    comes = replace(shown, events=((0.0, "payload", False), (TIME, "payload", True)))
    np.testing.assert_array_equal(drawn(comes), drawn(shown))


def test_every_sign_of_a_caption_has_a_glyph():
    font = caption_font(20)
    box = bytes(font.getmask("\uffff"))
    for sign in f"{speed_text(0.5)} Größe αβγ °−":
        assert sign == " " or bytes(font.getmask(sign)) != box, sign


def test_a_video_says_its_speed_in_the_right_upper_corner_and_a_still_does_not(shown, picture):
    corner = (slice(0, HEIGHT // 12), slice(WIDTH // 2 + 20, WIDTH))
    normal, slow = drawn(shown, speed=1.0), drawn(shown, speed=0.5)
    assert picture[corner].max(axis=2).min() > 200  # nothing dark
    assert normal[corner].max(axis=2).min() < 120
    assert (normal[corner] != slow[corner]).any()
    assert [speed_text(x) for x in (1.0, 0.5, 2.0)] == ["1× speed", "0.5× speed", "2× speed"]
