"""A rigid body at a frame of a robot, written into the robot's URDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.robots.inertia import why_impossible
from sim.robots.urdf_elements import add, fill_inertial, number_text
from sim.robots.xml_text import parse, text_of
from sim.showing.one_line import one_line, vector

if TYPE_CHECKING:
    from lxml.etree import _Element

BLOCK_DENSITY = 2700.0  # of the block in illustrations [kg/m³]: aluminium
BLOCK_COLOUR = (0.62, 0.66, 0.70, 1.0)


@checked
@dataclass(frozen=True, eq=False)
class Payload:
    """A rigid body that a robot carries.

    Parameters
    ----------
    mass : float
        [kg]
    com : array_like, shape (3,)
        Mass centre in `frame` [m].
    inertia : array_like, shape (3, 3), optional
        About the mass centre, axes of `frame` [kg·m²] (default: a point mass).
    frame : str, optional
        Link that carries it (default: the tool frame).

    Raises
    ------
    ModelError
        If a number is not finite or the inertia is impossible.
    """

    mass: float
    com: ArrayLike = (0.0, 0.0, 0.0)
    inertia: ArrayLike | None = None
    frame: str | None = None

    def __post_init__(self) -> None:
        tensor = _array(
            "inertia", np.zeros((3, 3)) if self.inertia is None else self.inertia, (3, 3)
        )
        com = _array("mass centre", self.com, (3,))
        if not np.isfinite(com).all():
            raise ModelError(f"Payload: mass centre {com.tolist()} m must be finite numbers")
        fault = why_impossible(float(_array("mass", self.mass, ())), tensor)
        if fault is not None:
            raise ModelError(f"Payload: {fault}")
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "com", com)
        if self.inertia is not None:
            object.__setattr__(self, "inertia", frozen((tensor + tensor.T) / 2))

    def __repr__(self) -> str:
        where = "the tool frame" if self.frame is None else self.frame
        return one_line(
            "Payload:", f"{self.mass:g} kg at {vector(np.asarray(self.com))} m of {where}"
        )


def with_body(text: str, source: str, payload: Payload, frame: str, name: str) -> str:
    """Return the URDF text with a further link `name`, fixed to the link `frame`."""
    from lxml import etree

    root = parse(text, source)
    root[-1].tail = "\n\n  "
    link = add(root, "link", name=name)
    tensor = np.zeros((3, 3)) if payload.inertia is None else np.asarray(payload.inertia)
    fill_inertial(add(link, "inertial"), payload.mass, np.asarray(payload.com), tensor)
    _add_block(link, payload)
    joint = add(root, "joint", name=f"{name}_joint", type="fixed")
    add(joint, "parent", link=frame)
    add(joint, "child", link=name)
    for element, tail in ((link, "\n\n  "), (joint, "\n\n")):
        etree.indent(element, level=1)
        element.tail = tail
    return text_of(root.getroottree())


def is_payload(link: _Element) -> bool:
    """Whether a link was written by `with_body`, by the colour of its block."""
    colour = link.find("visual/material")
    return colour is not None and colour.get("name") == _block(link)


def _block(link: _Element) -> str:
    return f"{link.get('name')} block"


def _add_block(link: _Element, payload: Payload) -> None:
    """Add a cube of equal mass at the mass centre: an illustration, not the body's shape."""
    # Six digits: the last digit of a root differs between machines, and the text must not.
    edge = float(f"{np.cbrt(payload.mass) / np.cbrt(BLOCK_DENSITY):.6g}")
    visual = add(link, "visual")
    add(visual, "origin", xyz=number_text(np.asarray(payload.com)), rpy="0 0 0")
    add(add(visual, "geometry"), "box", size=number_text([edge] * 3))
    add(add(visual, "material", name=_block(link)), "color", rgba=number_text(BLOCK_COLOUR))


def _array(what: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        return frozen(values, shape)
    except (TypeError, ValueError) as error:
        raise ModelError(f"Payload: {what} {values!r} cannot be used: {error}") from None
