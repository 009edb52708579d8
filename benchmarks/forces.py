"""Expression forces between markers, and ADAMS decks with free parts.

First, a UR10 with a payload, with and without a force between its tip and a point of the world,
given as an expression: 2 s of prescribed motion, 0.2 s with torque drives. The force is so small
that the motion, and hence the number of steps, does not change. Then 5 s of each deck, as a whole
process of ``sim run`` without a page. All times are CPU times with OPENBLAS_NUM_THREADS=1, because
waiting threads would count too.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

import sim
from benchmarks.contest import (
    Contender,
    Part,
    Row,
    Settings,
    Subject,
    Target,
    process,
    ratio,
    seconds_of,
    turns,
)

SIM = (sys.executable, "-m", "sim")
METHODS = ("ideal", "stepped", "adaptive")
START = (0.3, -1.0, 0.8, 0.2, 0.5, -0.4)
PULL = "-0.8*(DM(tip, wall) - 0.4) - 0.006*VR(tip, wall)"
HEAD = """a deck
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/11, PART = 1
MARKER/12, PART = 1, QP = 0.3, 2.5, 0
PART/2, MASS = 1, CM = 21, IP = 0.04, 0.1, 0.1
MARKER/21, PART = 2, QP = 2, 0, 0
MARKER/22, PART = 2
ACCGRAV/JGRAV = -9.80665
REQUEST/1, DISPLACEMENT, I = 21, J = 11
"""
DECKS = {
    "hinge with a torque": "JOINT/1, REVOLUTE, I = 22, J = 11\n"
    "SFORCE/1, ROTATIONAL, I = 22, J = 11, FUNCTION = -20*AZ(22, 11) - 0.5*WZ(22, 11, 11)",
    "ball joint": "JOINT/1, SPHERICAL, I = 22, J = 11",
    "ball joint with a spring": "JOINT/1, SPHERICAL, I = 22, J = 11\n"
    "SPRINGDAMPER/1, TRANSLATION, I = 21, J = 12, K = 20, C = 0.5, LENGTH = 2",
    "free part on a spring": "SFORCE/1, TRANSLATIONAL, I = 22, J = 12\n"
    ", FUNCTION = -100*(DM(22, 12) - 2) - VR(22, 12)",
    "free part on a rod": "GCON/1, I = 11, FUNCTION = DM(21, 11) - 2",
}


def measured(settings: Settings) -> Subject:
    """Return tables of forces and of decks, and the targets."""
    runs = turns(_runs(settings), settings)
    with tempfile.TemporaryDirectory() as name:
        decks = turns(_decks(Path(name), settings), settings)
    targets = [
        Target(f"{method}: time with a force relative to without", _share(runs, method), 1.15, "x")
        for method in METHODS
    ]
    targets += [Target(f"{deck}, 5 s", seconds_of(decks, deck), 3.0, "s") for deck in DECKS]
    parts = (
        Part("Force between two markers", tuple(runs.values()), "run"),
        Part("ADAMS decks", tuple(decks.values()), "process"),
    )
    return Subject(__doc__, parts, tuple(targets))


def scenario(method: str, duration: float, *, is_pulled: bool) -> sim.Scenario:
    """Return the scenario of the arm, prescribed or with torque drives."""
    robot = sim.load_robot("ur10").with_payload(mass=5.0, com=(0.02, 0.0, 0.1))
    names = robot.joint_names
    if method == "adaptive":
        torques = {name: f"{20 / (1 + k * k)}*SIN({2 + k}*time)" for k, name in enumerate(names)}
        motion = sim.JointMotion.torque(torques, dict(zip(names, START, strict=True)))
    else:
        motion = sim.JointMotion.displacement(
            {name: f"0.3*SIN({1 + k}*time) - {0.1 * k}" for k, name in enumerate(names)}
        )
    tip = sim.Marker("tip", "wrist_3_link", (0.0, 0.0, 0.1))
    wall = sim.Marker("wall", "world", (1.0, 0.2, 0.8))
    forces = [sim.SForce("pull", tip, wall, PULL)] if is_pulled else []
    return sim.Scenario(robot, motion, duration, forces=forces, method=method)


def _runs(settings: Settings) -> list[Contender]:
    found = []
    for method in METHODS:
        duration = 0.01 if settings.quick else 0.2 if method == "adaptive" else 2.0
        for is_pulled in (False, True):
            one = scenario(method, duration, is_pulled=is_pulled)
            sim.run(one)  # compiles and caches once
            found.append(Contender(_name(method, is_pulled), partial(sim.run, one)))
    return found


def _name(method: str, is_pulled: bool) -> str:
    return f"{method} {'with' if is_pulled else 'without'} a force"


def _share(runs: dict[str, Row], method: str) -> float:
    return ratio(runs, _name(method, True), _name(method, False))


def _decks(folder: Path, settings: Settings) -> list[Contender]:
    found = []
    for number, (name, text) in enumerate(list(DECKS.items())[: 1 if settings.quick else None]):
        deck = folder / f"deck_{number}.adm"
        deck.write_text(f"{HEAD}{text}\nEND\n", encoding="utf-8")
        words = ("--no-report", "--out", str(folder / f"run_{number}"))
        run = partial(process, *SIM, "run", str(deck), *words, accepted=(0, 1))
        found.append(Contender(name, run, is_process=True))
    return found
