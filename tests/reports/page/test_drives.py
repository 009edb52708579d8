import msgspec

from sim.checks import energy_balance, sizing
from sim.reports.page.drives import audit_table, drive_rows, power_table
from tests.helpers.page_runs import good_run


def test_a_drive_is_shown_as_it_was_typed_with_its_course():
    shoulder, elbow = drive_rows(good_run())
    assert (shoulder.joint, shoulder.level) == ("shoulder", "displacement")
    assert shoulder.function == "STEP5(time, 0, 0, 0.3, 15d)"
    assert (shoulder.plot, elbow.plot) == ("q.shoulder", "q.elbow")
    assert "<polyline" in shoulder.spark


def test_powers_and_energies_of_a_drive_are_one_row():
    first, *_ = sizing(good_run())
    table = power_table((first,))
    (row,) = table.rows
    assert len(row) == len(table.columns)
    power = (good_run().recorded["tau.shoulder"] * good_run().recorded["qd.shoulder"]).to_numpy()
    assert row[:2] == ["shoulder", f"{power.max():.4g}"]
    assert row[2] == f"{power.min():.4g}".replace("-", "−")


def test_the_audit_stands_beside_that_of_the_model_without_empty_rows():
    audits = [energy_balance(good_run(), analytic=analytic) for analytic in (False, True)]
    table = audit_table(audits)
    assert table.columns == ["Energy [J]", "recorded", "analytic"]
    work = next(row for row in table.rows if row[0] == "Work of the drives")
    assert work[1] == f"{audits[0].motor_work:.4g}".replace("-", "−")
    assert not any(row[0] == "Friction loss" for row in table.rows)


def test_what_is_rounding_beside_the_energy_moved_is_zero():
    table = audit_table([msgspec.structs.replace(energy_balance(good_run()), kinetic=1e-18)])
    assert next(row for row in table.rows if row[0].startswith("Kinetic"))[1] == "0"


def test_a_run_that_nobody_judged_has_no_tables():
    assert power_table(()) is audit_table(()) is None
