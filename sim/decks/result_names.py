"""Columns of ADAMS results named after parts, joints, motions, forces and VARIABLEs.

A result file has ``PART_2_XFORM.X`` for the origin of a part's frame in the world, ``JOINT_1.FX``
for the force on the part of marker I, at I, along the world's axes, and ``POS.Q`` for a VARIABLE.
Those that a run has not recorded are computed from its motion and reactions.

Source: MSC Adams View, About Simulation Output; command numeric_results transform.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import msgspec

from sim.checks.by_law import curves_of_requests
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.model_names import ModelNames
from sim.dynamics.request import Request
from sim.foreign.matching import channel_of_title
from sim.foreign.naming import Naming
from sim.recording.files.table_files import StoredTable
from sim.recording.held_tables import analytic_of, recorded_of
from sim.recording.recording import Recording
from sim.recording.schema.description import Run
from sim.recording.schema.element_facts import value_of
from sim.recording.schema.request_facts import request_facts
from sim.robots.names import NamedForce, Names

if TYPE_CHECKING:
    import pandas as pd

OF_PARTS: Mapping[str, str] = {
    **{name: name.lower() for name in ("X", "Y", "Z", "PSI", "THETA", "PHI")},
    **{f"{rate}{axis}": f"{rate}{axis}".lower() for rate in "VW" for axis in "XYZ"},
    **{f"ACC{axis}": f"a{axis.lower()}" for axis in "XYZ"},
    **{f"WD{axis}": f"wd{axis.lower()}" for axis in "XYZ"},
}
"""Components of a part in a result file, and ours."""

OF_FORCES = {"FMAG": 1, "FX": 2, "FY": 3, "FZ": 4, "TMAG": 5, "TX": 6, "TY": 7, "TZ": 8}
"""Components of a force, and their numbers in JOINT, MOTION and SFORCE."""

_OF_RESULT = re.compile(r"(?:.*\.)?([^.]+)\.([^.]+)")


@dataclass(frozen=True)
class _Named:
    """Channel of a column, and the request that computes it if it was not recorded."""

    channel: str
    request: Request | None = None


def name_results(
    recording: Recording, naming: Naming, titles: Iterable[str]
) -> tuple[Recording, Naming]:
    """Return a run with the channels that columns of a result file name, and the extended naming.

    Columns named by the user or after a channel are unchanged; in a run whose tables stay in files,
    only recorded channels are named.

    Raises
    ------
    SimError
        If a curve cannot be computed from the run.
    """
    run = recording.run
    channels: dict[str, str] = {}
    requests: dict[str, Request] = {}
    finder, tables = _Finder(run), (recorded_of(recording), analytic_of(recording))
    is_in_files = any(isinstance(table, StoredTable) for table in tables)
    for title in titles:
        if title in naming.channels or channel_of_title(title, run.units) is not None:
            continue
        if (named := finder.find(title)) is None or named.channel in channels.values():
            continue
        if named.channel not in run.units:
            if is_in_files or named.request is None:
                continue
            requests[named.channel] = named.request
        channels[title] = named.channel
    naming = replace(naming, channels={**channels, **naming.channels})
    return _with_curves(recording, list(_join(requests.values()))), naming


class _Finder:
    """Finder of the columns of a result file in a run, by names in capitals."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.names = value_of(run.model_names) if run.model_names else ModelNames()
        self.parts = {f"{name.upper()}_XFORM": name for name in self.names.parts}
        self.joints = {name.upper(): name for name in self.names.joints}
        self.motions = {name.upper(): name for name in self.names.motions}
        named = (one for one in run.elements if getattr(one, "name", ""))
        self.forces = {str(getattr(one, "name", "")).upper(): one for one in named}
        channels = (one for one in run.units if one.startswith("variable."))
        self.variables = {one.partition(".")[2].upper(): one for one in channels}

    def find(self, title: str) -> _Named | None:
        """Return the channel of a column; None if it does not name anything in the run."""
        match = _OF_RESULT.fullmatch(title.strip())
        if match is None:
            return None
        entity, component = match[1].upper(), match[2].upper()
        if component == "Q" and entity in self.variables:
            return _Named(self.variables[entity])
        if entity in self.parts and component in OF_PARTS:
            request = self.names.part(self.parts[entity], [OF_PARTS[component]])
        elif component in OF_FORCES and (force := self._force(entity, component)) is not None:
            request = force
        else:
            return None
        (channel,) = request.units
        return _Named(channel, request)

    def _force(self, entity: str, component: str) -> Request | None:
        """Return the request of a component of a joint, a motion or a force."""
        number = OF_FORCES[component]
        if entity in self.joints or entity in self.motions:
            is_joint = entity in self.joints and not self.names.joints[self.joints[entity]].along
            name = self.joints[entity] if is_joint else self.motions[entity]
            ends = self.names.joints[name if is_joint else self.names.motions[name]]
            call = f"{'JOINT' if is_joint else 'MOTION'}({ends.label}, 0, {number}, 0)"
            drives = [one for one in self.names.joints.values() if one.along and one is not ends]
            also = tuple(one for one in drives if one.joints[0] in ends.joints)
            return Request(name, {component: call}, joints=(ends, *also), group="result")
        if entity not in self.forces:
            return None
        force = value_of(self.forces[entity])
        if not isinstance(force, MarkerForce):
            return None
        names, call = (
            Names(forces=(cast("NamedForce", force),)),
            f"SFORCE({force.name}, 0, {number}, 0)",
        )
        return Request(force.name, {component: call}, names=names, group="result")


def _join(requests: Iterable[Request]) -> Iterator[Request]:
    """Yield one request per name, with all components."""
    groups: dict[tuple[str, str, str], list[Request]] = {}
    for one in requests:
        kind = next(iter(map(str, one.functions.values()))).partition("(")[0]
        key = one.group, one.name, "" if one.group == "part" else kind
        groups.setdefault(key, []).append(one)
    for same in groups.values():
        functions = {c: text for one in same for c, text in one.functions.items()}
        yield replace(same[0], functions=functions)


def _with_curves(recording: Recording, requests: list[Request]) -> Recording:
    """Return the recording with further requests in both tables and the description."""
    if not requests:
        return recording
    facts = tuple(map(request_facts, requests))
    both = curves_of_requests(recording, requests)
    frames = cast("Sequence[pd.DataFrame]", (recording.recorded, recording.analytic))
    recorded, analytic = (
        table.assign(**curves) for table, curves in zip(frames, both, strict=True)
    )
    units = {channel: unit for one in facts for channel, unit in one.channels.items()}
    run = msgspec.structs.replace(
        recording.run,
        requests=(*(recording.run.requests or ()), *facts),
        units={**recording.run.units, **units},
    )
    return recording.having(recorded=recorded, analytic=analytic, run=run)
