"""StudyResult: a study that is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sim.showing.fragments import html_table
from sim.showing.one_line import counted, one_line
from sim.studies.case_row import CaseRow
from sim.studies.report.table import response_names, study_table
from sim.studies.study import Study
from sim.studies.study_answer import Answer, Proof, SearchFound

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 10  # of a table in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult:
    """The cases of a study, and what it answers.

    Parameters
    ----------
    study : Study
    rows : tuple of CaseRow
        In the order of the design.
    answer : SearchFound, EffectsFound or None
        What a search has found, or sensitivities.
    proof : Proof or None
        How the model alone was proved, where it is what was asked.
    """

    study: Study
    rows: tuple[CaseRow, ...]
    answer: Answer | None = None
    proof: Proof | None = None

    @property
    def passed(self) -> bool:
        """Whether all cases pass and the model is proved; of a search, whether a value holds."""
        if self.proof is not None and not self.proof.ok:
            return False
        if isinstance(self.answer, SearchFound):
            return self.answer.holds is not None
        return self.counts["pass"] == len(self.rows)

    @property
    def counts(self) -> Counter[str]:
        """Cases by their status: ``pass``, ``fail``, ``error``, ``engine``."""
        return Counter[str](row.status for row in self.rows)

    @property
    def folder(self) -> Path:
        """Where the study is."""
        return self.study.folder

    @property
    def units(self) -> dict[str, str]:
        """Units of the responses by name."""
        return response_names(self.rows)

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a case, as in ``cases.parquet``; see `sim.studies.report.table.study_table`."""
        return study_table(self.rows)

    @property
    def sentence(self) -> str:
        """How many cases pass, or what a search has found."""
        words = _cases_in_words(self.counts, len(self.rows))
        if isinstance(self.answer, SearchFound):
            words = self.answer.words
        unproved = self.proof is not None and not self.proof.ok
        return f"{words}; the model alone is not proved" if unproved else words

    def __repr__(self) -> str:
        word = "pass" if self.passed else "fail"
        cases = counted(len(self.rows), "case")
        return one_line(f"StudyResult {self.study.name}:", word, cases, self.sentence)

    def _repr_html_(self) -> str:
        heads = [name for name in map(str, self.table.columns) if name not in ("key", "run")]
        first = self.table.head(MOST_ROWS)
        rows = zip(*(map(_cell, first[name]) for name in heads), strict=True)
        return html_table(repr(self).strip("<>"), heads, rows)


def _cases_in_words(counts: Counter[str], cases: int) -> str:
    words = f"{counts['pass']} of {cases} cases pass"
    if counts["fail"]:
        words += f", {counts['fail']} fail"
    if lost := counts["error"] + counts["engine"]:
        words += f", {lost} could not be computed"
    return words


def _cell(value: object) -> str:
    import pandas as pd

    if value is None or value is pd.NA:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
