"""Units of products, quotients and powers, by hand."""

from fractions import Fraction

import pytest

from sim.curves.unit_algebra import ONE, unit_of_text
from sim.recording import unit_of


@pytest.mark.parametrize(
    ("a", "b", "product"),
    [
        ("N·m", "rad/s", "W"),
        ("N", "m/s", "W"),
        ("N·m", "rad", "J"),
        ("W", "s", "J"),
        ("kg", "m/s²", "N"),
        ("kg·m²", "rad/s²", "N·m"),
        ("rad/s", "s", "rad"),
        ("rad/s", "1/s", "rad/s²"),
        ("N·m", "1/rad", "N·m/rad"),
        ("N·m", "s²/rad", "kg·m²"),
        ("N·m", "N·m", "N²·m²"),
        ("1", "rad", "rad"),
        ("1/s", "s", "1"),
    ],
)
def test_a_product_has_the_unit_of_the_textbook(a, b, product):
    assert str(unit_of_text(a) * unit_of_text(b)) == product
    assert str(unit_of_text(product) / unit_of_text(b)) in (a, product, str(unit_of_text(a)))


# Powers of m, kg and s by the brochure of the SI, tables 2, 4 and 5.
DIMENSIONS = {
    "N·m": (2, 1, -2),
    "rad/s²": (0, 0, -2),
    "W": (2, 1, -3),
    "J": (2, 1, -2),
    "kg·m²": (2, 1, 0),
    "m/s²": (1, 0, -2),
    "N": (1, 1, -2),
    "s": (0, 0, 1),
    "Hz": (0, 0, -1),
}


def test_products_and_quotients_keep_their_dimensions_whatever_they_are_called():
    for a, one in DIMENSIONS.items():
        for b, other in DIMENSIONS.items():
            product, quotient = unit_of_text(a) * unit_of_text(b), unit_of_text(a) / unit_of_text(b)
            for found, sign in ((product, 1), (quotient, -1)):
                wanted = [x + sign * y for x, y in zip(one, other, strict=True)]
                assert [found.dimension.get(base, 0) for base in ("m", "kg", "s")] == wanted


def test_a_root_of_a_square_is_the_unit_itself():
    moment = unit_of_text("N·m")
    assert str((moment * moment) ** Fraction(1, 2)) == "N·m"
    assert str(unit_of_text("rad") ** Fraction(1, 2)) == "rad^0.5"
    assert unit_of_text(str(unit_of_text("rad") ** Fraction(1, 2))).powers == (
        ("rad", Fraction(1, 2)),
    )


def test_a_radian_counts_as_one_where_units_are_compared():
    assert unit_of_text("N·m·rad/s").dimension == unit_of_text("W").dimension
    assert unit_of_text("rad").dimension == ONE.dimension
    assert unit_of_text("N·m").dimension != unit_of_text("N").dimension


def test_units_of_channels_are_written_as_they_are_read():
    for channel in ("tau.a", "q.a", "qd.a", "qdd.a", "power.a", "ke", "tool.ax", "reaction.a.mx"):
        unit = unit_of(channel)
        assert str(unit_of_text(unit)) == unit
    assert str(unit_of_text("furlong") * unit_of_text("s")) == "furlong·s"
