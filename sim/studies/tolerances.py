"""Tolerance: random variation of masses, lengths, friction, payload and parameters, by a seed.

A tolerance of 2 % is three standard deviations of a normal distribution truncated there: no draw is
further from the nominal value. Each link or joint has a draw of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ScenarioError
from sim.robots.joint import Joint
from sim.robots.robot import Robot
from sim.robots.urdf import read_tree
from sim.robots.urdf_elements import MOMENTS
from sim.robots.xml_text import parse, text_of
from sim.scenario.script import Script
from sim.studies.request import Distribution

if TYPE_CHECKING:
    from lxml.etree import _Element

SIGMAS = 3.0  # standard deviations per tolerance
OF_ROBOT = ("mass", "length", "friction", "payload")


@dataclass(frozen=True)
class Tolerance:
    """Largest deviation of a quantity from its nominal value.

    Parameters
    ----------
    what : str
        Parameter of the scenario, or one of `OF_ROBOT`.
    size : float
        Relative, or with `is_absolute` in the parameter's unit.
    is_absolute : bool
    distribution : {"normal", "uniform"}
    """

    what: str
    size: float
    is_absolute: bool
    distribution: Distribution = "normal"

    @property
    def text(self) -> str:
        """Text such as ``mass=2%``."""
        size = f"{self.size:g}" if self.is_absolute else f"{100 * self.size:g}%"
        return f"{self.what}={size} {self.distribution}"

    def deviation(self, chance: np.random.Generator) -> float:
        """Return a draw between ``-size`` and ``size``."""
        if self.distribution == "uniform":
            return self.size * float(chance.uniform(-1.0, 1.0))
        while abs(drawn := float(chance.standard_normal()) / SIGMAS) > 1:
            pass
        return self.size * drawn


def parse_tolerances(
    script: Script,
    texts: Sequence[str],
    distribution: Distribution,
    settings: Mapping[str, object],
    varied: Sequence[str],
) -> tuple[Tolerance, ...]:
    """Parse the tolerances of a study.

    Parameters
    ----------
    settings : mapping of str to object
        Parameters that are the same in all cases.
    varied : sequence of str
        Parameters that the design varies.

    Raises
    ------
    ScenarioError
        If a tolerance is invalid, two are of one quantity, or one is a percentage of zero.
    """
    fixed = {name: script.value_of(name, value) for name, value in settings.items()}
    tolerances: dict[str, Tolerance] = {}
    for text in texts:
        one = parse_tolerance(script, text, distribution)
        if one.what in tolerances:
            raise ScenarioError(f"--tolerance names {one.what!r} twice; give it once")
        nominal = {**script.parameters, **fixed}.get(one.what)
        if nominal == 0 and one.what not in varied and not one.is_absolute:
            raise ScenarioError(
                f"--tolerance {text}: {one.what} is 0, and so is every share of it; give the "
                f"tolerance in the unit of {one.what}, such as {one.what}=0.1"
            )
        tolerances[one.what] = one
    return tuple(tolerances.values())


def parse_tolerance(script: Script, text: str, distribution: Distribution = "normal") -> Tolerance:
    """Parse a tolerance such as ``mass=2%``.

    Raises
    ------
    ScenarioError
        If there is no such quantity, or the size is not positive, or relative and at least 100 %.
    """
    what, equals, number = (part.strip() for part in text.partition("="))
    try:
        size = (
            float(number.removesuffix("%")) if number.isascii() and "_" not in number else math.nan
        )
    except ValueError:
        size = math.nan
    if not (equals and math.isfinite(size) and size > 0):
        raise ScenarioError(
            f"--tolerance requires NAME=2% or, of a parameter, NAME=0.1, got {text!r}; NAME is "
            f"{', '.join(OF_ROBOT)} or a parameter of the scenario"
        )
    is_absolute = not number.endswith("%")
    value = script.parameters.get(what)
    if what in script.parameters:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ScenarioError(f"--tolerance {text}: parameter {what!r} is not a number")
        try:
            script.value_of(what, "0.5")
        except ScenarioError:
            reason = f"--tolerance {text}: parameter {what!r} is a whole number, and draws are "
            raise ScenarioError(f"{reason}not; use --vary, or annotate it as float") from None
    elif what not in OF_ROBOT:
        script.value_of(what, "0")  # lists those available
    elif is_absolute:
        raise ScenarioError(f"--tolerance {text}: {what} requires a share, such as 2%")
    if not is_absolute and size >= 100:
        raise ScenarioError(f"--tolerance {text}: a share must be below 100 %")
    return Tolerance(what, size if is_absolute else size / 100, is_absolute, distribution)


def generator(seed: int, draw: int, one: Tolerance) -> np.random.Generator:
    """Return the random generator of one tolerance in one draw, independent of others."""
    return np.random.default_rng([seed, draw, *one.what.encode()])


def perturb_parameters(
    parameters: Mapping[str, float], tolerances: tuple[Tolerance, ...], seed: int, draw: int
) -> tuple[dict[str, object], dict[str, float]]:
    """Return parameters after a draw, and the drawn values as ``drawn.<parameter>``."""
    perturbed, factors = dict[str, object](parameters), {}
    for one in tolerances:
        if one.what not in parameters:
            continue
        deviation = one.deviation(generator(seed, draw, one))
        nominal = parameters[one.what]
        perturbed[one.what] = nominal + (deviation if one.is_absolute else nominal * deviation)
        factors[f"drawn.{one.what}"] = float(str(perturbed[one.what]))
    return perturbed, factors


def perturb_robot(
    robot: Robot, tolerances: tuple[Tolerance, ...], seed: int, draw: int
) -> tuple[Robot, dict[str, float]]:
    """Return a robot after a draw, and the factor of each of its quantities.

    Raises
    ------
    ScenarioError
        If the robot has no such quantity, or closed loops would no longer close.
    """
    factors = draw_factors(varied_quantities(robot, tolerances), seed, draw)
    return scale_robot(robot, factors), factors


Quantities = dict[Tolerance, tuple[str, ...]]  # such as ``mass.upper_arm``


def varied_quantities(robot: Robot, tolerances: tuple[Tolerance, ...]) -> Quantities:
    """Return the quantities of a robot that each tolerance varies.

    Raises
    ------
    ScenarioError
        If the robot has no such quantity, or closed loops would no longer close.
    """
    root, quantities = parse(robot.text, f"robot {robot.name!r}"), Quantities()
    for one in tolerances:
        if one.what in ("mass", "payload"):
            heavy = (e for e in root.iter("link") if e.find("inertial") is not None)
            links = (str(e.get("name")) for e in heavy)
            names = [name for name in links if _is_payload(name) == (one.what == "payload")]
        elif one.what == "length":
            _require_open(robot)
            joints = root.iter("joint")
            names = [str(e.get("name")) for e in joints if any(map(float, _origin(e).split()))]
        else:
            rubbing = (j for j in robot.tree_joints if j.damping or j.friction or j.friction_law)
            names = [joint.name for joint in rubbing]
        if not names:
            where = "; drive trains are not varied" if one.what == "friction" else ""
            raise ScenarioError(
                f"--tolerance {one.text}: robot {robot.name!r} has no {one.what} to vary{where}"
            )
        quantities[one] = tuple(f"{one.what}.{name}" for name in names)
    return quantities


def draw_factors(quantities: Quantities, seed: int, draw: int) -> dict[str, float]:
    """Return the factor of each quantity in a draw."""
    factors: dict[str, float] = {}
    for one, names in quantities.items():
        chance = generator(seed, draw, one)
        factors |= {name: 1 + one.deviation(chance) for name in names}
    return factors


def scale_robot(robot: Robot, factors: Mapping[str, float]) -> Robot:
    """Return a robot with scaled quantities; an inertia is scaled with its mass."""
    root = parse(robot.text, f"robot {robot.name!r}")
    for link in root.iter("link"):
        name = str(link.get("name"))
        factor = factors.get(f"{'payload' if _is_payload(name) else 'mass'}.{name}")
        if factor is not None:
            _scale(link, "inertial/mass", ("value",), factor)
            _scale(link, "inertial/inertia", MOMENTS, factor)
    for joint in root.iter("joint"):
        if (factor := factors.get(f"length.{joint.get('name')}")) is not None:
            _lengthen(joint, factor)
        friction = factors.get(f"friction.{joint.get('name')}", 1.0)
        _scale(joint, "dynamics", ("damping", "friction"), friction)
    laws = {joint.name: factors.get(f"friction.{joint.name}", 1.0) for joint in robot.joints}
    return _read_again(robot, root, laws)


def _is_payload(link: str) -> bool:
    return link == "payload" or link.startswith("payload_")


def _origin(joint: _Element) -> str:
    origin = joint.find("origin")
    return "" if origin is None else origin.get("xyz", "")


def _lengthen(joint: _Element, factor: float) -> None:
    if (origin := joint.find("origin")) is not None:
        origin.set("xyz", " ".join(repr(factor * float(x)) for x in _origin(joint).split()))


def _scale(element: _Element, path: str, names: tuple[str, ...], factor: float) -> None:
    for inner in element.findall(path):
        for name in names:
            if (text := inner.get(name)) is not None:
                inner.set(name, repr(factor * float(text)))


def _require_open(robot: Robot) -> None:
    if robot.loops:
        raise ScenarioError(
            f"--tolerance length: robot {robot.name!r} has closed loops, whose rods would no "
            "longer fit"
        )


def _read_again(robot: Robot, root: _Element, laws: Mapping[str, float]) -> Robot:
    """Return the robot of a modified text; joint properties besides the text are kept."""
    text = text_of(root.getroottree())
    varied = read_tree(text, f"robot {robot.name!r} with tolerances")
    known = {joint.name: joint for joint in robot.joints}
    joints = tuple(_with_laws(new, known[new.name], laws[new.name]) for new in varied.joints)
    return replace(robot, links=varied.links, joints=joints, text=text, repairs=varied.repairs)


def _with_laws(new: Joint, old: Joint, factor: float) -> Joint:
    if (law := old.friction_law) is not None and factor != 1.0:
        law = replace(
            law,
            mu_static=law.mu_static * factor,
            mu_dynamic=law.mu_dynamic * factor,
            preload=law.preload * factor,
        )
    return replace(new, friction_law=law, forces=old.forces, drive=old.drive)
