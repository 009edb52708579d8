"""Independence of the two tables: equal bits betray a common source."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.judgement import Judgement, share
from sim.checks.run_view import RunView
from sim.recording.schema.verdicts import Check

# Moving samples from which on equal bits are no chance: two programs round two values of three
# alike in the simplest arm, a flywheel, and one of three in an arm of two links.
ENOUGH = 30


def independent_results(view: RunView) -> Iterator[Judgement]:
    """Number of channels, computed by each side by itself, that are equal to the last bit, if all.

    They are the torque of each joint that a drive moves, and the position of each free one: two
    programs may take a motion from the drives, but never round all torques of an arm alike. Not
    judged is what is one product, which they may: slides, one hinge that carries no weight, and
    what stands still.
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
    count, at, plot = float(len(computed)) if same else 0.0, float(view.t[0]), computed[0]
    used = share(count, 0.0)
    yield Judgement(Check("independent results", plot, count, 0.0, "1", at, not same, used, plot))
