"""Channels of a recording: the single table of their groups.

A channel is a column such as ``tau.elbow_joint``; its group is the first part. Table, units, page,
comparison, checks and export obtain all properties of a group from `GROUPS` only. A new quantity is
a new row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

from sim.engine_names import ENGINES, EngineName
from sim.maths.units import ANGULAR, LINEAR, Quantity
from sim.robots.coordinate import Coordinate
from sim.robots.gear_spring import GearSpring
from sim.robots.joint import JointForce
from sim.robots.spring import JointSpring, Stop

TIME = "t"  # the index of a table [s]


class Component(Struct, frozen=True):
    """Properties of channels by the prefix of their last part, if they differ from their group's.

    Parameters
    ----------
    unit : str
    scale : str
        Components of equal scale share their tolerance when two runs are compared.
    by_law : bool
        As in `ChannelGroup`.
    """

    unit: str
    scale: str
    by_law: bool = False


class ChannelGroup(Struct, frozen=True):
    """Properties of the channels of one group.

    Parameters
    ----------
    name : str
        First part of its channels' names.
    heading, short : str
        Heading of their plots, and a short form.
    unit : str
        SI unit; for channels of coordinates, that of an angle.
    quantity : str, optional
        Quantity of a coordinate, which determines the unit.
    components : mapping of str to Component
        By prefix of the last part of a channel; the longest match applies.
    ends_in_component : bool
        Its channels are ``group.name.component``.
    section : str, optional
        Group of plots in which it is drawn, if not its own; empty for none.
    scale : str, optional
        Channels of equal scale share their tolerance when two runs are compared (default: the
        group's name).
    is_compared : bool
        Two runs must agree in it. Excluded are estimates of errors, regimes, whose changes are
        decided by rounding, and quantities that follow from positions only.
    has_peak : bool
        The largest magnitude is in a run's description.
    law : type of JointForce, optional
        Law of these joint elements, which act in addition to the drives.
    only_where_any : bool
        Drawn only if it is not zero throughout.
    by_law : bool
        In the engine's table too it is a law of the model, on the engine's motion.
    is_scale : bool
        The part between group and component is a scale of its own; see `scale`.
    """

    name: str
    heading: str
    short: str
    unit: str
    quantity: Quantity | None = None
    components: Mapping[str, Component] = field(default_factory=lambda: MappingProxyType({}))
    ends_in_component: bool = False
    section: str | None = None
    scale: str = ""
    is_compared: bool = True
    has_peak: bool = False
    law: type[JointForce] | None = None
    only_where_any: bool = False
    by_law: bool = False
    is_scale: bool = False

    @property
    def is_joint_force(self) -> bool:
        """True for a force element in joints."""
        return self.law is not None

    @property
    def sliding(self) -> str:
        """Unit of a coordinate that is a length; empty if all have the same unit."""
        return "" if self.quantity is None else LINEAR.of(self.quantity)

    def component_of(self, channel: str) -> Component:
        """Return the kind of a channel of the group, by its last part."""
        last = channel.rpartition(".")[2]
        for beginning in sorted(self.components, key=len, reverse=True):
            if last.startswith(beginning):
                return self.components[beginning]
        return Component(self.unit, "", self.by_law)


MOTORS = ("motor_tau", "motor_qd", "motor_power", "gear_loss")  # groups, one channel per motor
LOOP_SINGULAR_VALUE = "loop_singular_value"

_WRENCH = MappingProxyType({"f": Component("N", "force"), "m": Component("N·m", "moment")})
_TOUCH = MappingProxyType(
    {
        **_WRENCH,
        "normal": Component("N", "force"),
        "friction": Component("N", "force"),
        "depth": Component("m", "depth"),
    }
)
# The angular acceleration of a tool that never rotates is rounding of the linear one.
_TOOL = MappingProxyType(
    {
        "q": Component("1", "orientation"),
        "v": Component("m/s", "velocity"),
        "w": Component("rad/s", "turning"),
        "a": Component("m/s²", "acceleration", by_law=True),
        "wd": Component("rad/s²", "acceleration", by_law=True),
    }
)

_PART = MappingProxyType(
    {**_TOOL, **dict.fromkeys(("psi", "theta", "phi"), Component("rad", "angle"))}
)


def _of_coordinate(
    name: str, heading: str, short: str, quantity: Quantity, **more: Any
) -> ChannelGroup:
    """Return a group with one channel per coordinate."""
    return ChannelGroup(name, heading, short, ANGULAR.of(quantity), quantity, **more)


def _control() -> Iterator[ChannelGroup]:
    """Yield groups of a sampled controller: reference, sensed values and commands."""
    yield _of_coordinate("reference", "Reference", "Reference", "position", by_law=True)
    yield _of_coordinate("tracking", "Tracking error", "Tracking", "position", has_peak=True)
    yield _of_coordinate("command", "Command of the controller", "Command", "effort")
    yield ChannelGroup(
        "saturated", "Saturated commands", "Saturated", "1", is_compared=False, only_where_any=True
    )
    yield _of_coordinate("sensed", "Sensed position", "Sensed", "position")
    yield _of_coordinate("sensed_qd", "Sensed velocity", "Sensed velocity", "velocity")
    yield _of_coordinate(
        "reference_qd", "Velocity of the reference", "Reference", "velocity",
        section="", by_law=True,
    )  # fmt: skip


def _touching() -> Iterator[ChannelGroup]:
    """Yield groups of touching shapes: forces and contact points."""
    yield ChannelGroup(
        "contact", "Contact", "Contact", "N", components=_TOUCH, ends_in_component=True,
        has_peak=True, by_law=True,
    )  # fmt: skip
    yield ChannelGroup(
        "contact_point", "Centre of a contact", "Point", "m", section="", by_law=True,
        is_compared=False,
    )  # fmt: skip


def _named_in_decks() -> Iterator[ChannelGroup]:
    """Yield groups of decks: values of VARIABLEs, poses of parts, and results by ADAMS's names."""
    yield ChannelGroup("variable", "Variables", "Variable", "1", by_law=True, is_scale=True)
    yield ChannelGroup(
        "part", "Parts", "Part", "m", components=_PART, ends_in_component=True, by_law=True
    )
    yield ChannelGroup(
        "result", "Results by the names of ADAMS", "Result", "1", ends_in_component=True,
        by_law=True, is_scale=True,
    )  # fmt: skip


def _rows() -> Iterator[ChannelGroup]:
    """Yield the groups, in the order of the page."""
    yield _of_coordinate("tau", "Joint torque", "Torque", "effort", has_peak=True)
    yield _of_coordinate("q", "Joint position", "Position", "position")
    yield _of_coordinate("qd", "Joint velocity", "Velocity", "velocity", has_peak=True)
    yield _of_coordinate("qdd", "Joint acceleration", "Acceleration", "acceleration")
    yield ChannelGroup("power", "Joint power", "Power", "W", has_peak=True)
    rubs = partial(_of_coordinate, quantity="effort", by_law=True)
    yield rubs("friction", "Joint friction", "Friction", only_where_any=True)
    motor = partial(ChannelGroup, by_law=True, has_peak=True)
    yield motor("motor_tau", "Motor torque", "Motor", "N·m")
    yield motor("motor_qd", "Motor speed", "Motor speed", "rad/s")
    yield motor("motor_power", "Motor power", "Motor power", "W")
    yield motor("gear_loss", "Loss in motor and gear", "Gear loss", "W", only_where_any=True)
    yield from _control()
    yield ChannelGroup("regime", "Friction regime", "Regime", "1", is_compared=False, by_law=True)
    yield rubs("stop", "End stops", "Stops", law=Stop)
    yield rubs("spring", "Joint springs", "Springs", law=JointSpring)
    yield rubs("gear_spring", "Torque of elastic gears", "Gear", law=GearSpring)
    yield _of_coordinate("twist", "Twist of elastic gears", "Twist", "position", by_law=True)
    wrench = partial(
        ChannelGroup, unit="N", components=_WRENCH, ends_in_component=True, by_law=True
    )
    yield wrench("force", "Applied force", "Force")
    yield from _touching()
    yield ChannelGroup("length", "Length between markers", "Length", "m", by_law=True)
    energy = partial(ChannelGroup, unit="J", scale="energy")
    yield energy("work", "Work of the drives", "Work")
    yield energy("loss", "Loss to friction", "Loss", only_where_any=True)
    yield energy("energy", "Energy", "Energy")
    yield energy("ke", "Kinetic energy", "Kinetic", section="energy", has_peak=True)
    yield energy("pe", "Potential energy", "Potential", section="energy")
    yield energy("stored", "Energy in force elements", "Stored", section="energy")
    yield ChannelGroup("tool", "Tool", "Tool", "m", components=_TOOL)
    yield ChannelGroup(
        "least_singular_value",
        "Least singular value of the Jacobian",
        "Singular",
        "1",
        is_compared=False,
        by_law=True,
    )
    yield ChannelGroup("clearance", "Smallest distance", "Clearance", "m", by_law=True)
    yield wrench("reaction", "Joint reaction", "Reaction")
    yield wrench("measure", "Measured reaction", "Measure")
    rods = MappingProxyType({**_WRENCH, "tension": Component("N", "force")})
    yield wrench("loop", "Force in a loop", "Loop", components=rods)
    yield ChannelGroup(
        LOOP_SINGULAR_VALUE,
        "Least singular value of the loops",
        "Conditioning",
        "1",
        is_compared=False,
        by_law=True,
    )
    yield ChannelGroup(
        "request", "Requests", "Request", "1", ends_in_component=True, by_law=True, is_scale=True
    )  # the units are those of its functions
    yield from _named_in_decks()
    yield energy("external", "Work of external forces", "External", only_where_any=True)
    yield _of_coordinate(
        "tau_error", "Error of the torque", "Error", "effort", section="", is_compared=False
    )
    yield ChannelGroup("dif", "States of motors and controllers", "States", "1", is_scale=True)
    hidden = partial(ChannelGroup, section="")
    yield hidden("state", "State of a force element", "State", "1")
    for side, which in (("a", "first"), ("b", "second")):
        heading, short = f"Nearest point of the {which} link", f"Nearest {side}"
        yield hidden(f"nearest_{side}", heading, short, "m", by_law=True, is_compared=False)
    yield hidden("target", "Target of the tool", "Target", "m", by_law=True)
    yield ChannelGroup("other", "Other channels", "Other", "1")


GROUPS: Mapping[str, ChannelGroup] = MappingProxyType({group.name: group for group in _rows()})


def group_of(channel: str) -> ChannelGroup:
    """Return the group of a channel; ``other`` for unknown ones."""
    return GROUPS.get(channel.partition(".")[0], GROUPS["other"])


def source_of(channel: str, engine: EngineName) -> str:
    """Return the source of a channel of an engine's table: simulation, or a law on its motion."""
    group = group_of(channel)
    if group.name in ENGINES[engine].native_channels:
        return "the engine"
    by_law = group.by_law or group.component_of(channel).by_law
    return "a law of the model on the engine's motion" if by_law else "the engine"


def scale_of(channel: str) -> str:
    """Return the scale for comparing a channel: all torques, all reaction forces, energies."""
    group = group_of(channel)
    scale = channel.partition(".")[0] if group.name == "other" else group.name
    if group.is_scale:  # a scale of its own for channels without components
        return channel if channel.count(".") == 1 else channel.rpartition(".")[0]
    part = group.component_of(channel).scale
    return f"{scale} {part}" if part else group.scale or scale


def joint_forces(channels: Collection[str], joint: str) -> list[str]:
    """Return the channels that are force elements in a joint."""
    names = (f"{group.name}.{joint}" for group in GROUPS.values() if group.is_joint_force)
    return [name for name in names if name in channels]


def unit_of(channel: str, coordinates: Iterable[Coordinate] = ()) -> str:
    """Return the SI unit of a channel such as ``tau.elbow_joint``; see `units_of`."""
    return units_of((channel,), coordinates)[channel]


def units_of(channels: Iterable[str], coordinates: Iterable[Coordinate]) -> dict[str, str]:
    """Return the SI units of channels; missing coordinates are assumed to be angles."""
    by_name = {coordinate.name: coordinate for coordinate in coordinates}
    return {channel: _unit(channel, by_name) for channel in channels}


def _unit(channel: str, coordinates: Mapping[str, Coordinate]) -> str:
    if channel == TIME:
        return "s"
    group, coordinate = group_of(channel), coordinates.get(channel.partition(".")[2])
    if coordinate is not None and group.quantity is not None:
        return coordinate.units.of(group.quantity)
    return group.component_of(channel).unit
