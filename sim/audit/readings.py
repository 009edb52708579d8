"""Readings of the features of a file by other programs, with the torque at stake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from sim.audit.file_features import features_in
from sim.audit.reading_facts import MEASURED, URDF_FEATURES, Feature
from sim.audit.reading_torques import TorqueDifference, differences

if TYPE_CHECKING:
    from lxml.etree import _Element

    from sim.audit.states import StateSamples
    from sim.robots.robot import Robot

EVERYWHERE = ("root", "tensor", "fixed")  # features of nearly every link
NOTHING = 1e-9  # [N·m or N]; a smaller difference is rounding
SHOWN = 3  # listed names of links and joints


class FeatureReading(msgspec.Struct, frozen=True):
    """A feature of a file, and its readings by programs.

    Parameters
    ----------
    feature : Feature
    where : tuple of str
        Names of the links and joints that have it, or ``robot``.
    differences : mapping of str to TorqueDifference
        Resulting change of the torques of installed programs, at the audit's states.
    """

    feature: Feature
    where: tuple[str, ...]
    differences: Mapping[str, TorqueDifference] = msgspec.field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """Whether it belongs to some links or joints, which are named."""
        return self.feature.key not in EVERYWHERE and self.where != ("robot",)

    @property
    def places(self) -> str:
        """Links and joints as text; of many only the first."""
        more = f" and {len(self.where) - SHOWN} more" if len(self.where) > SHOWN else ""
        return ", ".join(self.where[:SHOWN]) + more

    @property
    def groups(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each reading with its programs; the most common one is last."""
        by_reading: dict[str, list[str]] = {}
        for program, reading in self.feature.by_program.items():
            by_reading.setdefault(reading, []).append(program)
        groups = sorted(by_reading.items(), key=lambda item: len(item[1]))
        return tuple((reading, tuple(programs)) for reading, programs in groups)

    def at_stake(self, programs: Sequence[str]) -> str:
        """Return the largest torque difference of programs, as text; empty if none is known."""
        sizes = [self.differences[name] for name in programs if name in self.differences]
        largest = max(sizes, key=lambda one: one.size, default=None)
        if largest is None or largest.size < NOTHING:
            return ""
        return f"{largest.size:.3g} {largest.unit}"

    def document(self) -> dict[str, object]:
        """Return the reading as plain values, for JSON."""
        return {
            "feature": self.feature.key,
            "title": self.feature.title,
            "where": list(self.where),
            "readings": dict(self.feature.by_program),
            "differences": {
                program: {"size": one.size, "unit": one.unit, "joint": one.joint}
                for program, one in self.differences.items()
            },
            "remedy": self.feature.remedy,
        }


def readings_of(
    root: _Element, robot: Robot | None, states: StateSamples | None
) -> tuple[FeatureReading, ...]:
    """Return the readings of a URDF, with differences of torques for a robot with states."""
    features = features_in(root)
    sizes = {} if robot is None or states is None else differences(robot, states, features)
    return tuple(
        FeatureReading(
            URDF_FEATURES[key],
            names,
            {program: size for (of, program), size in sizes.items() if of == key},
        )
        for key, names in features.items()
    )


def versions(programs: Sequence[str]) -> str:
    """Return programs with their measured versions, in lines of three."""
    names = [f"{program} {MEASURED[program][1]}" for program in programs]
    return ",\n".join(", ".join(names[k : k + 3]) for k in range(0, len(names), 3))
