"""Changes of the inputs from the reference to the run, as text rather than hashes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from sim.engine_names import ENGINES
from sim.recording.schema.channels import group_of
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.description import Conditions, Run
from sim.recording.schema.facts import DriveFacts, Settings
from sim.recording.schema.provenance import text_hash
from sim.robots import DriveTrain, JointFriction

if TYPE_CHECKING:
    from lxml.etree import _Element

Facts = Mapping[str, object] | None  # parameters of an element of a joint, if it has one

MOST_WORDS = 160  # largest length of a text that is shown in full


class Described(Protocol):
    """Inputs of a side of a comparison."""

    @property
    def run(self) -> Conditions:
        """Conditions of the simulation."""
        ...

    @property
    def urdf(self) -> str | None:
        """URDF text of the robot, if stored."""
        ...


# Settings that follow from others are left out.
SETTINGS = {
    "duration": "s",
    "dt": "s",
    "gravity": "m/s²",
    "free": "",
    "passive": "",
    "path_tolerance": "m",
    "tolerances": "",
}
ROBOT = ("name", "tool", "T_0b", "loops", "loop_kinds")


def changed_inputs(run: Described, reference: Described) -> tuple[str, ...]:
    """Return inputs that differ, each as short text such as ``parameter payload: 10 → 12``."""
    return tuple(_changes(run, reference))


def _changes(run: Described, reference: Described) -> Iterator[str]:
    new, old = run.run, reference.run
    yield from _entries("parameter ", old.parameters, new.parameters)
    for name in ("method", "engine"):
        yield from _entries("", {name: getattr(old, name)}, {name: getattr(new, name)})
    before, after = old.settings, new.settings
    for name, unit in SETTINGS.items():
        for text in _entries("", {name: getattr(before, name)}, {name: getattr(after, name)}):
            yield f"{text} {unit}".rstrip()
    settings = ({"clearance": _clearance_asked(side)} for side in (before, after))
    yield from _entries("", *settings)
    yield from _drives(old, new)
    yield from _entries("controller ", _controller(old, new), _controller(new, old))
    for kind in ("forces", "contacts", "measures", "events"):
        yield from _elements_in_order(kind, getattr(old, kind), getattr(new, kind))
    yield from _elements_in_order("requests", old.requests or (), new.requests or ())
    for name in ROBOT:
        was, now = getattr(old.robot, name), getattr(new.robot, name)
        yield from _entries("robot ", {name: was}, {name: now})
    yield from _joints(old, new)
    if old.robot.urdf_sha256 != new.robot.urdf_sha256:
        yield from changed_robot(reference.urdf, run.urdf)
    yield from _script(old, new)
    yield from _changed_versions(old, new)


def _clearance_asked(settings: Settings) -> dict[str, object]:
    """Return settings of the distances between links, without the distances."""
    if (facts := settings.clearance) is None:
        return {}
    floor = "none" if facts.floor is None else f"{facts.floor!r} m"
    excluded = [f"{first}–{second}" for first, second in facts.excluded]
    return {"wanted": f"{facts.wanted!r} m", "floor": floor, "excluded": excluded or "none"}


def _controller(run: Conditions, other: Conditions) -> dict[str, object]:
    """Return settings of the motors' drive, without solver remarks and fields of later versions.

    The robot model of a control law is represented by the hash of its text.
    """
    facts = run.controller
    if not isinstance(facts, ControllerFacts):
        return {}
    fields: dict[str, object] = msgspec.to_builtins(facts)
    left_out = {"recorded", "analytic"}
    if not (isinstance(other.controller, ControllerFacts) and other.controller.known):
        left_out |= {"known", "names"}
    if facts.known is not None:
        digest = text_hash(facts.known.urdf)[:12] if facts.known.urdf else "the run's"
        fields["known"] = {**msgspec.to_builtins(facts.known), "urdf": digest}
    return {name: value for name, value in fields.items() if name not in left_out}


def _script(old: Conditions, new: Conditions) -> Iterator[str]:
    """Yield a changed script, command file or external results; a baseline stores none."""
    if isinstance(old, Run) and isinstance(new, Run):
        if old.script and new.script and old.script.sha256 != new.script.sha256:
            yield f"script {Path(new.script.path).name}: its text changed"
        commands = {side.script.acf_sha256 for side in (old, new) if side.script}
        if len(commands - {msgspec.UNSET}) > 1:
            yield f"command file {Path(str(new.parameters['acf'])).name}: its text changed"
        was, now = (
            None if side.reference is None else side.reference.source for side in (old, new)
        )
        yield from _entries("", {"reference": was}, {"reference": now})


def _changed_versions(old: Conditions, new: Conditions) -> Iterator[str]:
    """Yield Python, platform and packages; with two engines only the change of engine.

    A package that a newer version of sim no longer uses cannot affect the run.
    """
    engines = {ENGINES[side.engine].package for side in (old, new)}
    before, after = (
        {"python": side.provenance.python, "platform": side.provenance.platform}
        | side.provenance.versions
        for side in (old, new)
    )
    for name, now in after.items():
        was = before.get(name, "not used")
        if was != now and not (old.engine != new.engine and name in engines):
            yield f"{name}: {was} → {now}"


def _entries(what: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    """Yield entries that differ; an entry on one side only is missing on the other."""
    for name in {**old, **new}:
        was, now = _value_text(old.get(name)), _value_text(new.get(name))
        if was != now:
            yield f"{what}{name}: {was} → {now}"


def _value_text(value: object) -> str:
    if value is None or value in ("", (), {}):
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value_text(one)}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(_value_text, value))
    return repr(value) if isinstance(value, float) else str(value)


def _drives(old: Conditions, new: Conditions) -> Iterator[str]:
    before, after = ({drive.joint: drive for drive in side.drives} for side in (old, new))
    for joint in {**before, **after}:
        was, now = before.get(joint), after.get(joint)
        if was is None or now is None:
            yield f"drive {joint}: {'new' if was is None else 'gone'}"
            continue
        yield from _entries(f"drive {joint} ", {"level": was.level}, {"level": now.level})
        if was.function != now.function:
            yield f"drive {joint}: {_words(was.function, now.function)}"
        yield from _entries(f"drive {joint} ", *map(_names, (was, now)))


def _names(drive: DriveFacts) -> dict[str, object]:
    """Return the names in a torque of the state; empty for any other drive."""
    return {} if drive.names is msgspec.UNSET else msgspec.to_builtins(drive.names)


def _words(old: str, new: str) -> str:
    """Return two texts; long ones are cut down to the different words and their context."""
    if len(old) + len(new) <= MOST_WORDS:
        return f"{old} → {new}"
    before, after = (re.findall(r"\s+|[\w.]+|\S", text) for text in (old, new))
    pieces = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if tag != "equal":
            lead, tail = "".join(before[max(i - 4, 0) : i]), "".join(before[j : j + 3])
            pieces.append(f"…{lead}[{''.join(before[i:j])} → {''.join(after[k:m])}]{tail}…")
    shown = " ".join(pieces[:4])
    return shown + (f" and {len(pieces) - 4} more places" if len(pieces) > 4 else "")


def _elements_in_order(
    kind: str, old: Sequence[msgspec.Struct], new: Sequence[msgspec.Struct]
) -> Iterator[str]:
    """Yield elements of one kind, in order."""
    if len(old) != len(new):
        yield f"{kind}: {len(old)} → {len(new)}"
        return
    for number, (was, now) in enumerate(zip(old, new, strict=True), 1):
        yield from _entries(f"{kind} {number} ", _inputs_only(was), _inputs_only(now))


def _inputs_only(facts: msgspec.Struct) -> dict[str, object]:
    """Return the inputs of an event, without its energies, which are results."""
    plain: dict[str, object] = msgspec.to_builtins(facts)
    return {key: value for key, value in plain.items() if key not in {"ke", "pe"}}


def _joints(old: Conditions, new: Conditions) -> Iterator[str]:
    """Yield changed laws, stops, springs and drives of joints, which the URDF text lacks."""
    before, after = ({joint.name: joint for joint in side.robot.joints} for side in (old, new))
    for name in filter(after.__contains__, before):
        was, now = before[name], after[name]
        kinds: dict[str, tuple[type | None, Facts, Facts]] = {
            "friction law": (JointFriction, was.friction_law, now.friction_law),
            "drive train": (DriveTrain, was.drive, now.drive),
        }
        for kind in {**was.forces, **now.forces}:
            kinds[kind] = group_of(kind).law, was.forces.get(kind), now.forces.get(kind)
        for kind, (made_by, *sides) in kinds.items():
            texts = (_with_defaults(made_by, side) for side in sides)
            yield from _entries(f"joint {name} {kind} ", *texts)


def _with_defaults(kind: type | None, facts: Facts) -> dict[str, object]:
    """Return the parameters of an element; those that a former version lacked have defaults."""
    if not facts:
        return {}
    every = () if kind is None else fields(kind)
    return {**{one.name: one.default for one in every if one.default is not MISSING}, **facts}


# Elements with an influence on results, without visuals and collisions.
TELLING = ("inertial/mass", "inertial/origin", "inertial/inertia", "origin", "axis", "parent",
           "child", "limit", "dynamics", "mimic")  # fmt: skip
SHORT = {"inertial/mass": "mass", "inertial/origin": "mass centre", "inertial/inertia": "inertia"}


def changed_robot(old: str | None, new: str | None) -> Iterator[str]:
    """Yield values of the text that differ, such as ``link forearm mass: 4.27 → 4.28 kg``."""
    if old is None or new is None:
        yield "robot: its text differs, and one side did not store it"
        return
    before, after = _parts(old), _parts(new)
    has_changed = False
    for name in {**before, **after}:
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            has_changed = True
            yield f"{name}: {'new' if was is None else 'gone'}"
            continue
        for value in {**was, **now}:
            if was.get(value) != now.get(value):
                has_changed = True
                yield f"{name} {value}: {was.get(value, 'none')} → {now.get(value, 'none')}"
    if not has_changed:
        yield "robot: only text without effect on results (shapes, file names, comments)"


def _parts(text: str) -> dict[str, dict[str, str]]:
    """Return links and joints by kind and name, with their values as typed."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(text.encode("utf-8"), parser)
    named = [each for kind in ("link", "joint") for each in root.findall(kind)]
    return {f"{each.tag} {each.get('name')}": dict(_values(each)) for each in named}


def _values(part: _Element) -> Iterator[tuple[str, str]]:
    if (kind := part.get("type")) is not None:
        yield "type", kind
    for path in TELLING:
        if (element := part.find(path)) is None:
            continue
        name = SHORT.get(path, path)
        for key, value in _attributes(element):
            alone = name == "mass" or key in {"link", "joint"}
            yield (name if alone else f"{name} {key}"), " ".join(value.split())


def _attributes(element: _Element) -> Iterator[tuple[str, str]]:
    for key in element.keys():  # noqa: SIM118 (an element is no mapping)
        yield str(key), element.get(str(key), "")
