"""Functions of the state: what they are called with, and what a string may name.

The formulas need a robot: `sim.kinematics.state_reading` has them. Here a call is bound, while it
is parsed, to the markers, variables and forces that its labels name.

Source: MSC Adams Solver function reference.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sim.functions.functions import Function
from sim.functions.jet import Jet
from sim.functions.profiles import bistop, impact, unclipped_impact

GROUND = "0"
"""The label of the world, as in an ADAMS deck."""


ANGLES = ("AX", "AY", "AZ")
"""The functions whose value has whole turns."""


def _signatures() -> dict[str, str]:
    listed = {"DM": "DM(i[, j])", "VR": "VR(i[, j])", "VM": "VM(i[, j][, l])", "WM": "WM(i[, j])"}
    for axis in "XYZ":
        listed[f"D{axis}"] = f"D{axis}(i[, j][, k])"
        listed[f"A{axis}"] = f"A{axis}(i[, j])"
        listed[f"V{axis}"] = f"V{axis}(i[, j][, k][, l])"
        listed[f"W{axis}"] = f"W{axis}(i[, j][, k])"
    listed |= {"INCANG": "INCANG(i, j, k)", "VARVAL": "VARVAL(id)", "DIF": "DIF(id)"}
    return {**listed, "SFORCE": "SFORCE(id, jflag, comp, rm)"}


READ = {name: Function(signature, Jet.constant) for name, signature in _signatures().items()}
"""The functions that read the state, by name."""


def _requested_signatures() -> dict[str, str]:
    listed = {"ACCM": "ACCM(i[, j][, l])", "WDTM": "WDTM(i[, j][, l])"}
    listed |= {"FM": "FM(i[, j])", "TM": "TM(i[, j])"}
    for axis in "XYZ":
        listed[f"ACC{axis}"] = f"ACC{axis}(i[, j][, k][, l])"
        listed[f"WDT{axis}"] = f"WDT{axis}(i[, j][, k][, l])"
        listed[f"F{axis}"] = f"F{axis}(i[, j][, k])"
        listed[f"T{axis}"] = f"T{axis}(i[, j][, k])"
    listed |= {name: f"{name}(i[, j])" for name in "PSI THETA PHI YAW PITCH ROLL".split()}
    listed |= {name: f"{name}(id, jflag, comp, rm)" for name in ("JOINT", "MOTION")}
    return {**listed, "ORIENT": "ORIENT(system, component, i[, j])"}


REQUESTED = {
    name: Function(signature, Jet.constant) for name, signature in _requested_signatures().items()
}
"""The functions that a request reads besides: of accelerations, reactions and orientations."""

OF_ONE = frozenset({"SFORCE", "JOINT", "MOTION"})
"""Functions ``(id, jflag, comp, rm)`` of one force or joint."""

EULER = "XYZ YZX ZXY XZY YXZ ZYX XYX XZX YXY YZY ZXZ ZYZ".split()
"""The body-fixed sequences of ORIENT's systems 1 to 12."""

EULER_PARAMETERS = 27
"""ORIENT's system of e0 to e3."""


LAWS = {
    law.name: law
    for law in (
        Function(
            "IMPACT(x, xd, x1, k, e, cmax, d)",
            impact,
            zeros=lambda x, xd, x1, *law: (x - x1, unclipped_impact(x, xd, x1, *law)),
        ),
        Function(
            "BISTOP(x, xd, x1, x2, k, e, cmax, d)",
            bistop,
            zeros=lambda x, xd, x1, x2, *law: (
                *(x - x1, unclipped_impact(x, xd, x1, *law)),
                *(x - x2, unclipped_impact(-x, -xd, -x2, *law)),
            ),
        ),
    )
}
"""Laws of forces that only a string of the state has."""

ACCELERATIONS = frozenset("ACCM ACCX ACCY ACCZ ACCXYZ WDTM WDTX WDTY WDTZ WDTXYZ".split())
REACTIONS = frozenset(
    "FM FX FY FZ FXYZ TM TX TY TZ TXYZ JOINT JPRIM MOTION CVCV PTCV FRICTION".split()
)


@dataclass(frozen=True)
class Scope:
    """What a string of the state may name, as typed; a string names it in any case.

    Parameters
    ----------
    markers, variables, forces : collection of str
    own : str
        The force whose function is read; it cannot read itself.
    states : collection of str
        What DIF reads: variables with a rate of their own.
    is_request : bool
        True where nothing depends on the value, so that it may be of accelerations and reactions.
    """

    markers: Collection[str] = ()
    variables: Collection[str] = ()
    forces: Collection[str] = ()
    own: str = ""
    is_request: bool = False
    states: Collection[str] = ()

    def reads(self, function: str) -> Function | None:
        """A function of the state that the string may call."""
        requested = REQUESTED.get(function) if self.is_request else None
        return READ.get(function, requested)

    def of(self, function: str, argument: int) -> tuple[str, Collection[str]]:
        """What an argument of a function names, for a message, and which there are."""
        if function == "VARVAL":
            return "variable", self.variables
        if function == "DIF":
            return "state", self.states
        if function == "SFORCE" and argument == 0:
            return "force", self.forces
        return "marker", self.markers


def choices(function: str, argument: int) -> tuple[int, ...] | None:
    """The whole numbers that an argument may be; None where it names something."""
    if function in OF_ONE:
        return {1: (0, 1), 2: tuple(range(1, 9))}.get(argument)
    if function == "ORIENT":
        systems = (*range(1, 13), EULER_PARAMETERS)
        return {0: systems, 1: (1, 2, 3, 4)}.get(argument)
    return None


def why_not_read(name: str) -> str:
    """Why a string of a force cannot have a function of the state that `READ` has not."""
    if name in ACCELERATIONS:
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
    return f"{name} is not offered; functions of the state are {', '.join(READ)}"
