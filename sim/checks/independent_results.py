"""Independence of the two tables: bitwise equality indicates a common source."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.judgement import Judgement
from sim.checks.run_view import RunView

# Number of moving samples that rules out coincidence: two programs round two of three values
# equally in the simplest arm, a flywheel, and one of three in an arm of two links.
ENOUGH = 30


def independent_results(view: RunView) -> Iterator[Judgement]:
    """Count the independently computed channels if all of them are bitwise equal.

    These are the torques of driven joints and the positions of free joints: two programs may share
    the prescribed motion, but never round all torques of an arm equally. Values that are a single
    product, which may be equal, are not judged: slides, a single weightless hinge, joints at rest.
    """
    rows, free = view.run.robot.coordinates, view.run.settings.free
    moving = [r.name for r in rows if r.is_angle and np.ptp(view.analytic(f"qd.{r.name}"))]
    computed = [f"tau.{row.name}" for row in view.run.driven]
    computed += [f"q.{name}" for name in view.row_names if name in free]
    changes = [np.count_nonzero(np.diff(view.analytic(channel))) for channel in computed]
    carries = np.ptp(view.analytic("pe")) > 0
    if not moving or not (carries or len(moving) > 1) or max(changes, default=0) < ENOUGH:
        return
    same = all(np.array_equal(view.recorded_values(name), view.analytic(name)) for name in computed)
    yield view.judge_count("independent results", computed[0], len(computed) if same else 0)
