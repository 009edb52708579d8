"""RunTables: access to a recording for the checks, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.errors import RecordingError
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import nearest_vectors
from sim.recording.columns import ColumnTable, columns_of
from sim.recording.files.table_files import StoredTable, Table, numbers_at, numbers_in
from sim.recording.held_tables import analytic_of, as_held, recorded_of
from sim.recording.recorded_robot import robot_of
from sim.recording.recording import Recording
from sim.recording.schema.description import Run
from sim.recording.schema.facts import JointFacts
from sim.robots.coordinate import Coordinate, rotation_channels
from sim.robots.robot import Robot


def column(table: Table, channel: str) -> Array:
    """Return one channel, shape (N,), read-only; infinities become NaN, which fails any limit.

    Raises
    ------
    RecordingError
        If the table does not have it.
    """
    if channel not in table:
        raise RecordingError(f"The recording has no channel {channel!r}, which a check needs")
    values = _without_infinities(numbers_in(table, channel)).view()
    values.flags.writeable = False
    return values


def _without_infinities(values: Array) -> Array:
    infinite = np.isinf(values)
    return np.where(infinite, np.nan, values) if infinite.any() else values


def _as_arrays(table: Table) -> Table:
    """Return a DataFrame as arrays, of which checks read each column; other tables unchanged."""
    return table if isinstance(table, ColumnTable | StoredTable) else columns_of(table)


class RunTables(Struct, frozen=True, eq=False, dict=True):
    """Columns of a recording by name, and their robot."""

    recording: Recording

    @property
    def run(self) -> Run:
        """Description of the run."""
        return self.recording.run

    def rows(self, table: Table, group: str, part: slice | Mask = slice(None)) -> Array:
        """Return a group of channels for all joints at some samples, shape (n, N)."""
        return np.stack([column(table, f"{group}.{name}")[part] for name in self.row_names])

    @cached_property
    def t(self) -> Array:
        """Sample times, shape (N,) [s]."""
        return self.recording.t

    @property
    def dt(self) -> float:
        """Step size [s]."""
        return self.run.settings.dt

    @property
    def joints(self) -> tuple[JointFacts, ...]:
        """All movable joints."""
        return self.run.robot.joints

    @cached_property
    def tree_coordinates(self) -> tuple[Coordinate, ...]:
        """Rows of (n_tree, N) arrays."""
        return self.run.robot.tree_coordinates

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows of (n, N) arrays."""
        return tuple(row.name for row in self.run.robot.coordinates)

    @cached_property
    def tree_row_names(self) -> tuple[str, ...]:
        """Names of the rows of (n_tree, N) arrays."""
        return tuple(row.name for row in self.tree_coordinates)

    @cached_property
    def robot(self) -> Robot:
        """Robot of the recorded text, with open loops."""
        return robot_of(self.recording)

    def table(self, *, analytic: bool) -> Table:
        """Return the recorded or the analytic table; one in memory as arrays."""
        return self._analytic_table if analytic else self._recorded_table

    @property
    def tables(self) -> tuple[tuple[Table, str], ...]:
        """Recorded and analytic table, each with the suffix of its checks' names."""
        return (self._recorded_table, ""), (self._analytic_table, " of model")

    @cached_property
    def _recorded_table(self) -> Table:
        return _as_arrays(recorded_of(self.recording))

    @cached_property
    def _analytic_table(self) -> Table:
        return _as_arrays(analytic_of(self.recording))

    def has(self, *channels: str) -> bool:
        """Whether all these channels were recorded."""
        return self._channels.issuperset(channels)

    @cached_property
    def _channels(self) -> frozenset[str]:
        return frozenset(map(str, recorded_of(self.recording).columns))

    def recorded_values(self, channel: str) -> Array:
        """Return values of the engine, shape (N,), read-only.

        Of the two rotation vectors of a ball the one closer to the model's is returned.
        """
        if channel in self.rotations:
            return self._nearest_rotation(channel)
        return self._column(channel, analytic=False)

    @cached_property
    def rotations(self) -> Mapping[str, tuple[str, ...]]:
        """All three channels of a ball's rotation vector, keyed by each of them."""
        return rotation_channels(self.tree_coordinates)

    def _nearest_rotation(self, channel: str) -> Array:
        rotation = self.rotations[channel]
        sides = (
            np.stack([self._column(c, analytic=side) for c in rotation]) for side in (True, False)
        )
        return nearest_vectors(*sides)[rotation.index(channel)]

    def analytic(self, channel: str) -> Array:
        """Return values of the model, shape (N,), read-only."""
        return self._column(channel, analytic=True)

    def analytic_rows(
        self, *groups: str, at: slice | NDArray[np.intp] | Mask = slice(None)
    ) -> tuple[Array, ...]:
        """Return the model's channels of all independent joints, (n, k) for each group."""
        return tuple(
            np.stack([self.analytic(f"{group}.{name}")[at] for name in self.row_names])
            for group in groups
        )

    def analytic_at(self, channels: Sequence[str], rows: NDArray[np.intp]) -> Array:
        """Return values of the model at some samples, shape (channels, rows)."""
        return _without_infinities(numbers_at(self._analytic_table, channels, rows))

    def largest(self, channel: str, *, analytic: bool) -> tuple[int, float]:
        """Return sample and value of the largest magnitude of a channel; NaN exceeds any value.

        They are kept: many limits are relative to them, and a column of a large table is read anew
        each time.
        """
        key = (channel, analytic)
        if key not in self._largest:
            size = np.abs(self.analytic(channel) if analytic else self.recorded_values(channel))
            k = int(np.argmax(size))
            self._largest[key] = k, float(size[k])
        return self._largest[key]

    @cached_property
    def _largest(self) -> dict[tuple[str, bool], tuple[int, float]]:
        return {}

    def peak(self, channel: str) -> float:
        """Return the largest analytic magnitude of a channel; NaN if it has one."""
        return self.largest(channel, analytic=True)[1]

    @cached_property
    def t_between(self) -> Array:
        """Times near and between the samples at which the model was evaluated, shape (M,) [s]."""
        table = as_held(self.recording, "between")
        return np.empty(0) if table is None else table.index.to_numpy(dtype=np.float64)

    def between(self, channel: str) -> Array:
        """Return values of the model between samples, shape (M,); empty if not evaluated."""
        table = as_held(self.recording, "between")
        return np.empty(0) if table is None else column(table, channel)

    def _column(self, channel: str, *, analytic: bool) -> Array:
        """Return a column as `column` does; cached if the table is in memory."""
        key = (channel, analytic)
        if key in self._columns:
            return self._columns[key]
        table = self.table(analytic=analytic)
        values = column(table, channel)
        if not isinstance(table, StoredTable):
            self._columns[key] = values
        return values

    @cached_property
    def _columns(self) -> dict[tuple[str, bool], Array]:
        return {}

    def unit(self, channel: str) -> str:
        """Return the unit of a channel."""
        return self.run.units.get(channel, "1")
