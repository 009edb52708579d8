"""Result files of ADAMS for the cases of its chapter; read by NumPy alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sim.maths.arrays import Array
from sim.recording.columns import ColumnTable
from sim.scenario import Scenario, load_script
from sim.verification.case import Case, Expected, Source

DATA = "SIM_ADAMS_DATA"  # environment variable: a folder with Revolute_Case01_ADAMS_Pos, …
SOURCE = Source(
    "Project Chrono",
    2014,
    "Validation data of joints: results of MSC ADAMS",
    "data/testing/joints, https://github.com/projectchrono/chrono-data",
)
CHANNELS = {
    "Pos": ("place", "m", [f"tool.{c}" for c in "xyz"]),
    "Vel": ("velocity", "m/s", [f"tool.v{c}" for c in "xyz"]),
    "Avel": ("angular velocity", "rad/s", [f"tool.w{c}" for c in "xyz"]),
    "Acc": ("acceleration", "m/s²", [f"tool.a{c}" for c in "xyz"]),
    "Rforce": ("force on the ground", "N", [f"measure.joint.f{c}" for c in "xyz"]),
    "Rtorque": ("torque on the ground", "N·m", [f"measure.joint.m{c}" for c in "xyz"]),
}


def shipped_case(scenario: str, file: str, within: Mapping[str, float], why: str) -> Case:
    """Return a case of a shipped scenario, against the results of ADAMS for the same deck.

    Parameters
    ----------
    scenario : str
        Name of the scenario.
    file : str
        Beginning of the names of the result files.
    within : mapping of str to float
        Tolerance of each quantity in `CHANNELS`, in the unit there.
    why : str
        Reason for the tolerances.
    """

    def build() -> Scenario:
        """Build the shipped scenario without its reference."""
        return load_script(scenario).build({})[0]

    def expected() -> dict[str, Expected]:
        """Return ADAMS's results, to six digits."""
        return printed_values(file, within, why)

    def read(table: ColumnTable) -> dict[str, Array]:
        """Return the quantities of a run of the scenario."""
        return rows_of(table, within)

    return Case(source=SOURCE, scenario=build, read=read, expected=expected, file=DATA)


def printed_values(case: str, within: Mapping[str, float], why: str) -> dict[str, Expected]:
    """Return ADAMS's values of a case by quantity: three rows each over its times."""
    expected = {}
    for quantity, limit in within.items():
        path = Path(os.environ[DATA]) / f"{case}_ADAMS_{quantity}.txt"
        t, *rows = np.loadtxt(path, skiprows=3).T
        name, unit, _ = CHANNELS[quantity]
        expected[name] = Expected(np.stack(rows), unit, limit, why, t)
    return expected


def rows_of(table: ColumnTable, quantities: Mapping[str, float]) -> dict[str, Array]:
    """Return the quantities of a run of the shipped scenario, three rows each."""
    return {
        CHANNELS[quantity][0]: np.stack([table[channel] for channel in CHANNELS[quantity][2]])
        for quantity in quantities
    }
