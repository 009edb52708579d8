"""Card of a robot: ratings, D-H table, named poses, each group of numbers with source and status.

Angles are in degrees and angular speeds in deg/s in the file, and in radians in memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from sim.errors import ModelError
from sim.robots.drive_train import DriveTrain
from sim.showing.one_line import count_text, one_line

Status = Literal["published", "computed", "identified", "assumed", "unverified"]
Numbers = tuple[float, ...]
Positive = Annotated[float, msgspec.Meta(gt=0)]

_LABELS = {
    "tool": "The tool frame",
    "dh": "The D-H table",
    "range": "The joint range",
    "speed": "The rated speed",
    "torque": "The rated torque",
    "payload": "The rated payload",
    "reach": "The reach",
    "drive": "The table of drive trains",
    "friction_offset": "The offset of friction",
}


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Numbers of one origin.

    Parameters
    ----------
    source : tuple of str
        Codes of `Card.sources`; a published number has at least one.
    status : str
        ``published``: printed in the source. ``computed``: derived from it. ``identified``: from
        the log of a robot, which is the source. ``assumed``: chosen by the author of the card.
        ``unverified``: from memory, found in no source.
    note : str
        Remark for the reader; required where the numbers are assumed or unverified.
    """

    source: tuple[str, ...]
    status: Status
    note: str = ""

    def __post_init__(self) -> None:
        if self.status in ("published", "identified") and not self.source:
            raise ModelError(f"{self.status} numbers need at least one source")
        if self.is_doubtful and not self.note.strip():
            raise ModelError(f"{self.status} numbers need a note with the reason")
        for key in self.__struct_fields__:
            numbers = getattr(self, key)
            for number in numbers if isinstance(numbers, tuple) else (numbers,):
                if isinstance(number, float) and not math.isfinite(number):
                    raise ModelError(f"{key} has {number}, which is not a finite number")

    @property
    def is_doubtful(self) -> bool:
        """True if the numbers are assumed or unverified."""
        return self.status in ("assumed", "unverified")

    def lists(self) -> dict[str, Numbers]:
        """Lists with one number for each joint, by key."""
        values = {key: getattr(self, key) for key in self.__struct_fields__ if key != "source"}
        return {key: value for key, value in values.items() if isinstance(value, tuple)}


class Tool(Group, frozen=True, kw_only=True):
    """Link whose frame is the tool frame."""

    link: str


class DenavitHartenberg(Group, frozen=True, kw_only=True):
    """Standard D-H table from the root link to the tool frame, one row per joint.

    ``A_i = Rot_z(theta_i + q_i) Trans_z(d_i) Trans_x(a_i) Rot_x(alpha_i)``; lengths in [m], angles
    in [rad].
    """

    a: Numbers
    d: Numbers
    alpha: Numbers
    theta: Numbers


class Pose(Group, frozen=True, kw_only=True):
    """Joint positions [rad or m]."""

    q: Numbers


class Range(Group, frozen=True, kw_only=True):
    """Joint range [rad or m]."""

    lower: Numbers
    upper: Numbers

    def __post_init__(self) -> None:
        super().__post_init__()
        for lower, upper in zip(self.lower, self.upper, strict=False):
            if lower > upper:
                raise ModelError(f"the lower limit {lower:g} is above the upper limit {upper:g}")


class CardRating(Group, frozen=True, kw_only=True):
    """One number for each joint."""

    values: tuple[Positive, ...]


class Offsets(Group, frozen=True, kw_only=True):
    """One number for each joint, of either sign."""

    values: Numbers


class CardQuantity(Group, frozen=True, kw_only=True):
    """A single number."""

    value: Positive


OF_SPRING = frozenset("stiffness stiffness_2 stiffness_3 knee knee_2 gear_damping backlash".split())
"""Numbers of a drive train of which 0 stands for none."""


class CardDrives(Group, frozen=True, kw_only=True):
    """Drive trains, one number for each joint; the fields of `sim.robots.drive_train.DriveTrain`.

    Units are SI in the file too: those of the rotating shaft, and [rad/m] for the ratio of a
    prismatic joint. A joint with a stiffness of 0 has a rigid gear, and 0 in all spring parameters.
    """

    ratio: Numbers
    rotor_inertia: Numbers | None = None
    coulomb: Numbers | None = None
    coulomb_back: Numbers | None = None
    breakaway: Numbers | None = None
    viscous: Numbers | None = None
    efficiency: Numbers | None = None
    efficiency_back: Numbers | None = None
    motor_rated_torque: Numbers | None = None
    motor_peak_torque: Numbers | None = None
    gear_rated_torque: Numbers | None = None
    gear_peak_torque: Numbers | None = None
    stiffness: Numbers | None = None
    stiffness_2: Numbers | None = None
    stiffness_3: Numbers | None = None
    knee: Numbers | None = None
    knee_2: Numbers | None = None
    gear_damping: Numbers | None = None
    backlash: Numbers | None = None
    motor_peak_power: Numbers | None = None
    motor_no_load_speed: Numbers | None = None
    motor_corner_speed: Numbers | None = None

    def of(self, joints: tuple[str, ...]) -> dict[str, DriveTrain]:
        """Return the drive train of each joint.

        Raises
        ------
        ModelError
            If a number is impossible; names the joint.
        """
        trains = {}
        for row, joint in enumerate(joints):
            numbers = {
                name: values[row]
                for name, values in self.lists().items()
                if values[row] or name not in OF_SPRING
            }
            try:
                trains[joint] = DriveTrain(**numbers)  # type: ignore[arg-type]
            except ModelError as error:
                raise ModelError(f"drive of joint {joint!r}: {error}") from None
        return trains


class Entry(Group, frozen=True, kw_only=True):
    """Source of numbers in the URDF; the note states which numbers."""

    note: str


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Content of the ``.toml`` next to a URDF.

    Parameters
    ----------
    title : str
        Full name of the robot.
    joints : tuple of str
        Independent joints; the order of every list below.
    prismatic : tuple of str
        Those of `joints` whose numbers are in metres.
    ik : str or None
        Family of the closed-form inverse kinematics.
    sources : dict of str to str
        Full citations by code.
    speed, torque : CardRating
        [rad/s or m/s], [N·m or N]
    payload, reach : CardQuantity
        [kg], [m]
    drive : CardDrives
        Ratios, rotors and losses between the motors and the joints.
    friction_offset : Offsets
        Drive effort at each joint independent of its motion, besides rigid-body and friction
        torques [N·m or N].
    urdf : dict of str to Entry
        Sources of the numbers in the URDF.
    """

    title: str
    joints: tuple[str, ...]
    sources: dict[str, str]
    prismatic: tuple[str, ...] = ()
    ik: str | None = None
    tool: Tool | None = None
    dh: DenavitHartenberg | None = None
    pose: dict[str, Pose] = {}
    range: Range | None = None
    speed: CardRating | None = None
    torque: CardRating | None = None
    payload: CardQuantity | None = None
    reach: CardQuantity | None = None
    drive: CardDrives | None = None
    friction_offset: Offsets | None = None
    urdf: dict[str, Entry] = {}

    def __post_init__(self) -> None:
        for index, name in enumerate(self.joints):
            if name in self.joints[:index]:
                raise ModelError(f"joints: {name!r} is named twice")
        for name in self.prismatic:
            if name not in self.joints:
                raise ModelError(f"prismatic: {name!r} is not one of joints: {_list(self.joints)}")
        for key, group in self.groups().items():
            for code in group.source:
                if code not in self.sources:
                    known = _list(self.sources)
                    raise ModelError(f"{key}.source: {code!r} is not one of sources: {known}")
            for name, numbers in group.lists().items():
                if len(numbers) != len(self.joints):
                    raise ModelError(
                        f"{key}.{name}: has {len(numbers)} numbers, it needs {len(self.joints)}, "
                        "one for each of joints"
                    )
        if self.drive is not None:
            self.drive.of(self.joints)

    def __repr__(self) -> str:
        poses = ", ".join(self.pose)
        return one_line(
            f"Card {self.title}:", count_text(len(self.joints), "joint"), f"poses {poses or 'none'}"
        )

    @property
    def poses(self) -> Mapping[str, Numbers]:
        """Joint positions of the named poses, in the order of `joints` [rad or m]."""
        return {name: pose.q for name, pose in self.pose.items()}

    def groups(self) -> dict[str, Group]:
        """Groups of numbers in the card, by key in the file."""
        single = {key: getattr(self, key) for key in _LABELS}
        return {
            **{key: group for key, group in single.items() if group is not None},
            **{f"pose.{name}": group for name, group in self.pose.items()},
            **{f"urdf.{name}": group for name, group in self.urdf.items()},
        }

    def assumptions(self) -> tuple[str, ...]:
        """One sentence for each assumed or unverified group, with the reason."""
        return tuple(
            f"{_label(key)} is {group.status}: {group.note}"
            for key, group in self.groups().items()
            if group.is_doubtful
        )


@lru_cache(maxsize=4)
def read_card(text: str, *, source: str = "card") -> Card:
    """Parse a card from TOML text, with angles converted to radians.

    Raises
    ------
    ModelError
        If the text is not TOML, a key is unknown or missing, or a value is invalid; the message
        names the key.
    """
    try:
        card = msgspec.toml.decode(text, type=Card)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ModelError(f"{source}: {str(error).replace('`$.', '`')}") from None
    return _in_radians(card)


def _in_radians(card: Card) -> Card:
    linear = [name in card.prismatic for name in card.joints]

    def si(numbers: Numbers) -> Numbers:
        pairs = zip(numbers, linear, strict=True)
        return tuple(number if metres else math.radians(number) for number, metres in pairs)

    change = msgspec.structs.replace
    dh, stops, speed = card.dh, card.range, card.speed
    if dh is not None:
        alpha, theta = (tuple(map(math.radians, angles)) for angles in (dh.alpha, dh.theta))
        dh = change(dh, alpha=alpha, theta=theta)
    if stops is not None:
        stops = change(stops, lower=si(stops.lower), upper=si(stops.upper))
    if speed is not None:
        speed = change(speed, values=si(speed.values))
    pose = {name: change(pose, q=si(pose.q)) for name, pose in card.pose.items()}
    return change(card, dh=dh, range=stops, speed=speed, pose=pose)


def _label(key: str) -> str:
    kind, _, name = key.partition(".")
    if kind == "pose":
        return f"Pose {name!r}"
    if kind == "urdf":
        return f"URDF entry {name!r}"
    return _LABELS[key]


def _list(names: Mapping[str, object] | tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
