"""Readings of an MJCF file, with the torques missing in programs that do not read a law."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim.audit.mjcf_features import mjcf_features_in
from sim.audit.other_programs import at_mjcf_states
from sim.audit.reading_facts import MJCF_FEATURES, REFUSED
from sim.audit.reading_torques import TorqueDifference
from sim.audit.readings import FeatureReading
from sim.audit.states import StateSamples
from sim.maths.arrays import Array
from sim.robots.mjcf.compiled import Compiled, compile_file
from sim.robots.robot import Robot
from sim.robots.xml_text import parse

OWN = "MuJoCo"
WITH_INVERSE = ("PyBullet", "Pinocchio", "Drake")  # programs whose inverse dynamics were measured

# Torque of a law in MuJoCo, for all its degrees of freedom.
_LAWS: Mapping[str, Callable[[Any, Any], Array]] = {
    "armature": lambda model, data: model.dof_armature * data.qacc,
    "armature-motor": lambda model, data: model.dof_armature * data.qacc,
    "damping": lambda model, data: data.qfrc_damper,
    "damping-powers": lambda model, data: data.qfrc_damper,
    "frictionloss": lambda model, data: model.dof_frictionloss * np.sign(data.qvel),
    "spring": lambda model, data: data.qfrc_spring,
    "gravcomp": lambda model, data: data.qfrc_gravcomp,
}


def mjcf_readings(
    path: Path, robot: Robot, states: StateSamples | None, text: str
) -> tuple[FeatureReading, ...]:
    """Return programs' readings of an MJCF file, and their torque differences from MuJoCo's.

    Parameters
    ----------
    path : Path
    robot : Robot
        Robot of the file.
    states : StateSamples or None
        States of the comparison; without them there are no differences.
    text : str
        Text of the file.
    """
    compiled = compile_file(path)
    features = mjcf_features_in(parse(text, str(path)), compiled)
    return tuple(
        FeatureReading(
            MJCF_FEATURES[key],
            names,
            {} if states is None else _differences(key, names, compiled, robot, states),
        )
        for key, names in features.items()
    )


def _differences(
    key: str, names: Sequence[str], compiled: Compiled, robot: Robot, states: StateSamples
) -> dict[str, TorqueDifference]:
    """Return the missing torques of programs whose reading of a law differs from MuJoCo's."""
    if key not in _LAWS:
        return {}
    torque = at_mjcf_states(compiled, robot, states, _LAWS[key])
    if key.startswith("armature"):
        torque[[row.joint not in names for row in robot.coordinates]] = 0.0
    worst = np.abs(torque).max(axis=1, initial=0.0)
    row = int(np.argmax(worst))
    unit = robot.coordinates[row].units.effort
    one = TorqueDifference(float(worst[row]), unit, robot.row_names[row])
    by_program = MJCF_FEATURES[key].by_program
    read = {name: by_program[name] for name in WITH_INVERSE}
    return {name: one for name, has in read.items() if has not in (by_program[OWN], REFUSED)}
