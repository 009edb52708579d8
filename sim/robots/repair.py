"""Repair: an invalid part of a URDF, and its replacement."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

RepairKind = Literal[
    "declaration",
    "namespace",
    "repeated",
    "number",
    "quaternion",
    "type",
    "products",
    "world",
    "loose frame",
    "floating base",
    "lost leader",
    "one end",
    "no rating",
    "name",
    "no body",
    "no second moments",
    "impossible body",
    "nothing to move",
    "axis",
    "no range",
    "fixed mimic",
    "left out",
]


class Repair(Struct, frozen=True, forbid_unknown_fields=True):
    """One place of a URDF that was repaired, or that is implausible.

    Parameters
    ----------
    kind : str
        Kind of the repair.
    part : str
        The link or joint: ``link 'hand'``.
    says : str
        Description of the fault, with the numbers of the file.
    taken : str
        Value used by the model and the engine.
    joints : tuple of str
        Joints whose torques would differ under another interpretation of the file, by the names of
        the driven joints; empty if no torque is affected, or it is not known which.
    why : str
        Reason for this interpretation, and for these joints.
    """

    kind: RepairKind
    part: str
    says: str
    taken: str
    joints: tuple[str, ...]
    why: str

    @property
    def touches(self) -> str:
        """Affected joints, as text."""
        if not self.joints:
            return "affects no joint torque"
        return f"can affect the torque of {', '.join(self.joints)}"

    @property
    def text(self) -> str:
        """Return the text of the repair in one line."""
        text = f"{self.part}: {self.says}; read as: {self.taken}"
        if self.kind == "left out" and not self.joints:  # a gravity or a tendon acts on many
            return f"{text} ({self.why})"
        return f"{text}; {self.touches} ({self.why})"


def verb_of(kind: str) -> str:
    """Return the verb that begins the line of a repair of this kind."""
    return "left out" if kind == "left out" else "repaired"
