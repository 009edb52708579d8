"""FlexibleLink: a link that bends and twists as a beam, in rigid pieces on springs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.beam_hinges import (
    MOST_HINGES,
    clamped_roots,
    frequency_error,
    hinges_needed,
    hinges_of,
    piecewise_roots,
)
from sim.robots.beam_text import BeamPieces, joint_name, with_beam
from sim.robots.quantity import Checker
from sim.robots.robot import Robot
from sim.robots.spring import JointSpring
from sim.robots.urdf import reread
from sim.showing.one_line import one_line

AXES = "xyz"
STABLE = 6.0  # h |λ| up to which an explicit solver of order eight is stable


@checked
@dataclass(frozen=True)
class FlexibleLink:
    """A uniform beam along an axis of a link, which replaces the link.

    `on` divides it into rigid pieces with hinges between them (`sim.robots.beam_hinges`), written
    into the robot's URDF; joints of the link move to the last piece. The hinges are free joints,
    `joint_names`; ``<link>_tip`` is a frame at the end of the beam.

    Parameters
    ----------
    link : str
    length : float
        [m]
    stiffness : mapping of str to float
        For axes of the link: bending stiffness EI about each of the two transverse axes, torsional
        stiffness GJ about the longitudinal axis [N·m²]. Rigid about the other axes.
    mass_per_length : float, optional
        [kg/m] (default: mass of the link over `length`)
    axis : {"x", "y", "z", "-x", "-y", "-z"}
        Axis of the link and direction of the beam.
    at : array_like, shape (3,)
        Root of the beam in the link [m].
    polar_inertia : float
        Moment of inertia about the beam's own axis, per length [kg·m].
    damping : float
        Ratio of damping to stiffness of each hinge [s].
    modes : int
        Number of frequencies of the clamped beam that are within 1e-3 of the Euler-Bernoulli
        values; determines the number of hinges.
    hinges : int, optional
        Even number of hinges, instead of `modes`.

    Raises
    ------
    ModelError
        If a number is invalid.
    """

    link: str
    length: float
    stiffness: Mapping[str, float]
    _: KW_ONLY
    mass_per_length: float | None = None
    axis: str = "x"
    at: ArrayLike = (0.0, 0.0, 0.0)
    polar_inertia: float = 0.0
    damping: float = 0.0
    modes: int = 2
    hinges: int | None = None

    def __post_init__(self) -> None:
        if str(self.link).lower().endswith(".mnf"):
            raise ModelError(
                f"{self.link} is a flexible body of ADAMS, which sim does not read; give the "
                "link's length, stiffness and mass per length"
            )
        check = Checker(self.label)
        numbers = {
            "length": check.positive("length", self.length, "m"),
            "polar_inertia": check.not_negative("polar_inertia", self.polar_inertia, "kg·m"),
            "damping": check.not_negative("damping", self.damping, "s"),
        }
        if self.mass_per_length is not None:
            mass = check.positive("mass_per_length", self.mass_per_length, "kg/m")
            numbers["mass_per_length"] = mass
        for name, number in numbers.items():
            object.__setattr__(self, name, number)
        if self.axis not in (*AXES, *(f"-{name}" for name in AXES)):
            raise ModelError(f"{self.label}: axis must be x, y, z, -x, -y or -z, got {self.axis!r}")
        point = np.asarray(self.at, dtype=np.float64)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise ModelError(f"{self.label}: at must be three finite numbers in m, got {self.at!r}")
        object.__setattr__(self, "at", tuple(point.tolist()))
        wrong = [name for name in self.stiffness if name not in tuple(AXES)]
        if wrong or not self.stiffness:
            named = f"got {wrong[0]!r}" if wrong else "there is none"
            raise ModelError(f"{self.label}: stiffness is by axis of the link, x, y, z; {named}")
        values = {
            name: check.positive(f"stiffness about {name}", value, "N·m²")
            for name, value in self.stiffness.items()
        }
        object.__setattr__(self, "stiffness", MappingProxyType(values))
        self._require_hinges()

    def _require_hinges(self) -> None:
        """Check the number of hinges, or the number of modes that determines it."""
        if self.hinges is None:
            hinges_needed(self.modes)
        elif not (2 <= self.hinges <= MOST_HINGES and self.hinges % 2 == 0):
            raise ModelError(
                f"{self.label}: hinges must be an even number from 2 to {MOST_HINGES}, got "
                f"{self.hinges}"
            )

    @classmethod
    def of_tube(
        cls,
        link: str,
        length: float,
        diameter: float,
        wall: float | None = None,
        *,
        modulus: float,
        density: float,
        shear_modulus: float | None = None,
        axis: str = "x",
        at: ArrayLike = (0.0, 0.0, 0.0),
        damping: float = 0.0,
        modes: int = 2,
    ) -> FlexibleLink:
        """Return a round tube (a bar without `wall`) as beam; with `shear_modulus` it twists too.

        Parameters
        ----------
        diameter, wall : float
            Outer diameter and wall thickness [m].
        modulus, shear_modulus : float
            [Pa]
        density : float
            [kg/m³]
        """
        check = Checker(f"Flexible link {link!r}")
        outer = check.positive("diameter", diameter, "m") / 2
        thick = outer if wall is None else check.positive("wall", wall, "m")
        if thick > outer:
            raise ModelError(
                f"Flexible link {link!r}: wall {thick:g} m is thicker than the radius, {outer:g} m"
            )
        area = math.pi * (outer**2 - (outer - thick) ** 2)
        second = math.pi / 4 * (outer**4 - (outer - thick) ** 4)
        rho = check.positive("density", density, "kg/m³")
        E = check.positive("modulus", modulus, "Pa")
        stiffness = {name: E * second for name in AXES if name != axis[-1:]}
        if shear_modulus is not None:
            stiffness[axis[-1:]] = check.positive("shear_modulus", shear_modulus, "Pa") * 2 * second
        return cls(
            link,
            length,
            stiffness,
            mass_per_length=rho * area,
            axis=axis,
            at=at,
            polar_inertia=2 * rho * second,
            damping=damping,
            modes=modes,
        )

    def __repr__(self) -> str:
        about = ", ".join(
            f"{value:.4g} N·m² about {name}" for name, value in self.stiffness.items()
        )
        return one_line(f"FlexibleLink {self.link}:", f"{self.length:.4g} m", about)

    @property
    def label(self) -> str:
        """Prefix of messages."""
        return f"Flexible link {self.link!r}"

    @property
    def count(self) -> int:
        """Number of hinges along the beam."""
        return hinges_needed(self.modes) if self.hinges is None else self.hinges

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of its undriven joints, for `free` of a motion."""
        return tuple(
            joint_name(self.link, axis, number)
            for number in range(1, self.count + 1)
            for axis in self.stiffness
        )

    def frequencies(self, mass_per_length: float | None = None) -> dict[str, tuple[float, ...]]:
        """Return the first clamped-free frequencies for each transverse axis [Hz].

        Values of the Euler-Bernoulli beam; `mass_per_length` [kg/m] is needed if the beam has none.

        Raises
        ------
        ModelError
            If the mass is unknown.
        """
        mass = self.mass_per_length if mass_per_length is None else mass_per_length
        if mass is None:
            raise ModelError(f"{self.label}: its mass is that of a link; give mass_per_length")
        roots = clamped_roots(min(self.modes, self.count)) ** 2 / self.length**2 / (2 * math.pi)
        return {
            name: tuple((roots * math.sqrt(EI / mass)).tolist())
            for name, EI in self.stiffness.items()
            if name != self.axis[-1]
        }

    def describe(self, mass_per_length: float | None = None) -> str:
        """Describe the division, its accuracy and its cost in one sentence."""
        modes, bends = min(self.modes, self.count), self.frequencies(mass_per_length)
        text = f"{self.label} is {self.count + 1} rigid pieces on {len(self.joint_names)} joints"
        if not bends:
            return f"{text}, which twist only"
        first = ", ".join(
            f"{' and '.join(f'{f:.4g}' for f in each)} Hz about {name}"
            for name, each in bends.items()
        )
        fastest = max(each[0] for each in bends.values())
        fastest *= float((piecewise_roots(self.count)[-1] / clamped_roots(1)[0]) ** 2)
        return (
            f"{text}: clamped at its root {first}, within "
            f"{frequency_error(self.count, modes):.1e}; its fastest motion, {fastest:.4g} Hz, asks "
            f"for about {2 * math.pi * fastest / STABLE:.3g} steps of the solver a second"
        )

    def on(self, robot: Robot) -> Robot:
        """Return a new robot with the beam in place of the link.

        Raises
        ------
        ModelError
            If the link does not exist or has no mass, or a loop is attached to it.
        """
        link = robot.link(self.link)
        if any(self.link in (loop.link_a, loop.link_b) for loop in robot.loops):
            raise ModelError(f"{self.label}: a closed loop of the robot is fixed to it")
        if (mass := self.mass_per_length) is None:
            if link.inertia is None or not link.inertia.mass > 0:
                raise ModelError(f"{self.label} has no mass; give mass_per_length")
            mass = float(link.inertia.mass) / self.length
        places, weights = hinges_of(self.count)
        pieces = BeamPieces(
            self.link,
            AXES.index(self.axis[-1]),
            -1 if self.axis.startswith("-") else 1,
            np.asarray(self.at),
            tuple(self.stiffness),
            np.concatenate([[0.0], self.length * places, [self.length]]),
            mass,
            self.polar_inertia,
        )
        source = f"robot {robot.name!r}"
        text = with_beam(robot.text, source, pieces)
        new = reread(replace(robot, joints=()), text, f"{source} with a flexible link")
        placed = {joint.name: (joint.parent, joint.T_pc) for joint in new.joints}
        new = new.with_joints(
            replace(joint, parent=placed[joint.name][0], T_pc=placed[joint.name][1])
            for joint in robot.joints
        )
        springs = {
            joint_name(self.link, axis, number): JointSpring(
                EI / (self.length * weight), self.damping * EI / (self.length * weight)
            )
            for number, weight in enumerate(weights.tolist(), 1)
            for axis, EI in self.stiffness.items()
        }
        return new.with_springs(springs)
