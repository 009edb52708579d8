"""Verification manual: cases with independent solutions, solved by every method."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.verification.case import Case, Expected, Source
    from sim.verification.manual import CHAPTERS, FiledCase, case_names, find_cases
    from sim.verification.solving import METHODS, SolvingMethod
    from sim.verification.verdict import CaseReading, CaseVerdict, verify
else:
    load_names_on_use(__name__)
