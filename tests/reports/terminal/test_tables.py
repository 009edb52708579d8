import io

import pytest
from rich.console import Console

from sim.reports.terminal.tables import number, table


def printed(one, width):
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(one, highlight=False)
    return out.getvalue()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (-1e-12, "0"),
        (3e-9, "3e-09"),
        (12.34567, "12.35"),
        (-0.5, "-0.5"),
        (1e6, "1e+06"),
    ],
)
def test_a_number_has_four_digits_and_no_rounding_error(value, said):
    assert number(value) == said


def test_the_first_column_is_to_the_left_and_all_others_to_the_right():
    one = table("drive", "torque")
    one.add_row("a", "1 N·m")
    one.add_row("elbow_joint", "100 N·m")
    first, second = printed(one, 80).rstrip().splitlines()[-2:]
    assert first.startswith(" a ")
    assert first.index("1 N·m") + len("1 N·m") == second.index("100 N·m") + len("100 N·m")


def test_a_narrow_terminal_breaks_numbers_and_not_names():
    one = table("drive", "torque", "speed")
    one.add_row("a_long_elbow_joint", "100 N·m of 300", "100 deg/s of 300")
    text = printed(one, 40)
    assert "a_long_elbow_joint" in text
    assert "…" not in text
