"""Motor sizing and peaks on a page, against the tables of the run themselves."""

import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.checks import sizing
from sim.recording.schema.verdicts import Margin
from sim.reports.page.drives import peak_tables, sizing_rows
from sim.reports.page.overlay import Overlay
from tests.helpers.page_runs import good_run

DEGREES = 180 / math.pi


def sized(**margins):
    """Rows of a run whose first drive has these margins."""
    first, *others = sizing(good_run())
    return sizing_rows((msgspec.structs.replace(first, **margins), *others))


def peak(channel):
    return float(good_run().recorded[channel].abs().max())


def test_a_drive_shows_its_peaks_in_the_units_of_the_plots_beside_its_ratings():
    row, _ = sized(
        torque_margin=Margin(30.0, 10.0, 3.0, 66.7), speed_margin=Margin(2.0, 1.0, 2.0, 50.0)
    )
    assert row.torque.text() == f"{peak('tau.shoulder'):.4g} N·m"
    assert (row.torque_used.rated.text(), row.torque_used.share) == ("30 N·m", "33 %")
    assert row.speed.text(degrees=True) == f"{DEGREES * peak('qd.shoulder'):.4g} °/s"
    assert row.speed.value == pytest.approx(peak("qd.shoulder"), rel=1e-15)
    assert row.speed_used.rated.text(degrees=True) == f"{2 * DEGREES:.4g} °/s"
    assert not row.torque_used.beyond
    at = np.abs(good_run().recorded["tau.shoulder"]).idxmax()
    assert row.torque_at == pytest.approx(at, abs=1e-9)


@pytest.mark.parametrize(
    ("used", "share", "beyond"),
    [(30.0, "100 %", False), (30.09, "100.3 %", True), (45.0, "150 %", True), (0.0, "0 %", False)],
)
def test_more_than_the_rating_is_said_even_where_it_is_little(used, share, beyond):
    row, _ = sized(torque_margin=Margin(30.0, used, 1.0, 100 * (1 - used / 30)))
    assert (row.torque_used.share, row.torque_used.beyond) == (share, beyond)


def test_a_drive_without_a_rating_has_none_and_rounding_is_nothing():
    point = msgspec.structs.replace(sizing(good_run())[0].peak_torque, torque=-1e-15)
    row, _ = sized(torque_margin=None, rms_margin=None, peak_torque=point)
    assert (row.torque_used.rated, row.torque_used.share, row.rms_share) == (None, "–", "")
    assert row.torque.text() == "0 N·m"


@pytest.mark.parametrize("power", [math.nan, None])
def test_a_power_that_is_no_number_is_not_zero(power):
    point = msgspec.structs.replace(sizing(good_run())[0].peak_power, power=power)
    row, _ = sized(peak_power=point)
    assert row.power == "no number W"


def other(factor):
    table = good_run().recorded
    return table.assign(**{"tau.elbow": factor * table["tau.elbow"]})


def test_peaks_of_two_runs_stand_beside_each_other_with_what_is_between_them():
    overlay = Overlay("a = 2", other(1.25))
    (table,) = peak_tables(good_run(), [overlay], "a = 1")
    assert (table.label, table.own) == ("a = 2", "a = 1")
    shoulder, elbow = table.rows
    now = peak("tau.elbow")
    before, after = (one.text() for one in elbow.torques)
    assert (before, after) == (f"{1.25 * now:.4g} N·m", f"{now:.4g} N·m")
    assert elbow.torque_change == "−20 %"
    assert (shoulder.torque_change, shoulder.speed_change) == ("same", "same")
    assert elbow.speeds[1].unit == "rad/s"
    (close,) = peak_tables(good_run(), [Overlay("a = 2", other(1 + 1e-6))], "a = 1")
    assert close.rows[1].torque_change == "< 0.01 %"


def test_what_is_rounding_in_both_is_the_same():
    tiny = other(1.0).assign(**{"tau.elbow": 1e-14})
    run = replace(good_run(), recorded=tiny.assign(**{"tau.elbow": 3e-14}))
    (table,) = peak_tables(run, [Overlay("b", tiny)], "a")
    assert [one.text() for one in table.rows[1].torques] == ["0 N·m", "0 N·m"]
    assert table.rows[1].torque_change == "same"


def test_a_run_that_is_the_same_needs_no_table():
    assert peak_tables(good_run(), [Overlay.of("baseline", good_run(), good_run())], "") == []
