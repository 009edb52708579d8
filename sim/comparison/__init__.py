"""Comparison of a run with baselines and other runs: changed inputs and differences."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.comparison.against_foreign import compare_with_foreign
    from sim.comparison.baseline import (
        Baseline,
        accept,
        baselines_in,
        find_baseline,
        require_acceptable,
    )
    from sim.comparison.comparison_status import ComparisonStatus, sort_by_urgency, summary
    from sim.comparison.difference import Compared, compare, course, ledger_entry
    from sim.comparison.ledger import Acceptance
    from sim.comparison.outcome import Comparison, Difference
    from sim.comparison.tolerance import Rule, default_rule, find_rules, read_rules
    from sim.comparison.two_tables import TablesCompared, compare_tables
else:
    load_names_on_use(__name__)
