"""Robots small enough to be solved by hand, for tests against closed forms."""

from __future__ import annotations

from sim.robots import Robot, read_urdf


def link(name: str, mass: float, com: str = "0 0 0", moments: str = "0 0 0") -> str:
    """URDF of a link with principal `moments` [kg·m²] about its mass centre `com` [m]."""
    ixx, iyy, izz = moments.split()
    return (
        f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass!r}"/>'
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def joint(name: str, kind: str, parent: str, child: str, axis: str, more: str = "") -> str:
    """URDF of a joint; `more` may hold ``<origin>``, ``<dynamics>`` or ``<mimic>``."""
    limit = '<limit lower="-100" upper="100" effort="1000" velocity="100"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/>{limit}{more}</joint>'
    )


def robot(*parts: str) -> Robot:
    """Robot of a root frame ``ground`` and the given links and joints."""
    return read_urdf(
        "\n".join(['<robot name="small">', '<link name="ground"/>', *parts, "</robot>"])
    )


def pendulum(mass: float, length: float, moment: float = 0.0, more: str = "") -> Robot:
    """A body that hangs `length` [m] below a hinge about y; q = 0 hangs down."""
    body = link("bob", mass, f"0 0 {-length!r}", f"{moment!r} {moment!r} {moment!r}")
    return robot(body, joint("hinge", "revolute", "ground", "bob", "0 1 0", more))


def double_pendulum(m1: float, m2: float, l1: float, l2: float) -> Robot:
    """Two point masses on rods that hang down at q = 0; the second angle is relative."""
    return robot(
        link("upper", m1, f"0 0 {-l1!r}"),
        link("lower", m2, f"0 0 {-l2!r}"),
        joint("shoulder", "revolute", "ground", "upper", "0 1 0"),
        joint("elbow", "revolute", "upper", "lower", "0 1 0", f'<origin xyz="0 0 {-l1!r}"/>'),
    )


def lift(mass: float, axis: str = "0 0 1", more: str = "") -> Robot:
    """A body on one slide."""
    return robot(link("load", mass), joint("slide", "prismatic", "ground", "load", axis, more))


def cylindrical(turn: str = "turn", slide: str = "slide") -> Robot:
    """A body that turns about z and slides along it."""
    return robot(
        link("sleeve", 1.0, moments="0.1 0.1 0.1"),
        link("body", 2.0, moments="0.1 0.1 0.1"),
        joint(turn, "revolute", "ground", "sleeve", "0 0 1"),
        joint(slide, "prismatic", "sleeve", "body", "0 0 1"),
    )


def pendulum_on_cart(cart: float, mass: float, length: float, more: str = "") -> Robot:
    """A point mass that hangs from a cart on a slide along x."""
    return robot(
        link("cart", cart),
        link("bob", mass, f"0 0 {-length!r}"),
        joint("slide", "prismatic", "ground", "cart", "1 0 0", more),
        joint("hinge", "revolute", "cart", "bob", "0 1 0"),
    )


def welded_arm() -> Robot:
    """An arm on a hinge about z, with a tip that is fixed to it."""
    return robot(
        link("arm", 1.0),
        joint("hinge", "revolute", "ground", "arm", "0 0 1"),
        link("tip", 1.0),
        joint("weld", "fixed", "arm", "tip", "0 0 1"),
    )


def geared(
    inertia_1: float, inertia_2: float, ratio: float, more_1: str = "", more_2: str = ""
) -> Robot:
    """Two rotors about z; the second follows the first with `ratio`."""
    mimic = f'<mimic joint="input" multiplier="{ratio!r}" offset="0.3"/>'
    return robot(
        link("wheel_1", 1.0, moments=f"{inertia_1!r} {inertia_1!r} {inertia_1!r}"),
        link("wheel_2", 1.0, moments=f"{inertia_2!r} {inertia_2!r} {inertia_2!r}"),
        joint("input", "revolute", "ground", "wheel_1", "0 0 1", more_1),
        joint("output", "revolute", "ground", "wheel_2", "0 0 1", mimic + more_2),
    )


def crane(moments: str = "0.02 0.02 0.02") -> Robot:
    """A cart of 1 kg along x, under which a bob of 0.5 kg swings on a ball 0.3 m above it."""
    return robot(
        link("cart", 1.0),
        link("bob", 0.5, "0 0 -0.3", moments),
        joint("slide", "prismatic", "ground", "cart", "1 0 0"),
        joint("swivel", "spherical", "cart", "bob", "0 1 0"),
    )
