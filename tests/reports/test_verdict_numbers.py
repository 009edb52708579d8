import math

from sim.recording.verdicts import Check
from sim.reports.verdict_numbers import known, used_of


def check(used, *, ok):
    return Check("torque", "tau.j", 1.0, 2.0, "N·m", 0.0, ok=ok, used=used, plot="tau.j")


def test_what_a_description_has_no_number_for_is_no_number():
    assert known(2.5) == 2.5
    assert math.isnan(known(None))


def test_a_check_without_a_share_of_its_limit_has_used_nothing_or_all():
    assert used_of(check(0.5, ok=True)) == 0.5
    assert used_of(check(None, ok=True)) == 0.0
    assert used_of(check(None, ok=False)) == math.inf
