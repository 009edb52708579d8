"""Channels of a page: which curves it draws, in which order, under which heading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.recording import Recording
from sim.reports.page.judged import AGREEMENT, own_curves, plotted_channel
from sim.spatial import Array

# Heading and short name of each group of channels, in the order of the page.
GROUPS = {
    "tau": ("Joint torque", "Torque"),
    "q": ("Joint position", "Position"),
    "qd": ("Joint velocity", "Velocity"),
    "qdd": ("Joint acceleration", "Acceleration"),
    "power": ("Joint power", "Power"),
    "friction": ("Joint friction", "Friction"),
    "work": ("Work of the drives", "Work"),
    "loss": ("Loss to friction", "Loss"),
    "energy": ("Energy", "Energy"),
    "tool": ("Tool", "Tool"),
    "reaction": ("Joint reaction", "Reaction"),
    "external": ("Work from outside", "Outside"),
    "other": ("Other channels", "Other"),
}
LABELS = {
    "ke": "kinetic energy, all links",
    "pe": "potential energy, all links",
    "balance": "work done less energy gained",
    "tool.error": "off the model",
    "path.error": "off the path",
}
UNITS = {"balance": "J", "tool.error": "m", "path.error": "m"}
PASSED_OVER = ("tau_error", "target")  # an estimate; what the tool is drawn against


@dataclass(frozen=True, eq=False)
class Channel:
    """One curve of a run.

    Parameters
    ----------
    name, label, unit, group : str
    recorded, error : ndarray, shape (N,)
        Values, and values less those of the analytic model.
    """

    name: str
    label: str
    unit: str
    group: str
    recorded: Array
    error: Array


def channels_of(recording: Recording) -> tuple[Channel, ...]:
    """The curves of a page, grouped; friction only where there is any."""
    found: list[Channel] = []
    for name in recording.recorded.columns:
        group, label = _place(str(name))
        if group is None:
            continue
        values = recording.recorded[name].to_numpy(dtype=np.float64)
        model = recording.analytic[name].to_numpy(dtype=np.float64)
        if group in ("friction", "loss", "external") and not (values.any() or model.any()):
            continue
        unit = recording.units.get(name, "1")
        found.append(Channel(str(name), label, unit, group, values, values - model))
    for name, values in own_curves(recording).items():
        group = "energy" if name == "balance" else "tool"
        found.append(Channel(name, LABELS[name], UNITS[name], group, values, values))
    order = list(GROUPS)
    return tuple(sorted(found, key=lambda c: (order.index(c.group), _last(c))))


def _last(channel: Channel) -> int:
    """Sums and what is derived come before the parts in their group."""
    return 0 if channel.name in LABELS else 1


def _place(name: str) -> tuple[str | None, str]:
    first, _, rest = name.partition(".")
    if first in PASSED_OVER:
        return None, ""
    if first in ("ke", "pe"):
        return "energy", LABELS.get(name, rest)
    if first == "reaction":
        joint, _, component = rest.rpartition(".")
        return "reaction", f"{joint}  {component}"
    return (first if first in GROUPS else "other"), rest or name


def limit_of(checks: list[Mapping[str, Any]], channel: str) -> float | None:
    """Half the width of the band in which a channel must stay about the model."""
    for check in checks:
        if check["name"] in AGREEMENT and plotted_channel(check) == channel:
            return float(check["limit"])
    return None
