"""Today's run against yesterday's: baselines, other runs, and where they part."""

from sim.comparison.against_foreign import FOREIGN_RTOL, compare_with_foreign, reading_notes
from sim.comparison.baseline import Acceptance, Baseline, accept, find_baseline
from sim.comparison.difference import Compared, Comparison, Difference, compare
from sim.comparison.foreign_reference import foreign_reference

__all__ = [
    "FOREIGN_RTOL",
    "Acceptance",
    "Baseline",
    "Compared",
    "Comparison",
    "Difference",
    "accept",
    "compare",
    "compare_with_foreign",
    "find_baseline",
    "foreign_reference",
    "reading_notes",
]
