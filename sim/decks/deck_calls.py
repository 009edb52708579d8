"""Calls in a deck's functions: which there are, and what one of their unit is in SI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from sim.decks.deck_units import DeckUnits
from sim.functions.state_functions import OF_ONE

LENGTHS, SPEEDS, RATES = "DM DX DY DZ", "VR VM VX VY VZ", "WM WX WY WZ"
ANGLES = "INCANG AX AY AZ PSI THETA PHI YAW PITCH ROLL"
ACCELERATIONS, TURNINGS = "ACCM ACCX ACCY ACCZ", "WDTM WDTX WDTY WDTZ"
SUMS, MOMENTS = "FM FX FY FZ", "TM TX TY TZ"
SPLINES = "AKISPL CUBSPL INTERP"
OF_FORCES = MappingProxyType(
    {
        "SFORCE": "SFORCE",
        "VFORCE": "VFORCE",
        "VTORQ": "VTORQUE",
        "GFORCE": "GFORCE",
        "BUSH": "BUSHING",
        "SPDP": "SPRINGDAMPER",
        "FIELD": "FIELD",
        "BEAM": "BEAM",
    }
)
"""Functions (id, jflag, comp, rm) of a force, and the statement that they read."""

_READ = f"{LENGTHS} {SPEEDS} {RATES} {ANGLES} {ACCELERATIONS} {TURNINGS} {SUMS} {MOMENTS}"
CALL = re.compile(
    rf"\b({'|'.join((*_READ.split(), 'VARVAL', 'ORIENT', 'JOINT', 'JPRIM', 'MOTION', *OF_FORCES))})"
    r"\s*\(([^()]*)\)|\b(TIME)\b",
    re.IGNORECASE,
)
"""A function of the state with its arguments, or TIME."""

VARVAL = re.compile(r"\bVARVAL\s*\(\s*([0-9]+)\s*\)", re.IGNORECASE)
PINVAL = re.compile(r"\bPINVAL\s*\(\s*([0-9]+)\s*,\s*([0-9]+)\s*\)", re.IGNORECASE)
SPLINE_CALL = re.compile(rf"\b(?:{'|'.join(SPLINES.split())})\b", re.IGNORECASE)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def called_functions(text: str) -> list[str]:
    """The functions that a text calls, in capitals."""
    return [name.upper() for name in _CALLED.findall(text)]


def scale_of_call(name: str, labels: Sequence[str], units: DeckUnits) -> float:
    """What one of the deck's unit of a function is in SI."""
    scales = {
        LENGTHS: units.length,
        SPEEDS: units.speed,
        RATES: 1.0 / units.time,
        ACCELERATIONS: units.speed / units.time,
        TURNINGS: units.time**-2,
        SUMS: units.force,
        MOMENTS: units.torque,
    }
    for names, scale in scales.items():
        if name in names.split():
            return scale
    if name in OF_ONE:
        is_torque = len(labels) > 2 and labels[2] in {"5", "6", "7", "8"}
        return units.torque if is_torque else units.force
    return 1.0


def labels_of(arguments: str) -> list[str]:
    """The arguments of a call; ids without their leading zeros."""
    return [plain_label(label) for label in arguments.split(",")]


def is_id(label: str) -> bool:
    """True for the number of a statement."""
    return label.isascii() and label.isdigit()


def plain_label(label: str) -> str:
    """A number of the deck without its leading zeros."""
    label = label.strip()
    return str(int(label)) if is_id(label) else label
