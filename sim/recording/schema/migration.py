"""Descriptions of an earlier format, brought to the present one.

Baselines are migrated as they are read, so that what was accepted stays accepted. Runs are not:
they cost seconds to make again, and format 4 has a channel, `stored`, that a file cannot be given.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from sim.errors import RecordingError

EARLIER = 3  # the format that can be migrated


def migrate(data: bytes, path: Path, format_now: int) -> dict[str, Any]:
    """A sealed description of format 3 as one of the present format, without a seal.

    Format 4 names the kind of each force element.

    Parameters
    ----------
    data : bytes
        JSON of an object with the number 3 of its format.
    path : Path
        Where it was read, for the message.

    Raises
    ------
    RecordingError
        If it was edited since it was written.
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
