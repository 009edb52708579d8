from pathlib import Path

import numpy as np
import pytest

from sim.shapes.palette import FILE, PALETTE, SWATCH, colours_at, coordinate, image, rgb

SHIPPED = Path(__file__).parents[2] / "meshes" / FILE


def test_the_shipped_image_is_the_palette():
    from PIL import Image

    with Image.open(SHIPPED) as strip:
        pixels = np.asarray(strip.convert("RGB"))
    np.testing.assert_array_equal(pixels, image())
    assert pixels.shape == (SWATCH, SWATCH * len(PALETTE), 3)


@pytest.mark.parametrize("name", PALETTE)
def test_the_coordinate_of_a_colour_is_the_middle_of_its_swatch(name):
    u, v = coordinate(name)
    height, width = image().shape[:2]
    assert image()[int(v * height), int(u * width)].tolist() == list(rgb(name))
    # what is left after six digits of a mesh file still means the same colour
    assert colours_at([round(u, 5)])[0].tolist() == list(rgb(name))


def test_places_outside_the_strip_have_the_colour_at_its_end():
    first, *_, last = PALETTE
    np.testing.assert_array_equal(colours_at([-0.5, 1.0, 7.0]), [rgb(first), rgb(last), rgb(last)])


def test_a_colour_is_its_hexadecimal_digits():
    assert rgb("tube grey") == (0xC6, 0xCA, 0xCD)


def test_an_unknown_colour_is_refused():
    with pytest.raises(ValueError, match="pink"):
        coordinate("pink")
