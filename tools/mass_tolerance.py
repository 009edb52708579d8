"""Sensitivity of the KR 210's torques to errors of its masses: table and figure.

    python -m tools.mass_tolerance [--out docs] [--samples 200]

All masses at once are a tolerance study (``sim sweep kr210_heart --tolerance mass=20% …``); one at
a time, each is increased and the model's peaks are computed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sim
from sim.dynamics import newton_euler
from sim.maths.arrays import Array
from sim.recording.plot_style import STYLE
from sim.robots.loading import read_urdf
from sim.robots.robot import Robot
from sim.robots.xml_text import parse
from sim.scenario.scenario import Scenario
from sim.scenario.script import load_script

SCENARIO, SHARE = "kr210_heart", 0.20
FIGURE = "kr210_masses.svg"
STEP = 0.01  # s
LEAST = 0.05  # N·m; smaller changes are not shown
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")  # Okabe-Ito


@dataclass(frozen=True)
class Spread:
    """Effect of uncertain masses on the peak torque of a joint [N·m].

    Parameters
    ----------
    joint : str
    nominal : float
        With nominal masses.
    samples : ndarray, shape (N,)
        With all masses random.
    by_link : dict of str to float
        With one link `SHARE` heavier and all others nominal.
    """

    joint: str
    nominal: float
    samples: Array
    by_link: dict[str, float]


def spreads(scenario: Scenario, samples: int) -> list[Spread]:
    """Return the spread of each joint with a torque."""
    robot = scenario.robot
    nominal = peak_torques(scenario, robot)
    moved = {
        link.name: peak_torques(scenario, heavier(robot, link.name)) - nominal
        for link in robot.links
        if link.inertia is not None and link.name != "payload"
    }
    drawn = study(samples)
    return [
        Spread(joint, nominal[k], drawn[joint], {link: row[k] for link, row in moved.items()})
        for k, joint in enumerate(robot.joint_names)
        if nominal[k] > LEAST
    ]


def peak_torques(scenario: Scenario, robot: Robot) -> Array:
    """Return the largest magnitude of each joint's torque with this robot, shape (n,) [N·m]."""
    t = np.linspace(0.0, scenario.duration, round(scenario.duration / STEP) + 2)
    motion = scenario.motion.on(scenario.robot, scenario.duration).motion(t)
    torques = newton_euler.inverse_dynamics(robot, *motion, scenario.gravity)
    peaks: Array = np.abs(torques).max(axis=1)
    return peaks


def heavier(robot: Robot, link: str) -> Robot:
    """Return the robot with mass and tensor of one link increased by `SHARE`."""
    root = parse(robot.text, f"robot {robot.name!r}")
    (own,) = root.findall(f"link[@name='{link}']/inertial")
    for part in ("mass", "inertia"):
        for element in own.findall(part):
            for key, text in element.attrib.items():
                element.set(key, repr(float(text) * (1 + SHARE)))
    from lxml import etree

    return read_urdf(etree.tostring(root, encoding="unicode"))


def study(samples: int) -> dict[str, Array]:
    """Return peak torques of the samples by joint [N·m], all masses random in each."""
    with tempfile.TemporaryDirectory() as folder:
        table = sim.sweep(
            SCENARIO,
            tolerance={"mass": f"{SHARE:.0%}"},
            distribution="uniform",
            samples=samples,
            seed=1,
            responses=["peak tau.*"],
            dt=STEP,
            analytic=True,
            out=Path(folder) / "study",
            page=False,
        ).table
    peaks = table.filter(like="peak tau.")
    return {str(name).removeprefix("peak tau."): peaks[name].to_numpy() for name in peaks}


def shown_links(found: list[Spread]) -> list[str]:
    """Return links with an effect on any of the torques."""
    return [link for link in found[0].by_link if any(abs(s.by_link[link]) > LEAST for s in found)]


def table_text(found: list[Spread]) -> str:
    """Return the spreads as a table in Markdown."""
    links = shown_links(found)
    lines = [
        f"| peak torque [N·m] | nominal | samples | {' | '.join(links)} |",
        "|---" * (3 + len(links)) + "|",
    ]
    for one in found:
        low, high = one.samples.min(), one.samples.max()
        parts = " | ".join(f"{one.by_link[link]:+.1f}" for link in links)
        lines.append(f"| {one.joint} | {one.nominal:.1f} | {low:.1f} … {high:.1f} | {parts} |")
    return "\n".join(lines)


def draw(found: list[Spread], path: Path) -> None:
    """Plot the share of each link in the change of a peak, stacked both ways; samples below it."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = np.arange(len(found))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7, 3.2), layout="constrained")
        axes = figure.subplots()
        reached = np.zeros(len(found))
        for link, colour in zip(shown_links(found), COLOURS, strict=True):
            share = np.array([100 * abs(one.by_link[link]) / one.nominal for one in found])
            axes.barh(rows, share, 0.5, reached, color=colour, label=link, zorder=2)
            axes.barh(rows, -share, 0.5, -reached, color=colour, zorder=2)
            reached += share
        for row, one in zip(rows, found, strict=True):
            spread = 100 * (one.samples / one.nominal - 1)
            height = row + np.linspace(0.3, 0.45, spread.size)
            axes.plot(spread, height, ".", color="#707070", markersize=1.5, zorder=3)
        axes.set_yticks(rows, [f"{one.joint}, {one.nominal:.0f} N·m" for one in found])
        axes.invert_yaxis()
        axes.set_xlabel(f"change of the peak torque [%] by masses ±{SHARE:.0%}; dots: all at once")
        axes.legend(loc="lower right", frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})


def main() -> None:
    """Draw the figure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs"))
    parser.add_argument("--samples", type=int, default=200)
    given = parser.parse_args()
    scenario, _ = load_script(SCENARIO).build({})
    found = spreads(scenario, given.samples)
    draw(found, given.out / FIGURE)
    sys.stdout.write(f"{table_text(found)}\n")


if __name__ == "__main__":
    main()
