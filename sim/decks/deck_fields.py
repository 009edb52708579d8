"""FIELD and BEAM of a deck: a linear law of six components between two markers.

    (F, T) = (F, T)_0 - K (d - d_0) - C v        on I, along and about the axes of J

with d = (DX, DY, DZ, AX, AY, AZ) of I in J and its velocities v. The reaction acts on J's part at
the position of I. A BEAM along x of J is a Timoshenko beam, unloaded at the length L, with

    K11 = E A / L            K44 = G Ixx / L
    K22 = 12 E Izz / (L³ (1 + Py))        K26 = -6 E Izz / (L² (1 + Py))
    K33 = 12 E Iyy / (L³ (1 + Pz))        K35 = +6 E Iyy / (L² (1 + Pz))
    K55 = (4 + Pz) E Iyy / (L (1 + Pz))   K66 = (4 + Py) E Izz / (L (1 + Py))
    Py = 12 E Izz ASY / (G A L²)          Pz = 12 E Iyy ASZ / (G A L²)

Source: MSC Adams Solver, statements FIELD and BEAM.
"""

from __future__ import annotations

import numpy as np

from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_units import DeckUnits
from sim.decks.statements import Statement
from sim.dynamics.force import VForce
from sim.maths.arrays import Array

FORMULATIONS = ("LINEAR", "NONLINEAR", "STRING")
PLACES = tuple(
    "DX({i},{j},{j}) DY({i},{j},{j}) DZ({i},{j},{j}) AX({i},{j}) AY({i},{j}) AZ({i},{j})".split()
)
SPEEDS = tuple(
    "VX({i},{j},{j},{j}) VY({i},{j},{j},{j}) VZ({i},{j},{j},{j}) "
    "WX({i},{j},{j}) WY({i},{j},{j}) WZ({i},{j},{j})".split()
)


def field_force(one: Statement, name: str, functions: DeckFunctions) -> VForce:
    """Return the force of a FIELD or a BEAM.

    Raises
    ------
    DeckError
        If it is a subroutine, or has a wrong number of values.
    """
    if (formulation := one.word("FORMULATION", FORMULATIONS)) != FORMULATIONS[0]:
        raise one.refusal(f"FORMULATION = {formulation}: only LINEAR is supported")
    i, j = (functions.marker(functions.deck.marker(one, key)) for key in "IJ")
    stiffness, damping, rest, preload = (_beam if one.keyword == "BEAM" else _field)(
        one, functions.deck.units
    )
    rows = [
        _component(*law, i.name, j.name)
        for law in zip(preload, stiffness, rest @ stiffness.T, damping, strict=True)
    ]
    return VForce(name, i, j, rows[:3], rows[3:])


def _component(
    preload: float, stiffness: Array, at_rest: float, damping: Array, i: str, j: str
) -> str | float:
    """Return one component as an expression of the state; a number if it is constant."""
    coefficients = [*zip(stiffness, PLACES, strict=True), *zip(damping, SPEEDS, strict=True)]
    terms = [f"-({float(k)!r})*{text.format(i=i, j=j)}" for k, text in coefficients if k]
    constant = float(preload + at_rest)
    return " ".join([repr(constant), *terms]) if terms else constant


def _field(one: Statement, units: DeckUnits) -> tuple[Array, Array, Array, Array]:
    """Return K, C, d_0 and the load there in SI units."""
    if "FUNCTION" in one.values or "ROUTINE" in one.values:
        raise one.refusal("a subroutine cannot be called here; give KMATRIX")
    one.require_one_of("CMATRIX", "CRATIO")
    by_length, efforts = _scales(units)
    stiffness = _numbers(one, "KMATRIX", 36).reshape(6, 6, order="F")
    stiffness = stiffness * efforts[:, None] / by_length
    damping = _numbers(one, "CMATRIX", 36).reshape(6, 6, order="F")
    damping = damping * efforts[:, None] / by_length * units.time
    if "CRATIO" in one.values:
        damping = stiffness * one.number("CRATIO") * units.time
    return (
        stiffness,
        damping,
        _numbers(one, "LENGTH", 6) * by_length,
        _numbers(one, "FORCE", 6) * efforts,
    )


def _beam(one: Statement, units: DeckUnits) -> tuple[Array, Array, Array, Array]:
    needed = ("LENGTH", "AREA", "IXX", "IYY", "IZZ", "EMODULUS", "GMODULUS")
    if missing := [key for key in needed if one.number(key) <= 0]:
        raise one.refusal(f"it needs {', '.join(missing)} above 0")
    length, area = one.number("LENGTH") * units.length, one.number("AREA") * units.length**2
    twist, iyy, izz = (one.number(key) * units.length**4 for key in ("IXX", "IYY", "IZZ"))
    e, g = (one.number(f"{key}MODULUS") * units.force / units.length**2 for key in "EG")
    K = np.zeros((6, 6))
    K[0, 0], K[3, 3] = e * area / length, g * twist / length
    planes = ((1, 5, izz, "ASY", -1.0), (2, 4, iyy, "ASZ", 1.0))
    for across, about, moment, key, sign in planes:
        shear = 12 * e * moment * one.number(key) / (g * area * length**2)
        bend = e * moment / (length * (1 + shear))
        K[across, across] = 12 * bend / length**2
        K[across, about] = K[about, across] = sign * 6 * bend / length
        K[about, about] = (4 + shear) * bend
    rest = np.array([length, 0, 0, 0, 0, 0])
    return K, _beam_damping(one, K, units), rest, np.zeros(6)


def _beam_damping(one: Statement, K: Array, units: DeckUnits) -> Array:
    """Return C in SI units: CMATRIX, its lower half by columns, or CRATIO times K."""
    one.require_one_of("CMATRIX", "CRATIO")
    if "CMATRIX" not in one.values:
        return K * one.number("CRATIO") * units.time
    half = np.zeros((6, 6))
    half.T[np.triu_indices(6)] = _numbers(one, "CMATRIX", 21)
    by_length, efforts = _scales(units)
    whole = half + np.tril(half, -1).T
    return np.asarray(whole * efforts[:, None] / by_length * units.time)


def _scales(units: DeckUnits) -> tuple[Array, Array]:
    """Return the deck's units of the six components, of displacements and of efforts [SI]."""
    return np.repeat([units.length, 1.0], 3), np.repeat([units.force, units.torque], 3)


def _numbers(one: Statement, key: str, count: int) -> Array:
    """Return a row of numbers; zeros if it is missing."""
    row = one.numbers(key)
    if row is None:
        return np.zeros(count)
    if row.size != count:
        raise one.refusal(f"{key} has {row.size} numbers: it takes {count}")
    return row
