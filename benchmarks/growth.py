"""Scaling with the number of joints and with duration: whole processes of ``sim run`` with a page.

Chains of 6 to 60 driven joints for 1 s at 1 ms; a UR10 with a payload for 10, 60 and 600 s at 1 ms
(600 s in one round). Times are CPU times.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.contest import (
    Contender,
    Part,
    Row,
    Settings,
    Subject,
    Target,
    megabytes_of,
    process,
    seconds_of,
    turns,
)

SIM = (sys.executable, "-m", "sim")
JOINTS = (6, 12, 30, 60)
TIMES = {12: 1.5, 30: 4.0, 60: 12.0}  # relative to the time of 6 joints
DURATIONS = (10, 60, 600)  # [s]
AXES = ("0 0 1", "0 1 0", "1 0 0")
CHAIN = '''"""A chain of {n} joints, each driven by a STEP."""

import sim

DRIVES = {{f"j{{k}}": f"STEP(time, 0, 0, 0.6, {{(-1) ** k * (5 + k % 7)}}d)" for k in range({n})}}


def scenario():
    robot = sim.load_robot({urdf!r})
    return sim.Scenario(robot, sim.JointMotion.displacement(DRIVES), duration={duration}, dt=1e-3)
'''
SWING = '''"""Every joint of a UR10 swings at a rate of its own."""

import sim

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")


def scenario(duration: float = 10.0) -> sim.Scenario:
    robot = sim.load_robot("ur10").with_payload(mass=5.0, com=(0, 0, 0.1))
    drives = {f"{joint}_joint": f"0.3*SIN({0.3 + 0.2*k}*time)" for k, joint in enumerate(JOINTS)}
    motion = sim.JointMotion.velocity(drives, q0=robot.pose("upright"))
    return sim.Scenario(robot, motion, duration=duration)
'''


def measured(settings: Settings) -> Subject:
    """Return plots of time over joints and over duration."""
    with tempfile.TemporaryDirectory() as name:
        joints = turns(_chains(Path(name), settings), settings)
        duration = _durations(Path(name), settings)
    base = seconds_of(joints, "6 joints")
    targets = [
        Target(
            f"{n} joints, time relative to 6 joints",
            seconds_of(joints, f"{n} joints") / base,
            x,
            "x",
        )
        for n, x in TIMES.items()
    ]
    targets.append(Target("60 joints, peak memory", megabytes_of(joints, "60 joints"), 500, "MB"))
    targets += [
        Target("60 s, time relative to 10 s", _times(duration, "60 s", "10 s"), 6, "x"),
        Target("600 s, time relative to 60 s", _times(duration, "600 s", "60 s"), 10, "x"),
        Target("600 s, peak memory", megabytes_of(duration, "600 s"), 250, "MB"),
    ]
    return Subject(
        __doc__,
        (
            Part("Joints", tuple(joints.values()), plot="growth", along="joints"),
            Part("Duration", tuple(duration.values()), plot="growth", along="duration [s]"),
        ),
        tuple(targets),
    )


def urdf(n: int) -> str:
    """Return a URDF with links of 0.1 to 0.3 m and 3 kg/m, axes along z, y and x in turn."""
    lengths = np.random.default_rng(n).uniform(0.1, 0.3, n)
    rows = ['<robot name="chain"><link name="base"/>']
    for k, length in enumerate(lengths):
        mass, origin = 3 * length, lengths[k - 1] if k else 0.0
        across, along = mass * length**2 / 12 + 4e-4 * mass, 4e-4 * mass
        parent = f"l{k - 1}" if k else "base"
        rows.append(
            f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="0 0 {origin:.6g}"/><axis xyz="{AXES[k % 3]}"/>'
            '<limit lower="-6" upper="6" effort="1e5" velocity="100"/></joint>'
            f'<link name="l{k}"><inertial><origin xyz="0 0 {length / 2:.6g}"/>'
            f'<mass value="{mass:.6g}"/><inertia ixx="{across:.8g}" iyy="{across:.8g}" '
            f'izz="{along:.8g}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
    return "\n".join([*rows, "</robot>"])


def _chains(folder: Path, settings: Settings) -> list[Contender]:
    found = []
    for n in JOINTS:
        model = folder / f"chain_{n}.urdf"
        model.write_text(urdf(n))
        script = folder / f"chain_{n}.py"
        duration = 0.01 if settings.quick else 1.0
        script.write_text(CHAIN.format(n=n, urdf=str(model), duration=duration))
        run = partial(
            process, *SIM, "run", str(script), "--out", str(folder / f"{n}"), accepted=(0, 1)
        )
        found.append(Contender(f"{n} joints", run, is_process=True))
    return found


def _durations(folder: Path, settings: Settings) -> dict[str, Row]:
    script = folder / "swing.py"
    script.write_text(SWING, encoding="utf-8")
    rows = {}
    for duration in DURATIONS[:1] if settings.quick else DURATIONS:
        own = Settings(1) if duration > 100 else settings
        words = ("--set", f"duration={duration}", "--out", str(folder / "run"))
        run = partial(process, *SIM, "run", str(script), *words)
        rows |= turns([Contender(f"{duration} s", run, is_process=True)], own)
    return rows


def _times(rows: dict[str, Row], what: str, of: str) -> float:
    return seconds_of(rows, what) / seconds_of(rows, of)
