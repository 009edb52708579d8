import io

import numpy as np
from PIL import Image

from sim.reports.page.poster import picture, png

RED, BLUE = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]


def square(x, y, size, near):
    """Two triangles that face the eye: counter-clockwise from the eye, pixels counted down."""
    a, b, c, d = ([x, y], [x, y + size], [x + size, y + size], [x + size, y])
    return [[[*p, near] for p in triangle] for triangle in ((a, b, c), (a, c, d))]


def test_a_square_fills_its_pixels_and_no_others():
    image = picture(np.array(square(10, 5, 20, 0.0)), np.array([RED, RED]), 50, 40)
    alpha = image[:, :, 3] / 255
    assert alpha[5:25, 10:30].mean() > 0.97  # a few points in a hundred miss
    alpha[5:25, 10:30] = 0
    assert alpha.max() == 0
    assert image[15, 20, 0] > 100 > image[15, 20, 2]


def test_what_is_nearer_hides_what_is_behind():
    for near, seen in ((1.0, 2), (-1.0, 0)):
        shapes = np.array(square(0, 0, 40, 0.0) + square(10, 10, 20, near))
        image = picture(shapes, np.array([RED, RED, BLUE, BLUE]), 40, 40)
        assert np.argmax(image[20, 20, :3]) == seen
        assert np.argmax(image[3, 3, :3]) == 0


def test_a_face_that_looks_away_is_not_drawn():
    shapes = np.array(square(0, 0, 40, 0.0))[:, ::-1]
    assert not picture(shapes, np.array([RED, RED]), 40, 40).any()


def test_nothing_gives_a_clear_image():
    assert not picture(np.zeros((0, 3, 3)), np.zeros((0, 3)), 8, 8).any()


def test_a_png_is_read_by_another_reader_as_it_was_written():
    image = np.random.default_rng(1).integers(0, 256, (13, 7, 4), dtype=np.uint8)
    read = np.asarray(Image.open(io.BytesIO(png(image))))
    assert np.array_equal(read, image)
