"""What print rounds away, against numbers printed by Python's own formats."""

import numpy as np
import pytest

from sim.foreign.printed_digits import half_units, print_of

VALUES = np.concatenate([np.sin(np.linspace(0.1, 9.0, 40)) * 123.4, [0.001234567, -2.5]])


def widths(texts, values=VALUES, digits_of_file=0):
    return half_units(print_of(texts), np.array([float(x) for x in texts]), digits_of_file)


@pytest.mark.parametrize("form", ["%.3f", "%.6g", "%.5e", "%+.4E", "%.2f", "%.9g"])
def test_no_number_is_farther_from_its_print_than_half_a_unit(form):
    texts = [form % value for value in VALUES]
    printed = np.array([float(text) for text in texts])
    half = widths(texts)
    assert np.all(np.abs(printed - VALUES) <= half * (1 + 1e-9))
    # and the width is no larger than the format's own
    if form.endswith("f"):
        assert np.unique(half) == pytest.approx(0.5 * 10.0 ** -int(form[-2]))
    else:
        digits = int(form[form.index(".") + 1 : -1]) + (form[-1] in "eE")
        assert np.all(half <= 0.5 * 10.0 ** (1 - digits) * np.abs(printed) * (1 + 1e-9))


def test_all_digits_are_exact():
    assert not widths([repr(float(value)) for value in VALUES]).any()


def test_seven_printed_and_six_computed_are_six():
    texts = [f"{float(f'{value:.5E}'):.6E}" for value in VALUES]
    assert print_of(texts).digits == 6


def test_a_constant_has_the_digits_of_its_file_and_not_its_own():
    assert widths(["0.5"] * 30, digits_of_file=17).max() == 0.0
    assert widths(["0.5"] * 30, digits_of_file=6).max() == pytest.approx(0.5e-6)


def test_zero_has_no_width_among_significant_digits():
    assert widths(["0.00000E+00", "1.00000E+00"])[0] == 0.0
