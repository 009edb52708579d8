"""Joint: connection of two links, with the forces that act in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, Self

from msgspec import Struct
from msgspec.structs import replace

from sim.maths.arrays import Array, frozen
from sim.robots.coordinate import Coordinate, Limits, coordinates_of
from sim.robots.drive_train import DriveTrain
from sim.robots.joint_friction import JointFriction
from sim.showing.one_line import one_line

JointKind = Literal["revolute", "continuous", "prismatic", "spherical", "fixed"]


class Mimic(Struct, frozen=True):
    """The joint follows another: q = multiplier · q_joint + offset, summed over `others`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0
    others: tuple[Mimic, ...] = ()

    @property
    def each(self) -> tuple[Mimic, ...]:
        """Leaders one by one."""
        return (replace(self, others=()), *self.others)

    @property
    def leaders(self) -> str:
        """Names of the joints that it follows, for display."""
        return ", ".join(one.joint for one in self.each)


class JointForce(Protocol):
    """A force element in a joint: a law for an effort along the joint's motion.

    It acts in addition to the drive, ``M qdd + C qd + g = tau + effort - friction``; all elements
    of one kind form an element of `sim.dynamics.joint_forces`.
    """

    channel: ClassVar[str]
    """Group of the channels that record it, a row of `sim.recording.schema.channels.GROUPS`."""

    title: ClassVar[str]
    """Name of the element in a message: a joint "has no …"."""

    is_sudden: ClassVar[bool] = False
    """True if it acts in a part of the joint's range only."""

    @property
    def is_linear(self) -> bool:
        """True if the effort is linear in position and velocity."""
        return False

    @property
    def against(self) -> tuple[str, float] | None:
        """Reference joint of the spring: name, and factor a.

        The law is then a function of ``q - a q_other``, and the other joint receives -a times the
        effort. None for a law of its own joint only.
        """
        return None

    def for_joint(self, robot: str, joint: Joint) -> Self:
        """Return the element adapted to a joint.

        Raises
        ------
        ModelError
            If the joint cannot have it; the message names `robot` and joint.
        """
        ...

    def effort(self, joint: Joint, q: Array, qd: Array) -> Array:
        """Return the effort on the joint, (N,) [N·m or N], at positions and velocities (N,)."""
        ...

    def slopes(self, joint: Joint, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return ∂effort/∂q and ∂effort/∂qd at the same states, (N,) each."""
        ...

    def corners(self, joint: Joint) -> tuple[float, ...]:
        """Return positions, ascending, where the law or a derivative may jump [rad or m]."""
        return ()

    @property
    def steepest(self) -> tuple[float, float]:
        """Largest magnitudes of both slopes, within one metre or radian of the law's start."""
        ...

    def stored_energy(self, q: Array) -> Array | None:
        """Return the elastic energy at positions (N,), shape (N,) [J]; None without any."""
        return None


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links.

    Parameters
    ----------
    T_pc : ndarray, shape (4, 4)
        Pose of the joint frame (= child link frame at q = 0) in the parent link frame [m].
    axis : ndarray, shape (3,)
        Unit vector in the joint frame, the axis of rotation or direction of sliding; unused for a
        ball.
    damping, friction : float
        Viscous [N·m·s/rad or N·s/m] and Coulomb [N·m or N] joint friction.
    friction_law : JointFriction or None
        Load-dependent friction, in addition to the former.
    forces : tuple of JointForce
        Other elements in the joint, at most one of each kind: end stops, a spring. Limits have no
        effect without a stop.
    drive : DriveTrain or None
        Ratio, rotor and losses between its motor and the link; None if its motor is ideal.
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
    forces: tuple[JointForce, ...] = ()
    drive: DriveTrain | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_pc", frozen(self.T_pc, (4, 4)))
        object.__setattr__(self, "axis", frozen(self.axis, (3,)))

    def __repr__(self) -> str:
        return one_line(f"Joint {self.name}:", self.kind, f"{self.parent} → {self.child}")

    @property
    def is_movable(self) -> bool:
        """True unless the joint is fixed."""
        return self.kind != "fixed"

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Rows of the joint in (n_tree, N) arrays; none of a fixed joint."""
        x, y, z = self.axis.tolist()
        return coordinates_of(self.name, self.kind, (x, y, z), self.limits)

    @property
    def is_prismatic(self) -> bool:
        """True for a translational joint, whose coordinate is in [m]."""
        return self.kind == "prismatic"

    @property
    def is_ball(self) -> bool:
        """True for a ball: its three rows are a rotation vector (`sim.maths.rotation_vectors`)."""
        return self.kind == "spherical"

    @property
    def has_load_friction(self) -> bool:
        """True if its friction depends on the reaction in it."""
        law = self.friction_law
        return law is not None and law.follows_reaction(is_prismatic=self.is_prismatic)

    def force(self, channel: str) -> JointForce | None:
        """Return the force element recorded in a group of channels; None if there is none."""
        return next((force for force in self.forces if force.channel == channel), None)
