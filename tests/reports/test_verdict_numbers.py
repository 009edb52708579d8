import math

from sim.recording.schema.verdicts import Check
from sim.reports.verdict_numbers import effort_word, number_or_nan, share_used


def check(used, *, ok):
    return Check("torque", "tau.j", 1.0, 2.0, "N·m", 0.0, ok=ok, used=used, plot="tau.j")


def test_what_a_description_has_no_number_for_is_no_number():
    assert number_or_nan(2.5) == 2.5
    assert math.isnan(number_or_nan(None))


def test_a_check_without_a_share_of_its_limit_has_used_nothing_or_all():
    assert share_used(check(0.5, ok=True)) == 0.5
    assert share_used(check(None, ok=True)) == 0.0
    assert share_used(check(None, ok=False)) == math.inf


def test_efforts_are_headed_by_what_their_units_are():
    words = [effort_word(units) for units in (["N"], ["N·m"] * 2, ["N", "N·m"], [])]
    assert words == ["force", "torque", "effort", "torque"]
