"""Today's run against yesterday's: baselines, other runs, and where they part."""

from sim.comparison.baseline import Baseline, accept, find_baseline
from sim.comparison.difference import Comparison, Difference, compare

__all__ = ["Baseline", "Comparison", "Difference", "accept", "compare", "find_baseline"]
