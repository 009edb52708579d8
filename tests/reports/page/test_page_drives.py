from dataclasses import asdict

from sim.checks import audit, sizing
from sim.reports.page.drives import audit_table, sizing_table
from tests.page_runs import good_run


def test_a_drive_shows_its_peak_and_its_rating_over_it():
    drives = [asdict(one) for one in sizing(good_run())]
    drives[0]["torque_margin"] = {"rated": 30.0, "used": 10.0, "factor": 3.0, "percent": 66.0}
    drives[1]["torque_margin"] = {"rated": 30.0, "used": 0.0, "factor": None, "percent": 100.0}
    drives[1]["rms_margin"] = None
    table = sizing_table(drives)
    tau = good_run().recorded["tau.shoulder"].abs().max()
    first, second = table["rows"]
    assert len(first) == len(table["columns"])
    assert first[:2] == ["shoulder", f"{tau:.4g} N·m"]
    assert first[9] == "3 ×"
    assert second[9:11] == ["unused", "–"]


def test_the_audit_stands_beside_that_of_the_model_without_empty_rows():
    audits = [asdict(audit(good_run(), analytic=analytic)) for analytic in (False, True)]
    table = audit_table(audits)
    assert table["columns"] == ["Energy [J]", "recorded", "analytic"]
    work = next(row for row in table["rows"] if row[0] == "Work of the drives")
    assert work[1] == f"{audits[0]['motor_work']:.4g}".replace("-", "−")
    assert not any(row[0] == "Lost to friction" for row in table["rows"])


def test_what_is_rounding_beside_the_energy_moved_is_zero():
    (one,) = (asdict(audit(good_run())),)
    table = audit_table([{**one, "kinetic": 1e-18}])
    assert next(row for row in table["rows"] if row[0].startswith("Kinetic"))[1] == "0"


def test_descriptions_of_another_shape_are_laid_out_as_they_are():
    assert sizing_table([{"motor": "x", "size": 2.0}])["columns"] == ["motor", "size"]
    assert audit_table({"in": 1.0})["rows"] == [["in", "1"]]
    assert sizing_table(None) is None
