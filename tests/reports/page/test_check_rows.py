import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from sim.checks import judge
from sim.reports.page.check_rows import check_rows, facts
from tests.helpers.page_runs import bad_run, good_run
from tests.helpers.short_runs import spoiled


def test_checks_that_failed_come_first_then_those_nearest_to_their_limit():
    rows = check_rows(judge(bad_run()))
    assert [row.ok for row in rows] == sorted(row.ok for row in rows)
    assert not rows[0].ok
    good = [row.used for row in rows if row.ok]
    assert good == sorted(good, reverse=True)
    assert all(used <= 1 + 1e-9 for used in good)


def test_a_range_is_used_up_at_its_end_and_not_at_all_in_its_middle():
    for worst, percent in ((3.0, "100 %"), (0.0, "0 %"), (1.5, "50 %")):
        q = np.full(len(good_run().recorded), worst)  # the shoulder goes from -3 to 3 rad
        run = replace(good_run(), recorded=good_run().recorded.assign(**{"q.shoulder": q}))
        ends = [row for row in check_rows(judge(run)) if row.bounds == "end"]
        (upper,) = (r for r in ends if (r.check.channel, r.check.limit) == ("q.shoulder", 3.0))
        assert upper.percent == percent
        assert upper.bar == pytest.approx(100 * worst / 3)


def test_a_check_with_a_worst_that_is_no_number_has_used_all():
    rows = check_rows(judge(spoiled(good_run(), "tau.elbow", math.nan, 100)))
    (row,) = (row for row in rows if (row.check.name, row.check.plot) == ("torque", "tau.elbow"))
    assert row.used == math.inf
    assert (row.percent, row.bar, row.ok) == ("–", 100.0, False)


def test_what_a_limit_is_made_of_is_shown_where_a_check_says_it():
    judged = [
        structs.replace(one, note="half of it for <the source>") for one in judge(good_run())[:2]
    ]
    assert [row.note for row in check_rows(judged)] == ["half of it for <the source>"] * 2
    assert all(row.note == "" for row in check_rows(judge(good_run())))


def test_the_facts_count_what_failed():
    rows = check_rows(judge(bad_run()))
    found = facts(rows, bad_run().run)
    failed = sum(not row.ok for row in rows)
    assert found[0].value == f"{len(rows) - failed} of {len(rows)}"
    assert f"{failed} failed" in found[0].note


def test_the_facts_name_the_torque_that_is_farthest_off_and_the_highest_load():
    rows = check_rows(judge(bad_run()))
    off, load = facts(rows, bad_run().run)[1:]
    assert (off.title, off.value.text()) == ("Torque error, elbow", "2 N·m")
    peak = bad_run().recorded["tau.shoulder"].abs().max()
    assert (load.title, load.value.text()) == ("Highest load, shoulder", f"{peak:.4g} N·m")
    assert load.note == f"{100 * peak / 30:.0f} % of its rating"
