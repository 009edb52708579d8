"""Another run, or a baseline, drawn over a run on its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sim.checks.run_tables import column
from sim.comparison import Baseline, Compared, Comparison, compare
from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.recording.files.table_files import Table
from sim.recording.held_tables import recorded_of
from sim.reference.alignment import at_samples
from sim.reports.page.at_times import both_at_times
from sim.robots.coordinate import rotation_channels, rotations_of

if TYPE_CHECKING:
    import pandas as pd

    from sim.recording.recording import Recording
    from sim.recording.schema.facts import ReferenceFacts
    from sim.reports.page.engine_pair import EnginePair

APART = 2e-3  # [rad or m]; a smaller distance is not visible in a ghost


@dataclass(frozen=True, eq=False)
class Overlay:
    """Curves of another run.

    Parameters
    ----------
    label : str
        Its name on the page.
    recorded : pandas.DataFrame
    comparison : Comparison or None
        Differences of the run from it, by channel.
    slack : mapping of str to float or ndarray
        Half a quantisation step of each stored channel, in its unit, within which values count as
        equal; an array where the step differs between samples.
    is_reference : bool
        Whether the curves are another program's result, against which the run is checked.
    source : str
        File of the curves, if the label does not name it.
    beside : str
        Label of the run below it; empty: the usual one.
    pair : EnginePair or None
        Verdicts and checks of both, if it is the same scenario with another engine.
    """

    label: str
    recorded: Table
    comparison: Comparison | None = None
    slack: Mapping[str, float | Array] = field(default_factory=dict)
    is_reference: bool = False
    source: str = ""
    beside: str = ""
    pair: EnginePair | None = None

    @classmethod
    def of(
        cls, label: str, run: Compared, beside: Compared, source: str = "", own: str = ""
    ) -> Overlay:
        """Return an overlay of `run` on the page of `beside`, which is named `own` there.

        Runs without common channels are not compared.
        """
        try:
            compared = cls.from_comparison(label, run, compare(beside, run))
        except RecordingError:
            compared = cls(label, recorded_of(run))
        return replace(compared, source=source, beside=own)

    @classmethod
    def of_reference(
        cls, recording: Recording, table: pd.DataFrame, facts: ReferenceFacts
    ) -> Overlay:
        """Return the curves of another program that the run is checked against.

        Raises
        ------
        RecordingError
            If the run lacks one of its channels or sample times.
        """
        values = partial(column, recording.recorded)
        groups = recording.run.quaternions, rotations_of(recording.run.robot.tree_coordinates)
        curves = at_samples(recording.t, values, table, facts.digits, *groups)
        printed = table.assign(**{one.channel: one.theirs for one in curves})
        slack = {one.channel: one.print_width for one in curves}
        return cls(facts.source, printed, None, slack, is_reference=True)

    @classmethod
    def from_comparison(cls, label: str, run: Compared, comparison: Comparison) -> Overlay:
        """Return an overlay of `run` with the result of a comparison with it."""
        steps = run.steps if isinstance(run, Baseline) else {}
        slack = {channel: step / 2 for channel, step in steps.items()}
        return cls(label, recorded_of(run), comparison, slack)

    def poses(self, joints: Iterable[str]) -> bool:
        """Whether it contains the position of each joint, for a ghost."""
        return all(f"q.{joint}" in self.recorded for joint in joints)

    def is_apart(self, run: Compared) -> bool:
        """Whether a ghost would be distinguishable from the robot."""
        t, theirs = (
            table.index.to_numpy(dtype="f8") for table in (recorded_of(run), self.recorded)
        )
        at = theirs[theirs <= t[-1]]
        rotations = rotation_channels(run.run.robot.tree_coordinates)
        for name in self.recorded.columns:
            if str(name).startswith("q.") and name in recorded_of(run):
                given = at, str(name), recorded_of(run), self.recorded, rotations
                away = np.abs(np.subtract(*both_at_times(*given)))
                if np.nanmax(away, initial=0.0) > APART:
                    return True
        return False
