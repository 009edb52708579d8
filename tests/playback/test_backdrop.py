import numpy as np
import pytest

from sim.engines.bullet.view.camera import Camera
from sim.playback.backdrop import CELLS, GROUND, SKY, backdrop, floor_lines, smaller

WIDTH, HEIGHT = 120, 90


def test_small_squares_are_means_of_large_ones():
    image = np.arange(4 * 6 * 2, dtype=np.uint8).reshape(4, 6, 2)
    found = smaller(image, 2)
    assert found.shape == (2, 3, 2)
    for i, j in np.ndindex(2, 3):
        square = image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].reshape(4, 2)
        np.testing.assert_allclose(found[i, j], square.mean(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(smaller(image, 1), image)


@pytest.mark.parametrize("size", [0.2, 1.3, 3.0, 60.0])
def test_the_floor_is_a_grid_of_round_numbers_that_is_strongest_in_the_middle(size):
    lines = floor_lines(size)
    across = {round(float(ends[0, 0]), 9) for ends, _ in lines if ends[0, 0] == ends[1, 0]}
    steps = np.diff(sorted(across))
    np.testing.assert_allclose(steps, steps[0], atol=1e-9)
    assert min(abs(steps[0] - cell) for cell in CELLS) < 1e-9
    far = [np.linalg.norm(ends.mean(axis=0)) for ends, _ in lines]
    strengths = [strength for _, strength in lines]
    assert min(strengths) > 0
    assert max(strengths) == 1.0
    assert strengths[int(np.argmax(far))] < 0.3
    assert len(lines) < 10_000


def test_the_sky_is_light_and_the_lines_of_the_floor_lie_where_the_camera_sees_them():
    camera = Camera(np.zeros(3), 4.0, yaw=0.0, pitch=-30.0)
    to_clip = camera.projection(WIDTH / HEIGHT) @ camera.view
    picture = backdrop(to_clip, np.zeros(3), 1.0, WIDTH, HEIGHT)
    assert picture.shape == (HEIGHT, WIDTH, 3)
    np.testing.assert_allclose(picture[0, 0], SKY, atol=1.0)
    assert np.abs(picture[-1] - GROUND).max(axis=1).min() < 10  # a line of the floor is there
    # The line through the middle, away from the eye, is the middle column below the horizon.
    middle = picture[HEIGHT // 2, :].mean(axis=1)
    assert middle[WIDTH // 2 - 1 : WIDTH // 2 + 1].min() < middle[WIDTH // 2 + 5] - 5


def test_a_floor_behind_the_eye_is_left_out():
    camera = Camera(np.zeros(3), 0.5, yaw=0.0, pitch=-10.0)
    to_clip = camera.projection(1.0) @ camera.view
    assert np.isfinite(backdrop(to_clip, np.array([0, 0, -0.1]), 2.0, 32, 32)).all()
