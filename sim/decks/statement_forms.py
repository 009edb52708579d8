"""Forms of the statements of an ADAMS deck; which are ignored, and which are refused.

Source: MSC Adams Solver, statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Form:
    """Arguments of a statement, blank-separated: ``KEY = value`` by kind, and bare flags.

    `lists` take several texts, `series` several ids, `remarks` a text with commas; `short` are
    abbreviations that would be those of several. What is `repeated` goes on with the first, and of
    some the FUNCTION `may_be_empty`. Unknown arguments of one that `is_loose` are ignored.
    """

    numbers: str = ""
    ids: str = ""
    functions: str = ""
    texts: str = ""
    flags: str = ""
    lists: str = ""
    series: str = ""
    remarks: str = ""
    short: str = ""
    repeated: str = ""
    may_be_empty: bool = False
    is_loose: bool = False

    @property
    def abbreviations(self) -> Mapping[str, str]:
        """Arguments whose short form is that of others too, such as ``C=COMMENT``."""
        return dict(pair.split("=") for pair in self.short.split())

    @property
    def keys(self) -> tuple[str, ...]:
        """All arguments that take a value."""
        kinds = self.numbers, self.ids, self.functions, self.texts
        return tuple(" ".join((*kinds, self.lists, self.series, self.remarks)).split())


_PLACE = "REULER"
_AXIAL = "K C KT CT FORCE TORQUE"

FORCES: Mapping[str, Form] = {
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
    "FIELD": Form(
        numbers="KMATRIX CMATRIX CRATIO LENGTH FORCE",
        ids="I J",
        functions="FUNCTION",
        texts="ROUTINE FORMULATION",
    ),
    "BEAM": Form(
        numbers="LENGTH AREA IXX IYY IZZ ASY ASZ EMODULUS GMODULUS CRATIO CMATRIX",
        ids="I J",
        texts="FORMULATION",
    ),
}

FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "UNITS": Form(texts="FORCE MASS LENGTH TIME SYSTEM", numbers="UCF"),
        "ACCGRAV": Form(numbers="IGRAV JGRAV KGRAV GC"),
        "PART": Form(
            numbers=f"MASS IP QG ZG XG {_PLACE} VX VY VZ WX WY WZ",
            ids="CM IM VM WM",
            texts="MATERIAL",
            lists="EXACT",
            flags="GROUND",
        ),
        "POINT_MASS": Form(
            numbers=f"MASS QG ZG XG {_PLACE} VX VY VZ",
            ids="CM",
            texts="MATERIAL",
            lists="EXACT",
        ),
        "MARKER": Form(
            numbers=f"QP ZP XP {_PLACE}",
            ids="PART POINT_MASS FLEX_BODY NODE_ID",
            flags="FLOATING USEXP",
        ),
        "JOINT": Form(
            numbers="ICTRAN ICROT IC PD PITCH MAXIT DELTA_V RMAX MU1 INNER_RADIUS OUTER_RADIUS "
            "HEIGHT",
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
        "COUPLER": Form(
            numbers="SCALES", series="JOINTS", functions="FUNCTION", texts="TYPE ROUTINE"
        ),
        "GEAR": Form(series="JOINTS", ids="CV"),
        **FORCES,
        "SPLINE": Form(
            numbers="X Y Z", texts="FILE BLOCK", flags="LINEAR_EXTRAPOLATE", repeated="Y"
        ),
        "FRICTION": Form(
            numbers="MU_STATIC MU_DYNAMIC STICTION_TRANSITION_VELOCITY "
            "TRANSITION_VELOCITY_COEFFICIENT MAX_STICTION_DEFORMATION FRICTION_FORCE_PRELOAD "
            "FRICTION_TORQUE_PRELOAD MAX_FRICTION_FORCE MAX_FRICTION_TORQUE PIN_RADIUS BALL_RADIUS "
            "FRICTION_ARM BENDING_REACTION_ARM REACTION_ARM INITIAL_OVERLAP",
            ids="JOINT",
            texts="FORMULATION OVERLAP_DELTA INACTIVE_DURING",
            lists="EFFECT INPUTS",
            flags="PRELOAD REACTION_FORCE BENDING_MOMENT TORSIONAL_MOMENT I_YOKE J_YOKE",
        ),
        "CONTACT": Form(
            numbers="STIFFNESS DAMPING DMAX EXPONENT PENALTY RESTITUTION_COEFFICIENT MU_STATIC "
            "MU_DYNAMIC STICTION_TRANSITION_VELOCITY FRICTION_TRANSITION_VELOCITY "
            "MAX_STICTION_DEFORMATION",
            ids="IFLEX JFLEX",
            functions="NORMAL_FUNCTION FRICTION_FUNCTION FUNCTION",
            texts="COULOMB_FRICTION STICTION IFLIP JFLIP I_FLIP_NORMAL J_FLIP_NORMAL "
            "IFLIP_NORMAL JFLIP_NORMAL NORMAL_ROUTINE FRICTION_ROUTINE ROUTINE "
            "AUGMENTED_LAGRANGIAN_FORMULATION TYPE",
            flags="IMPACT POISSON AUGMENTED_LAGRANGIAN_FORMULATION NO_FRICTION IFLIP JFLIP",
            series="IGEOM JGEOM",
        ),
        "DIFF": Form(
            numbers="IC", functions="FUNCTION", texts="ROUTINE", flags="IMPLICIT STATIC_HOLD"
        ),
        "LSE": Form(ids="X Y U IC A B C D", flags="STATIC_HOLD"),
        "TFSISO": Form(numbers="NUMERATOR DENOMINATOR", ids="X Y U", flags="STATIC_HOLD"),
        "ARRAY": Form(
            numbers="NUMBERS SIZE",
            series="VARIABLES",
            functions="FUNCTION",
            texts="ROUTINE",
            flags="X Y U IC",
        ),
        "MATRIX": Form(
            numbers="M N ROWS COLUMNS VALUES DATA",
            functions="FUNCTION",
            texts="FILE NAME ROUTINE FULL",
            flags="FULL SPARSE RORDER CORDER",
        ),
        "VARIABLE": Form(
            numbers="IC", functions="FUNCTION", texts="ROUTINE", flags="PRIMARY", may_be_empty=True
        ),
        "SENSOR": Form(
            numbers="VALUE ERROR DT STEPSIZE",
            functions="FUNCTION EVALUATE",
            texts="ROUTINE",
            flags="EQ GE LE ANGULAR HALT RETURN STOP TERMINATE PRINT CODGEN RESTART BISECTION "
            "YYDUMP",
            is_loose=True,
        ),
        "PINPUT": Form(series="VARIABLES"),
        "POUTPUT": Form(series="VARIABLES"),
        "REQUEST": Form(
            ids="I J RM",
            functions="F1 F2 F3 F4 F5 F6 F7 F8 FUNCTION",
            texts="ROUTINE RESULTS_NAME",
            flags="DISPLACEMENT VELOCITY ACCELERATION FORCE",
            lists="CNAMES CUNITS CLABELS",
            series="VARIABLES",
            remarks="COMMENT TITLE",
            short="C=COMMENT",
        ),
    }
)
"""The statements that are read."""

GRAPHICS = Form(
    numbers="XSCALE YSCALE ZSCALE LENGTH RADIUS ANGLE RANGLE SIDES SEG X Y Z TOP BOTTOM XMIN XMAX "
    "YMIN YMAX MAJOR_RADIUS MINOR_RADIUS",
    ids="CM CORNER RM CID EXTENT",
    texts="FILE ELEMENT COLOR VISIBILITY NAME",
    flags="ELLIPSOID SPHERE CYLINDER FRUSTUM BOX BLOCK PLANE TORUS CIRCLE ARC POINT CURVE EXTERNAL "
    "EXTRUSION REVOLUTION CSG OUTLINE",
)
"""Pictures that a CONTACT names as shapes; others are not read."""


def form_of(keyword: str) -> Form:
    """Return the form of a statement that is read."""
    return GRAPHICS if keyword == "GRAPHICS" else FORMS[keyword]


_SETTING = "a setting of ADAMS's own solver"
_DATA = "data that no force here reads"
_STATES = "states that no force here reads"
_COMMAND = "a command, which has no effect here; --set duration= sets the length of the run"

SKIPPED: Mapping[str, str] = MappingProxyType(
    {
        "GRAPHICS": "a picture",
        "MREQUEST": "a table of ADAMS; the run records every joint and force",
        "OUTPUT": "files of ADAMS",
        "RESULTS": "files of ADAMS",
        "FEMDATA": "files of ADAMS",
        "ADAMS": "a setting of ADAMS's window",
        "INTEGRATOR": _SETTING,
        "KINEMATICS": _SETTING,
        "EQUILIBRIUM": _SETTING,
        "DYNAMICS": _SETTING,
        "STATICS": _SETTING,
        "PREFERENCES": _SETTING,
        "DEBUG": _SETTING,
        "LSOLVER": _SETTING,
        "LIST_INFO": _SETTING,
        "MATERIAL": "of parts that have a mass of their own",
        "IC": _SETTING,
        "STRING": _DATA,
        "CURVE": _DATA,
        "SURFACE": _DATA,
        "SECTION": "of elastic bodies",
        "GSE": _STATES,
        **dict.fromkeys(
            "SIMULATE STOP FILE LINEAR ACTIVATE DEACTIVATE CONTROL ENVIRONMENT SAVE RELOAD INFO "
            "SHOW LIST HELP MENU HOTSPOTS".split(),
            _COMMAND,
        ),
    }
)
"""The statements that change nothing in the motion, with the word that is said of them."""

_CLOSED = "a constraint by a subroutine or along a curve is not offered; GCON is"
_ELASTIC = "an elastic body has states that no joint has; links here are rigid"

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "FE_PART": _ELASTIC,
        "FE_NODE": _ELASTIC,
        "FE_LOAD": _ELASTIC,
        "FLEX_BODY": _ELASTIC,
        "NFORCE": "a force between many markers is not offered",
        "MFORCE": _ELASTIC,
        "UCON": _CLOSED,
        "CVCV": _CLOSED,
        "PTCV": _CLOSED,
        **dict.fromkeys(("PTSF", "CVSF", "SFSF"), _CLOSED),
        "TIRE": "tires are not offered",
    }
)
"""The statements that change the motion and that nothing here answers to, with the reason."""
