"""Curves of a page and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np
from msgspec import Struct

from sim.checks import Judgement, own_curves
from sim.maths.arrays import Array
from sim.recording.files.table_files import numbers_in
from sim.recording.held_tables import analytic_of, recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.channels import GROUPS, group_of

SUMS = {"ke": "kinetic energy, all links", "pe": "potential energy, all links"}


class OwnCurve(Struct, frozen=True):
    """A curve that only the checks compute: its group and label."""

    group: str
    label: str
    unit: str


OWN_CURVES: Mapping[str, OwnCurve] = MappingProxyType(
    {
        "balance": OwnCurve("energy", "work done less energy gained", "J"),
        "tool.error": OwnCurve("tool", "off the model", "m"),
        "path.error": OwnCurve("tool", "off the path", "m"),
    }
)


class Channel(Struct, frozen=True, eq=False):
    """One curve of a run.

    Parameters
    ----------
    name, label, unit, group : str
        The group is one of `sim.recording.schema.channels`; the curve is among its plots.
    curves : callable
        Returns recorded values, and their difference from the analytic model, each (N,); lazy.
    """

    name: str
    label: str
    unit: str
    group: str
    curves: Callable[[], tuple[Array, Array]]

    @property
    def is_own(self) -> bool:
        """Whether the curve is computed by the checks and is not a column of the tables."""
        return self.name in OWN_CURVES


def channels_of(recording: Recording) -> tuple[Channel, ...]:
    """Return the curves of a page, grouped; friction only if there is any."""
    plotted: list[Channel] = []
    for name in map(str, recorded_of(recording).columns):
        group = group_of(name)
        section = group.name if group.section is None else group.section
        if not section:
            continue
        if group.only_where_any and not any(map(np.any, _read_curve(recording, name))):
            continue
        unit = recording.units.get(name, "1")
        plotted.append(
            Channel(name, _label(name), unit, section, partial(_read_curve, recording, name))
        )
    for name, values in own_curves(recording).items():
        own = OWN_CURVES[name]
        plotted.append(
            Channel(name, own.label, own.unit, own.group, partial(lambda x: (x, x), values))
        )
    order = list(GROUPS)
    return tuple(sorted(plotted, key=lambda c: (order.index(c.group), _place(c))))


def _read_curve(recording: Recording, name: str) -> tuple[Array, Array]:
    tables = (recorded_of(recording), analytic_of(recording))
    values, model = (numbers_in(table, name) for table in tables)
    return values, values - model


def _label(name: str) -> str:
    rest = name.partition(".")[2]
    if group_of(name).ends_in_component:
        of, _, component = rest.rpartition(".")
        return f"{of}  {component}"
    return SUMS.get(name, rest or name)


def _place(channel: Channel) -> int:
    """Return the order within a group: sums and derived curves before their parts."""
    return 0 if channel.is_own or channel.name in SUMS else 1


def limit_of(judgements: Iterable[Judgement], channel: str) -> float | None:
    """Return half the width of the tolerance band of a channel about the model."""
    for judged in judgements:
        if judged.bounds == "error" and judged.check.plot == channel:
            return judged.check.limit
    return None


def ratings_of(judgements: Iterable[Judgement], channel: str) -> list[tuple[str, float]]:
    """Return the limit lines of a curve: name and value."""
    lines: list[tuple[str, float]] = []
    for judged in judgements:
        name, limit = judged.check.name, judged.check.limit
        if judged.check.plot != channel or limit is None:
            continue
        if judged.bounds == "magnitude":
            lines += [(name, limit), (name, -limit)]
        elif judged.bounds == "end":
            lines.append((name, limit))
    return lines
