"""Robot: a URDF text and its parsed form, as a frozen value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import pose, rotation_from_rpy
from sim.robots.coupled_rotor import CoupledRotor, differentials_of
from sim.robots.drive_fitting import drives_in_text, fit_coupled_rotors, fit_drives, remove_drives
from sim.robots.drive_train import DriveTrain
from sim.robots.joint import JointForce
from sim.robots.joint_friction import JointFriction
from sim.robots.joint_table import joint_table
from sim.robots.loop import Loop, require_loops
from sim.robots.payload import Payload, spin_joint, with_body
from sim.robots.spring import JointSpring, Stop
from sim.robots.tool_frame import missing_tool, offset_numbers, with_frame
from sim.robots.urdf import reread
from sim.robots.urdf_tree import UrdfTree, unknown
from sim.showing.one_line import count_text, first_and_last, one_line

if TYPE_CHECKING:
    from sim.robots.card import Card


@dataclass(frozen=True, eq=False)
class Robot(UrdfTree):
    """URDF text plus its parsed form.

    Parameters
    ----------
    name : str
        Name in the URDF.
    links : tuple of Link
        The root first, every parent before its children.
    joints : tuple of Joint
        ``joints[i]`` carries ``links[i + 1]``.
    text : str
        The URDF from which `links` and `joints` were read; the engine parses it independently.
    repairs : tuple of Repair
        Parts of the text that could not be used as written.
    folder : Path or None
        Base folder of relative mesh paths.
    tool : str or None
        Link whose frame is the tool frame; None if ambiguous.
    tool_note : str
        Reason for `tool` if its name decided among several links; otherwise empty.
    T_0b : ndarray, shape (4, 4)
        Pose of the root link in the world [m].
    card : Card or None
        Ratings, poses and sources from the ``.toml`` next to a URDF.
    loops : tuple of Loop
        Closures of the tree, from the ``.loops.toml`` next to a URDF.
    file : Path or None
        File that it was loaded from; None of a text or a template.
    """

    folder: Path | None = None
    tool: str | None = None
    tool_note: str = ""
    T_0b: Array = field(default_factory=lambda: np.eye(4))
    card: Card | None = None
    loops: tuple[Loop, ...] = ()
    file: Path | None = None

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
    def drives(self) -> dict[int, DriveTrain]:
        """Drive trains by row of ``q``.

        For a rigid gear that of the joint; for an elastic gear its `DriveTrain.at_motor`, in the
        row of the motor angle.
        """
        rows = {row.joint: number for number, row in enumerate(self.coordinates)}
        by_row = {
            number: drive.at_motor if drive.is_elastic else drive
            for joint in self.independent_joints
            if (drive := joint.drive) is not None
            for number in [rows[spin_joint(joint.name) if drive.is_elastic else joint.name]]
        }
        return dict(sorted(by_row.items()))

    @cached_property
    def motor_rows(self) -> dict[int, tuple[int, float]]:
        """Motor row and ratio N of each joint with an elastic gear, by its row in ``q``."""
        rows = {row.joint: number for number, row in enumerate(self.coordinates)}
        return {
            rows[joint.name]: (rows[spin_joint(joint.name)], joint.drive.ratio)
            for joint in self.independent_joints
            if joint.drive is not None and joint.drive.is_elastic
        }

    @cached_property
    def has_drives(self) -> bool:
        """True if any joint has a drive train."""
        return bool(self.drives)

    @cached_property
    def rotor_inertia(self) -> Array:
        """N² J of the rotors at the independent joints, shape (n,) [kg·m² or kg]."""
        inertia = np.zeros(len(self.coordinates))
        for row, drive in self.drives.items():
            inertia[row] = drive.reflected_inertia
        return frozen(inertia)

    def pose(self, name: str) -> Array:
        """Return the joint positions of a pose, shape (n,) [rad or m]; "zero" always exists.

        Motors of elastic gears are at zero twist.

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
        raise ModelError(unknown("pose", name, self.name, ["zero", *poses]))

    @checked
    def mounted(self, xyz: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> Robot:
        """Return a copy with its root link at `xyz` [m] and `rpy` [rad] in the world."""
        are_vectors = np.shape(xyz) == np.shape(rpy) == (3,)
        if not (are_vectors and np.isfinite(xyz).all() and np.isfinite(rpy).all()):
            raise ModelError(
                f"Mounting of robot {self.name!r} takes three finite numbers each: {xyz=} m, "
                f"{rpy=} rad"
            )
        return replace(self, T_0b=pose(rotation_from_rpy(rpy), xyz))

    def with_tool(self, link: str | None = None, tcp: ArrayLike | None = None) -> Robot:
        """Return a copy with another tool frame: of a link, or at an offset from one.

        Parameters
        ----------
        link : str, optional
            Link of the tool frame (default: that of the robot).
        tcp : array_like, shape (3,) or (6,), optional
            Offset of the tool frame in the frame of that link: x, y, z [m], then roll, pitch, yaw
            about fixed axes as in a URDF [rad] (default: none). The tool is then a new link without
            mass, named ``tcp``.

        Raises
        ------
        ModelError
            If the link is unknown, none is named and the robot has no tool frame, or the offset is
            not three or six finite numbers.
        """
        if link is None and tcp is None:
            return self
        parent = self.require_tool(link)
        if tcp is None:
            return replace(self, tool=parent, tool_note="")
        name = self.free_name("tcp")
        text = with_frame(self.text, f"robot {self.name!r}", parent, name, *offset_numbers(tcp))
        robot = reread(self, text, f"robot {self.name!r} with a tool")
        return replace(robot, tool=name, tool_note="")

    def require_tool(self, link: str | None = None, option: str = "--tool") -> str:
        """Return the name of a link (default: that of the tool frame).

        Parameters
        ----------
        link : str, optional
        option : str
            Name of the option in a command, for the message.

        Raises
        ------
        ModelError
            If there is no such link, or none is named and the robot has no tool frame.
        """
        if link is not None:
            return self.link(link).name
        if self.tool is None:
            raise ModelError(missing_tool(self.name, self.links, self.joints, option))
        return self.tool

    def with_payload(
        self,
        mass: float,
        com: ArrayLike = (0, 0, 0),
        inertia: ArrayLike | None = None,
        frame: str | None = None,
    ) -> Robot:
        """Return a new robot with one more rigid body; the robot itself for a zero mass.

        See `Payload` for the arguments.

        Raises
        ------
        ModelError
            If a number is impossible, the frame is unknown, or the robot has no unique tool frame.
        """
        payload = Payload(mass, com, inertia, frame)
        carrier, name = self.require_tool(payload.frame), self.free_name("payload")
        if payload.mass == 0:
            return self
        # Written into the text, which is parsed again, so that all readers have the same body.
        text = with_body(self.text, f"robot {self.name!r}", payload, carrier, name)
        return reread(self, text, f"robot {self.name!r} with payload")

    def with_loops(self, *loops: Loop) -> Robot:
        """Return a new robot with these loops added to its own.

        Raises
        ------
        ModelError
            If a loop names an unsuitable link or joint, or two have the same name.
        """
        every = (*self.loops, *loops)
        try:
            require_loops(every, self)
        except ModelError as error:
            raise ModelError(f"Robot {self.name!r}: {error}") from None
        return replace(self, loops=every)

    @checked
    def with_friction(self, laws: Mapping[str, JointFriction]) -> Robot:
        """Return a new robot with these friction laws, by joint name; other joints keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or the law does not suit it.
        """
        joints = []
        for name, law in laws.items():
            joint = self.joint(name)
            joint = joint if joint.is_ball else self.movable_joint(name, "friction")
            law.require_suitable(name, is_prismatic=joint.is_prismatic)
            joints.append(replace(joint, friction_law=law))
        return self.with_joints(joints)

    @checked
    def with_stops(self, stops: Mapping[str, Stop]) -> Robot:
        """Return a new robot with end stops, by joint name; raises as `with_forces`."""
        return self.with_forces(stops)

    @checked
    def with_springs(self, springs: Mapping[str, JointSpring]) -> Robot:
        """Return a new robot with springs in its joints, by joint name; raises as `with_forces`."""
        return self.with_forces(springs)

    def with_forces(self, forces: Mapping[str, JointForce]) -> Robot:
        """Return a new robot with force elements, by joint name, replacing those of the same kind.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or unsuitable, as one without limits for such a stop.
        """
        joints = []
        for name, force in forces.items():
            joint = self.movable_joint(name, force.title)
            others = tuple(one for one in joint.forces if one.channel != force.channel)
            joints.append(replace(joint, forces=(*others, force.for_joint(self.name, joint))))
        return self.with_joints(joints)

    @checked
    def with_drives(self, drives: Mapping[str, DriveTrain]) -> Robot:
        """Return a new robot with these drive trains, by joint name; other joints keep theirs.

        Raises
        ------
        ModelError
            If a joint is unknown or fixed, or follows another.
        """
        return fit_drives(self, drives)

    def with_transmissions(self) -> Robot:
        """Return a new robot with the gear ratios of the ``<transmission>`` elements in its text.

        This applies to independent joints without a drive train. A URDF has no rotor inertia and no
        losses: torques at the joints are unchanged, and the motors get speed and torque.

        Raises
        ------
        ModelError
            If a reduction is not a finite number, or 0; or if no element has a ratio, where a ratio
            of 1 counts as unknown.
        """
        return self.with_drives(drives_in_text(self))

    @property
    def differential_ratios(self) -> dict[str, dict[str, float]]:
        """Return the motor ratios of each DifferentialTransmission in its text, by motor and joint.

        Raises
        ------
        ModelError
            If one does not have two actuators and two joints, or a reduction is invalid.
        """
        return differentials_of(self.text, f"robot {self.name!r}")

    @checked
    def with_coupled_rotors(self, rotors: Mapping[str, CoupledRotor]) -> Robot:
        """Return a new robot with rotors that turn with several joints, by motor name.

        `tau` of these joints includes the torques of the rotors; the motor torques are ``tau_m`` in
        ``tau = Aᵀ tau_m``.

        Raises
        ------
        ModelError
            If a joint is unknown, fixed or coupled to others, or a rotor of that name exists.
        """
        return fit_coupled_rotors(self, rotors)

    def without_drives(self, names: Collection[str] | None = None) -> Robot:
        """Return the robot without the drive trains of some joints (default: all).

        Raises
        ------
        ModelError
            If a rotor is a body carried by a link before it.
        """
        return remove_drives(self, names)
