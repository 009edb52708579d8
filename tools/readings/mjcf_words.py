"""Words for a program's reading of a planted MJCF file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, isclose

from tools.readings.seen import AS_WRITTEN, INERTIA, SPHERE, WEIGHT, Seen

IN_DYNAMICS, STORED, IGNORED, LEFT_OUT = "in inverse dynamics", "stored only", "ignored", "left out"


def mjcf_word(feature: str, seen: Seen) -> str:
    """Return the reading of a feature, as in `sim.audit.reading_facts`."""
    return "error" if seen.error else WORDS[feature](seen)


def same(a: float, b: float) -> bool:
    """Whether two numbers are equal within rounding."""
    return isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)  # Newton's numbers have single precision


def _mass(seen: Seen) -> str:
    """Return mass and position of a body of 3 kg, 0.2 m from the hinge, whose shape states them."""
    mass = seen.masses["rod"]
    if same(mass, 3.0) and same(seen.g, 3 * WEIGHT):
        return AS_WRITTEN
    if same(mass, SPHERE):
        return "1000 kg/m³" if same(seen.g, mass * WEIGHT) else "1000 kg/m³ at the origin"
    return f"{mass:.3g} kg" + (", tensor 1 1 1" if same(seen.M, 0.04 + 1) else "")


def _of_law(
    term: Callable[[Seen], float], size: float, stored: Callable[[Seen], float] | None = None
) -> Callable[[Seen], str]:
    """Return a function: whether a joint law adds to inverse dynamics, or its number is stored."""

    def say(seen: Seen) -> str:
        if same(term(seen), size):
            return IN_DYNAMICS
        return STORED if stored is not None and stored(seen) else IGNORED

    return say


def _ref(seen: Seen) -> str:
    zero = "ref" if same(seen.g, WEIGHT * cos(0.5)) else "the pose drawn"
    is_shifted = same(seen.lower, -1.5)
    if is_shifted == (zero == "ref"):
        return f"counted from {zero}, limits {'shifted' if is_shifted else 'not shifted'}"
    return f"counted from {zero}"


def _limits(seen: Seen) -> str:
    return AS_WRITTEN if same(seen.upper, 1.0) and seen.lower < 0 else "no limits"


def _equality(seen: Seen) -> str:
    return "soft constraint" if seen.is_soft else "coupled" if seen.is_coupled else "free joint"


def _connect(seen: Seen) -> str:
    return "constraint" if seen.is_soft else "loop joint" if seen.n > 2 else "open"


def _has_tip(seen: Seen) -> str:
    return AS_WRITTEN if any(name.startswith("tip") for name in seen.masses) else LEFT_OUT


WORDS: Mapping[str, Callable[[Seen], str]] = {
    "no-name": lambda seen: AS_WRITTEN,
    "no-type": lambda seen: "hinge" if seen.n else "fixed",
    "geom-mass": _mass,
    "default-mass": _mass,
    "mesh-mass": _mass,
    "total-mass": lambda s: AS_WRITTEN if same(s.masses["rod"], 10.0) else IGNORED,
    "armature": _of_law(lambda s: s.M - INERTIA, 0.5, lambda s: s.armature),
    "armature-motor": _of_law(lambda s: s.M - INERTIA, 0.5, lambda s: s.armature),
    "damping": _of_law(lambda s: s.drag, 0.5, lambda s: s.damping),
    "damping-powers": _of_law(lambda s: s.drag, 0.75, lambda s: s.damping),
    "frictionloss": _of_law(lambda s: s.drag, 0.25, lambda s: s.friction),
    "spring": _of_law(lambda s: s.g - WEIGHT, -1.0, lambda s: s.stiffness),
    "gravcomp": _of_law(lambda s: s.g - WEIGHT, -WEIGHT),
    "ref": _ref,
    "auto-limits": _limits,
    "two-joints": lambda s: "two joints" if "rod" in s.masses else "one composite joint",
    "ball": lambda seen: "ball" if seen.n == 3 else "fixed",
    "several-trees": _has_tip,
    "frame": _has_tip,
    "replicate": _has_tip,
    "include": _has_tip,
    "equality-joint": _equality,
    "connect": _connect,
    "gear": lambda s: AS_WRITTEN if same(s.effort or 0.0, 100.0) else IGNORED,
    "servo": lambda seen: "servo" if seen.has_servo else IGNORED,
}
