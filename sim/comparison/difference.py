"""compare: differences of two runs by channel, and their first times."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Protocol

import numpy as np

from sim.comparison.baseline import Baseline
from sim.comparison.changed_inputs import changed_inputs
from sim.comparison.ledger import WorstChannel
from sim.comparison.outcome import BOTH_METHODS, Comparison, Difference, Level
from sim.comparison.resampling import Resampling
from sim.comparison.rounding import clip_noise, noises, roundings
from sim.comparison.sameness import digest
from sim.comparison.shift import find_shift
from sim.comparison.tolerance import Rule, default_rule, rule_for, rules_for
from sim.errors import RecordingError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, largest_finite
from sim.maths.rotation_vectors import at_other_times, turns_between
from sim.maths.sampling import SAME_TIME
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.held_tables import as_held, recorded_of
from sim.recording.schema.channels import group_of
from sim.recording.schema.corners import corner_samples, distance
from sim.recording.schema.description import Conditions, Run
from sim.recording.schema.horizon import horizon
from sim.robots.coordinate import rotation_channels


class Compared(Protocol):
    """Table of channels to be compared, with its conditions."""

    @property
    def recorded(self) -> Table:
        """One column per channel, index t [s]."""
        ...

    @property
    def run(self) -> Conditions:
        """Conditions of the simulation."""
        ...

    @property
    def urdf(self) -> str | None:
        """URDF text of the robot, if stored."""
        ...


@checked
def compare(
    run: Compared, reference: Compared, rules: Sequence[Rule] = (), default: Rule | None = None
) -> Comparison:
    """Compare every channel of `run` with `reference`, at the reference's times.

    A limit is the sum of the rule's share of the channel's peak in the reference, the rule's
    absolute part, and the rounding of the channel there. Runs with two methods, or at two steps,
    may also differ by the errors of each with respect to the model.

    Parameters
    ----------
    run, reference : Compared
    rules : sequence of Rule
        Rules of a file; those for other scenarios are ignored.
    default : Rule, optional
        For channels without a rule (default: `sim.comparison.tolerance.default_rule`).

    Raises
    ------
    RecordingError
        If the two have no time in common, or a rule matches no channel.
    """
    default = default_rule() if default is None else default
    pair = _Pair(run, reference, default)
    own_rules = rules_for(reference.run.scenario, rules, pair.units)
    differences = [pair.difference(c, rule_for(c, own_rules, default)) for c in pair.common]
    differences.sort(key=lambda d: (d.ok, -d.used))
    notes, whole = _notes(run, reference)
    ok = all(d.ok for d in differences) and not pair.missing and not pair.new and whole
    level: Level = "outside"
    if ok:
        rounding = all(d.worst <= d.rounding for d in differences)
        level = "bit" if pair.is_same_to_the_bit else "rounding" if rounding else "tolerance"
    beyond = [d.channel for d in differences if not d.ok]
    return Comparison(
        differences=tuple(differences),
        missing=pair.missing,
        new=pair.new,
        notes=(*notes, *pair.notes),
        ok=ok,
        level=level,
        changes=changed_inputs(run, reference),
        shift=find_shift(pair.t, *pair.curves(beyond)) if beyond else None,
    )


def ledger_entry(result: Comparison, most: int = 5) -> dict[str, object]:
    """Return the ledger entry of a comparison: level, changes, and channels that differ most."""
    worst = tuple(
        WorstChannel(d.channel, d.worst if math.isfinite(d.worst) else None, d.limit, d.unit, d.at)
        for d in result.differences[:most]
    )
    return {"level": result.level, "changes": result.changes, "worst": worst}


def course(run: Compared, reference: Compared, channel: str) -> tuple[Array, Array]:
    """Return times of the reference [s], and the difference of one channel there, as compared."""
    pair = _Pair(run, reference, default_rule())
    return pair.t, pair.distances(channel)


class _Pair:
    """Two runs at the reference's times that both have."""

    def __init__(self, run: Compared, reference: Compared, default: Rule) -> None:
        mine, theirs = _channels(recorded_of(run)), _channels(recorded_of(reference))
        self.run, self.reference, self.default = run, reference, default
        self.common = [channel for channel in theirs if channel in mine]
        self.missing = tuple(channel for channel in theirs if channel not in mine)
        self.new = tuple(channel for channel in mine if channel not in theirs)
        t, end = _times(recorded_of(reference)), float(recorded_of(run).index[-1])
        self.notes, until = _as_long_as(run.run, reference.run)
        self.t = t[t <= min(end * (1 + 1e-12), until)]
        if self.t.size == 0 or not self.common:
            raise RecordingError("The two runs have no time or no channel in common")
        self.rotations = rotation_channels(reference.run.robot.tree_coordinates)
        self.units = {c: reference.run.units.get(c, "1") for c in self.common}
        t_run = _times(recorded_of(run))
        self.rows = np.clip(np.searchsorted(t_run, self.t - SAME_TIME), 0, t_run.size - 1)
        self.resampling = Resampling(run.run, t_run, self.t)
        self.shares_times = bool(np.max(np.abs(t_run[self.rows] - self.t)) <= SAME_TIME)
        self.shares_all = self.shares_times and t_run.size == self.t.size
        self.is_alike = _is_alike(run.run, reference.run)
        self.corner = corner_samples(run.run, self.t) | corner_samples(reference.run, self.t)
        self.baseline = reference if isinstance(reference, Baseline) else None
        step = reference.run.settings.dt
        table = recorded_of(reference)
        self.peaks = {c: largest_finite(numbers_in(table, c)) for c in self.common}
        if self.baseline is None:
            self.noise = noises(table, step)
        else:
            self.noise = clip_noise(self.baseline.run.noise, self.peaks, step)
        self.rounding = roundings(self.peaks, self.noise, reference.run)
        if self.baseline is not None:
            self.exact: Table = as_held(self.baseline, "exact")
            times = _times(self.exact)
            times = times[times <= self.t[-1] + SAME_TIME]
            self.exact_rows = np.clip(
                np.searchsorted(self.t, times - SAME_TIME), 0, self.t.size - 1
            )

    @property
    def is_same_to_the_bit(self) -> bool:
        """Whether all values are the same, bit by bit."""
        if not self.is_alike:
            return False
        theirs = self.reference
        expected = (
            digest(recorded_of(theirs)) if self.baseline is None else self.baseline.run.digest
        )
        return digest(recorded_of(self.run)) == expected

    def difference(self, channel: str, rule: Rule) -> Difference:
        """Return the difference of one channel from its reference."""
        limit, words = self._limit(channel, rule)
        size = self.distances(channel)
        k = int(np.argmax(size))
        beyond = np.flatnonzero(~(size <= limit))
        first = float(self.t[beyond[0]]) if beyond.size else None
        return Difference(
            channel=channel,
            worst=float(size[k]),
            limit=limit,
            unit=self.units[channel],
            at=float(self.t[k]),
            diverges=first,
            ok=first is None,
            rule=words,
            rounding=max(self.rounding[one] for one in self._rotation_of(channel) or (channel,)),
        )

    def curves(self, channels: Sequence[str]) -> tuple[Array, Array]:
        """Return values of channels in the run and in the reference, shape (channels, N)."""
        theirs = recorded_of(self.reference)
        reference = [numbers_in(theirs, c)[: self.t.size] for c in channels]
        return np.stack([self._mine(c) for c in channels]), np.stack(reference)

    def _mine(self, channel: str) -> Array:
        """Return values of the run at the times: its samples if available, else interpolated.

        A ball's rotation is interpolated by its quaternions, which do not jump. Its difference from
        the reference's vector is the rotation between them, along the child's axes.
        """
        rotation = self._rotation_of(channel)
        return (
            self._as_recorded(channel)
            if not rotation
            else self._turn_vectors(rotation)[rotation.index(channel)]
        )

    def _rotation_of(self, channel: str) -> tuple[str, ...]:
        """Return the three channels of a ball's rotation, which are compared as one; else none."""
        rotation = self.rotations.get(channel, ())
        return rotation if all(name in self.common for name in rotation) else ()

    def _turn_vectors(self, rotation: tuple[str, ...]) -> Array:
        """Return the reference's vectors and the rotation from there to the run's, shape (3, N)."""
        theirs = recorded_of(self.reference)
        reference = np.stack([numbers_in(theirs, name)[: self.t.size] for name in rotation])
        mine = self._rotation(rotation)
        return np.asarray(reference + _turns(mine, reference))

    def _rotation(self, rotation: Sequence[str]) -> Array:
        """Return rotation vectors of a ball of the run at the times, shape (3, N)."""
        vectors = np.stack([numbers_in(recorded_of(self.run), name) for name in rotation])
        if self.shares_times or not np.isfinite(vectors).all():
            return np.stack([self._as_recorded(name) for name in rotation])
        return at_other_times(vectors, self.resampling.of)

    def _as_recorded(self, channel: str) -> Array:
        values = numbers_in(recorded_of(self.run), channel)
        if self.shares_times:
            return values if self.shares_all else values[self.rows]
        if not np.isfinite(values).all():
            return np.full(self.t.size, np.nan)
        return self.resampling.of(values)

    def distances(self, channel: str) -> Array:
        """Return the least distance at each time, of a ball an angle; infinite if one is NaN."""
        if not (every := self._rotation_of(channel)):
            return self._size(self._mine(channel)[None], (channel,), np.subtract)
        return self._size(self._rotation(every), every, _turns)

    def _size(
        self, mine: Array, channels: Sequence[str], difference: Callable[[Array, Array], Array]
    ) -> Array:
        """Return the distance of one channel, or of the three of a ball, at each time."""
        theirs = recorded_of(self.reference)
        reference = np.stack([numbers_in(theirs, name)[: self.t.size] for name in channels])
        corner = np.zeros_like(self.corner) if self.is_alike else self.corner
        with np.errstate(invalid="ignore"):  # difference of two infinities
            near = mine if len(channels) == 1 else reference + difference(mine, reference)
            each = [distance(*pair, corner) for pair in zip(near, reference, strict=True)]
        size = _length(np.stack(each))
        if self.baseline is not None:
            # a stored value stands for all that round to it
            steps = np.array([[self.baseline.steps[name]] for name in channels])
            size = np.maximum(size - 0.5 * _length(steps), 0.0)
            exact = np.stack([numbers_in(self.exact, name) for name in channels])
            exact = exact[:, : self.exact_rows.size]
            sharp = ~corner[self.exact_rows]
            rows = self.exact_rows[sharp]
            size[rows] = _length(difference(mine[:, rows], exact[:, sharp]))
        return np.where(np.isnan(size), np.inf, size)

    def _limit(self, channel: str, rule: Rule) -> tuple[float, str]:
        words, every = rule.text, self._rotation_of(channel) or (channel,)
        limit = rule.relative * max(self.peaks[one] for one in every) + rule.absolute
        tolerances = {} if self.baseline is None else self.baseline.run.settings.tolerances
        sizes = [size for one in every if (size := _first_tolerance(tolerances, one)) is not None]
        if (accepted := max(sizes, default=None)) is not None and rule is self.default:
            limit, words = accepted, f"{accepted:.3g} {self.units[channel]} (accepted)"
        limit += max(self.rounding[one] for one in every)
        if not self.is_alike:
            held = [
                max(side.run.limits.get(one) or 0.0 for one in every)
                for side in (self.run, self.reference)
            ]
            limit += sum(held)
            words += f" + {sum(held):.3g} {self.units[channel]} {BOTH_METHODS}"
        return limit, words


def _turns(mine: Array, reference: Array) -> Array:
    """Return rotations between rotation vectors, (3, N) [rad]; differences if one is not finite."""
    if not np.isfinite([mine, reference]).all():
        return mine - reference
    return turns_between([slice(0, 3)], reference, mine)


def _length(parts: Array) -> Array:
    """Return √Σ x² over rows (k, N), or the magnitude of a single one."""
    return np.abs(parts[0]) if len(parts) == 1 else np.asarray(np.linalg.norm(parts, axis=0))


def _as_long_as(run: Conditions, reference: Conditions) -> tuple[tuple[str, ...], float]:
    """Return the duration over which two sensitive runs are compared, as text and [s]."""
    until = min((x for x in map(horizon, (run, reference)) if x is not None), default=math.inf)
    if until == math.inf:
        return (), until
    words = f"compared up to {until:.4g} s: later, the motion amplifies rounding too much"
    return (words,), until + SAME_TIME


def _is_alike(run: Conditions, reference: Conditions) -> bool:
    """Whether both were solved with the same method and step."""
    mine, theirs = run.settings, reference.settings
    same_step = abs(mine.dt - theirs.dt) <= 1e-9 * theirs.dt
    return (run.method, run.engine) == (reference.method, reference.engine) and same_step


def _channels(table: Table) -> list[str]:
    return [str(channel) for channel in table.columns if group_of(str(channel)).is_compared]


def _times(table: Table) -> Array:
    return table.index.to_numpy(dtype=np.float64)


def _first_tolerance(tolerances: Mapping[str, float], channel: str) -> float | None:
    """Return the tolerance of the first pattern that a channel matches."""
    fitting = (size for pattern, size in tolerances.items() if fnmatchcase(channel, pattern))
    return next(fitting, None)


def _notes(run: Compared, reference: Compared) -> tuple[tuple[str, ...], bool]:
    """Return reasons other than numbers that prevent "same", and whether there are none."""
    notes = []
    # A run that failed its own checks is never the same, whatever its numbers.
    if isinstance(run.run, Run) and run.run.verdict == "fail":
        notes.append("the run itself failed its checks")
    mine, theirs = run.run.settings.duration, reference.run.settings.duration
    if abs(mine - theirs) > SAME_TIME:
        notes.append(f"duration of the run {mine:g} s, of the reference {theirs:g} s")
    units = reference.run.units
    notes += [
        f"{channel}: unit {unit}, in the reference {units[channel]}"
        for channel, unit in run.run.units.items()
        if units.get(channel, unit) != unit
    ]
    return tuple(notes), not notes
