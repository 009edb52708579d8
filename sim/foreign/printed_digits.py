"""Half a unit of the last printed digit: how far a printed number may be from what was computed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array
from sim.maths.print_rounding import half_unit

EXACT = 15  # significant digits from which a number is as good as the computer's own
FEWEST = 3  # results are not printed with fewer: such numbers are whole, or typed
# So many different numbers do not all end in a zero by chance.
MANY = 20

_NUMBER = re.compile(r"[+-]?0*+(\d*+)(?:[.,](\d*+))?(?:[eEdD]([+-]?\d++))?")


@dataclass(frozen=True)
class Print:
    """Printed precision of the numbers of one column.

    Parameters
    ----------
    digits : int
        Most significant digits that one of them has.
    decimals : int or None
        Digits behind the point, where the column is printed with as many for all numbers.
    different : int
        How many different numbers there are.
    """

    digits: int
    decimals: int | None
    different: int


def print_of(texts: Sequence[str]) -> Print:
    """Printed precision of a column from its texts.

    A program prints so many decimals, or so many significant digits, and may drop zeros at the
    end: the column shows it, no single number does. Where the decimals are fixed, the numbers with
    the most digits before the point have as many behind it as any other.
    """
    shapes = [_NUMBER.fullmatch(text.strip()) for text in texts]
    parts = [(m[1], m[2] or "", m[3]) for m in shapes if m]
    if not parts:
        return Print(0, None, 0)
    digits = max(len(a + b if a else b.lstrip("0")) for a, b, _ in parts)
    different, has_power = len(set(texts)), any(power is not None for _, _, power in parts)
    if has_power:
        zeros = [len(a + b) - len((a + b).rstrip("0")) for a, b, _ in parts if (a + b).strip("0")]
        if different >= MANY and zeros:  # a program that computes six digits and prints seven
            digits -= min(zeros)
        return Print(digits, None, different)
    decimals, longest = max(len(b) for _, b, _ in parts), max(len(a) for a, _, _ in parts)
    fixed = decimals == max(len(b) for a, b, _ in parts if len(a) == longest)
    return Print(digits, decimals if fixed else None, different)


def half_units(column: Print, values: Array, digits_of_file: int) -> Array:
    """Half a unit of the last digit of each number; zero where the digits are all there are.

    Parameters
    ----------
    column : Print
    values : ndarray, shape (N,)
        Finite.
    digits_of_file : int
        Most digits of any column of the file. A column of few different numbers, such as a
        constant 0.5, does not show by itself how many it was printed with.
    """
    few = column.different < MANY
    digits = max(column.digits, digits_of_file) if few else column.digits
    if digits >= EXACT or (few and digits < FEWEST):
        return np.zeros(values.size)
    if column.decimals is not None and not few:
        return np.full(values.size, 0.5 * 10.0**-column.decimals)
    return half_unit(values, digits)
