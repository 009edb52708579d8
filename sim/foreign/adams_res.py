"""Result files of ADAMS Solver in XML (``RESULTS/XRF``): ``.res``.

A ``StepMap`` names the components of all entities, each with unit and id; the id is the position of
its value in the numbers of a ``Step``. ``Data`` blocks contain the inputs, the initial conditions
and the steps; only the last are results.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignColumn, ForeignTable
from sim.foreign.text_file import bytes_of

if TYPE_CHECKING:
    from lxml.etree import _Element

RESULTS = ("dynamic", "kinematic", "quasiStatic", "quasistatic")  # types of steps over time
_PLACE = re.compile(r"0*[1-9][0-9]{0,8}", re.ASCII)
NO_UNIT = ("", "no_units", "-unknown-", "none")


def read_res(path: Path) -> ForeignTable:
    """Return the results over time of one analysis, as ``PART_2_XFORM.Y``.

    Raises
    ------
    ForeignError
        If it is not a complete XML file of results, declares a document type, has no steps or
        several analyses, or a step has another number of values than there are components.
    """
    analysis = _analysis(path)
    components = _components(path, analysis)
    rows = [
        (step.text or "").split()
        for data in _children(analysis, "Data")
        for step in _children(data, "Step")
        if step.get("type", "").startswith(RESULTS)
    ]
    if len(rows) < 2:
        raise ForeignError(
            f"{path.name} has {len(rows)} steps of results over time; two or more are needed"
        )
    width = max(place for _, _, place in components)
    for k, row in enumerate(rows, 1):
        if len(row) < width:
            raise ForeignError(
                f"{path.name}: step {k} has {len(row)} values, and the StepMap names {width}"
            )
    columns = (_column(title, unit, [row[place - 1] for row in rows])
               for title, unit, place in components)  # fmt: skip
    solver = " ".join((analysis.get("Solver") or "ADAMS").split())
    return ForeignTable(f"{path.name} ({solver})", tuple(columns), "step")


def _analysis(path: Path) -> _Element:
    from lxml import etree

    data = bytes_of(path)
    # nothing outside the file is loaded, and no entity is expanded
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        tree = etree.parse(io.BytesIO(data), parser)
    except etree.XMLSyntaxError as error:
        raise ForeignError(
            f"{path.name} is not a complete ADAMS XML file (RESULTS/XRF): {error.msg}"
        ) from None
    if tree.docinfo.internalDTD is not None:
        raise ForeignError(
            f"{path.name} declares a document type, which ADAMS result files never do"
        )
    nodes = [tree.getroot(), *_children(tree.getroot(), "Analysis")]
    if len(nodes) != 2:
        raise ForeignError(
            f"{path.name} has {len(nodes) - 1} analyses; a result file with one analysis is "
            "required"
        )
    return nodes[1]


def _children(element: _Element, name: str) -> list[_Element]:
    """Return children of a name, in any namespace."""
    return [child for child in element.iterchildren("{*}" + name)]


def _components(path: Path, analysis: _Element) -> list[tuple[str, str | None, int]]:
    """Return title, unit and position of every component, in map order."""
    maps = _children(analysis, "StepMap")
    if len(maps) != 1:
        raise ForeignError(f"{path.name} has {len(maps)} StepMaps; one is needed")
    components: list[tuple[str, str | None, int]] = []
    for entity in _children(maps[0], "Entity"):
        for component in _children(entity, "Component"):
            name, unit = component.get("name", ""), component.get("unitsValue", "").strip()
            place = component.get("id", "")
            if not _PLACE.fullmatch(place):
                raise ForeignError(f"{path.name}: component {name!r} has the id {place!r}")
            is_time = entity.get("name") == "time"
            title = name if is_time else f"{entity.get('name')}.{name}"
            components.append((title, None if unit.lower() in NO_UNIT else unit, int(place)))
    if not components:
        raise ForeignError(f"{path.name}: its StepMap names no component")
    return components


def _column(title: str, unit: str | None, texts: list[str]) -> ForeignColumn:
    values, fault = np.full(len(texts), np.nan), ""
    for k, text in enumerate(texts):
        with contextlib.suppress(ValueError):
            values[k] = float(text)
        if not fault and not np.isfinite(values[k]):
            fault = f"has {text[:40]!r} in step {k + 1}, which is not finite"
    return ForeignColumn(title, unit, values, texts, fault)
