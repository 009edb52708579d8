"""Today's run against yesterday's: baselines, other runs, what changed, and where they part."""

from sim.comparison.acceptance import accept, require_acceptable
from sim.comparison.baseline import Baseline, baselines_in, find_baseline
from sim.comparison.difference import Compared, compare, ledger_entry
from sim.comparison.ledger import Acceptance
from sim.comparison.outcome import Comparison, Difference
from sim.comparison.tolerance import Rule, default_rule, find_rules, read_rules

__all__ = [
    "Acceptance",
    "Baseline",
    "Compared",
    "Comparison",
    "Difference",
    "Rule",
    "accept",
    "baselines_in",
    "compare",
    "default_rule",
    "find_baseline",
    "find_rules",
    "ledger_entry",
    "read_rules",
    "require_acceptable",
]
