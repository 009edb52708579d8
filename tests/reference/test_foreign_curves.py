"""Curves of another program as a reference, judged by the checks of a run."""

import numpy as np
import pytest

from sim.checks.against_reference import judge_reference
from sim.errors import ForeignError
from sim.foreign.map_curves import MappedCurve, MappedTable
from sim.reference.foreign_curves import foreign_reference
from tests.helpers.synthetic_runs import joint, recording, with_reference

OWN = np.linspace(0.0, 2.0, 2001)


def tau(t):
    return 40 * np.cos(5 * t) + 5 * t


RUN = recording(OWN, {"tau.elbow": tau(OWN), "tau.a[0]": tau(OWN)}, joint("elbow"), joint("a[0]"))


def theirs(t, values, channel="tau.elbow", rounding=0.0):
    width = np.full(t.size, rounding)
    curve = MappedCurve(channel, "x", "in SI", t, values, width, 0 * width)
    return MappedTable("a.csv", (curve,), ())


def checks(table, rtol=1e-3):
    made = foreign_reference(RUN, table, rtol)
    facts = made.describe()
    run = with_reference(RUN, made.table, tolerances=facts.tolerances, digits=facts.digits,
                         peer_tolerances=facts.peer_tolerances)  # fmt: skip
    return made, {check.name: check for check in judge_reference(run)}


def test_times_of_the_run_are_kept_with_their_values():
    t = OWN[100:1001:100]
    made, found = checks(theirs(t, tau(t)))
    assert made.source == "a.csv"
    assert made.table.index.to_numpy() == pytest.approx(t, abs=0)
    assert made.table["tau.elbow"].to_numpy().tolist() == tau(t).tolist()
    assert found["reference"].ok
    assert found["reference"].worst == 0.0


def test_other_times_are_read_at_the_nearest_samples_and_it_says_so():
    t = np.arange(0.0, 1.99, 1 / 240)
    made, found = checks(theirs(t, tau(t)))
    assert "nearest samples of the run" in made.source
    # each of their times has one sample, not farther than half a step away
    assert len(made.table) == t.size
    assert np.abs(made.table.index.to_numpy() - t).max() <= 0.5e-3 + 1e-12
    # cubic over 1/240 s: (h⁴ / 24) max|w| · 40 · 5⁴ = 3e-7
    assert made.table["tau.elbow"].to_numpy() == pytest.approx(tau(made.table.index), abs=5e-7)
    assert found["reference"].ok


def test_a_wrong_curve_fails_its_own_check():
    t = np.arange(0.0, 1.99, 1 / 240)
    _, found = checks(theirs(t, 1.01 * tau(t)))
    assert not found["reference"].ok
    assert found["reference"].channel == "tau.elbow"


def test_print_widens_the_tolerance_by_half_a_unit():
    t = OWN[::10]
    made, _ = checks(theirs(t, tau(t), rounding=0.25))
    assert made.tolerances["tau.elbow"] == pytest.approx(1e-3 * np.abs(tau(t)).max() + 0.25)


def test_a_name_with_brackets_is_a_name_and_no_pattern():
    t = OWN[::10]
    _, found = checks(theirs(t, tau(t), channel="tau.a[0]"))
    assert found["reference"].ok


def test_no_common_time_is_an_error():
    with pytest.raises(ForeignError, match="no time in common"):
        foreign_reference(RUN, theirs(OWN + 13, tau(OWN)), 1e-3)
