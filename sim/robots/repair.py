"""Repair: what is invalid in a URDF, and what was taken instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True)
class Repair:
    """One place of a URDF that was repaired, or cannot be true.

    Parameters
    ----------
    kind : str
        What sort of place it is.
    part : str
        The link or joint: ``link 'hand'``.
    says : str
        What is wrong with it, with the numbers of the file.
    taken : str
        What the model and the engine use.
    joints : tuple of str
        The joints whose torque would be another if the file were right in another way, by the name
        that they are driven by; none if no torque can be touched.
    why : str
        Why this reading, and why those joints.
    """

    kind: RepairKind
    part: str
    says: str
    taken: str
    joints: tuple[str, ...]
    why: str

    @property
    def touches(self) -> str:
        """The joints that it can affect, as text."""
        if not self.joints:
            return "affects no joint torque"
        return f"can affect the torque of {', '.join(self.joints)}"

    @property
    def text(self) -> str:
        """Text of the repair in one line."""
        return f"{self.part}: {self.says}; read as: {self.taken}; {self.touches} ({self.why})"


def verb_of(kind: str) -> str:
    """Return the verb for a repair of a kind, which begins a line."""
    return "left out" if kind == "left out" else "repaired"
