"""Words for a program's reading of a planted SDF file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf

from tools.readings.mjcf_words import IGNORED, IN_DYNAMICS, STORED, same
from tools.readings.seen import AS_WRITTEN, SPHERE, TURNED, WEIGHT, Seen


def sdf_word(feature: str, seen: Seen) -> str:
    """Return the reading of a feature, as in `sim.audit.reading_facts`."""
    return "error" if seen.error else WORDS[feature](seen)


def _weight(right: float, otherwise: str) -> Callable[[Seen], str]:
    return lambda seen: AS_WRITTEN if same(seen.g, right) else otherwise


def _drag(size: float, stored: Callable[[Seen], float]) -> Callable[[Seen], str]:
    def say(seen: Seen) -> str:
        if same(seen.drag, size):
            return IN_DYNAMICS
        if seen.brake is not None and seen.brake > 0.1:
            return "simulated only"
        return STORED if stored(seen) else IGNORED

    return say


def _spring(seen: Seen) -> str:
    if same(seen.g, WEIGHT - 1.0):
        return IN_DYNAMICS
    return "simulated only" if abs(seen.acceleration or 0.0) > 0.1 else IGNORED


def _effort(seen: Seen) -> str:
    if seen.actuators == 0:
        return "no actuator"
    return "no limit" if seen.effort == inf else f"{seen.effort:g}"


def _second(seen: Seen) -> str:
    return "coupled" if seen.is_coupled else "free joint"


def _of_size(n: int) -> Callable[[Seen], str]:
    return lambda seen: AS_WRITTEN if seen.n == n else f"{seen.n} degrees of freedom"


WORDS: Mapping[str, Callable[[Seen], str]] = {
    "tensor": lambda s: AS_WRITTEN if same(s.M, TURNED) else "from collision shapes",
    "to-world": lambda seen: AS_WRITTEN,
    "no-limit": lambda seen: "no limits" if seen.upper == inf else f"{seen.upper:g}",
    "no-inertial": lambda s: f"{s.masses['tip']:g} kg, tensor {'1 1 1' if s.M > 1 else '0'}",
    "auto-inertia": lambda s: AS_WRITTEN if same(s.masses["rod"], SPHERE) else IGNORED,
    "relative-to": _weight(WEIGHT - 9.81 * 0.6, "in the model's frame"),
    "expressed-in": _weight(0.0, "in the joint's frame"),
    "joint-pose": _weight(1.5 * WEIGHT, IGNORED),
    "damping": _drag(0.5, lambda seen: seen.damping),
    "friction": _drag(0.25, lambda seen: seen.friction),
    "spring": _spring,
    "empty-dynamics": lambda seen: AS_WRITTEN,
    "zero-effort": _effort,
    "no-effort": _effort,
    "mimic": _second,
    "rotor": lambda seen: "N² J in M" if seen.M > 1 else IGNORED,
    "ball": _of_size(3),
    "universal": _of_size(2),
    "screw": _of_size(1),
    "gearbox": _of_size(2),
    "nested-model": _of_size(1),
}
