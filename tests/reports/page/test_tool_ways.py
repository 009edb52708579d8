"""The ways of tools on a page."""

import numpy as np

from sim.reports.page.data import tool_ways
from tests.helpers.page_runs import good_run

COLUMNS = [f"tool.{c}" for c in "xyz"]


def ways(*others):
    found, block = tool_ways(good_run(), others, b"before")
    return {
        name: np.frombuffer(block, "<f4", 3 * one.count, one.at).reshape(-1, 3)
        for name, one in found.items()
    }


def test_the_way_of_another_run_is_there_at_the_times_of_this_one():
    table = good_run().recorded.copy()
    table[COLUMNS] += [0.1, 0.0, 0.0]
    rare = table.iloc[::2]
    found = ways(good_run().recorded, rare)
    own = good_run().recorded[COLUMNS].to_numpy()
    np.testing.assert_allclose(found["tool"], own, atol=1e-6)
    np.testing.assert_allclose(found["over1"] - found["tool"], own * 0 + [0.1, 0, 0], atol=1e-4)
    assert "over0" not in found  # it would lie on the run's own


def test_a_run_without_a_tool_or_with_one_that_is_no_number_has_no_way():
    table = good_run().recorded
    strange = table.assign(**{"tool.x": np.nan})
    assert set(ways(table.drop(columns=COLUMNS), strange)) == {"tool"}
