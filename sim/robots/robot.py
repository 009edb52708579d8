"""Robot: a URDF text and its parsed form, as a frozen value."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import pose, rotation_from_rpy
from sim.robots.coordinate import Coordinate
from sim.robots.coupled_rotor import CoupledRotor, differentials_of
from sim.robots.coupling import coupling
from sim.robots.drive_train import DriveTrain
from sim.robots.gear_spring import GearSpring
from sim.robots.inertia import Link
from sim.robots.joint import Joint, JointForce
from sim.robots.joint_friction import JointFriction
from sim.robots.joint_table import joint_table
from sim.robots.loop import Loop, require_loops
from sim.robots.payload import Payload, with_body
from sim.robots.repair import Repair
from sim.robots.rotor_body import (
    motor_of,
    require_same_rotor,
    rotor_link,
    spin_joint,
    with_coupled_rotor,
    with_free_rotor,
    with_rotor,
    without_free_rotor,
)
from sim.robots.spring import JointSpring
from sim.robots.stop import Stop
from sim.robots.transmissions import transmissions_of
from sim.robots.urdf import read_tree
from sim.showing.one_line import count_text, first_and_last, one_line

if TYPE_CHECKING:
    from sim.robots.card import Card


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
        Ratings, poses and sources from the ``.toml`` next to a URDF.
    loops : tuple of Loop
        Closures that the tree leaves open, from the ``.loops.toml`` next to a URDF.
    repairs : tuple of Repair
        What of the text could not be taken as it is written.
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
    repairs: tuple[Repair, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_0b", frozen(self.T_0b, (4, 4)))

    def __repr__(self) -> str:
        followers = len(self.tree_joints) - len(self.joint_names)
        return one_line(
            f"Robot {self.name}:",
            f"{count_text(len(self.joint_names), 'joint')} {first_and_last(self.joint_names)}",
            f"{followers} that follow" if followers else "",
            count_text(len(self.loops), "loop") if self.loops else "",
            count_text(len(self.links), "link"),
            f"tool {self.tool}" if self.tool else "no single tool",
        )

    def _repr_html_(self) -> str:
        return joint_table(repr(self).strip("<>"), self.tree_joints)

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
        """Names of the joints that can be moved on their own; see `row_names`."""
        return tuple(joint.name for joint in self.independent_joints)

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The rows of ``q``, (n, N): those of the independent joints."""
        return tuple(row for joint in self.independent_joints for row in joint.coordinates)

    @cached_property
    def tree_coordinates(self) -> tuple[Coordinate, ...]:
        """The rows of ``q_tree``, (n_tree, N): those of all joints that move."""
        return tuple(row for joint in self.tree_joints for row in joint.coordinates)

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows of ``q``, as in channels."""
        return tuple(row.name for row in self.coordinates)

    @cached_property
    def tree_row_names(self) -> tuple[str, ...]:
        """Names of the rows of ``q_tree``, as in channels."""
        return tuple(row.name for row in self.tree_coordinates)

    @cached_property
    def tree_row_joints(self) -> tuple[Joint, ...]:
        """The joint of each row of ``q_tree``."""
        return tuple(joint for joint in self.tree_joints for _ in joint.coordinates)

    @cached_property
    def first_tree_rows(self) -> tuple[int, ...]:
        """The row of ``q_tree`` at which each of `tree_joints` begins."""
        counts = (len(joint.coordinates) for joint in self.tree_joints)
        return tuple(itertools.accumulate(counts, initial=0))[:-1]

    @cached_property
    def balls(self) -> tuple[slice, ...]:
        """The three rows of ``q`` of each ball; `ball_names` has their names."""
        rows = [row.joint for row in self.coordinates]
        firsts = [rows.index(name) for name in self.ball_names]
        return tuple(slice(first, first + 3) for first in firsts)

    @cached_property
    def ball_names(self) -> tuple[str, ...]:
        """Names of the joints that are balls."""
        return tuple(joint.name for joint in self.independent_joints if joint.is_ball)

    @cached_property
    def lone_frames(self) -> frozenset[str]:
        """Links that a joint moves and that have no mass, nor has what is fixed to them."""
        heavy = {link.name for link in self.links if link.inertia is not None}
        for joint in reversed(self.joints):
            if joint.child in heavy and not joint.is_movable:
                heavy.add(joint.parent)
        return frozenset(joint.child for joint in self.tree_joints) - heavy

    @cached_property
    def is_plain(self) -> bool:
        """True if no joint follows another."""
        return len(self.tree_coordinates) == len(self.coordinates)

    @cached_property
    def coupling(self) -> tuple[Array, Array]:
        """S and q_0 of ``q_tree = S q + q_0``; hence ``tau = Sᵀ tau_tree``.

        Returns
        -------
        S : ndarray, shape (n_tree, n)
        q_0 : ndarray, shape (n_tree,)
        """
        return coupling(self.tree_joints)

    @cached_property
    def drives(self) -> dict[int, DriveTrain]:
        """The drive trains, by the row of ``q`` at which they are.

        That of their joint; of an elastic gear its `DriveTrain.at_motor`, at the motor's angle.
        """
        rows = {row.joint: number for number, row in enumerate(self.coordinates)}
        found = {
            number: drive.at_motor if drive.is_elastic else drive
            for joint in self.independent_joints
            if (drive := joint.drive) is not None
            for number in [rows[spin_joint(joint.name) if drive.is_elastic else joint.name]]
        }
        return dict(sorted(found.items()))

    @cached_property
    def motor_rows(self) -> dict[int, tuple[int, float]]:
        """Of each joint with an elastic gear its row in ``q``: the motor's row, and the ratio N."""
        rows = {row.joint: number for number, row in enumerate(self.coordinates)}
        return {
            rows[joint.name]: (rows[spin_joint(joint.name)], joint.drive.ratio)
            for joint in self.independent_joints
            if joint.drive is not None and joint.drive.is_elastic
        }

    @cached_property
    def has_drives(self) -> bool:
        """True if a joint has a drive train."""
        return bool(self.drives)

    @cached_property
    def rotor_inertia(self) -> Array:
        """N² J of the rotors at the independent joints, shape (n,) [kg·m² or kg]."""
        inertia = np.zeros(len(self.coordinates))
        for row, drive in self.drives.items():
            inertia[row] = drive.reflected_inertia
        return frozen(inertia)

    def q_tree(self, q: Array) -> Array:
        """q_tree = S q + q_0, positions of all tree joints (n_tree, N) from those of q (n, N)."""
        S, q_0 = self.coupling
        return np.asarray(S @ q + q_0[:, None])

    def on_tree(self, q: Array, *rates: Array) -> tuple[Array, ...]:
        """Positions and rates of all tree joints, (n_tree, N) each, from those of q (n, N).

        As many arrays come back as went in: ``q_tree, qd_tree = robot.on_tree(q, qd)``.
        """
        S, _ = self.coupling
        return (self.q_tree(q), *(S @ rate for rate in rates))

    @cached_property
    def _links(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    def link(self, name: str) -> Link:
        """Link by name.

        Raises
        ------
        ModelError
            If there is none; the message lists the links.
        """
        if name in self._links:
            return self._links[name]
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

        Motors of elastic gears are where nothing is twisted.

        Raises
        ------
        ModelError
            If the card has no such pose; the message lists the poses.
        """
        poses = {} if self.card is None else dict(self.card.poses)
        if self.card is not None and name in poses:
            q = dict(zip(self.card.joints, poses[name], strict=True))
            for row, (motor, ratio) in self.motor_rows.items():
                q[self.row_names[motor]] = ratio * q[self.row_names[row]]
            return frozen([q[row] for row in self.row_names])
        if name == "zero":
            return frozen(np.zeros(len(self.coordinates)))
        raise ModelError(_unknown("pose", name, self.name, ["zero", *poses]))

    def require_no_balls(self, why: str) -> None:
        """Check that no joint is a ball, for what does not take one.

        Raises
        ------
        ModelError
            Names the first ball, and says `why`.
        """
        if self.ball_names:
            raise ModelError(
                f"Joint {self.ball_names[0]!r} of robot {self.name!r} is a ball; {why}"
            )

    def require_as_written(self) -> None:
        """Check that nothing of the URDF was repaired.

        Raises
        ------
        ModelError
            States each repair.
        """
        if self.repairs:
            told = "".join(f"\n    {repair.text}" for repair in self.repairs)
            raise ModelError(
                f"The URDF of robot {self.name!r} needs repairs, and a strict reader makes none; "
                f"correct it, or let them be made:{told}"
            )

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
        """A new robot that carries one more rigid body; the robot as it is for a zero mass.

        The arguments of `Payload`.

        Raises
        ------
        ModelError
            If a number is impossible or the frame unknown, or the robot has no single tool frame.
        """
        payload = Payload(mass, com, inertia, frame)
        carrier = self.tool if payload.frame is None else payload.frame
        if carrier is None:
            links = ", ".join(link.name for link in self.links)
            raise ModelError(
                f"Robot {self.name!r} has no single tool frame; "
                f"name the frame that carries the payload, one of: {links}"
            )
        self.link(carrier)
        if payload.mass == 0:
            return self
        # Into the text, which is read again, so that every reader of it sees the same body.
        text = with_body(
            self.text, f"robot {self.name!r}", payload, carrier, self._free_name("payload")
        )
        return self._reread(text, f"robot {self.name!r} with payload")

    def with_loops(self, *loops: Loop) -> Robot:
        """A new robot with these loops besides its own.

        Raises
        ------
        ModelError
            If a loop names a link or joint that cannot close it, or two have one name.
        """
        every = (*self.loops, *loops)
        try:
            require_loops(every, self)
        except ModelError as error:
            raise ModelError(f"Robot {self.name!r}: {error}") from None
        return replace(self, loops=every)

    def with_friction(self, laws: Mapping[str, JointFriction]) -> Robot:
        """A new robot whose joints rub by these laws, by joint name; the others keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or the law does not suit it.
        """
        joints = []
        for name, law in laws.items():
            joint = self.joint(name)
            joint = joint if joint.is_ball else self._movable(name, "friction")
            law.require_suitable(name, is_prismatic=joint.is_prismatic)
            joints.append(replace(joint, friction_law=law))
        return self._with_joints(joints)

    def with_stops(self, stops: Mapping[str, Stop]) -> Robot:
        """A new robot whose joints have end stops, by joint name; the others keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or has no limits and the stop neither.
        """
        return self.with_forces(stops)

    def with_springs(self, springs: Mapping[str, JointSpring]) -> Robot:
        """A new robot with springs in its joints, by joint name; the others keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed.
        """
        return self.with_forces(springs)

    def with_forces(self, forces: Mapping[str, JointForce]) -> Robot:
        """A new robot with these force elements, by joint name, in place of those of their kind.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or cannot have its element.
        """
        joints = []
        for name, force in forces.items():
            joint = self._movable(name, force.title)
            others = tuple(one for one in joint.forces if one.channel != force.channel)
            joints.append(replace(joint, forces=(*others, force.for_joint(self.name, joint))))
        return self._with_joints(joints)

    def with_drives(self, drives: Mapping[str, DriveTrain]) -> Robot:
        """A new robot with these drive trains, by joint name; the other joints keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or follows another.
        """
        robot, joints = self, []
        for name, drive in drives.items():
            joint = self._movable(name, "drive train")
            if joint.mimic is not None:
                raise ModelError(
                    f"Joint {name!r} of robot {self.name!r} follows {joint.mimic.joint!r} and has "
                    f"no motor of its own; give the drive train to {joint.mimic.joint!r}"
                )
            if len(joint.coordinates) != 1:
                raise ModelError(
                    f"Joint {name!r} of robot {self.name!r} has {len(joint.coordinates)} "
                    "coordinates, and a drive train moves one"
                )
            if motor_of(name) != name and any(one.name == motor_of(name) for one in self.joints):
                raise ModelError(
                    f"Joint {name!r} of robot {self.name!r} is a motor's angle; give the drive "
                    f"train to joint {motor_of(name)!r}"
                )
            if joint.drive is not None and joint.drive.is_elastic and joint.drive != drive:
                robot = robot.without_drives({name})
                joint = robot.joint(name)
            if drive.has_rotor_body:
                robot = robot._with_rotor(joint, drive)
            forces = tuple(one for one in joint.forces if not isinstance(one, GearSpring))
            if drive.is_elastic:
                law = vars(drive.twist_law)
                forces += (GearSpring(**law, motor=spin_joint(name), ratio=drive.ratio),)
            joints.append(replace(joint, drive=drive, forces=forces))
        return robot._with_joints(joints)

    def with_transmissions(self) -> Robot:
        """A new robot with the gear ratios of the ``<transmission>`` elements in its text.

        Of joints that have no drive train yet and follow no other. No rotor and no losses are in a
        URDF: torques at the joints stay as they are, and the motors get speed and torque.

        Raises
        ------
        ModelError
            If a reduction is no finite number, or 0; or if no element has a ratio: of 1 it counts
            as not known.
        """
        own = {joint.name for joint in self.independent_joints if joint.drive is None}
        found = transmissions_of(self.text, f"robot {self.name!r}")
        ratios = {one.joint: one.ratio for one in found if one.ratio and one.joint in own}
        if not ratios:
            raise ModelError(
                f"No <transmission> of robot {self.name!r} gives one of its joints a ratio other "
                f"than 1; elements: {len(found)}. Use with_drives(…)"
            )
        return self.with_drives({name: DriveTrain(ratio) for name, ratio in ratios.items()})

    @property
    def differential_ratios(self) -> dict[str, dict[str, float]]:
        """Ratios of the motors of each DifferentialTransmission in its text, by motor and joint.

        Raises
        ------
        ModelError
            If one has not two actuators and two joints, or a reduction is none.
        """
        return differentials_of(self.text, f"robot {self.name!r}")

    def with_coupled_rotors(self, rotors: Mapping[str, CoupledRotor]) -> Robot:
        """A new robot with rotors that turn with several joints, by the name of their motor.

        `tau` of these joints has the rotors' torques in it; motors give ``tau_m`` of
        ``tau = Aᵀ tau_m``.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed or follows others, or a rotor of that name is there.
        """
        robot = self
        for motor, rotor in rotors.items():
            for name in rotor.ratios:
                joint = robot._movable(name, "coupled rotor")
                if joint.mimic is not None:
                    raise ModelError(
                        f"Rotor {motor!r} of robot {self.name!r} turns with joint {name!r}, which "
                        f"follows {joint.mimic.leaders}; name these instead"
                    )
            taken = {link.name for link in robot.links} | {one.name for one in robot.joints}
            if {rotor_link(motor), spin_joint(motor)} & taken:
                raise ModelError(
                    f"Robot {self.name!r} has {rotor_link(motor)!r} already; name another motor"
                )
            source = f"robot {self.name!r}"
            text = with_coupled_rotor(robot.text, source, robot.links[0].name, motor, rotor)
            robot = robot._reread(text, f"{source} with the rotor of {motor!r}")
        return robot

    def without_drives(self, names: Collection[str] | None = None) -> Robot:
        """The robot without the drive trains of some joints, by default of all.

        Raises
        ------
        ModelError
            If a rotor is a body that a link before it carries.
        """
        chosen = [
            joint
            for joint in self.joints
            if joint.drive is not None and (names is None or joint.name in names)
        ]
        robot, text = self, self.text
        for joint in chosen:
            if joint.drive is None or not joint.drive.is_elastic:
                continue
            if joint.drive.gyroscopic:
                raise ModelError(
                    f"The rotor of joint {joint.name!r} of robot {self.name!r} is a body on link "
                    f"{joint.parent!r}, which gave it its moments; start from the robot without it"
                )
            text = without_free_rotor(text, f"robot {self.name!r}", joint.name)
        if text is not self.text:
            robot = self._reread(text, f"robot {self.name!r} without rotors")
        return robot._with_joints(
            replace(
                joint,
                drive=None,
                forces=tuple(one for one in joint.forces if not isinstance(one, GearSpring)),
            )
            for joint in chosen
        )

    def _with_rotor(self, joint: Joint, drive: DriveTrain) -> Robot:
        """A new robot with the rotor of a joint as a body; itself if it has that one already."""
        name = rotor_link(joint.name)
        if name in self._links:
            spin = next(one for one in self.joints if one.child == name)
            require_same_rotor(joint, spin, self.link(name).inertia, drive)
            return self
        source = f"robot {self.name!r}"
        if drive.gyroscopic:
            moving = {self.links[0].name: False}
            for one in self.joints:
                moving[one.child] = one.is_movable or moving[one.parent]
            text = with_rotor(
                self.text, source, joint, drive, self.link(joint.parent).inertia,
                stands=not moving[joint.parent],
            )  # fmt: skip
        else:
            text = with_free_rotor(self.text, source, self.links[0].name, joint, drive)
        return self._reread(text, f"{source} with the rotor of {joint.name!r}")

    def _reread(self, text: str, source: str) -> Robot:
        """The robot of another text; its joints keep what they have besides the text."""
        read = read_tree(text, source)
        more = replace(self, links=read.links, joints=read.joints, text=text, repairs=read.repairs)
        return more._with_joints(self.joints)

    def _movable(self, name: str, wanted: str) -> Joint:
        """Joint by name, for something that only a joint that moves can have."""
        joint = self.joint(name)
        if not joint.is_movable or joint.is_ball:
            names = ", ".join(joint.name for joint in self.tree_joints if not joint.is_ball)
            kind = "a ball" if joint.is_ball else "fixed"
            raise ModelError(
                f"Joint {name!r} of robot {self.name!r} is {kind} and has no {wanted}; "
                f"joints that can have one: {names or 'none'}"
            )
        return joint

    def _with_joints(self, joints: Iterable[Joint]) -> Robot:
        """A new robot with these joints in place of those of the same names; itself for none."""
        new = {joint.name: joint for joint in joints}
        if not new:  # all that is known of it stays known
            return self
        return replace(self, joints=tuple(new.get(joint.name, joint) for joint in self.joints))

    def _free_name(self, stem: str) -> str:
        """A name for a link and its joint that nothing in the robot has."""
        taken = {link.name for link in self.links} | {joint.name for joint in self.joints}
        names = [stem, *(f"{stem}_{count}" for count in range(2, len(taken) + 3))]
        return next(name for name in names if not {name, f"{name}_joint"} & taken)


def _unknown(what: str, name: str, robot: str, available: Iterable[str]) -> str:
    names = ", ".join(available)
    return f"{what.capitalize()} {name!r} is not in robot {robot!r}; available: {names or 'none'}"
