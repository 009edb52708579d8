"""Catalogues: units of the first line, and what is refused by line, column and unit."""

import math

import pytest

from sim import shipped
from sim.errors import ForeignError
from sim.sizing import read_gears, read_motors

UNITS = "# torque N·mm; speed 1/min; inertia g·cm²; mass g. Made up. An empty cell is not known."
HEADS = "name,torque_continuous,torque_peak,speed_rated,speed_max,inertia,mass,source"
ROW = "A,400,1200,6000,,250,600,a sheet"
GEAR_UNITS = "# torque N·m; speed rpm; inertia kg·m2"
GEAR_HEADS = "name,ratio,torque_peak,inertia,efficiency,source"
GEAR_ROW = "wave,100,54,1e-5,0.7,a sheet"


def file(tmp_path, *lines):
    path = tmp_path / "parts.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_units_of_the_first_line_are_taken_to_si(tmp_path):
    (motor,) = read_motors(file(tmp_path, UNITS, HEADS, "# a comment", "", ROW))
    assert (motor.name, motor.source, motor.speed_max) == ("A", "a sheet", None)
    assert (motor.torque_continuous, motor.torque_peak) == pytest.approx((0.4, 1.2))
    assert motor.speed_rated == pytest.approx(200 * math.pi)
    assert (motor.inertia, motor.mass) == pytest.approx((2.5e-5, 0.6))
    assert motor.highest_speed == motor.speed_rated
    (gear,) = read_gears(file(tmp_path, GEAR_UNITS, GEAR_HEADS, GEAR_ROW))
    assert (gear.ratio, gear.inertia, gear.efficiency_back) == (100.0, 1e-5, None)


def test_a_spreadsheet_may_put_quotes_and_commas_around_the_units(tmp_path):
    saved = f'"{UNITS}",,,,,,,'
    assert read_motors(file(tmp_path, saved, HEADS, ROW))[0].torque_peak == pytest.approx(1.2)
    with pytest.raises(ForeignError, match="commas separate columns"):
        read_motors(file(tmp_path, UNITS, HEADS.replace(",", ";"), ROW.replace(",", ";")))


def test_the_catalogues_that_ship_have_ten_rows_each_and_say_that_they_are_made_up():
    motors = read_motors(shipped.scenarios() / "made_up_motors.csv")
    gears = read_gears(shipped.scenarios() / "made_up_gears.csv")
    assert (len(motors), len(gears)) == (10, 10)
    assert {part.source for part in (*motors, *gears)} == {"made up"}
    assert all(part.mass is not None for part in (*motors, *gears))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([HEADS, ROW], ["line 1", "names no units", "# torque N·m"]),
        (["# newton metres", HEADS, ROW], ["line 1", "'newton metres'", "quantities: torque"]),
        (
            ["# torque N·m; speed rpm; mass kg", HEADS, ROW],
            ["line 1", "no unit of inertia", "column 'inertia' of line 2", "kg*m^2"],
        ),
        ([UNITS.replace("N·mm", "kg"), HEADS, ROW], ["line 1", "torque", "'kg'", "N*m"]),
        ([UNITS.replace("N·mm", "Nx"), HEADS, ROW], ["line 1", "'Nx' is unknown"]),
        ([UNITS], ["no motors"]),
        ([UNITS, HEADS], ["no motors"]),
        ([UNITS, HEADS.replace("torque_peak", "torqe_peak"), ROW], ["line 2", "'torqe_peak'"]),
        ([UNITS, HEADS.replace(",inertia", ""), ROW], ["line 2", "missing column inertia"]),
        ([UNITS, HEADS.replace("mass", "inertia"), ROW], ["'inertia' is listed twice"]),
        ([UNITS, HEADS, ROW + ",1"], ["line 3", "9 cells for 8 columns"]),
        ([UNITS, HEADS, ROW.replace("1200", "")], ["line 3", "'torque_peak'", "empty"]),
        ([UNITS, HEADS, ROW.replace("a sheet", "")], ["line 3", "'source'", "empty"]),
        ([UNITS, HEADS, ROW.replace("1200", "much")], ["line 3", "'torque_peak'", "'much'"]),
        ([UNITS, HEADS, ROW.replace("1200", "nan")], ["line 3", "'nan' is not a number"]),
        ([UNITS, HEADS, ROW.replace("1200", "-5")], ["line 3", "-5 must be above 0"]),
        ([UNITS, HEADS, ROW.replace("1200", "12")], ["line 3", "torque_peak is below"]),
        ([UNITS, HEADS, ROW.replace("6000,,", "6000,600,")], ["speed_max is below speed_rated"]),
        ([UNITS, HEADS, ROW, ROW], ["line 4", "'A' is listed twice"]),
    ],
)
def test_a_catalogue_of_motors_is_refused_by_its_line(tmp_path, lines, words):
    with pytest.raises(ForeignError) as refused:
        read_motors(file(tmp_path, *lines))
    assert [word for word in ["parts.csv", *words] if word not in str(refused.value)] == []


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (GEAR_ROW.replace("100", "0"), ["line 3", "'ratio'", "must not be 0"]),
        (GEAR_ROW.replace("0.7", "70"), ["line 3", "'efficiency'", "70 is above 1"]),
        (GEAR_ROW.replace("0.7", "0"), ["'efficiency'", "0 must be above 0"]),
    ],
)
def test_a_gear_that_cannot_be_is_refused(tmp_path, row, words):
    with pytest.raises(ForeignError) as refused:
        read_gears(file(tmp_path, GEAR_UNITS, GEAR_HEADS, row))
    assert [word for word in words if word not in str(refused.value)] == []


def test_units_of_heat_are_not_converted(tmp_path):
    units = "# torque N·m; speed rpm; inertia kg·m2; thermal K/mW"
    heads = "name,torque_continuous,torque_peak,speed_rated,inertia,thermal_winding_housing,source"
    with pytest.raises(ForeignError, match="line 1: thermal is in K/W, and not in 'K/mW'"):
        read_motors(file(tmp_path, units, heads, "A,1,2,3000,1e-5,2,a sheet"))
