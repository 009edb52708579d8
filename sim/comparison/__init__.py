"""Today's run against yesterday's: baselines, other runs, and where they part."""

from sim.comparison.baseline import Acceptance, Baseline, accept, find_baseline
from sim.comparison.difference import Compared, Comparison, Difference, compare

__all__ = [
    "Acceptance",
    "Baseline",
    "Compared",
    "Comparison",
    "Difference",
    "accept",
    "compare",
    "find_baseline",
]
