"""Half a unit of the last printed digit: the rounding error of a printed number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array
from sim.maths.print_rounding import half_unit

EXACT = 15  # significant digits from which a number counts as full precision
FEWEST = 3  # results have more digits: such numbers are integers, or typed
# Number of different numbers that do not all end in a zero by chance.
MANY = 20

_NUMBER = re.compile(r"[+-]?0*+(\d*+)(?:[.,](\d*+))?(?:[eEdD]([+-]?\d++))?")


@dataclass(frozen=True)
class Print:
    """Printed precision of the numbers in a column.

    Parameters
    ----------
    digits : int
        Largest number of significant digits in the column.
    decimals : int or None
        Number of decimals, if it is the same for all numbers.
    different : int
        Number of different values.
    """

    digits: int
    decimals: int | None
    different: int


def print_of(texts: Sequence[str]) -> Print:
    """Return the printed precision of a column from its texts.

    A program prints a number of decimals, or of significant digits, and may drop trailing zeros:
    only the whole column shows it. Where the decimals are fixed, the numbers with the most digits
    before the point have as many behind it as any other.
    """
    shapes = [_NUMBER.fullmatch(text.strip()) for text in texts]
    if not (parts := [(m[1], m[2] or "", m[3]) for m in shapes if m]):
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
    """Return half a unit of the last digit of each number; zero for full precision.

    Parameters
    ----------
    column : Print
    values : ndarray, shape (N,)
        Finite.
    digits_of_file : int
        Largest number of digits of any column of the file. A column of few different numbers, such
        as a constant 0.5, does not show its printed precision.
    """
    few = column.different < MANY
    digits = max(column.digits, digits_of_file) if few else column.digits
    if digits >= EXACT or (few and digits < FEWEST):
        return np.zeros(values.size)
    if column.decimals is not None and not few:
        return np.full(values.size, 0.5 * 10.0**-column.decimals)
    return half_unit(values, digits)
