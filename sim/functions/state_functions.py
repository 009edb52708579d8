"""Names available to expressions of the state.

A function of the state is bound, while it is parsed, to the markers, variables and forces of its
labels. Its formula requires a robot: `sim.kinematics.state_reading` implements it.

Source: MSC Adams Solver function reference.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from sim.functions.operation import Operation
from sim.functions.operations import READ, REQUESTED

GROUND = "0"
"""The label of the world, as in an ADAMS deck."""


ANGLES = ("AX", "AY", "AZ")
"""The functions whose value has whole turns."""

OF_LOOPS = ("DM", "DX", "DY", "DZ", *ANGLES)
"""The functions that a closed loop reads of its two frames."""

OF_ONE = frozenset(name for name, row in {**READ, **REQUESTED}.items() if "jflag" in row.parameters)
"""Functions ``(id, jflag, comp, rm)`` of one force or joint."""

EULER = "XYZ YZX ZXY XZY YXZ ZYX XYX XZX YXY YZY ZXZ ZYZ".split()
"""The body-fixed sequences of ORIENT's systems 1 to 12."""

EULER_PARAMETERS = 27
"""ORIENT's system of e0 to e3."""

REACTIONS = frozenset(
    "FM FX FY FZ FXYZ TM TX TY TZ TXYZ JOINT JPRIM MOTION CVCV PTCV FRICTION".split()
)


class Scope(Struct, frozen=True):
    """Names available to an expression of the state, as typed; expressions use them in any case.

    Parameters
    ----------
    markers, variables, forces : collection of str
    reader : str
        Force whose function is read; it cannot read itself.
    states : collection of str
        Names for DIF: variables with a rate of their own.
    is_request : bool
        True if nothing depends on the value, so that accelerations and reactions are allowed.
    """

    markers: Collection[str] = ()
    variables: Collection[str] = ()
    forces: Collection[str] = ()
    reader: str = ""
    is_request: bool = False
    states: Collection[str] = ()

    def reads(self, function: str) -> Operation | None:
        """Return a function of the state that the expression may call, or None."""
        requested = REQUESTED.get(function) if self.is_request else None
        return READ.get(function, requested)

    def of(self, function: str, parameter: str) -> tuple[str, Collection[str]]:
        """Return the kind of object that an argument names, for a message, and the known names."""
        named = {
            "VARVAL": ("variable", self.variables),
            "DIF": ("state", self.states),
            "SFORCE": ("force", self.forces),
        }
        return named.get(function, ("joint", ())) if parameter == "id" else ("marker", self.markers)


CHOICES = {
    "jflag": (0, 1),
    "comp": tuple(range(1, 9)),
    "system": (*range(1, 13), EULER_PARAMETERS),
    "component": (1, 2, 3, 4),
}
"""The whole numbers that an argument may be, by its name in the signature."""


def why_not_read(name: str) -> str:
    """Return why an expression of a force cannot use a function of the state outside `READ`."""
    if name.startswith(("ACC", "WDT")):
        return (
            f"{name} is an acceleration, which follows from the forces: a force of it would be a "
            "cause of itself; a sim.Request records it"
        )
    if name in REACTIONS:
        return (
            f"{name} is the force of a constraint, which follows from all forces: a force cannot "
            "depend on it; a sim.Request or a sim.Measure records it"
        )
    if name in REQUESTED:
        return f"{name} is read by a sim.Request only"
    return f"{name} is not supported; functions of the state are {', '.join(READ)}"
