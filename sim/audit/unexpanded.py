"""Templates that were not expanded: ``${…}``, ``$(…)`` and elements of xacro."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sim.audit.finding import Finding
from sim.audit.grammar import FOREIGN
from sim.audit.lenient import elements, line_of, owner

if TYPE_CHECKING:
    from lxml.etree import _Element

_REMEDY = "expand the template first: xacro FILE > robot.urdf"


def unexpanded_macros(root: _Element) -> Iterator[Finding]:
    """One finding for each attribute with a placeholder, and one for all elements of xacro."""
    macros = [e for e in elements(root) if e.tag.startswith("{") and "/xacro}" in e.tag]
    if macros:
        name = macros[0].tag.rpartition("}")[2]
        text = f"<xacro:{name}>, {len(macros)} element(s) of xacro: this is a template"
        yield Finding("error", "unexpanded", owner(macros[0]), line_of(macros[0]), text, _REMEDY)
    for element in elements(root):
        if any(one.tag in FOREIGN["robot"] for one in (element, *element.iterancestors())):
            continue
        for key, value in ((str(key), str(value)) for key, value in element.attrib.items()):
            if "${" in value or "$(" in value:
                text = f'<{element.tag} {key}="{value}"> was not expanded'
                yield Finding(
                    "error", "unexpanded", owner(element), line_of(element), text, _REMEDY
                )
