"""Conversion of descriptions of earlier formats to the current one.

Runs and baselines of format 4 differ from the current format by the names of checks. Baselines of
format 3 are converted too, so that they remain accepted. Runs of format 3 are not: they are
recreated in seconds, and format 4 has a channel, `stored`, that cannot be added to a file.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from sim.errors import RecordingError

EARLIER = 3  # format of baselines that can be converted
WITH_FORMER_NAMES = 4  # format with the former names of checks

_PRESENT_NAMES = {
    "two makers": "independent results",
    "described torque": "recomputed torque",
    "described power": "recomputed power",
    "described friction": "recomputed friction",
    "described energy": "recomputed energy",
    "controller as described": "controller description",
    "command by its law": "control law",
    "commands cut off": "command saturation",
    "motor gives its command": "commanded motor torque",
    "solver inside a sample": "solver error within a sample",
    "control loop": "control loop stability",
    "drive as typed": "drive function",
    "joint that is held": "held joint",
    "tool by its joints": "forward kinematics",
    "tool on its path": "tool path",
    "joint cut open": "reaction of a released joint",
    "force in a loop": "loop closure force",
    "friction gives nothing": "dissipative friction",
    "loss to friction": "friction loss",
    "work of the drive": "drive work",
    "torque by speed": "torque times speed",
    "sides of corners": "samples at corners",
    "regime of friction": "friction regime",
    "motor by its law": "motor equations",
    "loss by its law": "gear loss",
    "reference from its velocity": "reference position from velocity",
    "lower end of range": "lower position limit",
    "upper end of range": "upper position limit",
}


def present_check_name(name: str) -> str:
    """Return the current name of a check that may have its name of format 4."""
    for side in ("", " of engine", " of model"):
        check = name.removesuffix(side)
        if name.endswith(side) and check in _PRESENT_NAMES:
            return _PRESENT_NAMES[check] + side
    return name


def migrate(data: bytes, path: Path, format_now: int) -> dict[str, Any]:
    """Convert a sealed description of format 3 to the current format, without a seal.

    Since format 4 the kind of each force element is stored.

    Parameters
    ----------
    data : bytes
        JSON of an object with format number 3.
    path : Path
        Its file, for the message.

    Raises
    ------
    RecordingError
        If it was edited.
    """
    content: dict[str, Any] = msgspec.json.decode(data)
    seal, content["seal"] = content.get("seal"), ""
    if hashlib.sha256(msgspec.json.encode(content)).hexdigest() != seal:
        raise RecordingError(
            f"{path} was edited since it was written: its seal does not fit; bring the file back"
        )
    content["format"] = format_now
    for group, kind in (("forces", "force"), ("contacts", "contact")):
        content[group] = [{"kind": kind, **facts} for facts in content.get(group, ())]
    return content
