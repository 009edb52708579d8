"""Card of an identified robot: the numbers in its URDF with intervals and sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from sim.identification.result import Identification, Parameter
from sim.identification.summary import plus_minus
from sim.identification.terms import FRICTION
from sim.recording.schema.provenance import text_hash
from sim.robots.card import Card, CardDrives, Entry, Offsets
from sim.robots.card_text import card_text, plain_card

WAS = "before the identification: "
LOG = "LOG"  # code of the source


@dataclass(frozen=True)
class _Intervals:
    """Parameters of one kind as a note."""

    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return ", ".join(
            f"{one.name} {plus_minus(one)}{'' if one.unit == '1' else f' {one.unit}'}"
            for one in self.parameters
        )


def identified_card_text(identification: Identification, by: str) -> str:
    """Return the card for the URDF of an identification.

    It is the robot's own card, with sources of the numbers in the URDF, and with the friction
    offsets, which a URDF cannot represent.

    Parameters
    ----------
    identification : Identification
    by : str
        Program and version.
    """
    robot, log = identification.robot, identification.log
    old = robot.card or plain_card(robot)
    code = next(name for name in _codes() if name not in old.sources)
    length = float(log.t[-1] - log.t[0])
    source = (
        f"{log.source}: {log.t.size} samples in {length:.4g} s, below "
        f"{identification.cutoff:.3g} Hz; "
        f"{log.torque_from}; robot {robot.name}, sha256 {text_hash(robot.text)[:16]}"
    )
    offsets = tuple(
        float(f"{identification.friction[name].offset:.12g}") for name in robot.row_names
    )
    kinds = {f"identified_{kind}": _of_kind(identification, kind) for kind in FRICTION[:2]}
    if identification.is_of_payload:
        carried = (one for one in identification.parameters if one.name.startswith("payload."))
        kinds["identified_payload"] = _Intervals(tuple(one for one in carried if one.is_told))
    entries = {
        name: Entry(source=(code,), status="identified", note=f"95 % intervals: {intervals}")
        for name, intervals in kinds.items()
        if intervals.parameters
    }
    if not identification.is_of_payload:
        entries["identified_inertias"] = Entry(
            source=(code,),
            status="identified",
            note="torques are identified; the distribution of masses among links is close to the "
            "file's and is not a result",
        )
    card = msgspec.structs.replace(
        old,
        sources={**old.sources, code: source},
        friction_offset=Offsets(
            source=(code,),
            status="identified",
            note=f"95 % intervals: {_of_kind(identification, FRICTION[2])}",
            values=offsets,
        ),
        drive=_drives(old, identification, code),
        urdf={**_earlier_entries(old, identification), **entries},
    )
    return card_text(card, f"{by} from {log.source}")


def _drives(old: Card, identification: Identification, code: str) -> CardDrives | None:
    """Return the drive trains of the robot with identified rotors, reflected to its joints."""
    drives = identification.identified.drives
    if identification.robot.drives == drives:
        return old.drive
    rotors = tuple(
        float(f"{drives[row].rotor_inertia:.12g}") if row in drives else 0.0
        for row in range(len(identification.robot.row_names))
    )
    if old.drive is not None:
        return msgspec.structs.replace(old.drive, rotor_inertia=rotors)
    return CardDrives(
        source=(code,),
        status="identified",
        note="inertias of rotors at the joints, whatever the ratio; fitted together with the links",
        ratio=(1.0,) * len(rotors),
        rotor_inertia=rotors,
    )


def _earlier_entries(old: Card, identification: Identification) -> dict[str, Entry]:
    """Return the sources of the previous URDF's numbers, without replaced inertias."""
    if identification.is_of_payload:
        return old.urdf
    return {
        name: msgspec.structs.replace(entry, note=f"{WAS}{entry.note.removeprefix(WAS)}")
        for name, entry in old.urdf.items()
    }


def _of_kind(identification: Identification, kind: str) -> _Intervals:
    parameters = (one for one in identification.parameters if one.name.endswith(f".{kind}"))
    return _Intervals(tuple(one for one in parameters if one.is_told))


def _codes() -> Iterator[str]:
    yield LOG
    k = 2
    while True:
        yield f"{LOG}{k}"
        k += 1
