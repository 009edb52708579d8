"""Allowed error of a channel: a sum of named terms with their meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

TERMS: Mapping[str, str] = {
    "method": "accuracy of the method, as a share of the channel's peak",
    "halving": "change due to half a step, as a share of the channel's peak",
    "exact": "rounding difference of two exact formulations, as a share of the channel's peak",
    "floor": "share of the largest peak of its kind, for channels that hardly move",
    "discretisation": "discretisation error of a smooth curve, from its differences over a step",
    "rounding": "last digits of positions, velocities and of terms that cancel",
    "cancellation": "rounding of the loads that motors balance: weights and centrifugal forces",
    "springs": "solver errors of positions and speeds, amplified by stiff springs and dampers",
    "moved": "accuracy of the solution method, as a share of the energy moved",
    "sampling": "error of integrating a power over samples",
    "motion": "allowed errors of the motion, by the element's stiffness and damping",
    "stored": "share of the largest energy in force elements",
    "of_speed": "allowed error of the speed, at the largest torque",
    "of_torque": "allowed error of the torque, at the largest speed",
    "of_both": "allowed errors of torque and speed, multiplied",
    "lever": "allowed errors of the joints' rates, by the lever arms of the tool",
    "turned": "allowed errors of positions, which rotate and shift the lever arms",
    "rates": "allowed errors of velocities, in the terms with their products",
    "gear": "allowed error of the joint's torque, over the efficiency",
    "rotor": "allowed error of the acceleration, by the rotor's inertia",
    "rotor_friction": "allowed error of the speed, by the rotor's viscous friction",
    "torque": "allowed error of the joint's torque",
    "command": "accuracy of the method, as a share of the command's peak",
    "watched": "difference of a watched loop that its notes explain",
    "singular_loops": "differences that closed loops amplify near a singular pose",
    "corner": "difference at a corner that follows from others, as differences mix both sides",
    "state": "response of the model to the differences of positions and speeds, as in an impact",
}


class Term(NamedTuple):
    """A part of an allowed error, in the unit of the channel.

    Parameters
    ----------
    name : str
        Key in `TERMS`.
    value : float
    """

    name: str
    value: float

    @property
    def title(self) -> str:
        """Name in words."""
        return self.name.replace("_", " ")

    @property
    def meaning(self) -> str:
        """Meaning of the term."""
        return TERMS[self.name]


class AllowedError(NamedTuple):
    """Sum of terms; computed with each check, not stored.

    Parameters
    ----------
    terms : tuple of Term
    divisor : float
        Divisor of the sum: gear ratio, for errors given on the other side of the gear.
    taken_off : tuple of Term
        Largest amounts subtracted from the error before the comparison; they vary over the run.
    """

    terms: tuple[Term, ...]
    divisor: float = 1.0
    taken_off: tuple[Term, ...] = ()

    @classmethod
    def of(cls, divisor: float = 1.0, **terms: float) -> AllowedError:
        """Return the sum of terms given by their names in `TERMS`."""
        return cls(tuple(Term(name, float(terms[name])) for name in terms), divisor)

    @property
    def total(self) -> float:
        """Limit: the sum of the terms, in order."""
        first, *rest = (term.value for term in self.terms)
        for value in rest:
            first += value
        return first / self.divisor

    def plus(self, name: str, value: float) -> AllowedError:
        """Return the sum with a further term, whose name may occur already."""
        return self._replace(terms=(*self.terms, Term(name, float(value))))

    def with_taken_off(self, name: str, most: float) -> AllowedError:
        """Return a copy that records a subtraction from the error of at most `most`, if not 0."""
        if not most > 0.0:
            return self
        return self._replace(taken_off=(*self.taken_off, Term(name, most)))

    @property
    def shown(self) -> tuple[tuple[Term, float], ...]:
        """Nonzero terms with their fractions of the limit, in descending order."""
        sizes: dict[str, float] = {}
        for term in self.terms:
            sizes[term.name] = sizes.get(term.name, 0.0) + term.value
        total = sum(sizes.values())
        parts = (
            (Term(name, size / self.divisor), size / total) for name, size in sizes.items() if size
        )
        return tuple(sorted(parts, key=lambda part: -part[1]))
