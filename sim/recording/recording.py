"""Recording: the tables of one run and their description, in memory and on disk.

A run's folder has ``recording.parquet``, ``analytic.parquet`` with the same columns, and
``run.json``; ``cut_open.parquet`` has the reactions of the model by a second law at some samples;
if drives have corners, ``between.parquet`` has the model's values on both sides of each and between
samples; if the scenario has results of another program, these are in ``reference.parquet``.
``robot.urdf`` is the simulated robot including payloads. Any reader of Parquet and JSON can read
the folder.

In ``recording.parquet`` motion, efforts, energies and the tool are the engine's. Friction, force
elements, measures and the tool's acceleration are the model's laws on the engine's motion; so are
reactions and loop forces, unless an engine computes them itself: Bullet's own joint sensor is wrong
in motion (`docs/theory.md`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.recording.files.run_folders import DESCRIPTION, find_run
from sim.recording.files.table_files import StoredTable, Table, numbers_in, write_table
from sim.recording.files.whole_files import refusal, sha256, write_bytes
from sim.recording.held_tables import analytic_of, as_field, as_held, frames_when_read, recorded_of
from sim.recording.peak_table import peak_table
from sim.recording.recorded_run import (
    ANALYTIC,
    BETWEEN,
    CUT_OPEN,
    RECORDED,
    REFERENCE,
    URDF,
    RecordedRun,
    open_samples,
    read_some,
)
from sim.recording.schema.channels import source_of
from sim.recording.schema.choosing import choose_channels
from sim.recording.schema.description import Run, description_text, with_seal
from sim.recording.schema.verdicts import Check, DriveSizing
from sim.showing.fragments import html_list
from sim.showing.one_line import count_text, one_line, shorten, span_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sim.curves.curve import Curve


@frames_when_read("recorded", "analytic", "reference", "cut_open", "between")
@dataclass(frozen=True, eq=False)
class Recording:
    """Tables and description of one run.

    Parameters
    ----------
    recorded, analytic : pandas.DataFrame or StoredTable
        One column per channel, time down the rows, index ``t`` [s]; SI units and radians. Large
        tables stay in their files, see `sim.recording.files.table_files`.
    run : Run
        The content of ``run.json``.
    reference : pandas.DataFrame, optional
        Results of another program for some of the channels and times; ``run.reference`` has its
        name and the tolerances.
    urdf : str, optional
        Text of the simulated robot.
    cut_open : pandas.DataFrame, optional
        Reactions of the model by Lagrange's equation, with each joint cut open, at some samples.
    between : pandas.DataFrame, optional
        Motion, torques and powers by the model on both sides of each corner, and at maxima between
        samples; None if the samples suffice.
    """

    recorded: pd.DataFrame | StoredTable
    analytic: pd.DataFrame | StoredTable
    run: Run
    reference: pd.DataFrame | None = None
    urdf: str | None = None
    cut_open: pd.DataFrame | None = None
    between: pd.DataFrame | None = None

    def __repr__(self) -> str:
        run, channels = self.run, count_text(len(self.recorded.columns), "channel")
        return one_line(
            f"Recording of {shorten(run.scenario, 30)}:",
            run.verdict or "not judged",
            f"{count_text(len(self.recorded), 'sample')} × {channels}",
            span_text(run.settings.duration, run.settings.dt),
            run.method,
        )

    def _repr_html_(self) -> str:
        failed = [
            f"failed: {check.name} {check.channel} at {check.at:.4g} s"
            for check in self.run.checks
            if not check.ok
        ]
        table = peak_table(repr(self).strip("<>"), self.run.robot, self.known_values, self.units)
        return table + html_list([*failed, *self.run.notes])

    def plot(self, *patterns: str) -> Figure:
        """Plot the matching channels, recorded and analytic, over time with Matplotlib.

        There is one plot per channel, in its SI unit, with results of another program if available.
        The figure has no window: a notebook shows it, ``savefig`` writes it.

        Parameters
        ----------
        *patterns : str
            Pattern such as ``"tau.*"``: ``*`` matches any text, ``?`` one character.

        Raises
        ------
        RecordingError
            If a pattern matches no channel, with the most similar names; if there is none; or if
            more channels match than fit into a figure.
        """
        from sim.recording.plotting import curves_figure

        return curves_figure(patterns, self.recorded, self.analytic, self.reference, self.run)

    def math(
        self, text: str, curves: Mapping[str, Curve] | None = None, *, analytic: bool = False
    ) -> Curve:
        """Return the curve of an expression of channels: ``"tau.elbow_joint*qd.elbow_joint"`` [W].

        Units are tracked through all operations. The language, which includes DERIVATIVE, INTEGRAL
        and FILTER, is that of `sim.curves.language.calculate`.

        Parameters
        ----------
        text : str
            Names are quoted if they contain characters other than letters, digits, ``_ $ .``.
        curves : mapping of str to Curve, optional
            Further curves available in the expression, at the times of the run.
        analytic : bool
            Use the model's values instead of the engine's.

        Raises
        ------
        ExpressionError
            If the text is invalid, a name is unknown, or units do not match; shows the position.
        CurveError
            If curves have different times, or a derivative or filter cannot be computed.
        """
        from sim.curves.language import calculate
        from sim.recording.channel_curves import ChannelCurves

        table = analytic_of(self) if analytic else recorded_of(self)
        return calculate(text, ChannelCurves(table, self.units, curves or {}))

    @property
    def t(self) -> Array:
        """Sample times, shape (N,) [s]."""
        return recorded_of(self).index.to_numpy(dtype=np.float64)

    @property
    def units(self) -> dict[str, str]:
        """Unit of each channel."""
        return self.run.units

    def __getitem__(self, channel: str) -> pd.Series[Any]:
        """Return a recorded channel over time, such as ``recording["tau.elbow_joint"]``.

        Raises
        ------
        RecordingError
            If there is no such channel, with the most similar names.
        """
        if channel not in self.recorded:
            choose_channels([str(name) for name in self.recorded.columns], channel)
            raise RecordingError(f"{channel!r} is a pattern; recording.plot takes such")
        return self.recorded[channel]

    @property
    def checks(self) -> tuple[Check, ...]:
        """Results of all checks; empty before they are computed."""
        return self.run.checks

    @property
    def sizing(self) -> tuple[DriveSizing, ...]:
        """Loads of each drive, and its ratings."""
        return self.run.sizing

    @property
    def passed(self) -> bool:
        """True if all checks pass.

        Raises
        ------
        RecordingError
            If the run has not been judged.
        """
        if self.run.verdict is None:
            raise RecordingError("The run has not been checked yet: use sim.run or sim check")
        return self.run.verdict == "pass"

    def known_values(self, channel: str) -> Array:
        """Return all values of a channel, for its peaks: at the samples, then between them.

        Raises
        ------
        KeyError
            If it was not recorded.
        """
        values = numbers_in(recorded_of(self), channel)
        between = as_held(self, "between")
        if between is None or channel not in between:
            return values
        return np.concatenate([values, numbers_in(between, channel)])

    def with_description(self, **entries: Any) -> Recording:
        """Return a copy with changed entries of the description."""
        return self.having(run=msgspec.structs.replace(self.run, **entries))

    def having(self, **fields: Any) -> Recording:
        """Return a copy with other fields; the tables are shared."""
        return Recording(**{**vars(self), **fields})

    def write(self, folder: str | Path, hashes: Mapping[str, str] | None = None) -> Recording:
        """Write the tables and the description to a folder, which is created if necessary.

        Return the recording with the hashes of its files in its description.

        Parameters
        ----------
        folder : str or Path
        hashes : mapping of str to str, optional
            What `write_tables` has returned for this folder; then only the description is written.

        Raises
        ------
        RecordingError
            If the folder cannot be written.
        """
        folder = Path(folder)
        written = self.write_tables(folder) if hashes is None else hashes
        try:
            return self.with_hashes(written).write_description(folder)
        except OSError as error:
            raise RecordingError(f"Cannot write the run to {folder}: {refusal(error)}") from error

    def write_tables(self, folder: Path) -> dict[str, str]:
        """Write the tables and the robot to a folder; returns the hashes of these files by name.

        Raises
        ------
        RecordingError
            If the folder cannot be written.
        """
        tables: dict[str, Table] = {RECORDED: recorded_of(self), ANALYTIC: analytic_of(self)}
        for name, field in ((REFERENCE, "reference"), (CUT_OPEN, "cut_open"), (BETWEEN, "between")):
            if (table := as_held(self, field)) is not None:
                tables[name] = table
        names = list(tables)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, table in tables.items():
                channels = table.columns if name == RECORDED else ()
                sources = {str(c): source_of(str(c), self.run.engine) for c in channels} or None
                if not isinstance(table, StoredTable):
                    write_table(folder / name, table, self.units, sources)
                elif table.path != folder / name:
                    shutil.copyfile(table.path, folder / name)
            if self.urdf is not None:
                (folder / URDF).write_text(self.urdf, encoding="utf-8", newline="")
                names.append(URDF)
            return _hashes(folder, names)
        except OSError as error:
            raise RecordingError(f"Cannot write the run to {folder}: {refusal(error)}") from error

    def in_folder(self, folder: Path) -> Recording:
        """Return a copy for a moved folder, from which tables in files are read."""
        tables = (recorded_of(self), analytic_of(self))
        here = (t.relocate(folder) if isinstance(t, StoredTable) else t for t in tables)
        recorded, analytic = here
        return self.having(recorded=recorded, analytic=analytic)

    def with_files(self, folder: Path, names: list[str]) -> Recording:
        """Return a copy with the hashes of further files of its folder in the description."""
        return self.with_hashes(_hashes(folder, names))

    def with_hashes(self, hashes: Mapping[str, str]) -> Recording:
        """Return a copy with further hashes of files in the description."""
        return self.with_description(files={**self.run.files, **hashes})

    def write_description(self, folder: Path) -> Recording:
        """Seal the description and write it next to the tables; returns the sealed recording."""
        closed = self.having(run=with_seal(self.run))
        write_bytes(folder / DESCRIPTION, description_text(closed.run))
        return closed

    @classmethod
    def read(cls, folder: str | Path) -> Recording:
        """Read a run from its folder, or a scenario's newest run in ``results/runs``.

        Raises
        ------
        RecordingError
            If there is none; if a file is missing, damaged, foreign, or changed since it was
            written, or the tables have other times than their description.
        """
        folder = Path(folder) if Path(folder).is_dir() else find_run(str(folder))
        plain = RecordedRun.read(folder)
        run, recorded = plain.run, recorded_of(plain)
        samples = run.settings.samples
        analytic = open_samples(folder, ANALYTIC, run)
        cut_open = read_some(folder, CUT_OPEN, run, samples)
        reference = None if run.reference is None else read_some(folder, REFERENCE, run, samples)
        rows = 2 * len(run.settings.corners) + 8 * len(run.robot.tree_coordinates)
        between = read_some(folder, BETWEEN, run, rows) if BETWEEN in run.files else None
        if not (
            list(recorded.columns) == list(analytic.columns)
            and np.array_equal(recorded.index, analytic.index)
        ):
            raise RecordingError(
                f"{RECORDED} and {ANALYTIC} in {folder} must have the same channels and times"
            )
        return cls(
            as_field(recorded),
            as_field(analytic),
            run,
            as_field(reference),
            plain.urdf,
            as_field(cut_open),
            as_field(between),
        )


def _hashes(folder: Path, names: Iterable[str]) -> dict[str, str]:
    return {name: sha256(folder / name) for name in names}
