"""Today's run against yesterday's: baselines, other runs, what changed, and where they part."""

from sim.comparison.acceptance import accept, require_acceptable
from sim.comparison.against_foreign import compare_with_foreign
from sim.comparison.baseline import Baseline, baselines_in, find_baseline
from sim.comparison.difference import Compared, compare, course, ledger_entry
from sim.comparison.ledger import Acceptance
from sim.comparison.outcome import Comparison, Difference
from sim.comparison.standing import Standing, ordered, summary
from sim.comparison.tolerance import Rule, default_rule, find_rules, read_rules

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
    "compare_with_foreign",
    "course",
    "default_rule",
    "find_baseline",
    "find_rules",
    "ledger_entry",
    "ordered",
    "read_rules",
    "require_acceptable",
    "summary",
]
