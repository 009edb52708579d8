"""Seen: a program's reading of a planted file, and the words for it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isclose, pi, sin
from pathlib import Path
from types import MappingProxyType

WEIGHT, INERTIA = -1.962, 0.07  # [N·m] at rest and [kg·m²] of the planted rod about its hinge
TURNED = INERTIA + 0.01 * sin(0.5) ** 2  # with the tensor rotated about X by 0.5 rad
OF_SHAPE = 0.04 + (0.2 + 0.002) ** 2 / 6  # of the sphere's cube, with PyBullet's margin
SPHERE = 1000 * 4 / 3 * pi * 0.1**3  # [kg] of the planted shape
FREE = 1e9  # [rad]; a larger limit counts as none
AS_WRITTEN = "as written"


@dataclass(frozen=True)
class Seen:
    """A program's reading of a planted file; None is what it does not compute.

    Parameters
    ----------
    error : str
        Its refusal; all other fields then have their defaults.
    floats : bool
        Whether the root link moves.
    n, nq : int
        Numbers of velocities and coordinates, without those of the root.
    lower, upper : float
        Limits of the hinge as reported [rad].
    reach : float, optional
        Largest position under 20 N·m within 2 s [rad].
    M, g : float
        Inertia about the hinge, and torque that holds it at rest [kg·m², N·m].
    drag : float
        Added by inverse dynamics at 1 rad/s [N·m].
    brake : float, optional
        Torque that slows the hinge down at 1 rad/s in a step, without gravity [N·m].
    acceleration : float, optional
        By 1 N·m, without gravity, with the tensor of the file [rad/s²].
    at_rest : tuple of float
        Forces that hold all coordinates at rest [N·m or N].
    masses : mapping of str to float
        By link or body [kg].
    has_tip : bool
        Whether the second link is still a separate body.
    damping, friction, effort : float
        As stored.
    actuators : int, optional
        Number of actuators.
    is_coupled : bool
        Whether the second joint follows the first by the model.
    is_soft : bool
        Whether it does so by a constraint of a solver.
    armature, stiffness : float
        As stored.
    has_servo : bool
        Whether a motor is a position controller.
    """

    error: str = ""
    floats: bool = False
    n: int = 0
    nq: int = 0
    lower: float = -inf
    upper: float = inf
    reach: float | None = None
    M: float = 0.0
    g: float = 0.0
    drag: float = 0.0
    brake: float | None = None
    acceleration: float | None = None
    at_rest: tuple[float, ...] = ()
    masses: Mapping[str, float] = field(default_factory=dict)
    has_tip: bool = True
    damping: float = 0.0
    friction: float = 0.0
    effort: float | None = None
    actuators: int | None = None
    is_coupled: bool = False
    is_soft: bool = False
    armature: float = 0.0
    stiffness: float = 0.0
    has_servo: bool = False


def text_reader(
    name: str, files: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Callable[[str], Seen]], Callable[[str], Seen]]:
    """Make a reader of texts from one of files; any exception of a program is a refusal.

    Parameters
    ----------
    name : str
        Name of the file to which the text is written.
    files : mapping of str to str
        Texts of other files in its folder, by their names.
    """

    def decorate(read: Callable[[str], Seen]) -> Callable[[str], Seen]:
        def by_text(text: str) -> Seen:
            with tempfile.TemporaryDirectory() as folder:
                for other, content in {**files, name: text}.items():
                    Path(folder, other).write_text(content, encoding="utf-8")
                try:
                    return read(str(Path(folder, name)))
                except Exception as error:
                    return Seen(error=repr(error))

        return by_text

    return decorate


def word(feature: str, seen: Seen) -> str:
    """Return the reading of a feature, as in `sim.audit.reading_facts`."""
    if seen.error == "crash":
        return "crash"
    return "error" if seen.error else WORDS[feature](seen)


def _same(a: float, b: float) -> bool:
    return isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)  # Newton's numbers have single precision


def _impossible(seen: Seen) -> str:
    if _same(seen.M, INERTIA):
        return AS_WRITTEN
    if seen.M > INERTIA:
        return "enlarged"
    return "from collision shapes" if _same(seen.M, OF_SHAPE) else "reduced"


def _mass(seen: Seen) -> str:
    """Return the mass of the second link: its body's, or the increase of the rod it merged with."""
    mass = seen.masses.get("tip", seen.masses["rod"] - 1.0)
    if _same(mass, SPHERE):
        return "1000 kg/m³ of the shape"
    return f"{mass:.6g} kg"


def _zero_mass(seen: Seen) -> str:
    if seen.reach is not None and seen.reach == 0:
        return "does not move"
    return f"{seen.masses['rod']:.6g} kg"


def _long_axis(seen: Seen) -> str:
    if seen.acceleration is not None and _same(seen.acceleration * 4, 1 / INERTIA):
        return "inertia × length²"
    return "unit axis" if _same(seen.g, WEIGHT) else "wrong torque"


def _axis(wrong: str, weight: float) -> Callable[[Seen], str]:
    return lambda seen: AS_WRITTEN if _same(seen.g, weight) else wrong


def _limits(seen: Seen) -> str:
    if seen.reach is not None and seen.reach > 10:
        return "no limits"
    if seen.lower > seen.upper or seen.upper > FREE:
        return "no limits"
    if seen.lower == seen.upper == 0:
        return "0 to 0"
    return "−π to π" if _same(seen.upper, pi) else f"{seen.lower:g} to {seen.upper:g}"


def _endless(seen: Seen) -> str:
    is_reported = _same(seen.upper, 1.0) and seen.nq == seen.n
    if seen.reach is not None and seen.reach < 10:
        return "enforced"
    return "reported, not enforced" if is_reported else "ignored"


def _effort(seen: Seen) -> str:
    if seen.actuators == 0 and seen.effort is None:
        return "no actuator"
    if seen.effort == 0:
        return "stored as 0"
    return "ignored" if seen.effort is None else "no limit"


def _drag(size: float, stored: Callable[[Seen], float]) -> Callable[[Seen], str]:
    def say(seen: Seen) -> str:
        if _same(seen.drag, size):
            is_viscous = size == 0.25 and _same(seen.damping, size)
            return "taken as damping" if is_viscous else "in inverse dynamics"
        if seen.brake is not None and _same(seen.brake, size):
            return "simulated only"
        return "stored only" if _same(stored(seen), size) else "ignored"

    return say


def _extras(seen: Seen) -> str:
    return "ignored" if _same(seen.g, WEIGHT) and seen.M < 0.071 else "read"


def _mimic(seen: Seen) -> str:
    if seen.is_soft:
        return "soft constraint"
    if seen.is_coupled:
        return "coupled"
    if seen.reach is not None and seen.reach < 0.6:  # the follower is at its end at 0.5 rad
        return "free in inverse dynamics"
    return "free joint"


def _transmission(seen: Seen) -> str:
    is_ignored = _same(seen.M, INERTIA) or seen.M < INERTIA
    if seen.actuators:
        return "actuator, ratio ignored" if is_ignored else "read"
    return "ignored" if is_ignored else "read"


def _planar(seen: Seen) -> str:
    if seen.n == 0:
        return "fixed"
    if seen.n == 2:
        return "cannot turn"
    return AS_WRITTEN if any(_same(abs(f), 9.81) for f in seen.at_rest) else "X-Y, axis ignored"


def _floating(count: int) -> Callable[[Seen], str]:
    def say(seen: Seen) -> str:
        return {count: "floats", count - 6: "fixed"}.get(seen.n, f"{seen.n} degrees of freedom")

    return say


WORDS: Mapping[str, Callable[[Seen], str]] = {
    "root": lambda seen: "floats" if seen.floats else "fixed to the world",
    "tensor": lambda s: AS_WRITTEN if _same(s.M, TURNED) else "from collision shapes",
    "impossible-tensor": _impossible,
    "shape-only": _mass,
    "bare-frame": _mass,
    "bare-link": _mass,
    "zero-mass": _zero_mass,
    "fixed": lambda seen: "separate link" if seen.has_tip else "merged",
    "long-axis": _long_axis,
    "reversed-axis": _axis("torque of wrong sign", -WEIGHT),
    "oblique-axis": _axis("wrong pose and torque", 0.6 * WEIGHT),
    "no-limit": _limits,
    "no-ends": _limits,
    "zero-range": _limits,
    "endless-limits": _endless,
    "endless-joint": lambda seen: "one coordinate" if seen.nq == 1 else "cosine and sine",
    "zero-effort": _effort,
    "damping": _drag(0.5, lambda seen: seen.damping),
    "friction": _drag(0.25, lambda seen: seen.friction),
    "empty-dynamics": _extras,
    "dynamics-extras": _extras,
    "mimic": _mimic,
    "transmission": _transmission,
    "rotor": lambda s: "N² J in M" if _same(s.M, INERTIA + 1) else _transmission(s),
    "mujoco-masses": lambda s: "other masses" if s.masses["rod"] != 1.0 else "ignored",
    "planar": _planar,
    "floating": _floating(6),
    "floating-inside": _floating(7),
    "ball": lambda seen: "ball" if seen.n == 3 else f"{seen.n} degrees of freedom",
    "several-trees": lambda seen: "floats" if seen.n == 8 else "fixed to the world",
}
