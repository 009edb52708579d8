"""What the statements of an ADAMS deck may hold, which are passed over, and which are refused.

Source: MSC Adams Solver, statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Form:
    """Arguments of a statement, blank-separated: ``KEY = value`` by kind, and bare flags.

    `lists` take several texts; `short` are abbreviations that would be those of several.
    """

    numbers: str = ""
    ids: str = ""
    functions: str = ""
    texts: str = ""
    flags: str = ""
    lists: str = ""
    short: str = ""

    @property
    def abbreviations(self) -> Mapping[str, str]:
        """Arguments whose short form is that of others too, such as ``C=COMMENT``."""
        return dict(pair.split("=") for pair in self.short.split())

    @property
    def keys(self) -> tuple[str, ...]:
        """All arguments that take a value."""
        kinds = self.numbers, self.ids, self.functions, self.texts, self.lists
        return tuple(" ".join(kinds).split())


_PLACE = "REULER"
_AXIAL = "K C KT CT FORCE TORQUE"

FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "UNITS": Form(texts="FORCE MASS LENGTH TIME SYSTEM", numbers="UCF"),
        "ACCGRAV": Form(numbers="IGRAV JGRAV KGRAV"),
        "PART": Form(
            numbers=f"MASS IP QG ZG XG {_PLACE} VX VY VZ WX WY WZ",
            ids="CM IM VM WM",
            texts="MATERIAL EXACT",
            flags="GROUND",
        ),
        "MARKER": Form(
            numbers=f"QP ZP XP {_PLACE}",
            ids="PART POINT_MASS FLEX_BODY NODE_ID",
            flags="FLOATING USEXP",
        ),
        "JOINT": Form(
            numbers="ICTRAN ICROT IC PD PITCH MAXIT",
            ids="I J",
            flags="REVOLUTE TRANSLATIONAL CYLINDRICAL FIXED UNIVERSAL HOOKE PLANAR SPHERICAL "
            "RACKPIN SCREW CONVEL",
        ),
        "JPRIM": Form(
            ids="I J", flags="ATPOINT INLINE INPLANE ORIENTATION PARALLEL_AXES PERPENDICULAR"
        ),
        "GCON": Form(ids="I", functions="FUNCTION", texts="ROUTINE"),
        "MOTION": Form(
            numbers="ICDISP ICVEL",
            ids="JOINT I J",
            functions="FUNCTION",
            texts="ROUTINE",
            flags="ROTATIONAL TRANSLATIONAL DISPLACEMENT VELOCITY ACCELERATION X Y Z B1 B2 B3",
        ),
        "COUPLER": Form(numbers="JOINTS SCALES", functions="FUNCTION", texts="TYPE ROUTINE"),
        "GEAR": Form(numbers="JOINTS", ids="CV"),
        "SFORCE": Form(
            ids="I J",
            functions="FUNCTION",
            texts="ROUTINE",
            flags="TRANSLATIONAL ROTATIONAL ACTIONONLY",
        ),
        "VFORCE": Form(ids="I JFLOAT RM", functions="FX FY FZ FUNCTION", texts="ROUTINE"),
        "VTORQUE": Form(ids="I JFLOAT RM", functions="TX TY TZ FUNCTION", texts="ROUTINE"),
        "GFORCE": Form(ids="I JFLOAT RM", functions="FX FY FZ TX TY TZ FUNCTION", texts="ROUTINE"),
        "SPRINGDAMPER": Form(
            numbers=f"{_AXIAL} LENGTH ANGLE", ids="I J", flags="TRANSLATIONAL ROTATIONAL"
        ),
        "BUSHING": Form(numbers=_AXIAL, ids="I J"),
        "SPLINE": Form(numbers="X Y Z", texts="FILE BLOCK", flags="LINEAR_EXTRAPOLATE"),
        "FRICTION": Form(
            numbers="MU_STATIC MU_DYNAMIC STICTION_TRANSITION_VELOCITY "
            "TRANSITION_VELOCITY_COEFFICIENT MAX_STICTION_DEFORMATION FRICTION_FORCE_PRELOAD "
            "FRICTION_TORQUE_PRELOAD MAX_FRICTION_FORCE MAX_FRICTION_TORQUE PIN_RADIUS BALL_RADIUS "
            "FRICTION_ARM BENDING_REACTION_ARM REACTION_ARM INITIAL_OVERLAP",
            ids="JOINT",
            texts="EFFECT INPUTS FORMULATION OVERLAP_DELTA INACTIVE",
            flags="PRELOAD REACTION_FORCE BENDING_MOMENT TORSIONAL_MOMENT",
        ),
        "VARIABLE": Form(numbers="IC", functions="FUNCTION", texts="ROUTINE", flags="PRIMARY"),
        "PINPUT": Form(numbers="VARIABLES"),
        "REQUEST": Form(
            ids="I J RM",
            functions="F1 F2 F3 F4 F5 F6 F7 F8 FUNCTION",
            texts="COMMENT TITLE ROUTINE RESULTS_NAME",
            flags="DISPLACEMENT VELOCITY ACCELERATION FORCE",
            lists="CNAMES CUNITS CLABELS VARIABLES",
            short="C=COMMENT",
        ),
    }
)
"""The statements that are read."""

_SETTING = "a setting of ADAMS's own solver"
_DATA = "data that no force here reads"

SKIPPED: Mapping[str, str] = MappingProxyType(
    {
        "GRAPHICS": "a picture",
        "MREQUEST": "a table of ADAMS; the run records every joint and force",
        "OUTPUT": "files of ADAMS",
        "RESULTS": "files of ADAMS",
        "ADAMS": "a setting of ADAMS's window",
        "INTEGRATOR": _SETTING,
        "KINEMATICS": _SETTING,
        "EQUILIBRIUM": _SETTING,
        "DYNAMICS": _SETTING,
        "STATICS": _SETTING,
        "PREFERENCES": _SETTING,
        "DEBUG": _SETTING,
        "LSOLVER": _SETTING,
        "SENSOR": "an action of ADAMS's solver; it does not act here",
        "MATERIAL": "of parts that have a mass of their own",
        "POUTPUT": "an output for another program",
        "STRING": _DATA,
        "ARRAY": _DATA,
        "MATRIX": _DATA,
        "CURVE": _DATA,
    }
)
"""The statements that change nothing in the motion, with the word that is said of them."""

_CLOSED = "a constraint by a subroutine or along a curve is not offered; GCON is"
_STATES = "states of a deck's own cannot be solved here"
_ELASTIC = "an elastic body has states that no joint has; links here are rigid"

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "CONTACT": "contact between shapes is not computed; use SFORCE with IMPACT",
        "FE_PART": _ELASTIC,
        "FE_LOAD": _ELASTIC,
        "FLEX_BODY": _ELASTIC,
        "BEAM": "a beam couples all six directions; BUSHING is what is offered",
        "FIELD": "a field couples all six directions; BUSHING is what is offered",
        "NFORCE": "a force between many markers is not offered",
        "MFORCE": _ELASTIC,
        "POINT_MASS": "a mass without axes is not offered; use PART with IP",
        "UCON": _CLOSED,
        "CVCV": _CLOSED,
        "PTCV": _CLOSED,
        "DIFF": _STATES,
        "LSE": _STATES,
        "GSE": _STATES,
        "TFSISO": _STATES,
        "TIRE": "tires are not offered",
    }
)
"""The statements that change the motion and that nothing here answers to, with the reason."""
