"""Which instants of an accepted run are kept to the last bit."""

import numpy as np

from sim.checks.judge_recording import judge_recording
from sim.comparison import accept
from sim.comparison.baseline import find_baseline
from sim.comparison.ledger import INSTANTS
from sim.recording.table_files import read_table
from tests.helpers.short_runs import short_run


def test_about_a_hundred_instants_over_the_whole_run_are_exact(tmp_path):
    """301 samples: every fourth, and the last. One alone would tell rounding from nothing."""
    run = judge_recording(short_run("ideal"))
    folder = accept(run, "first one", tmp_path)
    kept = read_table(folder / find_baseline("swing", tmp_path).run.files[INSTANTS])
    assert 60 <= len(kept) <= 101
    t = kept.index.to_numpy()
    assert (t[0], t[-1]) == (run.t[0], run.t[-1])
    assert np.max(np.diff(t)) <= 5e-3
    for channel in kept:
        wanted = run.recorded.loc[t, channel].to_numpy()
        np.testing.assert_array_equal(kept[channel].to_numpy(), wanted)
