"""Contacts of shapes as CONTACT statements of ADAMS, with the GRAPHICS that they reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from sim.dynamics.contact import GroundContact
from sim.dynamics.contact_shape import ContactShape
from sim.dynamics.shape_contact import Contact
from sim.errors import RecordingError
from sim.functions.write_expression import number
from sim.reports.exports.adams_statements import comment, named_statement, statement
from sim.robots.marker import WORLD, Marker

WIDE = 10.0  # m, half of the side of a PLANE, which has edges in ADAMS
CREEPS = (
    "sim lets this contact stick; the friction written here goes through zero with the slip, so "
    "that in ADAMS it creeps below STICTION_TRANSITION_VELOCITY"
)
SHARED = (
    "sim shares the stiffness of a contact by its points, such as the corners of a box; ADAMS "
    "has one force for each volume of overlap"
)


class Statements(Protocol):
    """Interface of a model that numbers statements and markers."""

    length: float
    lines: list[str]
    graphics: dict[str, int]

    def number_of(self, kind: str) -> int:
        """Return the next id of a kind of statement."""
        ...

    def marker(self, one: Marker) -> int:
        """Return the id of a marker, which is written on first use."""
        ...


def write_contact(model: Statements, contact: Contact | GroundContact) -> None:
    """Write a CONTACT and its two GRAPHICS, each GRAPHICS once.

    Raises
    ------
    RecordingError
        If ADAMS has no such shape or law; the message names the contact.
    """
    if isinstance(contact, GroundContact):
        name, one = contact.name or contact.frame, contact.of_shapes
    else:
        name, one = contact.name, contact
    law, (mu_s, mu_d, v_s, v_d) = one.law, one.friction
    if law.kind != "impact":
        raise RecordingError(
            f"The contact {name!r} has the law {law.kind!r}, which ADAMS does not have; give "
            "ContactLaw.impact"
        )
    ids = [_graphics(model, shape, name) for shape in (one.a, one.b)]
    length, has_friction = model.length, mu_s > 0.0 or mu_d > 0.0
    numbers = {
        "STIFFNESS": law.stiffness / length**law.exponent,
        "DAMPING": law.damping / length,
        "EXPONENT": law.exponent,
        "DMAX": law.depth * length,
    }
    friction = {
        "MU_STATIC": mu_s,
        "MU_DYNAMIC": mu_d,
        "STICTION_TRANSITION_VELOCITY": v_s * length,
        "FRICTION_TRANSITION_VELOCITY": v_d * length,
    }
    more = ["COULOMB_FRICTION = ON", *_numbers(friction)] if has_friction else []
    model.lines += [comment(SHARED), *([comment(CREEPS)] if one.stiction else [])]
    model.lines += named_statement(
        name,
        f"CONTACT/{model.number_of('CONTACT')}",
        f"IGEOM = {ids[0]}",
        f"JGEOM = {ids[1]}",
        "IMPACT",
        *_numbers(numbers),
        *more,
    )


def _numbers(values: dict[str, float]) -> Iterator[str]:
    return (f"{key} = {number(value)}" for key, value in values.items())


def _graphics(model: Statements, shape: ContactShape, name: str) -> int:
    """Return the id of the GRAPHICS of a shape, which is written on first use."""
    L, (x, y, z) = model.length, np.asarray(shape.size, dtype=np.float64)
    if shape.kind == "sphere" and x > 0.0:
        key, at = "CM", (0.0, 0.0, 0.0)
        sizes = {f"{axis}SCALE": 2.0 * x * L for axis in "XYZ"}
    elif shape.kind == "sphere":
        key, at, sizes = "RM", (0.0, 0.0, 0.0), {}
    elif shape.kind == "cylinder":
        key, at, sizes = "CM", (0.0, 0.0, -y), {"LENGTH": 2.0 * y * L, "RADIUS": x * L}
    elif shape.kind == "box":
        key, at = "CORNER", (-x, -y, -z)
        sizes = {axis: 2.0 * half * L for axis, half in zip("XYZ", (x, y, z), strict=True)}
    elif shape.kind == "plane":
        key, at, wide = "RM", (0.0, 0.0, 0.0), WIDE * L
        sizes = {"XMIN": -wide, "XMAX": wide, "YMIN": -wide, "YMAX": wide}
    else:
        raise RecordingError(
            f"The contact {name!r} is of a {shape.kind}, which ADAMS has no GRAPHICS for; give a "
            "sphere, cylinder, box or plane"
        )
    keyword = "POINT" if shape.kind == "sphere" and not sizes else _KEYWORDS[shape.kind]
    T = shape.at.T_lm
    xyz = T[:3, :3] @ np.array(at) + T[:3, 3]
    marker = model.marker(
        Marker("place", shape.at.link or WORLD, tuple(xyz.tolist()), shape.at.rpy)
    )
    text = statement(keyword, f"{key} = {marker}", *_numbers(sizes))
    if text not in model.graphics:
        model.graphics[text] = model.number_of("GRAPHICS")
        model.lines.append(f"GRAPHICS/{model.graphics[text]}\n, {text}")
    return model.graphics[text]


_KEYWORDS = {"sphere": "ELLIPSOID", "cylinder": "CYLINDER", "box": "BOX", "plane": "PLANE"}
