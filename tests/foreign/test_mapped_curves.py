import math

import numpy as np
import pytest

from sim.errors import ForeignError
from sim.foreign.map_curves import map_curves
from sim.foreign.naming import Naming
from sim.foreign.reading import read_delimited
from tests.helpers.foreign_files import EXPORTED, PASTED

UNITS = {"q.elbow": "rad", "tau.elbow": "N·m", "tau.slide": "N", "tool.z": "m"}


@pytest.fixture
def read(tmp_path):
    def of(text, **said):
        (tmp_path / "a.csv").write_text(text)
        found = map_curves(read_delimited(tmp_path / "a.csv"), Naming(**said), UNITS)
        return found, {curve.channel: curve for curve in found.curves}

    return of


def test_values_come_in_our_units(read):
    _, found = read("time [ms],q.elbow [deg],tau.elbow [lbf*in]\n0,180,1\n500,90,2\n")
    assert found["q.elbow"].t.tolist() == [0.0, 0.5]
    assert found["q.elbow"].values == pytest.approx([math.pi, math.pi / 2], rel=1e-15)
    assert found["tau.elbow"].values[0] == pytest.approx(0.1129848290276167, rel=1e-14)
    assert found["tau.elbow"].unit == "in lbf*in"


def test_a_unit_told_counts_before_the_file_and_none_is_si(read):
    _, found = read("t,q.elbow [deg],tau.elbow\n0,1,1\n1,2,2\n", units={"q.elbow": "rad"})
    assert found["q.elbow"].values.tolist() == [1.0, 2.0]
    assert found["tau.elbow"].unit == "no unit given, assumed N·m"


def test_start_and_sign(read):
    said = {"channels": {".cell.LC_4.drv_torque.TZ": "-tau.elbow"},
            "units": {".cell.LC_4.drv_torque.TZ": "N-mm"}, "start": 13.0}  # fmt: skip
    table, found = read(EXPORTED, **said)
    assert found["tau.elbow"].t == pytest.approx([0.0, 0.001, 0.002], abs=1e-12)
    assert found["tau.elbow"].values.tolist() == pytest.approx([165.2733, 165.0464, 164.8522])
    assert table.left_out == (".cell.LC_4.drv_torque.FX",)


@pytest.mark.parametrize(
    ("ours", "angle"),
    [("q.elbow-90deg", 120.0), ("-q.elbow + 1.5707963267948966", 60.0), ("q.elbow", 30.0)],
)
def test_a_column_with_another_zero_is_shifted(read, ours, angle):
    """Their value is ours, or its negative, plus the number."""
    _, found = read("t,A2 [deg]\n0,30\n1,30\n", channels={"A2": ours})
    assert np.degrees(found["q.elbow"].values) == pytest.approx([angle, angle], rel=1e-14)
    assert found["q.elbow"].title == {120.0: "(A2 + 90)", 60.0: "-(A2 - 90)", 30.0: "A2"}[angle]


def test_each_curve_has_the_times_before_it(read):
    _, found = read(PASTED)
    assert found["q.elbow"].t == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert found["tau.elbow"].t == pytest.approx([0.0, 0.2, 0.4])
    assert found["tau.elbow"].values == pytest.approx([0.01025, 0.02025, 0.03025])


def test_print_is_in_our_units_too(read):
    rows = "".join(f"{k},{k * 1.237:.3f}\n" for k in range(30))
    _, found = read("t,tau.elbow [N*mm]\n" + rows)
    assert found["tau.elbow"].rounding == pytest.approx(np.full(30, 0.5e-6))


def test_even_times_that_print_rounded_are_even_again(read):
    rows = "".join(f"{k / 240:.4f},{k}\n" for k in range(100))
    _, found = read("t,q.elbow\n" + rows)
    # the line through a hundred times, each off by 5e-5 s at most, is ten times as good
    assert found["q.elbow"].t == pytest.approx(np.arange(100) / 240, abs=5e-6)
    assert not found["q.elbow"].t_rounding.any()


def test_uneven_times_keep_their_print(read):
    rows = "".join(f"{k**2 / 240:.4f},{k}\n" for k in range(30))
    _, found = read("t,q.elbow\n" + rows)
    assert found["q.elbow"].t_rounding == pytest.approx(np.full(30, 5e-5))


def test_a_row_that_is_repeated_counts_once(read):
    _, found = read("t,q.elbow\n0,1\n1,2\n1,2\n2,3\n")
    assert found["q.elbow"].t.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,q.elbow\n0,1\n1,2\n", "has no time: no column is called t or time.*--map THEIRS=t"),
        ("t,q.elbow\n0,1\n2,2\n1,3\n", "must ascend; 1 s in line 4 follows 2 s"),
        ("t,q.elbow\n0,1\n1,2\n1,3\n", "two values at 1 s, the second in line 4"),
        ("t,q.elbow,x\n0,1,1\n1,,1\n2,3,1\n", "column 'q.elbow' is blank in line 3"),
        ("t,q.elbow,x\n0,1,1\n1,2,1\n2,,1\n", "is blank from line 4 on"),
        ("t,q.elbow,x\n0,1,1\n1,2,1\n,3,1\n", "'t' has no time in line 4"),
        ("t,q.elbow,x\n0,1,1\n,2,1\n2,3,1\n", "column 't' is blank in line 3"),
        ("t,q.elbow,x\n0,1,1\n1,inf,1\n2,3,1\n", "'inf' in line 3"),
        ("t,q.elbow [furlong]\n0,1\n1,2\n", "unit 'furlong' is unknown.*--unit"),
        ("t,q.elbow [kg]\n0,1\n1,2\n", "unit 'kg' is not of the same quantity as 'rad'"),
        ("t [mm],q.elbow\n0,1\n1,2\n", "unit 'mm' is not of the same quantity as 's'"),
        ("t,q.elbow\n-1e308,1\n1e308,2\n", r"-1e\+308 s in line 2, which is not a time of a run"),
        ("t,q.elbow [rev]\n0,1\n1,1e308\n", "too large for a number"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(read, text, words):
    with pytest.raises(ForeignError, match=words) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_a_fault_in_a_column_that_nobody_asks_for_is_none(read):
    read("t,q.elbow,other\n0,1,\n1,2,nan\n2,3,x\n")
