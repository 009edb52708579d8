"""Today's run against yesterday's: baselines, other runs, what changed, and where they part."""

from sim.comparison.acceptance import accept
from sim.comparison.baseline import Baseline, baselines_in, find_baseline
from sim.comparison.difference import Compared, compare, course
from sim.comparison.ledger import Acceptance
from sim.comparison.outcome import Comparison, Difference
from sim.comparison.standing import Standing, ordered, summary
from sim.comparison.tolerance import Rule, default_rule, read_rules

__all__ = [
    "Acceptance",
    "Baseline",
    "Compared",
    "Comparison",
    "Difference",
    "Rule",
    "Standing",
    "accept",
    "baselines_in",
    "compare",
    "course",
    "default_rule",
    "find_baseline",
    "ordered",
    "read_rules",
    "summary",
]
