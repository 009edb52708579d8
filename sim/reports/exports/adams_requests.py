"""Requests of a run as REQUEST statements of an ADAMS model, under their names.

A request of all components of a kind between two markers has that kind; others are functions in the
model's units, six per statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from sim.dynamics.request import Request
from sim.dynamics.request_kinds import COLUMNS, KINDS
from sim.dynamics.request_reading import ends_in
from sim.errors import RecordingError
from sim.functions.state_functions import GROUND
from sim.functions.syntax import Reading
from sim.recording.schema.request_facts import RequestFacts, request_of
from sim.reports.exports.adams_elements import AdamsElements
from sim.reports.exports.adams_functions import OF_JOINTS, AdamsNames, times
from sim.reports.exports.adams_statements import comment, function, named_statement, word_list
from sim.robots.marker import Marker
from sim.robots.robot import Robot

OF_LENGTH = ("m", "m/s", "m/s²", "N·m")
FREE_COLUMNS = ("F2", "F3", "F4", "F6", "F7", "F8")
_ENDS = re.compile(r"\w+\(\s*(\w+)\s*,\s*(\w+)\s*,\s*(\w+)\s*\)")


def request_statements(
    facts: RequestFacts, first: int, elements: AdamsElements, joints: Mapping[str, int]
) -> Iterator[str]:
    """Yield REQUESTs of a request, numbered from `first`, and a comment per omitted component.

    Parameters
    ----------
    joints : mapping of str to int
        Numbers of the JOINTs.
    """
    request = request_of(facts)
    try:
        names = elements.names(request.names, request.label)
    except RecordingError as error:
        yield comment(f"Not written: {error}")
        return
    if kind := _kind_of(facts):
        what, *ends = kind
        markers = zip(("I", "J", "RM"), ends, strict=True)
        texts = (f"{key} = {names.markers[one]}" for key, one in markers if one != GROUND)
        yield from named_statement(facts.name, f"REQUEST/{first}, {what}", *texts)
        return
    names = replace(names, joints=_joints(request, elements.parts.robot, joints))
    texts_of, reasons = _texts(request, names)
    for reason, components in reasons.items():
        yield comment(f"Not written of {facts.name} are {', '.join(components)}: {reason}")
    is_typed = set(COLUMNS).issuperset(texts_of)  # components F2 and so on, else names
    every, most = list(texts_of), len(COLUMNS if is_typed else FREE_COLUMNS)
    for place, begin in enumerate(range(0, len(every), most)):
        some = every[begin : begin + most]
        columns = dict(zip(some if is_typed else FREE_COLUMNS, some, strict=False))
        functions = "\\\n, ".join(
            function(texts_of[component], key) for key, component in columns.items()
        )
        titles = [f'"{columns.get(key, "")}"' for key in COLUMNS]
        more = [] if is_typed else [word_list("CNAMES", titles)]
        name = facts.name if place == 0 else f"{facts.name}_{place + 1}"
        yield from named_statement(name, f"REQUEST/{first + place}", *more, functions)


def _texts(request: Request, names: AdamsNames) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the functions by component, and the components that cannot be written, by reason."""
    texts, reasons = dict[str, str](), dict[str, list[str]]()
    for (component, one), unit in zip(
        request.expressions.items(), request.units.values(), strict=True
    ):
        is_direct = isinstance(one.tree, Reading) and one.tree.name not in ("VARVAL", "DIF")
        writer = replace(names, length=1.0) if is_direct else names
        try:
            texts[component] = times(writer.text(one), writer.length if unit in OF_LENGTH else 1.0)
        except RecordingError as error:
            reasons.setdefault(str(error), []).append(component)
    return texts, reasons


def _kind_of(facts: RequestFacts) -> tuple[str, str, str, str] | None:
    """Return the kind of a request between two markers, and I, J and RM."""
    for kind, components in KINDS.items():
        match = _ENDS.fullmatch(next(iter(facts.functions.values())))
        if kind != "FORCE" and match and list(facts.functions) == list(components):
            i, j, rm = (label.upper() for label in match.groups())
            meant = {key: text.format(i=i, j=j, rm=rm) for key, text in components.items()}
            if meant == {key: text.upper() for key, text in facts.functions.items()}:
                return kind, i, j, rm
    return None


def _joints(
    request: Request, robot: Robot, numbers: Mapping[str, int]
) -> dict[str, tuple[int, bool]]:
    """Return the JOINT of each name that is a joint, and whether its marker I is on the child."""
    ends_of = dict[str, tuple[int, bool]]()
    readings = (one for text in request.expressions.values() for one in text.readings)
    for label in {one.labels[0] for one in readings if one.name in OF_JOINTS}:
        ends = ends_in(robot, request.joints, label)
        if len(ends.joints) == 1 and not ends.loop:
            pair = ends_in(robot, (), ends.joints[0])
            for is_on_child, (i, j) in ((True, (pair.i, pair.j)), (False, (pair.j, pair.i))):
                if _are_together(ends.i, i) and _are_together(ends.j, j):
                    ends_of[label] = numbers[ends.joints[0]], is_on_child
    return ends_of


def _are_together(one: Marker, other: Marker) -> bool:
    return one.link == other.link and np.allclose(one.point, other.point, rtol=0, atol=1e-9)
