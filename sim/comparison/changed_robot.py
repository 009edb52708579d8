"""What changed in a robot's URDF: the numbers of links and joints that differ, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

# What moves a number; visuals and collisions do not.
TELLING = ("inertial/mass", "inertial/origin", "inertial/inertia", "origin", "axis", "parent",
           "child", "limit", "dynamics", "mimic")  # fmt: skip
SHORT = {"inertial/mass": "mass", "inertial/origin": "mass centre", "inertial/inertia": "inertia"}


def changed_robot(old: str | None, new: str | None) -> Iterator[str]:
    """Values of the text that differ, such as ``link forearm mass: 4.27 → 4.28 kg``."""
    if old is None or new is None:
        yield "robot: its text differs, and one side has not kept it"
        return
    before, after = _parts(old), _parts(new)
    found = False
    for name in {**before, **after}:
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            found = True
            yield f"{name}: {'new' if was is None else 'gone'}"
            continue
        for value in {**was, **now}:
            if was.get(value) != now.get(value):
                found = True
                yield f"{name} {value}: {was.get(value, 'nothing')} → {now.get(value, 'nothing')}"
    if not found:
        yield "robot: only what moves no number of its text (shapes, names of files, comments)"


def _parts(text: str) -> dict[str, dict[str, str]]:
    """Links and joints by kind and name, with their values as they were typed."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(text.encode("utf-8"), parser)
    named = [each for kind in ("link", "joint") for each in root.findall(kind)]
    return {f"{each.tag} {each.get('name')}": dict(_values(each)) for each in named}


def _values(part: _Element) -> Iterator[tuple[str, str]]:
    if (kind := part.get("type")) is not None:
        yield "type", kind
    for path in TELLING:
        element = part.find(path)
        if element is None:
            continue
        name = SHORT.get(path, path)
        for key, value in _attributes(element):
            alone = name == "mass" or key in {"link", "joint"}
            yield (name if alone else f"{name} {key}"), " ".join(value.split())


def _attributes(element: _Element) -> Iterator[tuple[str, str]]:
    for key in element.keys():  # noqa: SIM118 (an element is no mapping)
        yield str(key), element.get(str(key), "")
