"""Exported channels of a run in the requested units, with their provenance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.engine_names import ENGINES
from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.recording.recording import Recording
from sim.recording.schema.channels import TIME, source_of
from sim.recording.schema.choosing import choose_channels
from sim.reports.exports.units_shown import unit_shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ExportedTable:
    """Table for another program.

    Parameters
    ----------
    table : pandas.DataFrame
        One column per channel, index ``t`` [s], in the units below.
    units, sources : mapping of str to str
        By channel; the source is engine, law or model.
    about : mapping of str to str
        Scenario, run and versions, by the name of the fact: letters and ``_``.
    """

    table: pd.DataFrame
    units: Mapping[str, str]
    sources: Mapping[str, str]
    about: Mapping[str, str]

    @property
    def channels(self) -> list[str]:
        """Names of the columns."""
        return [str(channel) for channel in self.table.columns]

    @property
    def t(self) -> Array:
        """Times, shape (N,) [s]."""
        return self.table.index.to_numpy(dtype=np.float64)

    @property
    def titles(self) -> list[str]:
        """Headings of the columns, time first: ``q.elbow_joint [deg]``."""
        return [f"{TIME} [s]", *(f"{name} [{self.units[name]}]" for name in self.channels)]

    @property
    def values(self) -> Array:
        """Times and channels, shape (N, 1 + channels)."""
        return np.column_stack([self.t, self.table.to_numpy(dtype=np.float64)])

    def require_finite(self, suffix: str) -> None:
        """Check that every value is finite, for a format that cannot write other values.

        Raises
        ------
        RecordingError
            Names the first channel, its time, and formats that can write it.
        """
        values = self.table.to_numpy(dtype=np.float64)
        bad = ~np.isfinite(values)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise RecordingError(
                f"{self.channels[column]} is {values[row, column]} at t = "
                f"{self.t[row]:.9g} s, and a {suffix} file holds finite numbers only; choose "
                "other channels, or .csv, .mat or .parquet"
            )


def table_for_export(
    recording: Recording,
    channels: str | Sequence[str] | None,
    *,
    analytic: bool,
    degrees: bool,
    millimetres: bool,
    every: int,
) -> ExportedTable:
    """Return channels of a run, at every n-th sample; the arguments are those of `export`.

    Raises
    ------
    RecordingError
        If a pattern matches no channel, or `every` is not an integer >= 1.
    """
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise RecordingError(f"every must be a whole number from 1 on, got {every!r}")
    import pandas as pd

    engine = recording.run.engine
    whole = recording.analytic if analytic else recording.recorded
    names = choose_channels([str(name) for name in whole.columns], channels)
    shown = {
        name: unit_shown(recording.units[name], degrees=degrees, millimetres=millimetres)
        for name in names
    }
    columns = {
        name: factor * whole[name].to_numpy(dtype=np.float64)[::every]
        for name, (_, factor) in shown.items()
    }
    return ExportedTable(
        table=pd.DataFrame(columns, index=whole.index[::every]),
        units={name: unit for name, (unit, _) in shown.items()},
        sources={name: "the model" if analytic else source_of(name, engine) for name in names},
        about=provenance_facts(recording) | {"table": "analytic" if analytic else "recorded"},
    )


def provenance_facts(recording: Recording) -> dict[str, str]:
    """Return the provenance of a run, by the name of the fact."""
    run = recording.run
    engine = ENGINES[run.engine]
    versions = run.provenance.versions
    facts = {
        "scenario": run.scenario,
        "run": run.folder or "",
        "created": run.provenance.created,
        "sim_version": versions.get("sim", ""),
        "method": run.method,
        "engine": f"{engine.title} {versions.get(engine.package, '')}".strip(),
        "step_s": repr(run.settings.dt),
        "seal": run.seal,
    }
    return {name: text for name, text in facts.items() if text}


def plain_names(names: Sequence[str], longest: int, taken: Sequence[str] = ()) -> list[str]:
    """Return names of letters, digits and ``_`` that begin with a letter, unique in any case.

    Parameters
    ----------
    names : sequence of str
        Original names, such as channels.
    longest : int
        Largest number of characters of a name.
    taken : sequence of str
        Names that must not be used.
    """
    lowered = {name.lower() for name in taken}
    plain = []
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        stem = (stem if stem[:1].isalpha() else f"x_{stem}")[:longest]
        unique, count = stem, 1
        while unique.lower() in lowered:
            count += 1
            unique = f"{stem[: longest - 1 - len(str(count))]}_{count}"
        lowered.add(unique.lower())
        plain.append(unique)
    return plain
