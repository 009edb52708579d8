import math

import msgspec
import pytest

from sim.checks import audit, sizing
from sim.recording.verdicts import Margin
from sim.reports.page.drives import audit_table, drive_rows, sizing_table
from tests.helpers.page_runs import good_run


def test_a_drive_is_shown_as_it_was_typed_with_its_course():
    shoulder, elbow = drive_rows(good_run())
    assert (shoulder.joint, shoulder.level) == ("shoulder", "displacement")
    assert shoulder.function == "STEP5(time, 0, 0, 0.3, 15d)"
    assert (shoulder.plot, elbow.plot) == ("q.shoulder", "q.elbow")
    assert "<polyline" in shoulder.spark


@pytest.mark.parametrize("nothing", [None, math.inf])
def test_a_drive_shows_its_peak_and_its_rating_over_it(nothing):
    first, second = sizing(good_run())
    margins = Margin(30.0, 10.0, 3.0, 66.0), Margin(30.0, 0.0, nothing, 100.0)
    table = sizing_table(
        (
            msgspec.structs.replace(first, torque_margin=margins[0]),
            msgspec.structs.replace(second, torque_margin=margins[1], rms_margin=None),
        )
    )
    tau = good_run().recorded["tau.shoulder"].abs().max()
    one, other = table.rows
    assert len(one) == len(table.columns)
    assert one[:2] == ["shoulder", f"{tau:.4g} N·m"]
    assert one[9] == "3 ×"
    assert other[9:11] == ["unused", "–"]


def test_the_audit_stands_beside_that_of_the_model_without_empty_rows():
    audits = [audit(good_run(), analytic=analytic) for analytic in (False, True)]
    table = audit_table(audits)
    assert table.columns == ["Energy [J]", "recorded", "analytic"]
    work = next(row for row in table.rows if row[0] == "Work of the drives")
    assert work[1] == f"{audits[0].motor_work:.4g}".replace("-", "−")
    assert not any(row[0] == "Lost to friction" for row in table.rows)


def test_what_is_rounding_beside_the_energy_moved_is_zero():
    table = audit_table([msgspec.structs.replace(audit(good_run()), kinetic=1e-18)])
    assert next(row for row in table.rows if row[0].startswith("Kinetic"))[1] == "0"


def test_a_run_that_nobody_judged_has_no_tables():
    assert sizing_table(()) is audit_table(()) is None
