"""Robot, Link, Joint, Inertia: the parsed form of a URDF, as frozen values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.spatial import Array, frozen, pose, rotation_from_rpy

if TYPE_CHECKING:
    from sim.robots.card import Card
    from sim.robots.friction import JointFriction
    from sim.robots.loops import Loop
    from sim.robots.stops import Stop

JointKind = Literal["revolute", "continuous", "prismatic", "fixed"]


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass, mass centre and inertia tensor of a rigid body.

    Parameters
    ----------
    mass : float
        [kg]
    com : ndarray, shape (3,)
        Mass centre in the link frame [m].
    tensor : ndarray, shape (3, 3)
        About the mass centre, along the axes of the link frame [kg·m²].
    """

    mass: float
    com: Array
    tensor: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "com", frozen(self.com, (3,)))
        object.__setattr__(self, "tensor", frozen(self.tensor, (3, 3)))


@dataclass(frozen=True)
class Link:
    """A named rigid body; `inertia` is None for a pure frame such as ``tool0``."""

    name: str
    inertia: Inertia | None = None


@dataclass(frozen=True)
class Limits:
    """What a joint may do, [rad] [rad/s] [N·m] or [m] [m/s] [N]; infinite where not given."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf


@dataclass(frozen=True)
class Mimic:
    """The joint follows another: q = multiplier · q_joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links.

    Parameters
    ----------
    T_pc : ndarray, shape (4, 4)
        Pose of the joint frame (= child link frame at q = 0) in the parent link frame [m].
    axis : ndarray, shape (3,)
        Unit vector in the joint frame; the motion is about it or along it.
    damping, friction : float
        Viscous [N·m·s/rad or N·s/m] and Coulomb [N·m or N] joint friction.
    friction_law : JointFriction or None
        Friction that follows the load of the joint, besides the former.
    stop : Stop or None
        What holds the joint at its limits; without it, they are not felt.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    T_pc: Array
    axis: Array
    limits: Limits = field(default_factory=Limits)
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    friction_law: JointFriction | None = None
    stop: Stop | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_pc", frozen(self.T_pc, (4, 4)))
        object.__setattr__(self, "axis", frozen(self.axis, (3,)))

    @property
    def is_movable(self) -> bool:
        """True unless the joint is fixed."""
        return self.kind != "fixed"

    @property
    def is_prismatic(self) -> bool:
        """True for a translational joint, whose coordinate is in [m]."""
        return self.kind == "prismatic"


@dataclass(frozen=True, eq=False)
class Robot:
    """URDF text plus its parsed form.

    Parameters
    ----------
    name : str
        As in the URDF.
    links : tuple of Link
        The root first, every parent before its children.
    joints : tuple of Joint
        ``joints[i]`` carries ``links[i + 1]``.
    text : str
        The URDF from which `links` and `joints` were read; the engine reads it by itself.
    folder : Path or None
        Where relative mesh paths start.
    tool : str or None
        The link whose frame is the tool frame; None where it is ambiguous.
    T_0b : ndarray, shape (4, 4)
        Pose of the root link in the world [m].
    card : Card or None
        Ratings, poses and sources from the ``.toml`` beside a URDF.
    loops : tuple of Loop
        Closures that the tree leaves open, from the ``.loops.toml`` beside a URDF.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    text: str
    folder: Path | None = None
    tool: str | None = None
    T_0b: Array = field(default_factory=lambda: np.eye(4))
    card: Card | None = None
    loops: tuple[Loop, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_0b", frozen(self.T_0b, (4, 4)))

    @cached_property
    def tree_joints(self) -> tuple[Joint, ...]:
        """All joints that move, mimics included; the order of ``q_tree``."""
        return tuple(joint for joint in self.joints if joint.is_movable)

    @cached_property
    def independent_joints(self) -> tuple[Joint, ...]:
        """The joints that can be moved on their own; the order of ``q``."""
        return tuple(joint for joint in self.tree_joints if joint.mimic is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that can be moved on their own; the order of ``q``."""
        return tuple(joint.name for joint in self.independent_joints)

    @cached_property
    def coupling(self) -> tuple[Array, Array]:
        """S and q_0 of ``q_tree = S q + q_0``; hence ``tau = Sᵀ tau_tree``.

        Returns
        -------
        S : ndarray, shape (n_tree, n)
        q_0 : ndarray, shape (n_tree,)
        """
        from sim.robots.coupling import coupling

        return coupling(self)

    def link(self, name: str) -> Link:
        """Link by name.

        Raises
        ------
        ModelError
            If there is none; the message lists the links.
        """
        for link in self.links:
            if link.name == name:
                return link
        raise ModelError(_unknown("link", name, self.name, (link.name for link in self.links)))

    def joint(self, name: str) -> Joint:
        """Joint by name.

        Raises
        ------
        ModelError
            If there is none; the message lists the joints.
        """
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise ModelError(_unknown("joint", name, self.name, (joint.name for joint in self.joints)))

    def pose(self, name: str) -> Array:
        """Joint positions of a pose named in the card, shape (n,) [rad or m]; "zero" always is.

        Raises
        ------
        ModelError
            If the card has no such pose; the message lists the poses.
        """
        poses = {} if self.card is None else dict(self.card.poses)
        if name in poses:
            return frozen(poses[name])
        if name == "zero":
            return frozen(np.zeros(len(self.independent_joints)))
        raise ModelError(_unknown("pose", name, self.name, ["zero", *poses]))

    def mounted(self, xyz: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> Robot:
        """The same robot with its root link at `xyz` [m] and `rpy` [rad] in the world."""
        T_0b = pose(rotation_from_rpy(rpy), xyz)
        if not np.isfinite(T_0b).all():
            raise ModelError(
                f"Mounting of robot {self.name!r} must be finite: {xyz=} m, {rpy=} rad"
            )
        return replace(self, T_0b=T_0b)

    def with_payload(
        self,
        mass: float,
        com: ArrayLike = (0, 0, 0),
        inertia: ArrayLike | None = None,
        frame: str | None = None,
    ) -> Robot:
        """A new robot that carries one more rigid body.

        Parameters
        ----------
        mass : float
            [kg]; zero returns the robot as it is.
        com : array_like, shape (3,)
            Mass centre in `frame` [m].
        inertia : array_like, shape (3, 3), optional
            About the mass centre, axes of `frame` [kg·m²]; a point mass without it.
        frame : str, optional
            Link that carries it; the tool frame without it.

        Raises
        ------
        ModelError
            If a number is impossible or the frame unknown.
        """
        from sim.robots.payload import Payload, attached

        return attached(self, Payload(mass, com, inertia, frame))

    def with_friction(self, laws: Mapping[str, JointFriction]) -> Robot:
        """A new robot whose joints rub by these laws, by joint name; the others keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or the law does not suit it.
        """
        from sim.robots.friction import rubbing

        return rubbing(self, laws)

    def with_stops(self, stops: Mapping[str, Stop]) -> Robot:
        """A new robot whose joints have end stops, by joint name; the others keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or has no limits and the stop neither.
        """
        from sim.robots.stops import stopped

        return stopped(self, stops)


def _unknown(what: str, name: str, robot: str, available: Iterable[str]) -> str:
    names = ", ".join(available)
    return f"{what.capitalize()} {name!r} is not in robot {robot!r}; available: {names or 'none'}"
