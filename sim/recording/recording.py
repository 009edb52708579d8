"""Recording: the tables of one run and their description, in memory and on disk.

A run's folder holds ``recording.parquet``, ``analytic.parquet`` with the same columns, and
``run.json``; ``cut_open.parquet`` has the reactions of the model a second time, by another law at
some of the samples; where drives have corners, ``between.parquet`` has the model's values on both
sides of each and between samples; where the scenario brings results of another program,
``reference.parquet`` has those. ``robot.urdf`` is the robot as it was simulated, payload and all.
Anything that reads Parquet and JSON can read it.

In ``recording.parquet`` motion, efforts, energies and the tool are the engine's. Friction, force
elements, measures and the tool's acceleration are the model's laws on the engine's motion;
reactions and forces in loops too, but where an engine computes them itself: Bullet's own joint
sensor is wrong in motion (`docs/theory.md`).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
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
from sim.showing.one_line import count_text, one_line, shorten

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
        One column a channel, time down the rows, index ``t`` [s]; SI units and radians. Large ones
        stay in their files, see `sim.recording.files.table_files`.
    run : Run
        The content of ``run.json``.
    reference : pandas.DataFrame, optional
        Results of another program for some of the channels and times; ``run.reference`` has its
        name and the tolerances.
    urdf : str, optional
        Text of the robot that was simulated.
    cut_open : pandas.DataFrame, optional
        The reactions of the model by Lagrange's equation, each joint cut open, at some samples.
    between : pandas.DataFrame, optional
        Motion, torques and powers by the model on both sides of each corner, and where one of them
        is at its largest between samples; None where samples show all.
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
            f"{run.settings.duration:.4g} s at {1e3 * run.settings.dt:.4g} ms",
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
        """Matplotlib figure of the matching channels, recorded and analytic, over time.

        One plot a channel, in its SI unit; results of another program are drawn where they are. The
        figure belongs to no window: a notebook shows it, ``savefig`` writes it.

        Parameters
        ----------
        *patterns : str
            Such as ``"tau.*"``: ``*`` matches any text, ``?`` one character.

        Raises
        ------
        RecordingError
            If a pattern matches no channel, naming those that are near; if there is none; or if
            more channels match than a figure can hold.
        """
        from sim.recording.plotting import curves_figure

        return curves_figure(patterns, self.recorded, self.analytic, self.reference, self.run)

    def math(
        self,
        text: str,
        curves: Mapping[str, Curve] | None = None,
        *,
        analytic: bool = False,
    ) -> Curve:
        """Curve of an expression of channels: ``"tau.elbow_joint*qd.elbow_joint"`` [W].

        Units go through all operations. The language is that of `sim.curves.language.calculate`:
        it has DERIVATIVE, INTEGRAL and FILTER too.

        Parameters
        ----------
        text : str
            Names in quotes where they hold other signs than letters, digits, ``_ $ .``.
        curves : mapping of str to Curve, optional
            Curves of your own that the expression may name too, at the times of the run.
        analytic : bool
            Of the model and not of the engine.

        Raises
        ------
        ExpressionError
            If the text is no expression, a name is unknown, or units do not fit; shows the place.
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
        """A recorded channel over time, such as ``recording["tau.elbow_joint"]``.

        Raises
        ------
        RecordingError
            If there is none of this name, naming those that are near.
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
            If the run is not judged yet.
        """
        if self.run.verdict is None:
            raise RecordingError("The run is not judged yet: sim.run and sim check do it")
        return self.run.verdict == "pass"

    def known_values(self, channel: str) -> Array:
        """All values of a channel, for its peaks: at the samples, then between them.

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
        """A copy with other entries in the description."""
        return self.having(run=msgspec.structs.replace(self.run, **entries))

    def having(self, **fields: Any) -> Recording:
        """A copy with other fields; the tables are shared."""
        return Recording(**{**vars(self), **fields})

    def write(self, folder: str | Path) -> Recording:
        """Write the tables and the description into a folder; it is created if needed.

        Returns the recording with the hashes of its files in its description.

        Raises
        ------
        RecordingError
            If the folder cannot be written.
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tables: dict[str, Table] = {RECORDED: recorded_of(self), ANALYTIC: analytic_of(self)}
            for name, field in (
                (REFERENCE, "reference"),
                (CUT_OPEN, "cut_open"),
                (BETWEEN, "between"),
            ):
                if (table := as_held(self, field)) is not None:
                    tables[name] = table
            for name, table in tables.items():
                channels = table.columns if name == RECORDED else ()
                sources = {str(c): source_of(str(c), self.run.engine) for c in channels} or None
                if not isinstance(table, StoredTable):
                    write_table(folder / name, table, self.units, sources)
                elif table.path != folder / name:
                    shutil.copyfile(table.path, folder / name)
            names = list(tables)
            if self.urdf is not None:
                (folder / URDF).write_text(self.urdf, encoding="utf-8", newline="")
                names.append(URDF)
            return self.with_files(folder, names).write_description(folder)
        except OSError as error:
            raise RecordingError(f"Cannot write the run to {folder}: {refusal(error)}") from error

    def in_folder(self, folder: Path) -> Recording:
        """A copy for a moved folder, from which tables in files are read."""
        tables = (recorded_of(self), analytic_of(self))
        here = (t.relocate(folder) if isinstance(t, StoredTable) else t for t in tables)
        recorded, analytic = here
        return self.having(recorded=recorded, analytic=analytic)

    def with_files(self, folder: Path, names: list[str]) -> Recording:
        """A copy with the hashes of more files of its folder in the description."""
        hashes = {name: sha256(folder / name) for name in names}
        return self.with_description(files={**self.run.files, **hashes})

    def write_description(self, folder: Path) -> Recording:
        """Seal the description and write it next to the tables; returns the sealed recording."""
        closed = self.having(run=with_seal(self.run))
        write_bytes(folder / DESCRIPTION, description_text(closed.run))
        return closed

    @classmethod
    def read(cls, folder: str | Path) -> Recording:
        """Read a run: its folder, or the newest of a scenario's name in ``results/runs``.

        Raises
        ------
        RecordingError
            If there is none; if a file is missing, damaged, not one of ours, or changed since it
            was written, or the tables have other times than their description.
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
