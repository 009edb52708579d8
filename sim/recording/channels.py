"""The channels of a recording: one table of their groups, which everything else reads.

A channel is a column such as ``tau.elbow_joint``; its group is the first word. Table, units, page,
comparison, checks and export read what a group is from `GROUPS`, and nothing of it stands anywhere
else. A new quantity is a new row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from sim.engine_names import ENGINES, EngineName

TIME = "t"  # the index of a table [s]


@dataclass(frozen=True)
class Component:
    """What channels whose last word begins alike are, where that differs from their group.

    Parameters
    ----------
    unit : str
    scale : str
        Components of one scale share their tolerance when two runs are compared.
    by_law : bool
        As of a `Group`.
    """

    unit: str
    scale: str
    by_law: bool = False


@dataclass(frozen=True)
class Group:
    """What the channels of one group are.

    Parameters
    ----------
    name : str
        The first word of its channels.
    heading, short : str
        Over their plots, and where there is little room.
    unit : str
        SI; of a joint that turns, where the channels belong to joints.
    sliding : str, optional
        Unit of a joint that slides; the same without it.
    components : mapping of str to Component
        By how the last word of a channel begins; the longest that fits counts.
    ends_in_component : bool
        Its channels are ``group.name.component``.
    section : str, optional
        The plots that it is drawn among, when they are not its own; empty for none.
    scale : str, optional
        Channels of one scale share their tolerance when two runs are compared; those of its own
        name without it.
    is_compared : bool
        Two runs must agree in it. An estimate of an error is no result, and rounding decides where
        a regime changes.
    has_peak : bool
        The largest magnitude stands in a run's description.
    is_joint_force : bool
        It is a force element in the joints and acts with the drives.
    only_where_any : bool
        Drawn only where it is not zero throughout.
    by_law : bool
        In the engine's table too it is a law of the model, on the engine's motion.
    """

    name: str
    heading: str
    short: str
    unit: str
    sliding: str = ""
    components: Mapping[str, Component] = field(default_factory=lambda: MappingProxyType({}))
    ends_in_component: bool = False
    section: str | None = None
    scale: str = ""
    is_compared: bool = True
    has_peak: bool = False
    is_joint_force: bool = False
    only_where_any: bool = False
    by_law: bool = False

    def component_of(self, channel: str) -> Component:
        """What a channel of the group is, by its last word."""
        last = channel.rpartition(".")[2]
        for beginning in sorted(self.components, key=len, reverse=True):
            if last.startswith(beginning):
                return self.components[beginning]
        return Component(self.unit, "", self.by_law)


_WRENCH = MappingProxyType({"f": Component("N", "force"), "m": Component("N·m", "moment")})
# A tool that never turns has a turning acceleration that is rounding of the other.
_TOOL = MappingProxyType(
    {
        "q": Component("1", "orientation"),
        "v": Component("m/s", "velocity"),
        "w": Component("rad/s", "turning"),
        "a": Component("m/s²", "acceleration", by_law=True),
        "wd": Component("rad/s²", "acceleration", by_law=True),
    }
)


def _rows() -> Iterator[Group]:
    """The groups, in the order of the page."""
    yield Group("tau", "Joint torque", "Torque", "N·m", "N", has_peak=True)
    yield Group("q", "Joint position", "Position", "rad", "m")
    yield Group("qd", "Joint velocity", "Velocity", "rad/s", "m/s", has_peak=True)
    yield Group("qdd", "Joint acceleration", "Acceleration", "rad/s²", "m/s²")
    yield Group("power", "Joint power", "Power", "W", has_peak=True)
    rubs = partial(Group, unit="N·m", sliding="N", by_law=True)
    yield rubs("friction", "Joint friction", "Friction", only_where_any=True)
    yield Group("regime", "Friction regime", "Regime", "1", is_compared=False, by_law=True)
    acts = partial(Group, unit="N·m", sliding="N", is_joint_force=True, by_law=True)
    yield acts("stop", "End stops", "Stops")
    yield acts("spring", "Joint springs", "Springs")
    energy = partial(Group, unit="J", scale="energy")
    yield energy("work", "Work of the drives", "Work")
    yield energy("loss", "Loss to friction", "Loss", only_where_any=True)
    yield energy("energy", "Energy", "Energy")
    yield energy("ke", "Kinetic energy", "Kinetic", section="energy", has_peak=True)
    yield energy("pe", "Potential energy", "Potential", section="energy")
    yield Group("tool", "Tool", "Tool", "m", components=_TOOL)
    wrench = partial(Group, unit="N", components=_WRENCH, ends_in_component=True, by_law=True)
    yield wrench("reaction", "Joint reaction", "Reaction")
    yield wrench("measure", "Measured reaction", "Measure")
    yield wrench("loop", "Force in a loop's pin", "Loop")
    yield energy("external", "Work from outside", "Outside", only_where_any=True)
    hidden = partial(Group, section="")
    yield hidden("tau_error", "Error of the torque", "Error", "N·m", "N", is_compared=False)
    yield hidden("target", "Target of the tool", "Target", "m", by_law=True)
    yield Group("other", "Other channels", "Other", "1")


GROUPS: Mapping[str, Group] = MappingProxyType({group.name: group for group in _rows()})


def group_of(channel: str) -> Group:
    """The group of a channel; ``other`` for one that the table does not know."""
    return GROUPS.get(channel.partition(".")[0], GROUPS["other"])


def source_of(channel: str, engine: EngineName) -> str:
    """Where a channel of an engine's table comes from: its simulation, or a law on its motion."""
    group = group_of(channel)
    if group.name in ENGINES[engine].tells:
        return "the engine"
    by_law = group.by_law or group.component_of(channel).by_law
    return "a law of the model on the engine's motion" if by_law else "the engine"


def scale_of(channel: str) -> str:
    """The scale on which a channel is compared: all torques, all forces of reactions, energies."""
    group = group_of(channel)
    own = channel.partition(".")[0] if group.name == "other" else group.name
    part = group.component_of(channel).scale
    return f"{own} {part}" if part else group.scale or own


def joint_forces(channels: Collection[str], joint: str) -> list[str]:
    """Those of some channels that are force elements in a joint."""
    names = (f"{group.name}.{joint}" for group in GROUPS.values() if group.is_joint_force)
    return [name for name in names if name in channels]


def unit_of(channel: str, prismatic: Collection[str] = ()) -> str:
    """SI unit of a channel such as ``tau.elbow_joint``.

    Parameters
    ----------
    channel : str
    prismatic : collection of str
        Names of the joints whose coordinate is a length.
    """
    if channel == TIME:
        return "s"
    group = group_of(channel)
    if channel.partition(".")[2] in prismatic and group.sliding:
        return group.sliding
    return group.component_of(channel).unit
